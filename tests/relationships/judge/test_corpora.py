"""Relations of real works load, check and propagate; a breadth-first search written apart agrees on each hop.

Les Misérables comes with networkx; Game of Thrones and the German plays are in the folder that EARWITNESS_DATA names.
"""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import networkx as nx
import pytest

from earwitness_relationships.graph import Fact, Relation
from earwitness_relationships.graph.view import GraphView
from earwitness_relationships.propagation import Adjacency, Seed, spread
from earwitness_relationships.rules import Member, Pantheon, RuleBook, Rules
from earwitness_relationships.rules.check import warnings
from earwitness_relationships.rules.file import rule_file
from earwitness_relationships.testing.leaks import outcomes_by_listener
from earwitness_relationships.testing.played_cases import as_file
from earwitness_relationships.testing.reference import reached
from earwitness_relationships.testing.reference_rules import RulesAsWritten

MESSAGES = 1_000
DELAY = 2.0
TYPES = {"spouses", "siblings", "friends", "lover_of", "marriedEngaged", "parents", "allies", "met"}


def folder() -> Path:
    if (data := os.environ.get("EARWITNESS_DATA")) is None:
        pytest.skip("EARWITNESS_DATA names no folder of corpora: Game of Thrones and the German plays are not tried")
    return Path(data) / "graphs"


def miserables() -> list[Relation]:
    graph = nx.les_miserables_graph()
    heaviest = max(weight for *_, weight in graph.edges.data("weight"))
    both = [(a, b, w / heaviest) for a, b, w in graph.edges.data("weight")]
    return [Relation(source=s, target=t, type="met", weight=w) for a, b, w in both for s, t in ((a, b), (b, a))]


def thrones() -> list[Relation]:
    characters = json.loads((folder() / "got_series" / "characters.json").read_text("utf-8"))["characters"]
    named = [(each["characterName"], kind, other) for each in characters for kind, other in _lists(each)]
    return _relations((source, target, kind, 1.0) for source, kind, target in named)


