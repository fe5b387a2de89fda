"""A graph moves from one store to another, with its whole history."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from earwitness.errors import InputError
from earwitness_relationships.graph.protocol import GraphStore
from earwitness_relationships.graph.records import GraphChange

PAGE = 2_000
"""So many changes are moved at once."""


async def copied(source: GraphStore, target: GraphStore, progress: Callable[[int], None]) -> int:
    """Copy what the target lacks, change by change with their versions, and return how many changes that were.

    The target is empty, or an earlier copy of the same graph, such as one that was interrupted. Each part is one
    transaction. Raises `InputError` for a target with another graph.
    """
    since = await _common(source, target)
    count = 0
    while changes := await source.changes(since=since, limit=PAGE):
        since = await target.restore(changes)
        count += len(changes)
        progress(len(changes))
    return count


async def _common(source: GraphStore, target: GraphStore) -> int:
    """The version up to which the target is a copy of the source. All that it holds is compared."""
    version = await target.version()
    since = 0
    while theirs := await target.changes(since=since, limit=PAGE):
        ours = await source.changes(since=since, limit=len(theirs))
        if _begins_anew(ours, version):
            break
        if list(ours) != list(theirs):
            raise InputError(
                f"the graph to copy to has {version} changes of its own. Copy into an empty one: another file "
                "(networkx(path=…)), or another namespace on the server (neo4j(namespace=…))."
            )
        since = theirs[-1].version
    return version


def _begins_anew(ours: Sequence[GraphChange], version: int) -> bool:
    """Whether the graph was cleared since the target was copied: what the target holds goes then."""
    return bool(ours) and ours[0].version > version and ours[0].fact.op == "clear"
