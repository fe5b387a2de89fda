"""The leak suite: nobody ever recalls a memory without a chain of rules that allows it.

It compares an engine and a privacy table with the references, over random cases. Subclass `LeakSuite` in a test file,
or call `check_leaks`, which needs no pytest.
"""

# ruff: noqa: S101

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from earwitness import Channel

from ..graph.records import Relation
from ..propagation.records import Seed, Spread, Telling
from ..rules.records import RuleBook
from .cases import HeardMessage, LeakCase, case
from .reference import has_caps, reached, unjustified
from .reference_privacy import may_recall
from .reference_rules import RulesAsWritten

SpreadingEngine = Callable[[RuleBook, Sequence[Relation], Seed], Spread]
"""From rules, graph and one message to who is told."""
ReadingTable = Callable[[str, Channel, Channel, Collection[str]], bool]
"""Policy, learned in, asked in, who was there → whether it may be read."""
POLICIES = ("graded", "same_context")
"""The tables every engine has."""


@dataclass(frozen=True)
class Disagreement:
    """Something that an engine says otherwise than the reference."""

    number: int
    """The case: `cases.case(number)`."""
    message: str
    """The key of the message."""
    what: str
    """In words."""
    leak: bool
    """Whether somebody comes to know what they may not; otherwise somebody is not told who should be."""

    def __str__(self) -> str:
        return f"{'leak' if self.leak else 'loss'} in case {self.number}, message {self.message}: {self.what}"


def check_leaks(
    engine: SpreadingEngine, table: ReadingTable, cases: int = 100_000, first: int = 0
) -> list[Disagreement]:
    """What an engine and a table say otherwise than the references, over so many random cases. Empty = nothing."""
    return [each for number in range(first, first + cases) for each in disagreements(case(number), engine, table)]


def disagreements(given: LeakCase, engine: SpreadingEngine, table: ReadingTable) -> Iterator[Disagreement]:
    """What an engine and a table say otherwise than the references about one case."""
    rules = RulesAsWritten(given.book, given.relations)
    for heard in given.conversation:
        spread = engine(given.book, given.relations, heard.seed)
        yield from _of_tellings(given, rules, heard.seed, spread)
        yield from _of_reading(given, heard, spread, table)


def _of_tellings(given: LeakCase, rules: RulesAsWritten, seed: Seed, spread: Spread) -> Iterator[Disagreement]:
    for complaint in unjustified(rules, seed, spread.tellings):
        yield Disagreement(given.number, seed.key, complaint, leak=True)
    if has_caps(given.book):
        return
    expected = {who: outcome(way.hop, way.day, way.tellers, way.strength) for who, way in reached(rules, seed).items()}
    found = outcomes_by_listener(spread)
    for who in sorted(expected.keys() | found.keys()):
        if expected.get(who) != found.get(who):
            what = f"{who} is told {found.get(who, 'nothing')}, and should be told {expected.get(who, 'nothing')}"
            yield Disagreement(given.number, seed.key, what, leak=who not in expected)


def outcomes_by_listener(spread: Spread) -> dict[str, str]:
    """Everybody who is told: at which hop, on which day, by whom, and how strong it is then."""
    tellings: dict[str, list[Telling]] = {}
    for each in sorted(spread.tellings, key=lambda telling: (telling.day, telling.hop)):
        tellings.setdefault(each.listener, []).append(each)
    return {who: _outcome(ways) for who, ways in tellings.items()}


def _outcome(ways: Sequence[Telling]) -> str:
    tellers = tuple(sorted({each.teller for each in ways}))
    return outcome(ways[0].hop, ways[0].day, tellers, max(each.strength for each in ways))


def outcome(hop: int, day: float, tellers: Sequence[str], strength: float) -> str:
    """How somebody is told, in words that can be compared."""
    return f"at hop {hop} on day {day:g} by {', '.join(tellers)} with strength {strength:.4f}"


def _of_reading(given: LeakCase, heard: HeardMessage, spread: Spread, table: ReadingTable) -> Iterator[Disagreement]:
    there = frozenset(heard.seed.direct)
    listeners = {each.listener for each in spread.tellings if each.day <= given.day}
    if given.reader not in there | listeners:
        return
    for policy in POLICIES:
        may = may_recall(policy, heard.channel, given.asked, there)
        if table(policy, heard.channel, given.asked, there) != may:
            what = (
                f"{policy}: learned in {heard.channel}, asked in {given.asked}: {'may' if may else 'may not'} be read"
            )
            yield Disagreement(given.number, heard.seed.key, what, leak=not may)


class LeakSuite:
    """Subclass this in a test file, and say how your engine spreads a message and what your table lets be read."""

    cases: int = 1_000
    """How many random cases."""
    first: int = 0
    """The number of the first."""

    def spread(self, book: RuleBook, relations: Sequence[Relation], seed: Seed) -> Spread:
        """Who is told, by the engine under test."""
        raise NotImplementedError

    def readable(self, policy: str, learned: Channel, asked: Channel, there: Collection[str]) -> bool:
        """Whether what was learned in one channel may be read for an answer in another, by the table under test."""
        raise NotImplementedError

    def test_nobody_recalls_what_no_chain_of_rules_allows(self) -> None:
        """Whoever is told was told by somebody who knew it, by a rule that is written, and reads it where they may.

        Where no coin and no cap decides, exactly those are told whom the reference tells, by the same tellers.
        """
        found = check_leaks(self.spread, self.readable, self.cases, self.first)
        assert not found, _listed(found)


def _listed(found: Sequence[Disagreement]) -> str:
    leaks = sorted(found, key=lambda each: not each.leak)
    return "\n".join([f"{sum(each.leak for each in found)} leaks of {len(found)}", *map(str, leaks[:10])])
