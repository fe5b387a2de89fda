"""The leak suite passes for an engine that does what the rules say, and bites one that does not."""

from collections.abc import Sequence

import pytest

from earwitness_relationships.graph import Relation
from earwitness_relationships.propagation.records import Seed, Spread, Telling
from earwitness_relationships.rules import RuleBook
from earwitness_relationships.testing.cases import PEOPLE, case
from earwitness_relationships.testing.leaks import FurtherParts, check_leaks
from earwitness_relationships.testing.reference import HeardBefore, has_caps, reached
from earwitness_relationships.testing.reference_privacy import may_recall
from earwitness_relationships.testing.reference_rules import RulesAsWritten

CASES = 300


def obedient(book: RuleBook, relations: Sequence[Relation], seed: Seed, heard: HeardBefore) -> Spread:
    """An engine that tells whom the reference reaches, in the manner of the rules, and nobody where there are caps."""
    if has_caps(book):
        return Spread()
    rules = RulesAsWritten(book, relations)
    known = reached(rules, seed, heard)
    days = dict.fromkeys(seed.direct, seed.day) | {who: each.day for who, each in known.items()}
    told = [(listener, way, teller) for listener, way in known.items() for teller in way.tellers]
    return Spread(
        tellings=tuple(
            Telling(listener=who, teller=teller, hop=way.hop, day=way.day, rule="r", how=how, strength=way.strength)
            for who, way, teller in told
            for how in manners(rules, teller, who, days[teller])
        )
    )


def manners(rules: RulesAsWritten, teller: str, listener: str, day: float) -> set[str]:
    ways = [each for each in rules.offers(teller, day) if each.listener == listener]
    return {"witnessed" if each.options.manner == "witnessed" else "shared" for each in ways[:1]}


def everybody(book: RuleBook, relations: Sequence[Relation], seed: Seed, heard: HeardBefore) -> Spread:
    """An engine that tells everybody everything."""
    others = [each for each in PEOPLE if each not in seed.direct]
    return Spread(
        tellings=tuple(Telling(listener=e, teller=seed.speaker, hop=1, day=seed.day, rule="r") for e in others)
    )


def nobody(book: RuleBook, relations: Sequence[Relation], seed: Seed, heard: HeardBefore) -> Spread:
    """An engine that tells nobody anything."""
    return Spread()


def test_most_cases_have_somebody_to_tell_and_some_have_several_hops() -> None:
    found = [
        reached(RulesAsWritten(c.book, c.relations), heard.seed)
        for c in map(case, range(CASES))
        for heard in c.conversation
    ]
    assert sum(bool(each) for each in found) > len(found) / 4
    assert any(way.hop > 2 for each in found for way in each.values())


def test_a_case_is_made_the_same_again() -> None:
    assert case(7) == case(7)
    assert case(7) != case(8)


def test_an_engine_that_tells_everybody_leaks() -> None:
    found = check_leaks(everybody, may_recall, CASES)
    assert any(each.leak for each in found)
    assert str(found[0]).startswith(("leak in case", "loss in case"))


def test_an_engine_that_tells_nobody_leaks_nothing_and_loses_much() -> None:
    found = check_leaks(nobody, may_recall, CASES)
    assert found
    assert not any(each.leak for each in found)


def test_an_engine_that_obeys_reaches_exactly_whom_the_rules_mean() -> None:
    assert [each for each in check_leaks(obedient, may_recall, CASES) if "no rule allows" not in each.what] == []


@pytest.mark.parametrize("open_to_all", [True, False])
def test_a_table_that_is_too_loose_leaks_and_one_that_is_too_tight_loses(open_to_all: bool) -> None:
    found = check_leaks(obedient, lambda *_: open_to_all, CASES)
    assert {each.leak for each in found if "be read" in each.what} == {open_to_all}


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (FurtherParts(closed=everybody), "no rule allows"),
        (FurtherParts(in_hubs=everybody), "is told through a hub"),
        (FurtherParts(derived=lambda *_: True), "what rests on it is read"),
        (FurtherParts(merged=lambda *_: True), "merged with"),
    ],
)
def test_a_further_part_that_lets_everything_through_leaks(parts: FurtherParts, said: str) -> None:
    known = {str(each) for each in check_leaks(nobody, may_recall, CASES)}
    found = [str(each) for each in check_leaks(nobody, may_recall, CASES, parts=parts) if each.leak]
    assert [each for each in found if each not in known and said in each]


def test_further_parts_that_let_nothing_through_leak_nothing() -> None:
    parts = FurtherParts(nobody, nobody, lambda *_: False, lambda *_: False)
    assert not [each for each in check_leaks(nobody, may_recall, CASES, parts=parts) if each.leak]
