"""Walks over a graph, level by level, the same in every store: ties are broken by id."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .arguments import checked_depth, checked_id
from .records import Direction, Neighbor, Node, NodeKind, Relation, Route
from .selection import RelationSelection
from .timeline import begins

RelationsOf = Callable[[Collection[str]], Awaitable[Iterable[Relation]]]
"""Ids of nodes → their relations by a selection, in any order."""


class Walks:
    """The base of a graph store that can say which relations several nodes have: it can then walk."""

    async def relations_by(self, selection: RelationSelection) -> RelationsOf:
        """What to ask for the relations of nodes, during one walk."""
        raise NotImplementedError

    async def nodes(self, *, ids: Collection[str] | None = None, kind: NodeKind | None = None) -> Sequence[Node]:
        """As `GraphStore.nodes`."""
        raise NotImplementedError

    async def neighbors(
        self,
        *,
        node_id: str,
        depth: int = 1,
        types: Collection[str] | None = None,
        min_weight: float = 0.0,
        direction: Direction = "both",
        day: float | None = None,
    ) -> Sequence[Neighbor]:
        """The nodes that at most `depth` relations lead to, without the node itself, by distance and id."""
        selection = RelationSelection.of(types, min_weight, direction, day)
        start, far = checked_id(node_id), checked_depth("depth", depth)
        found = await distances(start, far, selection, await self.relations_by(selection))
        by_id = {node.id: node for node in await self.nodes(ids=tuple(found))} if found else {}
        return [Neighbor(node=by_id[id], distance=distance) for id, distance in found.items() if id in by_id]

    async def shortest_path(
        self,
        *,
        src_id: str,
        dst_id: str,
        max_depth: int = 4,
        types: Collection[str] | None = None,
        min_weight: float = 0.0,
        direction: Direction = "both",
        day: float | None = None,
    ) -> Route | None:
        """A shortest path of at most `max_depth` relations, the one whose ids come first; `None` if there is none."""
        selection = RelationSelection.of(types, min_weight, direction, day)
        start, end, far = checked_id(src_id), checked_id(dst_id), checked_depth("max_depth", max_depth)
        if start == end and not await self.nodes(ids=[start]):
            return None
        return await shortest_path(start, end, far, selection, await self.relations_by(selection))


class WalkStep(NamedTuple):
    """A relation, followed from one of its ends."""

    start: str
    """Where it is followed from."""
    end: str
    """Where it leads."""
    relation: Relation
    """The relation."""


async def distances(start: str, depth: int, selection: RelationSelection, relations: RelationsOf) -> dict[str, int]:
    """Id → how many relations lead to it from the start, by distance and id, for all but the start."""
    found = {start: 0}
    level = [start]
    for distance in range(1, depth + 1):
        ends = {step.end for step in steps(await relations(level), level, selection)}
        level = sorted(ends - found.keys())
        if not level:
            break
        found.update(dict.fromkeys(level, distance))
    del found[start]
    return found


async def shortest_path(
    start: str, end: str, max_depth: int, selection: RelationSelection, relations: RelationsOf
) -> Route | None:
    """A shortest path, the one whose ids come first; `None` if there is none of at most `max_depth` relations."""
    led_by: dict[str, WalkStep | None] = {start: None}
    level = [start]
    for _ in range(max_depth):
        if end in led_by or not level:
            break
        level = _next_level(level, led_by, steps(await relations(level), level, selection))
    return _path(end, led_by) if end in led_by else None


def steps(relations: Iterable[Relation], nodes: Collection[str], selection: RelationSelection) -> Iterator[WalkStep]:
    """The relations, followed from these nodes in the directions that count."""
    starts = frozenset(nodes)
    for each in relations:
        if selection.outwards and each.source in starts:
            yield WalkStep(each.source, each.target, each)
        if selection.inwards and each.target in starts:
            yield WalkStep(each.target, each.source, each)


def _next_level(level: list[str], led_by: dict[str, WalkStep | None], found: Iterable[WalkStep]) -> list[str]:
    """The nodes that one more step leads to, in the order of the paths to them."""
    by_start: dict[str, list[WalkStep]] = {}
    for step in found:
        if step.end not in led_by:
            by_start.setdefault(step.start, []).append(step)
    reached = []
    for start in level:
        for step in sorted(by_start.get(start, ()), key=_first):
            if step.end not in led_by:
                led_by[step.end] = step
                reached.append(step.end)
    return reached


def _first(step: WalkStep) -> tuple[str, float, str, str, float]:
    """The order among the steps from a node: by where they lead; the strongest of several to the same node."""
    relation = step.relation
    return step.end, -relation.weight, relation.type, relation.source, begins(relation)


def _path(end: str, led_by: Mapping[str, WalkStep | None]) -> Route:
    nodes, relations = [end], []
    while (step := led_by[nodes[-1]]) is not None:
        nodes.append(step.start)
        relations.append(step.relation)
    return Route(nodes=tuple(reversed(nodes)), relations=tuple(reversed(relations)))
