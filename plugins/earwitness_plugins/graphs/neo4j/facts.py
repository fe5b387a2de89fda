"""Writes facts within one transaction: reads what they concern, and writes what they change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, LiteralString, TypeVar

from earwitness_relationships.graph.draft import GraphDraft
from earwitness_relationships.graph.records import Fact, Node, Relation
from earwitness_relationships.graph.timeline import Periods, RelationKey, begins, key, spans

from . import statements
from .rows import GraphKeys, as_node, as_relation

if TYPE_CHECKING:
    from neo4j import AsyncManagedTransaction

T = TypeVar("T")
ROWS = 5_000
"""So many rows go into one statement."""


class OnServer:
    """What the server holds of that which some facts concern."""

    def __init__(self, nodes: Iterable[Node], periods: Iterable[Relation]) -> None:
        self._nodes = {node.id: node for node in nodes}
        self._periods: dict[RelationKey, Periods] = {}
        once = {(key(period), begins(period)): period for period in periods}
        for (place, _), period in sorted(once.items(), key=lambda each: each[0]):
            self._periods[place] = (*self._periods.get(place, ()), period)

    def node(self, id: str) -> Node | None:
        """The node with this id."""
        return self._nodes.get(id)

    def periods(self, key: RelationKey) -> Periods:
        """The periods of a relation."""
        return self._periods.get(key, ())

    def keys_at(self, id: str) -> Iterator[RelationKey]:
        """The relations of a node that is to be removed."""
        return (key for key in self._periods if id in key[:2])


async def write(
    tx: AsyncManagedTransaction, keys: GraphKeys, facts: Sequence[Fact], fill: Callable[[GraphDraft, int], int]
) -> int:
    """Write what a draft makes of the facts, and return the new version.

    `fill` puts them on the draft, given the version so far, and says after which version the draft's log begins.
    """
    before = await _number(tx, statements.LOCK, graph=keys.graph)
    draft = GraphDraft(await _known(tx, keys, facts))
    begun = fill(draft, before)
    if draft.log:
        await _write(tx, keys, draft, begun)
    return begun + len(draft.log)


async def rows(tx: AsyncManagedTransaction, statement: LiteralString, **given: Any) -> list[Mapping[str, Any]]:
    """The results of a statement."""
    result = await tx.run(statement, given)
    return [record async for record in result]


async def in_parts(
    tx: AsyncManagedTransaction, statement: LiteralString, name: str, values: Collection[Any], **given: Any
) -> list[Mapping[str, Any]]:
    """The results of a statement for many values, some thousands at a time."""
    found: list[Mapping[str, Any]] = []
    each = list(values)
    for start in range(0, len(each), ROWS):
        found += await rows(tx, statement, **{name: each[start : start + ROWS]}, **given)
    return found


async def _number(tx: AsyncManagedTransaction, statement: LiteralString, **given: Any) -> int:
    (found,) = await rows(tx, statement, **given)
    return int(found["version"])


async def _known(tx: AsyncManagedTransaction, keys: GraphKeys, facts: Sequence[Fact]) -> OnServer:
    relations = {key(fact.relation) for fact in facts if fact.relation}
    named = {fact.node.id for fact in facts if fact.node} | {id for ends in relations for id in ends[:2]}
    removed = [keys.node(fact.node.id) for fact in facts if fact.op == "remove" and fact.node]
    nodes = await in_parts(tx, statements.NODES, "keys", [*map(keys.node, sorted(named))], kind=None)
    periods = await in_parts(tx, statements.PERIODS, "rows", [*map(keys.relation, sorted(relations))])
    for statement in statements.TOUCHING:
        periods += await in_parts(tx, statement, "keys", removed)
    return OnServer(map(as_node, nodes), map(as_relation, periods))


async def _write(tx: AsyncManagedTransaction, keys: GraphKeys, draft: GraphDraft, begun: int) -> None:
    if draft.is_cleared:
        for statement in statements.CLEAR:
            await rows(tx, statement, graph=keys.graph, after=keys.graph, end=keys.end)
    for statement, several in _statements(keys, draft, begun):
        await in_parts(tx, statement, "rows", several, **({"graph": keys.graph} if "$graph" in statement else {}))
    await rows(tx, statements.SET_VERSION, graph=keys.graph, version=begun + len(draft.log))


def _statements(keys: GraphKeys, draft: GraphDraft, begun: int) -> Iterator[tuple[LiteralString, list[Any]]]:
    """What is written, in order: a relation needs its nodes, and loses them last."""
    changed = draft.relations
    periods = [keys.period_row(each, span) for each, several in changed.items() for span in spans(several)]
    yield statements.WRITE_NODES, [keys.node_row(node) for node in draft.nodes.values() if node]
    yield statements.REMOVE_PERIODS, [keys.relation(each) for each in changed]
    yield statements.WRITE_PERIODS, periods
    yield statements.REMOVE_NODES, [keys.node(id) for id, node in draft.nodes.items() if node is None]
    yield statements.WRITE_CHANGES, [keys.change_row(number, fact) for number, fact in enumerate(draft.log, begun + 1)]
