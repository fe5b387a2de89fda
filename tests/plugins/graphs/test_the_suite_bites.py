"""The suite of graph stores finds what is wrong with one, and runs without pytest."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from earwitness_plugins.graphs.networkx import NetworkxGraph
from earwitness_relationships.graph import Fact, GraphChange, Node, Relation, Route
from earwitness_relationships.testing.graph import GraphSuite, check_graph

pytestmark = pytest.mark.usefixtures("first_failure_is_enough")


class Forgetful(NetworkxGraph):
    """The past is gone once a relation changes."""

    async def history(self, node_id: str, **asked: Any) -> Sequence[GraphChange]:
        return list(await super().history(node_id, **asked))[-1:]


class Timeless(NetworkxGraph):
    """Days do not matter."""

    async def relations(
        self, node_id: str | None = None, *, day: float | None = None, **asked: Any
    ) -> Sequence[Relation]:
        return await super().relations(node_id, **asked)


class Halfway(NetworkxGraph):
    """Facts are written one by one."""

    async def upsert_facts(self, facts: Sequence[Fact]) -> int:
        for fact in facts:
            await super().upsert_facts([fact])
        return await self.version()


class Roundabout(NetworkxGraph):
    """Paths take the first way that there is."""

    async def shortest_path(self, *, src_id: str, dst_id: str, **asked: Any) -> Route | None:
        found = await super().shortest_path(src_id=src_id, dst_id=dst_id, **asked)
        return found and Route(nodes=(src_id, dst_id), relations=found.relations[:1])


class Blurred(NetworkxGraph):
    """Names are compared without their case."""

    async def nodes(self, *, ids: Any = None, kind: Any = None) -> Sequence[Node]:
        every = await super().nodes(kind=kind)
        wanted = None if ids is None else {id.casefold() for id in ids}
        return [node for node in every if wanted is None or node.id.casefold() in wanted]


def broken(store: type[NetworkxGraph]) -> set[str]:
    """The names of the tests that fail."""
    with pytest.raises(ExceptionGroup) as failed:
        check_graph(lambda folder: store(path=str(folder / "graph.db")), examples=3)
    return {note.rpartition(".")[2] for error in failed.value.exceptions for note in error.__notes__ if "test_" in note}


@pytest.mark.parametrize(
    ("store", "found"),
    [
        (Forgetful, "test_a_relation_that_changes_keeps_its_past"),
        (Timeless, "test_a_relation_that_changes_keeps_its_past"),
        (Halfway, "test_what_is_no_fact_is_refused_and_nothing_is_written"),
        (Roundabout, "test_the_shortest_path"),
        (Blurred, "test_odd_names_are_names"),
    ],
)
def test_a_broken_store_is_found(store: type[NetworkxGraph], found: str) -> None:
    assert found in broken(store)


def test_a_good_store_passes_without_pytest_and_says_what_was_left_out(tmp_path: Path) -> None:
    report = check_graph(lambda folder: NetworkxGraph(path=str(folder / "g.db")), examples=2, shared="it is one alone")
    assert len(report.passed) >= 25
    assert report.skipped["test_two_stores_see_each_others_writes"].endswith("it is one alone")


def test_five_lines_are_a_suite() -> None:
    class TestMine(GraphSuite):
        def make_graph(self) -> NetworkxGraph:
            return NetworkxGraph(path=str(self.folder / "graph.db"))

    TestMine().test_a_new_graph_is_empty()
