"""What is done when a person approves the reconciliation of one memory of a bubble."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Literal

from pydantic import ValidationError

from earwitness import Earwitness, Record, Session
from earwitness.backstage.roles import PERMISSIONS
from earwitness.errors import InputError, NotYetApplied

from ...review import Reviewed


class ApprovedKeeping(Record):
    """The payload of a proposal."""

    bubble: str
    """The bubble's name."""
    memory: str
    """Id of the memory in the bubble."""
    keep_as: Literal["personal", "global"]
    """Where it goes."""
    mode: Literal["append", "replace"] = "append"
    """What becomes of other versions."""
    text: str = ""
    """Other words for it; empty = its own."""


class KeepingHandler:
    """The handler of proposals to keep a memory of a bubble: `await approved(story, ew, reviewed)`."""

    async def __call__(self, story: Session, ew: Earwitness, reviewed: Reviewed) -> None:
        """Keep the memory, as `story.canon.reconcile` does, on behalf of the role that approves it.

        Doing it twice keeps it once. Raises `UnknownName` if it is no longer in the bubble, `NotPermitted`, and
        `InputError` if it may not become global canon.
        """
        wanted = _wanted(reviewed)
        role = reviewed.decided_by if reviewed.decided_by in PERMISSIONS else "author"
        canon = story.canon.acting(role=role)
        only = {wanted.memory: wanted.text}
        planned = await canon.reconcile(wanted.bubble, keep_as=wanted.keep_as, mode=wanted.mode, only=only)
        done = {each.action for each in planned.memories}
        if not done or done == {"withhold"}:
            why = next((each.note for each in planned.memories), planned.why) or "there is no container for it"
            raise InputError(f"memory {wanted.memory!r} of bubble {wanted.bubble!r} cannot be kept: {why}.")
        if done != {"skip"}:
            await canon.reconcile(wanted.bubble, keep_as=wanted.keep_as, mode=wanted.mode, only=only, dry_run=False)

    async def fallen(self, story: Session, ew: Earwitness, waiting: Sequence[Reviewed]) -> dict[str, str]:
        """Id → why it can no longer be kept: its memory was retracted or edited, or its bubble is gone."""
        status = {each.name: each.status for each in await story.canon.bubbles()}
        found: dict[str, str] = {}
        memories: dict[str, dict[str, str]] = defaultdict(dict)
        for each in waiting:
            bubble, memory = str(each.proposal.payload.get("bubble")), str(each.proposal.payload.get("memory"))
            if status.get(bubble) in {"discarded", "gone", None}:
                found[each.id] = _gone(bubble, status.get(bubble))
            else:
                memories[bubble][each.id] = memory
        for bubble, asked in memories.items():
            now = await self._now(story, bubble, asked.values())
            why = "it rests on {} of bubble {}, which was retracted or edited"
            found |= {id: why.format(memory, bubble) for id, memory in asked.items() if now.get(memory, "") is None}
        return found

    async def _now(self, story: Session, bubble: str, memories: Iterable[str]) -> dict[str, str | None]:
        """The memories of a bubble, each with the one that stands for it now; `None` for one that is gone."""
        session: Session = await story.bubble.session(bubble)
        with suppress(NotYetApplied):
            await session.settled()  # another process may have edited it
        return await session.backstage().grounds(*dict.fromkeys(memories))


def _gone(bubble: str, status: str | None) -> str:
    return f"bubble {bubble} " + ("was discarded" if status == "discarded" else "is not there any more")


def _wanted(reviewed: Reviewed) -> ApprovedKeeping:
    try:
        return ApprovedKeeping.model_validate(reviewed.proposal.payload)
    except ValidationError as invalid:
        problem = invalid.errors()[0]
        field = ".".join(map(str, problem["loc"]))
        raise InputError(
            f"the payload of proposal {reviewed.id!r} is not a reconciliation of a memory: {field}: {problem['msg']}. "
            "It needs bubble, memory and keep_as (personal or global)."
        ) from invalid


approved = KeepingHandler()
