"""Who learns a message, through whom, at which hop and on which day; and who does not, and why."""

from typing import Any

import pytest

from earwitness_relationships.compiled.coins import Coins, threshold
from earwitness_relationships.graph import Fact, Relation
from earwitness_relationships.graph.view import GraphView
from earwitness_relationships.propagation import Adjacency, Seed, Spread, spread
from earwitness_relationships.propagation.walk import Walk
from earwitness_relationships.rules import Member, Pantheon, RuleBook, Rules
from earwitness_relationships.rules.records import Budget


def graph(relations: list[Relation]) -> GraphView:
    return GraphView.of(Fact(relation=each) for each in relations)


FRIENDS = [("a", "b", 0.9), ("a", "c", 0.5), ("b", "d", 0.8), ("c", "d", 0.7), ("d", "e", 0.6), ("a", "f", 0.1)]


def friendships() -> list[Relation]:
    return [Relation(source=s, target=t, type="friend", weight=w) for s, t, w in FRIENDS]


def village(rules: dict[str, Any], **members: dict[str, Any]) -> Adjacency:
    everybody = [Member(personality_id=id, **members.get(id, {})) for id in "abcdef"]
    rules = {"share_direct_interactions": True, "relation_types": ("friend",), **rules}
    book = RuleBook(pantheons=(Pantheon(slug="village", rules=Rules(**rules), members=tuple(everybody)),))
    return Adjacency(book, graph(friendships()))


def said(**given: Any) -> Seed:
    return Seed(**{"key": "m1", "day": 3, "speaker": "a", "direct": {"a": "speaker"}, **given})


def hops(found: Spread) -> dict[str, tuple[str, int, float]]:
    return {each.listener: (each.teller, each.hop, each.day) for each in reversed(found.tellings)}


def why(found: Spread, listener: str) -> str:
    return next(each.why for each in found.stops if each.listener == listener)


def test_friends_of_friends_learn_it_one_hop_and_two_days_later_each() -> None:
    found = spread(village({"max_hops": 3, "delay": 2, "min_weight": 0.5}), said())
    assert hops(found) == {"b": ("a", 1, 5), "c": ("a", 1, 5), "d": ("b", 2, 7), "e": ("d", 3, 9)}


def test_a_day_ends_the_walk_and_what_arrives_later_goes_on_from_there() -> None:
    adjacency = village({"max_hops": 3, "delay": 2, "min_weight": 0.5})
    today = spread(adjacency, said(), until=3)
    assert set(hops(today)) == {"b", "c"}
    later = spread(adjacency, said(day=5, direct={}, heard=("a", "b", "c"), arrived=today.tellings), until=5)
    assert hops(later) == {"d": ("b", 2, 7)}


def test_two_tellers_of_the_same_day_and_hop_add_up_and_the_stronger_comes_first() -> None:
    found = spread(village({"max_hops": 2, "min_weight": 0.5}, c={"rules": Rules(decay=0.5)}), said())
    assert [(each.teller, each.strength) for each in found.tellings if each.listener == "d"] == [("b", 1), ("c", 0.5)]


def test_what_is_too_faint_is_told_no_further() -> None:
    found = spread(village({"max_hops": 9, "decay": 0.1, "min_weight": 0.5}), said())
    assert set(hops(found)) == {"b", "c"}
    assert "too faint" in why(found, "d")


def test_the_fan_out_takes_the_closest_friends() -> None:
    found = spread(village({"fan_out": 1}), said())
    assert set(hops(found)) == {"b"}
    assert "fan_out" in why(found, "c")


def test_a_budget_is_spent_on_the_first_listeners() -> None:
    found = spread(village({"max_hops": 3, "min_weight": 0.5, "budget": Budget(message=3)}), said())
    assert set(hops(found)) == {"b", "c", "d"}
    assert "budget.message" in why(found, "e")


def test_a_listener_who_has_heard_enough_today_hears_no_more() -> None:
    found = spread(village({"budget": Budget(listener_day=1)}), said(), heard=lambda who, day: who == "b" and day == 3)
    assert set(hops(found)) == {"c", "f"}
    assert "heard enough" in why(found, "b")


def test_the_omniscient_learn_whatever_chance_fan_out_and_budgets_say() -> None:
    limits = {"chance": 0.0, "fan_out": 0, "budget": Budget(message=0)}
    found = spread(village(limits, c={"rules": Rules(omniscient=True)}), said())
    assert set(hops(found)) == {"c"}


def test_coins_fall_the_same_way_each_time_and_as_often_as_their_chance_says() -> None:
    adjacency = village({"chance": 0.5})
    assert spread(adjacency, said()) == spread(adjacency, said())
    fallen = [Coins(f"m{n}").falls("a", "b", "r", threshold(0.3)) for n in range(2000)]
    assert 0.26 < sum(fallen) / 2000 < 0.34
    assert Coins("m1").falls("a", "b", "r", threshold(0.3)) == (Coins("m1").value("a", "b", "r") < 0.3)


def test_an_observer_hears_and_never_tells() -> None:
    found = spread(village({"max_hops": 3, "min_weight": 0.5}, b={"role": "observer"}, c={"role": "observer"}), said())
    assert set(hops(found)) == {"b", "c"}


def test_whoever_overhears_has_lived_nothing() -> None:
    found = spread(village({}), said(direct={"e": "speaker", "a": "overhearing"}, speaker="e"))
    assert found.tellings == ()
    assert "did not live it" in why(found, "b")


def test_nothing_from_a_direct_message_is_told_where_it_is_excluded() -> None:
    assert spread(village({}), said(private=True)).tellings != ()
    found = spread(village({"exclude_private": True}), said(private=True))
    assert found.tellings == ()
    assert "direct message" in why(found, "b")


@pytest.mark.parametrize(("seed", "learned"), [({"about": ("b",)}, True), ({"about": ()}, False)])
def test_a_rule_about_somebody_needs_them_in_the_message(seed: dict[str, Any], learned: bool) -> None:
    assert ("c" in hops(spread(village({"only_about": ("b",)}), said(**seed)))) is learned
    assert ("c" in hops(spread(village({"never_about": ("b",)}), said(**seed)))) is not learned


def test_an_edited_relation_counts_with_the_next_message() -> None:
    adjacency = village({})
    assert "e" not in hops(spread(adjacency, said()))
    adjacency.relations = graph([Relation(source="a", target="e", type="friend")])
    adjacency.invalidate(["a"])
    assert set(hops(spread(adjacency, said()))) == {"e"}


@pytest.mark.parametrize("compiled_before", [False, True])
def test_a_story_with_relations_of_its_own_keeps_all_limits(compiled_before: bool) -> None:
    shared = village({"budget": Budget(message=1), "max_hops": 3})
    own = graph([Relation(source="a", target="e", type="foe"), *friendships()])
    of_story = shared.of_story(own, {"a"})
    if compiled_before:
        shared.compile_all()
    assert hops(spread(of_story, said())) == hops(spread(Adjacency(shared.book, own), said())) == {"b": ("a", 1, 3)}


def test_members_of_a_large_pantheon_are_one_list_for_all_tellers() -> None:
    members = tuple(Member(personality_id=f"p{n}") for n in range(500))
    book = RuleBook(pantheons=(Pantheon(slug="all", rules=Rules(propagate_all=True), members=members),))
    adjacency = Adjacency(book)
    adjacency.compile_all()
    assert len({id(run) for runs in adjacency.runs.values() for run in runs}) == 1
    walk = Walk(adjacency, said(speaker="p7", direct={"p7": "speaker"}))
    walk.run()
    assert len(list(walk.tellings())) == 499
