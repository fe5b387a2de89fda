"""Questions: relations, neighbours and paths, by type, weight, direction and day."""

# ruff: noqa: S101
from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from earwitness.errors import InputError
from earwitness.testing.suite import case

from ...graph.protocol import GraphStore
from .base import GraphCases, ended, node, relation


class GraphAnswers(GraphCases):
    """What a graph answers."""

    @case
    async def test_relations_of_a_node_by_type_weight_direction_and_day(self, graph: GraphStore) -> None:
        """All that is asked for must hold."""
        await graph.upsert_facts(
            [
                relation("a", "b", "couple", weight=0.9, since=3),
                relation("a", "c", "KNOWS", weight=0.2),
                relation("d", "a", "mentor", weight=0.5, until=4),
                relation("b", "c", "KNOWS"),
            ]
        )

        async def found(**asked: Any) -> list[str]:
            return [f"{each.source}{each.target}" for each in await graph.relations("a", **asked)]

        assert await found(day=3) == ["ab", "ac", "da"]
        assert await found() == ["ab", "ac"]
        assert await found(day=3, direction="out") == ["ab", "ac"]
        assert await found(day=3, direction="in") == ["da"]
        assert await found(day=2) == ["ac", "da"]
        assert await found(day=5) == ["ab", "ac"]
        assert await found(day=3, types=["couple", "mentor"]) == ["ab", "da"]
        assert await found(day=3, types=[]) == []
        assert await found(day=3, min_weight=0.5) == ["ab", "da"]
        assert [f"{each.source}{each.target}" for each in await graph.relations(day=4)] == ["ab", "ac", "bc", "da"]
        assert list(await graph.relations("nobody")) == []

    @case
    async def test_a_relation_to_oneself_is_one_relation(self, graph: GraphStore) -> None:
        """It is found once, and leads nowhere."""
        await graph.upsert_facts([relation("a", "a")])
        for direction in ("out", "in", "both"):
            assert len(await graph.relations("a", direction=direction)) == 1
        assert list(await graph.neighbors(node_id="a", depth=3)) == []

    @case
    async def test_neighbors_by_depth(self, graph: GraphStore) -> None:
        """Each with its least distance, by distance and id, without the node itself."""
        await graph.upsert_facts([relation(*pair) for pair in ("ab", "bc", "cd", "de", "ac", "xa")])
        await graph.upsert_facts([node("c", name="Carol")])
        found = await graph.neighbors(node_id="a", depth=2)
        assert [(each.node.id, each.distance) for each in found] == [("b", 1), ("c", 1), ("x", 1), ("d", 2)]
        assert found[1].node.name == "Carol"
        assert [each.node.id for each in await graph.neighbors(node_id="a")] == ["b", "c", "x"]
        assert [each.node.id for each in await graph.neighbors(node_id="a", direction="in", depth=9)] == ["x"]
        assert [each.node.id for each in await graph.neighbors(node_id="d", direction="out", depth=9)] == ["e"]
        assert list(await graph.neighbors(node_id="a", depth=0)) == []
        assert list(await graph.neighbors(node_id="nobody", depth=3)) == []

    @case
    async def test_neighbors_by_type_weight_and_day(self, graph: GraphStore) -> None:
        """Every relation on the way must be as asked."""
        await graph.upsert_facts([relation("a", "b", "couple", weight=0.9), relation("b", "c", weight=0.3, since=5)])
        for asked, expected in (
            ({"day": 5}, ["b", "c"]),
            ({"day": 4}, ["b"]),
            ({"types": ["couple"]}, ["b"]),
            ({"types": ["KNOWS"]}, []),
            ({"min_weight": 0.5}, ["b"]),
        ):
            assert [each.node.id for each in await graph.neighbors(node_id="a", depth=2, **asked)] == expected

    @case
    async def test_the_shortest_path(self, graph: GraphStore) -> None:
        """Of several, the one whose ids come first; of several relations, the strongest."""
        await graph.upsert_facts([relation(*pair) for pair in ("ab", "bz", "ac", "cz", "zy")])
        await graph.upsert_facts([relation("b", "a", "couple", weight=3)])
        path = await graph.shortest_path(src_id="a", dst_id="y")
        assert path is not None
        assert path.nodes == ("a", "b", "z", "y")
        assert path.length == 3
        assert [each.type for each in path.relations] == ["couple", "KNOWS", "KNOWS"]
        outwards = await graph.shortest_path(src_id="a", dst_id="y", direction="out")
        assert outwards is not None
        assert [each.type for each in outwards.relations] == ["KNOWS"] * 3

    @case
    async def test_where_there_is_no_path(self, graph: GraphStore) -> None:
        """It is too long, against the direction, over on that day, or leads to nobody."""
        await graph.upsert_facts([relation(*pair) for pair in ("ab", "bc", "cd", "de", "ef")])
        await graph.upsert_facts([relation("p", "q", since=1), ended("p", "q", until=2)])
        assert await graph.shortest_path(src_id="a", dst_id="f") is None
        assert await graph.shortest_path(src_id="a", dst_id="f", max_depth=5) is not None
        assert await graph.shortest_path(src_id="b", dst_id="a", direction="out") is None
        assert await graph.shortest_path(src_id="b", dst_id="a", direction="in") is not None
        assert await graph.shortest_path(src_id="p", dst_id="q") is None
        assert await graph.shortest_path(src_id="p", dst_id="q", day=2) is not None
        assert await graph.shortest_path(src_id="a", dst_id="nobody") is None
        assert await graph.shortest_path(src_id="nobody", dst_id="nobody") is None

    @case
    async def test_the_way_to_oneself_is_short(self, graph: GraphStore) -> None:
        """It has one node and no relation, even where no step is allowed."""
        await graph.upsert_facts([relation("a", "b")])
        path = await graph.shortest_path(src_id="a", dst_id="a", max_depth=0)
        assert path is not None
        assert (path.nodes, path.relations) == (("a",), ())

    @case
    async def test_what_cannot_be_asked_is_refused(self, graph: GraphStore) -> None:
        """It quotes the value."""
        questions: tuple[tuple[str, dict[str, Any]], ...] = (
            ("relations", {"types": "KNOWS"}),
            ("relations", {"direction": "up"}),
            ("relations", {"min_weight": "much"}),
            ("relations", {"day": float("nan")}),
            ("nodes", {"kind": "Dragon"}),
            ("nodes", {"ids": "alice"}),
            ("neighbors", {"node_id": "a", "depth": -1}),
            ("neighbors", {"node_id": "a", "depth": 1.5}),
            ("neighbors", {"node_id": "a", "depth": 101}),
            ("shortest_path", {"src_id": "a", "dst_id": "b", "max_depth": True}),
            ("changes", {"since": -1}),
            ("changes", {"limit": "all"}),
        )
        for question, asked in questions:
            said = await _refusal(getattr(graph, question)(**asked))
            assert any(repr(value) in said for value in asked.values()), f"{said!r} does not quote {asked}"


async def _refusal(answer: Awaitable[Any]) -> str:
    """What is said where a question is refused; nothing where it is answered."""
    try:
        await answer
    except InputError as error:
        return str(error)
    return ""
