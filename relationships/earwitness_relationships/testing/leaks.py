"""The leak suite: nobody ever recalls a memory without a chain of rules that allows it.

It compares an engine and a privacy table with the references, over random cases. Subclass `LeakSuite` in a test file,
or call `check_leaks`, which needs no pytest.
"""

# ruff: noqa: S101

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from earwitness import Channel

from ..graph.records import Relation
from ..propagation.records import Seed, Spread, Telling
from ..rules.records import RuleBook
from .cases import HeardMessage, LeakCase, further_case, said_again
from .reference import HeardBefore, has_caps, reached, unjustified
from .reference_privacy import may_recall, strictest
from .reference_rules import RulesAsWritten, levels_of
from .reference_texts import ToldTexts, heard_of, wrong_texts

SpreadingEngine = Callable[[RuleBook, Sequence[Relation], Seed, HeardBefore], Spread]
"""From rules, graph, one message, and what else everybody is told on each day, to who is told."""
ReadingTable = Callable[[str, Channel, Channel, Collection[str]], bool]
"""Policy, learned in, asked in, who was there → whether it may be read."""
POLICIES = ("graded", "same_context")
"""The tables every engine has."""


@dataclass(frozen=True)
class FurtherParts:
    """What else of an engine may be tried; `None` = it is not."""

    closed: SpreadingEngine | None = None
    """Who is told of a message by rules with `when: conversation`, once the conversation is over."""
    in_hubs: SpreadingEngine | None = None
    """Who is told where groups are read in hubs: those who read it there, too."""
    derived: Callable[[str, Sequence[HeardMessage], Channel], bool] | None = None
    """Policy, messages, asked in → whether what rests on all of these messages may be read."""
    merged: Callable[[HeardMessage, HeardMessage], bool] | None = None
    """Whether somebody who is told both of two messages in the same words has one memory of them."""

    texts: Callable[[Seed, Sequence[Telling], Mapping[str, str]], ToldTexts] | None = None
    """A message, tellings of it, who heard what of it → what listeners are told. The rules name the retellers and
    triages of `reference_texts`."""
    recalled: Callable[[LeakCase, Sequence[tuple[HeardMessage, Spread]]], Collection[str]] | None = None
    """A case, its messages and who is told of each → keys of the messages that the reader finds in a store, where and
    when the case asks."""


NOTHING_ELSE = FurtherParts()


@dataclass(frozen=True)
class Disagreement:
    """Something that an engine says otherwise than the reference."""

    number: int
    """The case: `cases.further_case(number)`."""
    message: str
    """The key of the message."""
    what: str
    """In words."""
    leak: bool
    """Whether somebody comes to know what they may not; otherwise somebody is not told who should be."""

    def __str__(self) -> str:
        return f"{'leak' if self.leak else 'loss'} in case {self.number}, message {self.message}: {self.what}"


def check_leaks(
    engine: SpreadingEngine,
    table: ReadingTable,
    cases: int = 100_000,
    first: int = 0,
    parts: FurtherParts = NOTHING_ELSE,
) -> list[Disagreement]:
    """What an engine and a table say otherwise than the references, over so many random cases. Empty = nothing."""
    numbers = range(first, first + cases)
    return [each for number in numbers for each in disagreements(further_case(number), engine, table, parts)]


def disagreements(
    given: LeakCase, engine: SpreadingEngine, table: ReadingTable, parts: FurtherParts = NOTHING_ELSE
) -> Iterator[Disagreement]:
    """What an engine and a table say otherwise than the references about one case.

    Summaries are tried in cases with even numbers, merging in those with odd ones, and hubs in every eighth.
    """
    ways = WrittenRules.of(given)
    counts: Counter[tuple[str, float]] = Counter()

    def before(listener: str, day: float) -> int:
        return counts[listener, day]

    told: list[tuple[HeardMessage, Spread]] = []
    for heard in given.conversation:
        spread = engine(given.book, given.relations, heard.seed, before)
        told.append((heard, spread))
        yield from _of_tellings(given, ways.at_once, heard.seed, spread, before)
        yield from _of_reading(given, heard, spread, table)
        yield from _of_parts(given, ways, heard, spread, before, parts)
        counts.update([*_heard_first(spread).items()])
    if parts.derived is not None:
        yield from _of_derived(given, parts.derived)
    if parts.recalled is not None and given.number % 8 == 3:
        yield from _of_recalling(given, told, parts.recalled(given, told))


