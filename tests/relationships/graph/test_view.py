"""The graph in memory: it answers as the store does, follows it cheaply, and holds a story's own facts besides."""

from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earwitness_plugins.graphs.networkx import NetworkxGraph
from earwitness_relationships.graph import view as views
from earwitness_relationships.graph.columns import Columns, Edge, NodeColumns, RelationColumns
from earwitness_relationships.graph.compaction import compacted
from earwitness_relationships.graph.records import Fact, Node
from earwitness_relationships.graph.view import GraphView
from earwitness_relationships.testing.graph.base import ended, gone, node, relation, removed
from earwitness_relationships.testing.graph.model import GraphModel
from earwitness_relationships.testing.graph.random_facts import IDS, TYPES, facts

INF = float("inf")


def agree(view: GraphView, model: GraphModel) -> None:
    """The view says what the model says, by node, direction and day."""
    assert {each.id: each for each in view.nodes()} == model.known
    assert list(view.ids()) == sorted(model.known)
    for id in IDS:
        for day in (-1, 0, 1, 3, 3.5, 9):
            for direction in ("out", "in", "both"):
                found = view.relations_of(id, day=day, direction=direction)
                assert list(found) == model.relations(id, None, 0, direction, day)
            held = {(each.target, each.type): each.weight for each in model.relations(id, None, 0, "out", day)}
            edges = [edge for edge in view.edges(id) if edge.begins <= day <= edge.ends]
            assert {(edge.target, edge.type): edge.weight for edge in edges} == held
        assert list(view.edges(id)) == sorted(view.edges(id), key=lambda edge: (edge.target, edge.type, edge.begins))


def modelled(several: Iterable[Fact]) -> GraphModel:
    model = GraphModel()
    model.add(several)
    return model


@given(st.lists(facts(), max_size=20), st.lists(facts(), max_size=8))
def test_a_view_answers_as_a_dict_would_also_with_a_storys_own_facts(base: list[Fact], own: list[Fact]) -> None:
    view = GraphView.of(base)
    story = view.with_facts(own)
    agree(view, modelled(base))
    agree(story, modelled([*base, *own]))
    assert {id for id in IDS if story.edges(id) != view.edges(id)} <= story.own_sources


@given(st.lists(facts(), max_size=12), st.lists(facts(), max_size=8), st.lists(facts(), max_size=8))
def test_more_facts_of_a_story_leave_the_picture_before_as_it_was(
    base: list[Fact], own: list[Fact], more: list[Fact]
) -> None:
    story = GraphView.of(base).with_facts(own)
    after = story.extended(more)
    agree(after, modelled([*base, *own, *more]))
    agree(story, modelled([*base, *own]))
    assert story.own_sources <= after.own_sources


@given(st.lists(facts(), max_size=20), st.lists(facts(), max_size=8))
def test_columns_say_the_same_as_records(first: list[Fact], then: list[Fact]) -> None:
    view = GraphView.of(first)
    columns = compacted(Columns.empty(), view._nodes, view._outgoing)
    agree(GraphView(columns), modelled(first))
    over = GraphView(columns).with_facts(then)
    agree(over, modelled([*first, *then]))
    agree(GraphView(compacted(columns, over._nodes, over._outgoing)), modelled([*first, *then]))


@pytest.mark.parametrize("few", [0, 10**6])
async def test_a_view_follows_its_store(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "FEW", few)
    monkeypatch.setattr(views, "PAGE", 2)
    store = NetworkxGraph(path=":memory:")
    await store.open()
    try:
        view, several = GraphView(), [relation("a", "b", "couple", since=1), relation("b", "c"), relation("d", "a")]
        await store.upsert_facts(several)
        assert await view.refresh(store) is None
        assert await view.refresh(store) == frozenset()
        more: Sequence[Fact] = [ended("a", "b", "couple", until=4), relation("x", "d"), node("q"), removed("b", "c")]
        await store.upsert_facts(more)
        assert await view.refresh(store) == {"a", "x", "b"}
        agree(view, modelled([*several, *more]))
        await store.upsert_facts([gone("a")])
        assert await view.refresh(store) == {"a", "d"}
        assert view.node("a") is None
        await store.clear()
        await store.upsert_facts([relation("p", "q")])
        assert await view.refresh(store) is None
        assert [each.id for each in view.nodes()] == ["p", "q"]
        assert view.version == await store.version()
    finally:
        await store.close()


