"""The reference reads the rules as the issue says them."""

from itertools import pairwise

import pytest

from earwitness import Channel
from earwitness_relationships.graph import Relation
from earwitness_relationships.propagation.records import Seed, Telling
from earwitness_relationships.rules import Member, Pantheon, RelationshipRule, RuleBook, Rules
from earwitness_relationships.testing.reference import by_hop, falls, reached, unjustified
from earwitness_relationships.testing.reference_privacy import may_recall, table
from earwitness_relationships.testing.reference_rules import RulesAsWritten

HAZBIN = Pantheon(
    slug="hazbin_hotel",
    rules=Rules(share_direct_interactions=True, manner="gossip", exclude_private=True),
    members=(
        Member(personality_id="charlie", role="leader", rules=Rules(share_with=("vaggie",), manner="intimate")),
        Member(personality_id="vaggie", rules=Rules(share_with=("charlie",), manner="intimate")),
        Member(personality_id="angel_dust"),
    ),
)
DEITIES = Pantheon(
    slug="abrahamic_pantheon",
    rules=Rules(propagate_all=True, manner="witnessed", omniscient=True),
    members=tuple(Member(personality_id=id) for id in ("god", "jesus", "holy_ghost")),
)
COUPLE = RelationshipRule(
    source="charlie",
    target="vaggie",
    type="couple",
    rules=Rules(share_all_direct_user_interactions=True, gossip_about_others=True),
)


def told(pantheon: Pantheon, seed: Seed, *relations: Relation) -> dict[int, list[str]]:
    return by_hop(reached(RulesAsWritten(RuleBook(pantheons=(pantheon,)), relations), seed))


def talk(*characters: str, **more: object) -> Seed:
    """The first of these says something to the others."""
    direct = dict.fromkeys(characters, "addressee") | {characters[0]: "speaker"}
    return Seed.model_validate({"key": "m1", "day": 3, "speaker": characters[0], "direct": direct} | more)


def chain(*names: str, **options: object) -> Pantheon:
    """Everybody tells the next, under these rules of the pantheon."""
    told = Rules(share_direct_interactions=True)
    edges = [RelationshipRule(source=a, target=b, rules=told) for a, b in pairwise(names)]
    return Pantheon(slug="chain", rules=Rules.model_validate(options), relationships=tuple(edges))


def test_charlie_tells_vaggie_and_nobody_else() -> None:
    assert told(HAZBIN, talk("user", "charlie")) == {1: ["vaggie"]}


def test_angel_dust_names_nobody_and_reaches_nobody() -> None:
    assert told(HAZBIN, talk("user", "angel_dust")) == {}


def test_nothing_is_passed_on_from_a_direct_message() -> None:
    assert told(HAZBIN, talk("user", "charlie", private=True)) == {}


def test_every_other_deity_witnesses_what_god_hears() -> None:
    assert told(DEITIES, talk("user", "god")) == {1: ["holy_ghost", "jesus"]}


def test_a_couple_shares_what_a_user_took_part_in() -> None:
    couple = Pantheon(slug="hazbin_hotel", relationships=(COUPLE,))
    assert told(couple, talk("user", "charlie", users=("user",))) == {1: ["vaggie"]}
    assert told(couple, talk("angel_dust", "charlie")) == {}


def test_gossip_is_what_was_learned_about_somebody_who_was_not_there() -> None:
    couple = Pantheon(slug="hazbin_hotel", relationships=(COUPLE,))
    assert told(couple, talk("angel_dust", "charlie", about=("husk",))) == {1: ["vaggie"]}
    assert told(couple, talk("charlie", "angel_dust", about=("husk",))) == {}


def test_who_overheard_did_not_live_it() -> None:
    seed = talk("user", "angel_dust").model_copy(
        update={"direct": {"user": "speaker", "angel_dust": "addressee", "charlie": "overhearing"}}
    )
    assert told(HAZBIN, seed) == {}


def test_hops_end_where_the_rule_that_told_ends() -> None:
    assert told(chain("a", "b", "c", "d"), talk("a")) == {1: ["b"]}
    assert told(chain("a", "b", "c", "d", max_hops=2), talk("a")) == {1: ["b"], 2: ["c"]}


def test_each_hop_takes_its_days_and_its_strength() -> None:
    rules = RulesAsWritten(RuleBook(pantheons=(chain("a", "b", "c", "d", max_hops=9, delay=2, decay=0.3),)))
    found = reached(rules, talk("a"))
    assert {who: (each.day, round(each.strength, 3)) for who, each in found.items()} == {"b": (5, 0.3), "c": (7, 0.09)}