def _of_recalling(
    given: LeakCase, told: Sequence[tuple[HeardMessage, Spread]], recalled: Collection[str]
) -> Iterator[Disagreement]:
    """What the reader finds is what they know on that day and may read there."""
    for heard, spread in told:
        there = heard.seed.direct
        known = {*there, *(each.listener for each in spread.tellings if each.day <= given.day)}
        may = given.reader in known and may_recall("graded", heard.channel, given.asked, there)
        if (heard.seed.key in recalled) != may:
            what = f"{given.reader} {'should find' if may else 'finds'} it on day {given.day:g} in {given.asked}"
            yield Disagreement(given.number, heard.seed.key, what, leak=not may)


@dataclass(frozen=True)
class WrittenRules:
    """What the rules of a case say at each message, and once the conversation is over."""

    at_once: RulesAsWritten
    over: RulesAsWritten | None
    """`None` = no rule tells summaries, or they are not tried."""

    @classmethod
    def of(cls, given: LeakCase) -> WrittenRules:
        """Those of a case."""
        is_tried = given.number % 2 == 0 and _sums_up(given.book)
        over = RulesAsWritten(given.book, given.relations, over=True) if is_tried else None
        return cls(RulesAsWritten(given.book, given.relations), over)


def _of_parts(
    given: LeakCase,
    ways: WrittenRules,
    heard: HeardMessage,
    spread: Spread,
    before: HeardBefore,
    parts: FurtherParts,
) -> Iterator[Disagreement]:
    if parts.closed is not None and ways.over is not None:
        closed = parts.closed(given.book, given.relations, heard.seed, before)
        yield from _of_tellings(given, ways.over, heard.seed, closed, before)
    if parts.in_hubs is not None and given.number % 8 == 0:
        yield from _of_hubs(given, ways.at_once, heard.seed, parts.in_hubs, before)
    if parts.merged is not None and given.number % 2:
        yield from _of_merging(given, heard, parts.merged)
    if parts.texts is not None and _words_matter(given):
        said = parts.texts(heard.seed, spread.tellings, heard_of(heard.seed))
        for what in wrong_texts(heard.seed, spread.tellings, said):
            yield Disagreement(given.number, heard.seed.key, what, leak=True)


def _heard_first(spread: Spread) -> dict[str, float]:
    """Everybody who is told → the first day."""
    days: dict[str, float] = {}
    for each in spread.tellings:
        days[each.listener] = min(each.day, days.get(each.listener, each.day))
    return days


def _words_matter(given: LeakCase) -> bool:
    """Whether some rule rewords or chooses; and every eighth case besides."""
    levels = (each for pantheon in given.book.pantheons for each in levels_of(pantheon))
    return given.number % 8 == 1 or any(each.retell or each.triage for each in levels)


def _names_models(book: RuleBook) -> bool:
    return any(each.spreading for pantheon in book.pantheons for each in levels_of(pantheon))


def _sums_up(book: RuleBook) -> bool:
    return any(each.when == "conversation" for pantheon in book.pantheons for each in levels_of(pantheon))


def _of_hubs(
    given: LeakCase, rules: RulesAsWritten, seed: Seed, engine: SpreadingEngine, before: HeardBefore
) -> Iterator[Disagreement]:
    """Whoever reads it in a hub, or is told from there, is told as if there were none: no earlier, and nobody else."""
    expected = reached(rules, seed, before)
    found = _heard_first(engine(with_hubs(given.book), given.relations, seed, before))
    for who in sorted(found):
        if who not in expected or found[who] < expected[who].day - 1e-9:
            yield Disagreement(given.number, seed.key, f"{who} is told through a hub on day {found[who]:g}", leak=True)
    for who in sorted(expected.keys() - found.keys()) if not has_caps(given.book) else ():
        yield Disagreement(given.number, seed.key, f"{who} is told, but not where there are hubs", leak=False)