async def test_a_view_that_begins_late_takes_everything_at_once() -> None:
    store = NetworkxGraph(path=":memory:")
    await store.open()
    try:
        several = [
            relation("b", "a", "z", weight=0.25, since=2, until=9, attributes={"x": 1}),
            relation("b", "a", "z", since=5),
            relation("a", "b", "couple"),
            Fact(node=Node(id="a", kind="Item", name="A", attributes={"y": None})),
        ]
        await store.upsert_facts(several)
        view = GraphView()
        await view.refresh(store)
        assert list(view.nodes()) == list(await store.nodes())
        assert list(view.relations_of("b", day=3)) == list(await store.relations("b", day=3, direction="out"))
        assert [edge[2:] for edge in view.edges("b")] == [(0.25, 2.0, np.nextafter(5, 0)), (1.0, 5.0, INF)]
    finally:
        await store.close()


def test_without_a_day_relations_say_when_each_of_them_counts() -> None:
    view = GraphView.of([relation("a", "b", weight=1), relation("a", "b", weight=2, since=5, until=8)])
    first, second = view.relations_of("a")
    assert (first.since, first.until, second.since, second.until) == (None, np.nextafter(5, 0), 5, 8)
    assert [edge.since for edge in view.edges("a")] == [None, 5]
    assert [edge.until for edge in view.edges("a")] == [np.nextafter(5, 0), 8]


def test_members_are_those_who_are_part_of_it_on_that_day() -> None:
    view = GraphView.of(
        [relation("a", "club", "PART_OF", since=1), relation("b", "club", "PART_OF", until=3), relation("c", "club")]
    )
    assert view.members("club", 2) == ("a", "b")
    assert view.members("club", 4) == ("a",)
    assert view.members("club") == ("a", "b")


def test_a_storys_picture_says_when_it_has_to_be_made_again() -> None:
    view = GraphView.of([relation("a", "b")])
    story = view.with_facts([relation("a", "c")])
    assert story.is_current
    view.version += 1
    assert not story.is_current


def test_a_fact_of_one_story_is_in_no_other() -> None:
    view = GraphView.of([relation("a", "b")])
    story = view.with_facts([relation("a", "c"), gone("b")])
    assert [edge.target for edge in story.edges("a")] == ["c"]
    assert [edge.target for edge in view.edges("a")] == ["b"]
    assert view.node("c") is None


def test_columns_in_any_order_are_put_in_order() -> None:
    def numbers(*values: int) -> np.ndarray:
        return np.array(values, np.int32)

    columns = Columns(
        NodeColumns(["a", "b", "c"]),
        RelationColumns(
            sources=numbers(1, 0, 1, 0),
            targets=numbers(2, 2, 0, 1),
            types=numbers(0, 1, 1, 0),
            type_names=["x", TYPES[0]],
            weights=np.array([1, 2, 3, 4.0]),
            attributes={0: {"first": True}},
        ),
    )
    view = GraphView(columns)
    assert view.edges("a") == (Edge("b", "x", 4.0, -INF, INF), Edge("c", TYPES[0], 2.0, -INF, INF))
    assert [edge.target for edge in view.edges("b")] == ["a", "c"]
    assert view.relations_of("b", types=["x"])[0].attributes == {"first": True}
    assert [each.source for each in view.relations_of("c", direction="in")] == ["a", "b"]
