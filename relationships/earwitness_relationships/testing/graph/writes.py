"""Writes: idempotent, all or none, durable, kept with their history."""

# ruff: noqa: S101
from __future__ import annotations

import anyio
from pydantic import JsonValue

from earwitness.errors import InputError, InvalidId
from earwitness.testing.suite import case, opened

from ...graph.protocol import GraphStore
from ...graph.records import Fact, GraphChange, Node, Relation
from .base import GraphCases, ended, gone, node, relation, removed

ODD_NAMES = (
    "a",
    "A",
    "á",
    "a\u0301",
    "空",
    "🗡️ sword",
    "it's",
    'say "x"',
    "`a`",
    "back\\slash",
    "$id",
    "{a}",
    "[:KNOWS]",
    "a:b",
    "a}) DETACH DELETE (n) //",
    "x'}) MATCH (n) DETACH DELETE n //",
    "KNOWS`]->() DETACH DELETE n //",
    "'; DROP TABLE graph_nodes; --",
    "%",
    "_",
    "null",
    "0",
    "a\u00a0b",
)
"""Ids and types that break out of a query which was put together carelessly, or that are taken for another."""
ATTRIBUTES: dict[str, JsonValue] = {
    "deep": {"list": [1, 2.5, True, None, {"x": "y"}], "empty": {}},
    "large": 2**80,
    "small": -1e-300,
    "text": "it's `$x` \" \\ 🗡️\n空",
    "": "no name",
    "true": False,
}