def with_hubs(book: RuleBook) -> RuleBook:
    """The same rules, with hubs for groups of any size."""
    rules = [each.rules.model_copy(update={"hub_from": 1}) for each in book.pantheons]
    pantheons = [each.model_copy(update={"rules": own}) for each, own in zip(book.pantheons, rules, strict=True)]
    return book.model_copy(update={"pantheons": tuple(pantheons)})


def _of_derived(
    given: LeakCase, derived: Callable[[str, Sequence[HeardMessage], Channel], bool]
) -> Iterator[Disagreement]:
    """What rests on several messages is read only where each of them may be; by `same_context`, it was learned in the
    strictest of their contexts."""
    for policy in POLICIES:
        for grounds in (given.conversation, given.conversation[-2:])[: len(given.conversation) - 1]:
            context = strictest(e.channel.context for e in grounds)
            asked_for = [e for e in grounds if policy == "graded" or e.channel.context == context]
            hidden = [e for e in asked_for if not may_recall(policy, e.channel, given.asked, e.seed.direct)]
            if hidden and derived(policy, grounds, given.asked):
                what = f"{policy}: what rests on it is read in {given.asked}, and it was learned in {hidden[0].channel}"
                yield Disagreement(given.number, hidden[0].seed.key, what, leak=True)


def _of_merging(
    given: LeakCase, heard: HeardMessage, merged: Callable[[HeardMessage, HeardMessage], bool]
) -> Iterator[Disagreement]:
    """Two messages that are one memory may be read in the same places."""
    for other in said_again(given.number, heard):
        if not merged(heard, other):
            continue
        for asked in (given.asked, heard.channel, other.channel):
            for policy in POLICIES:
                one, two = (may_recall(policy, e.channel, asked, e.seed.direct) for e in (heard, other))
                if one != two:
                    what = f"{policy}: merged with {other.seed.key}, of which one alone may be read in {asked}"
                    yield Disagreement(given.number, heard.seed.key, what, leak=True)


def _of_tellings(
    given: LeakCase, rules: RulesAsWritten, seed: Seed, spread: Spread, before: HeardBefore
) -> Iterator[Disagreement]:
    for complaint in unjustified(rules, seed, spread.tellings, before):
        yield Disagreement(given.number, seed.key, complaint, leak=True)
    if has_caps(given.book):
        return
    ways = reached(rules, seed, before)
    expected = {who: outcome(way.hop, way.day, way.tellers, way.strength) for who, way in ways.items()}
    found = outcomes_by_listener(spread)
    asked = expected if _names_models(given.book) else expected.keys() | found.keys()
    for who in sorted(asked):
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
    parts: FurtherParts = NOTHING_ELSE
    """What else is tried."""

    def spread(self, book: RuleBook, relations: Sequence[Relation], seed: Seed, heard: HeardBefore) -> Spread:
        """Who is told, by the engine under test, where others have told listeners so much on each day."""
        raise NotImplementedError

    def readable(self, policy: str, learned: Channel, asked: Channel, there: Collection[str]) -> bool:
        """Whether what was learned in one channel may be read for an answer in another, by the table under test."""
        raise NotImplementedError

    def test_nobody_recalls_what_no_chain_of_rules_allows(self) -> None:
        """Whoever is told was told by somebody who knew it, by a rule that is written, and reads it where they may.

        Where no coin and no cap decides, exactly those are told whom the reference tells, by the same tellers.
        """
        found = check_leaks(self.spread, self.readable, self.cases, self.first, self.parts)
        assert not found, _listed(found)


def _listed(found: Sequence[Disagreement]) -> str:
    leaks = sorted(found, key=lambda each: not each.leak)
    return "\n".join([f"{sum(each.leak for each in found)} leaks of {len(found)}", *map(str, leaks[:10])])
