"""The log of a graph: its changes in the order of their versions."""

from __future__ import annotations

from collections.abc import Sequence

from earwitness.errors import InputError

from .draft import GraphDraft
from .records import GraphChange


def following(changes: Sequence[GraphChange], version: int, draft: GraphDraft) -> int:
    """Put the changes of another graph on top of a draft, and return the version before the first in its log.

    Versions go up by one, and only a change that clears the graph may leave some out. Raises `InputError` for changes
    that do not follow `version`, or that are not the log of a graph.
    """
    if not changes:
        return version
    last = version
    for change in changes:
        _check(change, last)
        last = change.version
    draft.add(change.fact for change in changes)
    kept = [change.fact for change in changes if change.version > last - len(draft.log)]
    if draft.log != kept:
        raise InputError(f"the changes {changes[0].version} to {last} are not a graph's log: some change nothing.")
    return last - len(draft.log)


def _check(change: GraphChange, last: int) -> None:
    if change.version != last + 1 and not (change.fact.op == "clear" and change.version > last):
        raise InputError(
            f"change {change.version} cannot follow change {last}: the changes in between are missing, or the graph "
            "has other facts already. Restore into an empty graph, or into an earlier copy of the same one."
        )