class GraphWrites(GraphCases):
    """What is written, and what is left of it."""

    @case
    async def test_a_new_graph_is_empty(self, graph: GraphStore) -> None:
        """It has version 0 and no change."""
        assert await graph.version() == 0
        assert list(await graph.changes()) == []
        assert list(await graph.nodes()) == []
        assert list(await graph.relations()) == []
        assert (await graph.health()).ok

    @case
    async def test_what_is_written_is_found_as_it_was_written(self, graph: GraphStore) -> None:
        """Nodes and relations keep every field, and attributes of any JSON."""
        alice = Node(id="alice", kind="Faction", name="Alice's", attributes=ATTRIBUTES)
        owns = Relation(
            source="alice", target="sword", type="OWNS", weight=0.1, since=1.5, until=7, attributes=ATTRIBUTES
        )
        await graph.upsert_facts([Fact(node=alice), Fact(relation=owns)])
        (found,) = await graph.nodes(ids=["alice"])
        (held,) = await graph.relations("alice", day=2)
        assert found.model_dump_json() == alice.model_dump_json()
        assert held.model_dump_json() == owns.model_dump_json()

    @case
    async def test_the_same_facts_again_change_nothing(self, graph: GraphStore) -> None:
        """A call that is repeated, as after a crash, leaves version and history as they were."""
        facts = [
            node("alice", name="Alice"),
            relation("alice", "bob", weight=0.5, since=3),
            ended("alice", "bob", until=9),
        ]
        version = await graph.upsert_facts(facts)
        before = list(await graph.changes())
        assert await graph.upsert_facts([facts[0], facts[2]]) == version
        assert await graph.upsert_facts([]) == version
        assert list(await graph.changes()) == before

    @case
    async def test_a_value_that_python_takes_for_the_same_is_a_change(self, graph: GraphStore) -> None:
        """1 is not `true`."""
        await graph.upsert_facts([node("alice", attributes={"age": 1})])
        await graph.upsert_facts([node("alice", attributes={"age": True})])
        assert (await graph.nodes(ids=["alice"]))[0].attributes["age"] is True

    @case
    async def test_a_relation_makes_its_nodes(self, graph: GraphStore) -> None:
        """Their kinds follow from its type, and what was said of them before stays."""
        await graph.upsert_facts(
            [node("bob", kind="Quest"), relation("alice", "tavern", "LOCATED_IN"), relation("alice", "bob")]
        )
        assert {each.id: each.kind for each in await graph.nodes()} == {
            "alice": "Character",
            "bob": "Quest",
            "tavern": "Location",
        }
        assert [each.id for each in await graph.nodes(kind="Location")] == ["tavern"]

    @case
    async def test_a_relation_that_changes_keeps_its_past(self, graph: GraphStore) -> None:
        """On each day it is as it was then."""
        await graph.upsert_facts([relation("a", "b", "couple", weight=0.9, since=3)])
        await graph.upsert_facts([relation("a", "b", "couple", weight=0.4, since=10)])
        await graph.upsert_facts([ended("a", "b", "couple", until=12)])
        await graph.upsert_facts([relation("a", "b", "couple", weight=1, since=20)])
        seen = {
            day: [each.weight for each in await graph.relations("a", day=day)] for day in (2, 3, 9.9, 10, 12, 13, 20)
        }
        assert seen == {2: [], 3: [0.9], 9.9: [0.9], 10: [0.4], 12: [0.4], 13: [], 20: [1]}
        assert [change.fact.op for change in await graph.history("a", other="b")] == [
            "assert",
            "assert",
            "end",
            "assert",
        ]

    @case
    async def test_a_period_may_be_told_late(self, graph: GraphStore) -> None:
        """What began earlier is put before what was told first."""
        await graph.upsert_facts([relation("a", "b", weight=2, since=10)])
        await graph.upsert_facts([relation("a", "b", weight=1)])
        assert [(await graph.relations("a", day=day))[0].weight for day in (-5, 9, 10, 11)] == [1, 1, 2, 2]

    @case
    async def test_ending_concerns_the_period_of_that_day_alone(self, graph: GraphStore) -> None:
        """Where none holds, nothing changes."""
        await graph.upsert_facts([relation("a", "b", since=1), relation("a", "b", since=5)])
        version = await graph.upsert_facts([ended("a", "b", until=3)])
        assert [len(await graph.relations("a", day=day)) for day in (1, 3, 4, 5)] == [1, 1, 0, 1]
        assert await graph.upsert_facts([ended("a", "b", until=4)]) == version
        assert await graph.upsert_facts([ended("b", "a", until=5)]) == version
        assert await graph.upsert_facts([ended("a", "nobody", until=5)]) == version

    @case
    async def test_removing_takes_back_what_was_wrong(self, graph: GraphStore) -> None:
        """One period, or a node with its relations; the others stay, and the log says what went."""
        await graph.upsert_facts(
            [relation("a", "b", since=1), relation("a", "b", weight=3, since=5), relation("c", "a"), relation("c", "b")]
        )
        await graph.upsert_facts([removed("a", "b", since=5)])
        assert [each.weight for each in await graph.relations("a", day=6, direction="out")] == [1]
        await graph.upsert_facts([gone("a")])
        assert [(each.source, each.target) for each in await graph.relations()] == [("c", "b")]
        assert [each.id for each in await graph.nodes()] == ["b", "c"]
        log = await graph.history("c", other="a")
        assert [change.fact.op for change in log] == ["assert", "remove"]

    @case
    async def test_odd_names_are_names(self, graph: GraphStore) -> None:
        """Ids, types, names and attributes are data, whatever a query language would make of them."""
        facts = [
            relation(one, other, kind)
            for one, other, kind in zip(ODD_NAMES, ODD_NAMES[1:], ODD_NAMES[2:], strict=False)
        ]
        await graph.upsert_facts([node(name, name=name, attributes={name: name}) for name in ODD_NAMES])
        await graph.upsert_facts(facts)
        assert [(each.id, each.name, each.attributes) for each in await graph.nodes()] == [
            (name, name, {name: name}) for name in sorted(ODD_NAMES)
        ]
        for name in ODD_NAMES:
            assert [each.id for each in await graph.nodes(ids=[name])] == [name]
        for one, other, kind in zip(ODD_NAMES, ODD_NAMES[1:], ODD_NAMES[2:], strict=False):
            found = await graph.relations(one, types=[kind], direction="out")
            assert [(each.source, each.target, each.type) for each in found] == [(one, other, kind)]
            path = await graph.shortest_path(src_id=one, dst_id=other, max_depth=1)
            assert path is not None
            assert path.nodes == (one, other)
            assert [change.fact for change in await graph.history(one, other=other, type=kind)] == [
                fact for fact in facts if fact.relation in found
            ]

    @case
    async def test_what_is_no_fact_is_refused_and_nothing_is_written(self, graph: GraphStore) -> None:
        """All or none: the facts before it are not written either."""
        for wrong in ({"node": {"id": "x"}}, None, "fact", Node(id="x")):
            try:
                await graph.upsert_facts([node("alice"), wrong])  # type: ignore[list-item]
            except InputError:
                continue
            raise AssertionError(f"{wrong!r} was taken for a fact")
        assert await graph.version() == 0
        assert list(await graph.nodes()) == []

    @case
    async def test_ids_that_cannot_be_are_refused(self, graph: GraphStore) -> None:
        """They are not questions either."""
        for wrong in ("", " a", "a\nb", "x" * 301, None, 7, "\ud800"):
            for question in (graph.relations, graph.history):
                if wrong is None and question == graph.relations:
                    continue
                try:
                    await question(wrong)  # type: ignore[arg-type]
                except InvalidId:
                    continue
                raise AssertionError(f"{wrong!r} was taken for an id")

    @case
    async def test_versions_count_the_changes(self, graph: GraphStore) -> None:
        """`changes` gives those after a version, as many as wanted."""
        assert await graph.upsert_facts([node("a"), node("b")]) == 2
        assert await graph.upsert_facts([relation("a", "c")]) == 4
        log = list(await graph.changes())
        assert [change.version for change in log] == [1, 2, 3, 4]
        assert [change.fact.op for change in log] == ["assert"] * 4
        assert list(await graph.changes(since=2)) == log[2:]
        assert list(await graph.changes(since=1, limit=2)) == log[1:3]
        assert list(await graph.changes(since=4)) == []
        assert list(await graph.changes(since=99)) == []

    @case
    async def test_a_cleared_graph_is_empty_and_says_so(self, graph: GraphStore) -> None:
        """Whoever follows its changes learns of it."""
        version = await graph.upsert_facts([relation("a", "b"), relation("b", "c")])
        cleared = await graph.clear()
        assert cleared > version
        assert list(await graph.nodes()) == []
        assert list(await graph.relations()) == []
        assert list(await graph.history("a")) == []
        assert list(await graph.neighbors(node_id="a")) == []
        after = await graph.upsert_facts([node("d")])
        assert [(change.version, change.fact.op) for change in await graph.changes(since=1)] == [
            (cleared, "clear"),
            (after, "assert"),
        ]

    @case
    async def test_changes_of_one_graph_make_another_the_same(self, graph: GraphStore) -> None:
        """Versions and history included; one part after the other."""
        await graph.upsert_facts([relation("a", "b", since=1, attributes=ATTRIBUTES), node("a", name="A")])
        await graph.upsert_facts([ended("a", "b", until=4), relation("a", "b", since=6), gone("b")])
        log = list(await graph.changes())
        await graph.clear()
        assert (
            await graph.restore(
                [GraphChange(version=50, fact=Fact(op="clear")), GraphChange(version=51, fact=log[0].fact)]
            )
            == 51
        )
        assert await graph.restore([GraphChange(version=52, fact=log[1].fact)]) == 52
        assert [change.version for change in await graph.changes()] == [50, 51, 52]
        assert [each.id for each in await graph.nodes()] == ["a", "b"]

    @case
    async def test_changes_that_do_not_follow_are_refused(self, graph: GraphStore) -> None:
        """A gap would be a lost fact, and an old version another graph."""
        await graph.upsert_facts([node("a"), node("b")])
        for version in (1, 2, 4):
            try:
                await graph.restore([GraphChange(version=version, fact=node("c"))])
            except InputError:
                continue
            raise AssertionError(f"change {version} was taken after change 2")
        assert await graph.version() == 2
        assert await graph.restore([GraphChange(version=3, fact=node("c"))]) == 3

    @case
    async def test_a_graph_survives_its_closing(self, graph: GraphStore) -> None:
        """A second store finds nodes, relations, history and version."""
        self.needs("persistent")
        await graph.upsert_facts([node("a", name="A", attributes=ATTRIBUTES), relation("a", "b", since=2)])
        log, nodes, relations = await graph.changes(), await graph.nodes(), await graph.relations()
        await graph.close()
        async with opened(self.make_graph()) as again:
            assert list(await again.changes()) == list(log)
            assert list(await again.nodes()) == list(nodes)
            assert list(await again.relations()) == list(relations)
            assert await again.version() == 3
        await graph.open()

    @case
    async def test_two_stores_see_each_others_writes(self, graph: GraphStore) -> None:
        """At once, also in what they had read before."""
        self.needs("shared")
        async with opened(self.make_graph()) as other:
            await graph.upsert_facts([relation("a", "b")])
            assert [each.node.id for each in await other.neighbors(node_id="a")] == ["b"]
            await other.upsert_facts([relation("b", "c"), removed("a", "b")])
            assert [each.node.id for each in await graph.neighbors(node_id="c", depth=3)] == ["b"]
            await other.clear()
            assert list(await graph.neighbors(node_id="c", depth=3)) == []

    @case
    async def test_writers_at_the_same_time_lose_nothing(self, graph: GraphStore) -> None:
        """Each write has versions of its own, and new nodes that several name are made once."""
        await self._write_at_once(graph, graph)

    @case
    async def test_writers_through_two_stores_lose_nothing(self, graph: GraphStore) -> None:
        """As when two processes write."""
        self.needs("shared")
        async with opened(self.make_graph()) as other:
            await self._write_at_once(graph, other)

    async def _write_at_once(self, *graphs: GraphStore) -> None:
        versions: list[int] = []

        async def write(writer: int) -> None:
            for turn in range(4):
                facts = [relation(f"w{writer}", f"t{turn}"), relation("hub", f"t{turn}")]
                versions.append(await graphs[writer % 2].upsert_facts(facts))

        async with anyio.create_task_group() as group:
            for writer in range(5):
                group.start_soon(write, writer)
        log = list(await graphs[0].changes())
        assert [change.version for change in log] == list(range(1, len(log) + 1))
        assert max(versions) == len(log) == 20 + 4 + 4 + 5 + 1
        assert len(await graphs[1].relations()) == 24
