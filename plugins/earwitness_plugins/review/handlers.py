"""What is done for kinds of proposals that are more than memories.

An entry point in the group `earwitness.proposal`, named after the kind, names a coroutine function that takes the
story, its `Earwitness` and what was reviewed, with the role that approves it as `decided_by`. It is awaited when a
proposal of that kind is approved, before its memories are written. After a crash it is awaited again: doing a thing
twice must have the effect of doing it once. If it raises, nothing is approved.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from earwitness import Earwitness, Session
from earwitness.errors import EarwitnessError, InputError, PluginError
from earwitness.loading.installed_packages import entry_point, entry_points
from earwitness.time_limit import contained, reason

from .records import Reviewed

GROUP = "earwitness.proposal"
Handler = Callable[[Session, Earwitness, Reviewed], Awaitable[object]]


def handler_of(kind: str) -> Handler | None:
    """The handler of a kind; `None` if there is none. Raises `PluginError` if it cannot be loaded."""
    point = entry_point(GROUP, kind)
    try:
        return None if point is None else point.load()
    except BaseException as error:
        why = reason(contained(error))
        raise PluginError(f"the handler of proposals of the kind {kind!r} cannot be used: {why}.") from error


async def handle(story: Session, ew: Earwitness, reviewed: Reviewed) -> None:
    """Let the handler of its kind do what is to be done. Raises `PluginError` if that fails."""
    handler = handler_of(reviewed.proposal.kind)
    if handler is None:
        _refuse_payload(reviewed)
        return
    try:
        await handler(story, ew, reviewed)
    except EarwitnessError:
        raise
    except BaseException as error:
        why = reason(contained(error))
        raise PluginError(f"proposal {reviewed.id!r} of kind {reviewed.proposal.kind!r} failed: {why}.") from error


def _refuse_payload(reviewed: Reviewed) -> None:
    if reviewed.proposal.payload:
        kind, known = reviewed.proposal.kind, sorted(each.name for each in entry_points(group=GROUP))
        raise InputError(
            f"proposal {reviewed.id!r} of kind {kind!r} has a payload, and no package handles that kind. "
            f"Handled are: {', '.join(known) or 'none'}. Install its package, or reject the proposal."
        )
