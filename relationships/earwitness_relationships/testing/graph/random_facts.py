"""Random facts in random order: a store answers as a dictionary would."""

# ruff: noqa: S101
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from earwitness.testing.suite import case

from ...graph.protocol import GraphStore
from ...graph.records import Fact, GraphChange
from .base import GraphCases
from .model import GraphModel

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

IDS = ("a", "b", "c", "B", "d'`$x", "空")
TYPES = ("KNOWS", "couple", "OWNS", "x`]->()")
DAYS: tuple[Any, ...] = (None, 0, 1.5, 3, 4)


class RandomFacts(GraphCases):
    """Any facts."""

    @case
    async def test_random_facts_end_as_in_a_dict(self, graph: GraphStore) -> None:
        """Nodes, relations, neighbours, paths; and what its changes make of an empty graph."""

        async def as_in_a_dict(batches: Sequence[Sequence[Fact]]) -> None:
            await graph.clear()
            model = GraphModel()
            for facts in batches:
                await graph.upsert_facts(facts)
                model.add(facts)
            await agrees(graph, model)
            log = list(await graph.changes())
            await graph.clear()
            await graph.restore(moved(log, after=await graph.version()))
            await holds(graph, model)
            assert [change.fact for change in await graph.changes()] == [change.fact for change in log]

        from hypothesis import strategies as st

        await self.for_all(as_in_a_dict, st.lists(st.lists(facts(), max_size=8), min_size=1, max_size=3))


def facts() -> SearchStrategy[Fact]:
    """Random facts about few nodes, types and days, so that they meet."""
    from hypothesis import strategies as st

    attributes = st.sampled_from([{}, {"x": 1}, {"x": True}, {"x": [None, {"y": 0.1}]}])
    nodes = {"id": st.sampled_from(IDS), "kind": st.sampled_from(("Character", "Item")), "attributes": attributes}
    ends = {"source": st.sampled_from(IDS), "target": st.sampled_from(IDS), "type": st.sampled_from(TYPES)}
    days = st.sampled_from([(one, other) for one in DAYS for other in DAYS if None in {one, other} or one <= other])

    def relation(fixed: dict[str, Any], pair: tuple[Any, Any], weight: float, attributes: dict[str, Any]) -> Fact:
        values = {**fixed, "since": pair[0], "until": pair[1], "weight": weight, "attributes": attributes}
        return Fact.model_validate({"relation": values})

    relations = st.builds(relation, st.fixed_dictionaries(ends), days, st.sampled_from((0, 0.5, 1)), attributes)
    last = st.sampled_from([day for day in DAYS if day is not None])
    ended = st.fixed_dictionaries({**ends, "until": last}).map(
        lambda values: Fact.model_validate({"op": "end", "relation": values})
    )
    removed = st.fixed_dictionaries({**ends, "since": st.sampled_from(DAYS)}).map(
        lambda values: Fact.model_validate({"op": "remove", "relation": values})
    )
    node = st.fixed_dictionaries(nodes).map(lambda values: Fact.model_validate({"node": values}))
    gone = st.sampled_from(IDS).map(lambda id: Fact.model_validate({"op": "remove", "node": {"id": id}}))
    return st.one_of(relations, relations, relations, ended, removed, node, gone)


def moved(log: Sequence[GraphChange], *, after: int) -> list[GraphChange]:
    """The same changes with versions after another one."""
    kept = [change.fact for change in log if change.fact.op != "clear"]
    cleared = [Fact(op="clear")] if len(kept) < len(log) else []
    return [GraphChange(version=number, fact=fact) for number, fact in enumerate([*cleared, *kept], after + 1)]


async def holds(graph: GraphStore, model: GraphModel) -> None:
    """The graph has the nodes and relations of the model, on every day."""
    assert {each.id: each.model_dump_json() for each in await graph.nodes()} == {
        id: each.model_dump_json() for id, each in model.known.items()
    }
    for day in (None, 0, 1, 3, 3.5, 4):
        assert list(await graph.relations(day=day)) == model.relations(None, None, 0, "both", day)


async def agrees(graph: GraphStore, model: GraphModel) -> None:
    """Ask the graph everything, and compare."""
    await holds(graph, model)
    for asked in ((None, 0, "both", 3), (("KNOWS", TYPES[-1]), 0.5, "out", None), (None, 0.5, "in", 1.5)):
        for id in IDS:
            await _agrees_on(graph, model, id, asked)


async def _agrees_on(graph: GraphStore, model: GraphModel, id: str, asked: tuple[Any, ...]) -> None:
    types, weight, direction, day = asked
    given: dict[str, Any] = {"types": types, "min_weight": weight, "direction": direction, "day": day}
    assert list(await graph.relations(id, **given)) == model.relations(id, types, weight, direction, day)
    far = model.distances(id, types, weight, direction, day)
    near = {each.node.id: each.distance for each in await graph.neighbors(node_id=id, depth=2, **given)}
    assert near == {other: distance for other, distance in far.items() if 0 < distance <= 2}
    for other in IDS[:2]:
        path = await graph.shortest_path(src_id=id, dst_id=other, max_depth=3, **given)
        expected = far.get(other) if id != other or id in model.known else None
        if expected is None or expected > 3:
            assert path is None
        else:
            assert path is not None
            assert (path.length, path.nodes[0], path.nodes[-1]) == (expected, id, other)
