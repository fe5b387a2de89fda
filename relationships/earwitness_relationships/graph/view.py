"""The graph in memory, for those who ask it thousands of times a second. It answers at once and writes nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from heapq import merge
from math import inf
from typing import Protocol, runtime_checkable

import anyio

from .columns import Columns, Edge, Outgoing
from .compaction import compacted
from .draft import GraphDraft
from .protocol import GraphStore
from .records import Direction, Fact, Node, NodeKind, Relation
from .selection import RelationSelection
from .timeline import Periods, PeriodSpan, RelationKey, begins, key, spans

PAGE = 20_000
"""So many changes are taken from a store at once."""
FEW = 50_000
"""So many changed relations and nodes are kept as records before they are put into the columns."""


@runtime_checkable
class HasColumns(Protocol):
    """A store that gives its whole graph as columns, faster than change by change."""

    async def columns(self) -> tuple[int, Columns]:
        """The version, and the graph as it is then."""
        ...


class GraphView:
    """Nodes and relations of a graph, on all days.

    Its base follows a store: `refresh` takes what has changed. `with_facts` gives the picture of one story, which holds
    the story's own facts besides, and shares all else.
    """

    def __init__(self, below: Columns | GraphView | None = None, *, version: int = 0) -> None:
        self._below: Columns | GraphView = Columns.empty() if below is None else below
        self.version = version
        """The version of the graph that it shows."""
        self._nodes: dict[str, Node | None] = {}
        self._outgoing: dict[str, Outgoing] = {}
        self._sources: dict[str, set[str]] = {}
        self._edges: dict[str, tuple[Edge, ...]] = {}
        self._lent_outgoing: set[str] = set()
        self._lent_sources: set[str] = set()

    @cached_property
    def _lock(self) -> anyio.Lock:
        return anyio.Lock()

    @classmethod
    def of(cls, facts: Iterable[Fact]) -> GraphView:
        """The picture that some facts give."""
        view = cls()
        view._add(facts)
        return view

    # ── what is there ───────────────────────────────────────────────────────────────────────────────────────────────

    def edges(self, source: str) -> tuple[Edge, ...]:
        """All periods of the relations that start at a node, by target, type and first day."""
        if source not in self._outgoing:
            return self._below.edges(source)
        if source not in self._edges:
            self._edges[source] = _edges(self._outgoing[source])
        return self._edges[source]

    def relations_of(
        self,
        node: str,
        types: Collection[str] | None = None,
        min_weight: float = 0.0,
        day: float | None = None,
        direction: Direction = "out",
    ) -> tuple[Relation, ...]:
        """The relations of a node on a game day, by source, target and type.

        Without a day, those of all days, each `until` the last day on which it counts: a period ends where another one
        of the same relation begins.
        """
        selection = RelationSelection.of(types, min_weight, direction, day)
        found = [*self.outgoing(node).values()] if selection.outwards else []
        if selection.inwards:
            for source in self.sources_of(node) - ({node} if selection.outwards else set()):
                found += self.between(source, node).values()
        held = _counting(found, selection) if day is None else _held(found, selection)
        return tuple(sorted(held, key=lambda each: (key(each), begins(each))))

    def members(self, group: str, day: float | None = None) -> tuple[str, ...]:
        """The ids of those who are `PART_OF` a node on a game day, or on any."""
        found = self.relations_of(group, ("PART_OF",), day=day, direction="in")
        return tuple(dict.fromkeys(each.source for each in found))

    def node(self, id: str) -> Node | None:
        """The node with this id."""
        return self._nodes[id] if id in self._nodes else self._below.node(id)

    def nodes(self, kind: NodeKind | None = None) -> tuple[Node, ...]:
        """All nodes, or those of a kind, by id."""
        found = (node for id in self.ids() if (node := self.node(id)))
        return tuple(node for node in found if kind is None or node.kind == kind)

    def ids(self) -> Iterator[str]:
        """The ids of all nodes, sorted."""
        kept = (id for id in self._below.ids() if id not in self._nodes)
        yield from merge(kept, sorted(id for id, node in self._nodes.items() if node))

    # ── a picture of other pictures ─────────────────────────────────────────────────────────────────────────────────

    @property
    def own_sources(self) -> frozenset[str]:
        """The nodes whose relations differ from those in the picture below."""
        return frozenset(self._outgoing)

    @property
    def is_current(self) -> bool:
        """Whether the picture below is still that on which this one was made."""
        return not isinstance(self._below, GraphView) or self._below.version == self.version

    def with_facts(self, facts: Iterable[Fact]) -> GraphView:
        """This picture with a story's own facts on top. Make it again once it is not current any more."""
        view = GraphView(self, version=self.version)
        view._add(facts)
        return view

    def extended(self, facts: Iterable[Fact]) -> GraphView:
        """A story's picture with some more facts: the same as with all of them anew, at the price of those alone."""
        view = GraphView(self._below, version=self.version)
        view._nodes, view._outgoing, view._sources = dict(self._nodes), dict(self._outgoing), dict(self._sources)
        view._lent_outgoing, view._lent_sources = set(self._outgoing), set(self._sources)
        view._edges = dict(self._edges)
        view._add(facts)
        return view

    async def refresh(self, store: GraphStore) -> frozenset[str] | None:
        """Take what has changed in the store, and name the nodes whose outgoing relations did.

        `None` = the whole picture is another one.
        """
        async with self._lock:
            if await store.version() == self.version:
                return frozenset()
            if not self.version and isinstance(store, HasColumns):
                self.version, self._below = await store.columns()
                return None
            return await self._follow(store)

    async def _follow(self, store: GraphStore) -> frozenset[str] | None:
        anew, touched = not self.version, set[str]()
        while changes := await store.changes(since=self.version, limit=PAGE):
            draft = self._add(change.fact for change in changes)
            anew = anew or draft.is_cleared
            touched.update(source for source, _, _ in draft.relations)
            self.version = changes[-1].version
            self._compact()
        return None if anew else frozenset(touched)

    # ── what is known to a draft ────────────────────────────────────────────────────────────────────────────────────

    def periods(self, key: RelationKey) -> Periods:
        """The periods of a relation."""
        source, target, type = key
        return self.between(source, target).get((target, type), ())

    def between(self, source: str, target: str) -> Outgoing:
        """The relations from one node to another, as `outgoing` gives them."""
        if source not in self._outgoing:
            return self._below.between(source, target)
        return {key: periods for key, periods in self._outgoing[source].items() if key[0] == target}

    def keys_at(self, id: str) -> Iterator[RelationKey]:
        """The relations that start at a node or point to it."""
        for source in {id, *self.sources_of(id)}:
            yield from ((source, target, type) for target, type in self.outgoing(source) if id in {source, target})

    def outgoing(self, source: str) -> Outgoing:
        """Target and type → the periods of a relation that starts at a node."""
        return self._outgoing[source] if source in self._outgoing else self._below.outgoing(source)

    def sources_of(self, target: str) -> set[str]:
        """The nodes whose relations point to a node."""
        below = self._below.sources_of(target)
        return {source for source in below if source not in self._outgoing} | self._sources.get(target, set())

    # ── how it changes ──────────────────────────────────────────────────────────────────────────────────────────────

    def _add(self, facts: Iterable[Fact]) -> GraphDraft:
        draft = GraphDraft(self)
        draft.add(facts)
        if draft.is_cleared:
            self._begin_anew(Columns.empty())
        self._nodes.update(draft.nodes)
        for (source, target, type), periods in draft.relations.items():
            self._put(source, (target, type), periods)
        return draft

    def _begin_anew(self, columns: Columns) -> None:
        self._below, self._nodes, self._outgoing, self._sources, self._edges = columns, {}, {}, {}, {}

    def _put(self, source: str, key: tuple[str, str], periods: Periods) -> None:
        mine = self._own(source)
        if periods:
            mine[key] = periods
            self._own_sources(key[0]).add(source)
        else:
            mine.pop(key, None)
            if all(target != key[0] for target, _ in mine):
                self._own_sources(key[0]).discard(source)
        self._edges.pop(source, None)

    def _own(self, source: str) -> Outgoing:
        """The relations that start at a node, as they can be changed here."""
        if source not in self._outgoing:
            self._outgoing[source] = found = dict(self._below.outgoing(source))
            for target, _ in found:
                self._own_sources(target).add(source)
        elif source in self._lent_outgoing:
            self._lent_outgoing.discard(source)
            self._outgoing[source] = dict(self._outgoing[source])
        return self._outgoing[source]

    def _own_sources(self, target: str) -> set[str]:
        """Those whose relations here point to a node, as they can be changed here."""
        if target in self._lent_sources:
            self._lent_sources.discard(target)
            self._sources[target] = set(self._sources[target])
        return self._sources.setdefault(target, set())

    def _compact(self) -> None:
        """Put what is kept as records into the columns, once there is much of it."""
        if isinstance(self._below, GraphView):
            return
        changed = len(self._nodes) + sum(map(len, self._outgoing.values()))
        if changed > max(FEW, len(self._below) // 4):
            self._begin_anew(compacted(self._below, self._nodes, self._outgoing))


def _edges(outgoing: Outgoing) -> tuple[Edge, ...]:
    return tuple(
        Edge(target, type, span.relation.weight, span.begins, span.ends)
        for (target, type), periods in sorted(outgoing.items())
        for span in spans(periods)
    )


def _held(several: Iterable[Periods], selection: RelationSelection) -> Iterator[Relation]:
    for periods in several:
        for span in spans(periods):
            if span.begins <= selection.day <= span.ends and selection.takes(span.relation):
                yield span.relation


def _counting(several: Iterable[Periods], selection: RelationSelection) -> Iterator[Relation]:
    for periods in several:
        for span in spans(periods):
            if selection.takes(span.relation):
                yield _cut_off(span)


def _cut_off(span: PeriodSpan) -> Relation:
    """The period, until the last day on which it counts."""
    said = span.relation.until
    if span.ends == (inf if said is None else said):
        return span.relation
    return span.relation.model_copy(update={"until": span.ends})