def test_the_shortest_delay_comes_first_and_tellers_of_one_day_and_hop_add_up() -> None:
    slow, quick = Rules(share_direct_interactions=True, delay=5), Rules(share_direct_interactions=True)
    edges = [("a", "z", slow), ("b", "z", quick), ("c", "z", quick)]
    group = Pantheon(slug="g", relationships=tuple(RelationshipRule(source=s, target=t, rules=r) for s, t, r in edges))
    found = reached(RulesAsWritten(RuleBook(pantheons=(group,))), talk("a", "b", "c"))
    assert (found["z"].day, found["z"].tellers) == (3, ("b", "c"))


def test_an_observer_hears_and_never_tells() -> None:
    watched = DEITIES.model_copy(
        update={"members": (*DEITIES.members[:2], Member(personality_id="x", role="observer"))}
    )
    assert told(watched, talk("user", "god")) == {1: ["jesus", "x"]}
    assert told(watched, talk("user", "x")) == {}


def test_relations_carry_a_rule_while_they_hold_and_are_strong_enough() -> None:
    rules = Rules(share_direct_interactions=True, relation_types=("friend",), min_weight=0.5)
    group = Pantheon(slug="g", rules=rules, members=(Member(personality_id="a"),))
    edges = [("b", "friend", 0.5, None), ("c", "friend", 0.4, None), ("d", "foe", 1, None), ("e", "friend", 1, 2)]
    graph = [Relation(source="a", target=t, type=kind, weight=w, until=u) for t, kind, w, u in edges]
    assert told(group, talk("a"), *graph) == {1: ["b"]}


def test_whom_it_is_about_decides_whether_it_is_told() -> None:
    rules = Rules(share_direct_interactions=True, share_with=("z",), only_about=("b",), never_about=("c",))
    group = Pantheon(slug="g", rules=rules, members=(Member(personality_id="a"),))
    seeds = [talk("a"), talk("a", about=("b",)), talk("b", "a"), talk("b", "a", about=("c",))]
    assert [bool(told(group, seed)) for seed in seeds] == [False, True, True, False]


@pytest.mark.parametrize(
    "wrong",
    [
        Telling(listener="angel_dust", teller="charlie", hop=1, day=3, rule="r"),
        Telling(listener="vaggie", teller="angel_dust", hop=1, day=3, rule="r"),
        Telling(listener="vaggie", teller="charlie", hop=1, day=2, rule="r"),
        Telling(listener="vaggie", teller="charlie", hop=2, day=3, rule="r"),
        Telling(listener="vaggie", teller="charlie", hop=1, day=3, rule="r", how="witnessed"),
    ],
)
def test_a_telling_that_no_rule_allows_is_a_complaint(wrong: Telling) -> None:
    rules = RulesAsWritten(RuleBook(pantheons=(HAZBIN,)))
    right = Telling(listener="vaggie", teller="charlie", hop=1, day=3, rule="r")
    assert unjustified(rules, talk("user", "charlie"), [right]) == []
    assert unjustified(rules, talk("user", "charlie"), [wrong]) != []


def test_more_listeners_than_the_fan_out_are_a_complaint() -> None:
    rules = RulesAsWritten(
        RuleBook(pantheons=(DEITIES.model_copy(update={"rules": Rules(propagate_all=True, fan_out=1)}),))
    )
    both = [Telling(listener=each, teller="god", hop=1, day=3, rule="r") for each in ("jesus", "holy_ghost")]
    assert unjustified(rules, talk("user", "god"), both[:1]) == []
    assert len(unjustified(rules, talk("user", "god"), both)) == 1


def test_a_coin_always_falls_the_same_way() -> None:
    assert [falls("m", "a", "b", f"r{n}", 0.5) for n in range(6)] == [
        falls("m", "a", "b", f"r{n}", 0.5) for n in range(6)
    ]
    assert 400 < sum(falls(f"m{n}", "a", "b", "r", 0.5) for n in range(1000)) < 600


def test_a_direct_message_is_read_in_direct_messages_of_the_same_persona_alone() -> None:
    dm = Channel(context="dm", persona_id="here")
    rows = [asked for learned, asked in table() if learned.context == "dm" and may_recall("graded", learned, asked)]
    assert {each.context for each in rows} == {"dm"}
    assert may_recall("graded", dm, dm)
    assert not may_recall("graded", dm, dm.model_copy(update={"persona_id": "there"}))