def _lists(character: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for kind in ("marriedEngaged", "siblings", "parents", "parentOf", "serves", "servedBy", "allies", "guardedBy"):
        yield from ((kind, other) for other in character.get(kind, ()))


def plays() -> list[Relation]:
    """All plays in one graph, the persons of each under its name."""
    found = json.loads((folder() / "gerdracor_relations.json").read_text("utf-8"))
    return _relations(
        (f"{play['play']}-{source}", f"{play['play']}-{target}", each["name"], 1.0)
        for play in found
        for each in play["relations"]
        for source, target in _ends(each)
    )


def _ends(relation: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    mutual = relation.get("mutual", [])
    yield from ((a, b) for a in mutual for b in mutual)
    yield from ((a, b) for a in relation.get("active", ()) for b in relation.get("passive", ()))


def _relations(edges: Iterable[tuple[str, str, str, float]]) -> list[Relation]:
    unique = dict.fromkeys(edge for edge in edges if edge[0] != edge[1])
    return [Relation(source=s, target=t, type=kind, weight=weight) for s, t, kind, weight in unique]


def book(relations: list[Relation], **options: Any) -> RuleBook:
    """Everybody is a member, and tells what they lived and learned to those next to them."""
    people = sorted({id for each in relations for id in (each.source, each.target)})
    rules = Rules(share_direct_interactions=True, gossip_about_others=True, delay=DELAY, **options)
    return RuleBook(
        pantheons=(Pantheon(slug="all", rules=rules, members=tuple(Member(personality_id=id) for id in people)),)
    )


def graph_of(relations: list[Relation]) -> GraphView:
    return GraphView.of(Fact(relation=each) for each in relations)


def searched(graph: "nx.DiGraph[str]", seed: Seed, hops: int) -> dict[str, tuple[int, float, set[str]]]:
    """Listener → hop, day and tellers, by breadth-first search alone."""
    found: dict[str, tuple[int, float, set[str]]] = {}
    known, fresh = set(seed.direct), set(seed.direct)
    for hop in range(1, hops + 1):
        edges = [
            (teller, listener) for teller in fresh for listener in graph.successors(teller) if listener not in known
        ]
        fresh = {each for _, each in edges}
        known |= fresh
        found |= {e: (hop, seed.day + hop * DELAY, {t for t, each in edges if each == e}) for e in fresh}
    return found


@pytest.mark.parametrize("work", [miserables, thrones, plays])
@pytest.mark.parametrize(("hops", "least"), [(1, 0.0), (3, 0.1)])
def test_a_breadth_first_search_reaches_the_same_at_each_hop(work: Any, hops: int, least: float) -> None:
    relations = work()
    rules = book(relations, max_hops=hops, min_weight=least, relation_types=tuple(TYPES))
    carrying = [each for each in relations if each.type in TYPES and each.weight >= least]
    graph = nx.DiGraph([(each.source, each.target) for each in carrying])
    graph.add_nodes_from(id for each in relations for id in (each.source, each.target))
    engine = Adjacency(rules, graph_of(relations))
    people, random = sorted(graph), Random(7)
    reach = 0
    for number in range(MESSAGES):
        there = random.sample(people, random.randint(1, 3))
        roles = dict.fromkeys(there, "present") | {there[0]: "speaker"}
        seed = Seed(key=f"m{number}", day=random.randint(1, 5), speaker=there[0], direct=roles)
        expected = searched(graph, seed, hops)
        reach += len(expected)
        tellings = spread(engine, seed).tellings
        assert {each.listener: (each.hop, each.day) for each in tellings} == {
            who: (hop, day) for who, (hop, day, _) in expected.items()
        }
        assert {(each.listener, each.teller) for each in tellings} == {
            (who, teller) for who, (_, _, tellers) in expected.items() for teller in tellers
        }
    assert reach > MESSAGES / 2


@pytest.mark.parametrize("work", [miserables, thrones, plays])
def test_relations_of_real_works_load_into_a_graph(work: Any) -> None:
    relations = work()
    view = graph_of(relations)
    assert {(e.source, e.target, e.type) for id in view.ids() for e in view.relations_of(id)} == {
        (e.source, e.target, e.type) for e in relations
    }


@pytest.mark.parametrize("work", [miserables, thrones, plays])
def test_rules_for_real_works_are_read_as_they_were_written_and_checked(work: Any, tmp_path: Path) -> None:
    relations = work()
    rules = book(relations, max_hops=3, min_weight=0.1)
    (tmp_path / "rules.json").write_text(as_file(rules), "utf-8")
    read = rule_file(tmp_path / "rules.json")
    assert read.book.pantheons == rules.pantheons
    people = [each.personality_id for each in rules.pantheons[0].members]
    assert [each.message for each in warnings(read, people) if "circle" not in each.message] == []


def test_the_reference_agrees_about_les_miserables_with_everything_switched_on() -> None:
    relations = miserables()
    rules = book(relations, max_hops=4, decay=0.6, exclude_private=True, never_about=("Javert",))
    engine, reference = Adjacency(rules, graph_of(relations)), RulesAsWritten(rules, relations)
    people, random = sorted({each.source for each in relations}), Random(11)
    for number in range(40):
        there, about = random.sample(people, 3), random.sample(people, 2)
        roles = dict.fromkeys(there, "present") | {there[0]: "speaker"}
        private = random.random() < 0.2
        seed = Seed(key=f"m{number}", day=1, speaker=there[0], direct=roles, about=tuple(about), private=private)
        expected = reached(reference, seed)
        found = spread(engine, seed)
        assert outcomes_by_listener(found).keys() == expected.keys()
        assert {e.listener: e.hop for e in found.tellings} == {who: way.hop for who, way in expected.items()}
