"""What is done for kinds of proposals that are more than memories.

An entry point in the group `earwitness.proposal`, named after the kind, names a coroutine function that takes the
story, its `Earwitness` and what was reviewed, with the role that approves it as `decided_by`. It is awaited when a
proposal of that kind is approved, before its memories are written. After a crash it is awaited again: doing a thing
twice must have the effect of doing it once. If it raises, nothing is approved.

A handler may be an object that can be called so, with a coroutine method `fallen`. It takes the story, its `Earwitness`
and the proposals of the kind that wait, and answers with the ids of those that cannot be approved any more, and why:
for grounds that are not in the story itself. It is asked whenever they are listed.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence

from earwitness import Earwitness, Session
from earwitness.errors import EarwitnessError, InputError, PluginError
from earwitness.loading.installed_packages import entry_point, entry_points
from earwitness.time_limit import contained, reason

from .records import Reviewed

GROUP = "earwitness.proposal"
Handler = Callable[[Session, Earwitness, Reviewed], Awaitable[object]]
NOT_ASKED = "story %r: whether proposals of the kind %r have fallen could not be asked: %s"
_log = logging.getLogger("earwitness")


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


async def fallen(story: Session, ew: Earwitness, waiting: Sequence[Reviewed]) -> dict[str, str]:
    """Id → why it cannot be approved any more, as the handlers say. What fails there is logged, and falls nothing."""
    found: dict[str, str] = {}
    for kind in sorted({each.proposal.kind for each in waiting if each.proposal.payload}):
        asked = tuple(each for each in waiting if each.proposal.kind == kind)
        try:
            ask = getattr(handler_of(kind), "fallen", None)
            answer: Mapping[str, str] = {} if ask is None else await ask(story, ew, asked)
            found |= {each.id: str(answer[each.id]) for each in asked if each.id in answer}
        except BaseException as error:  # noqa: BLE001 - whatever third-party code raises is its failure
            _log.warning(NOT_ASKED, story.id, kind, reason(contained(error)))
    return found


def _refuse_payload(reviewed: Reviewed) -> None:
    if reviewed.proposal.payload:
        kind, known = reviewed.proposal.kind, sorted(each.name for each in entry_points(group=GROUP))
        raise InputError(
            f"proposal {reviewed.id!r} of kind {kind!r} has a payload, and no package handles that kind. "
            f"Kinds that are handled: {', '.join(known) or 'none'}. Install its package, or reject the proposal."
        )
