"""What is done when a person approves the reconciliation of one memory of a bubble."""

from __future__ import annotations

from typing import Literal

from pydantic import ValidationError

from earwitness import Earwitness, Record, Session
from earwitness.backstage.roles import PERMISSIONS
from earwitness.errors import InputError

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


async def approved(story: Session, ew: Earwitness, reviewed: Reviewed) -> None:
    """Keep the memory, as `story.canon.reconcile` does, on behalf of the role that approves it.

    Doing it twice keeps it once. Raises `UnknownName` if it is no longer in the bubble, `NotPermitted`, and
    `InputError` if it may not become global canon.
    """
    try:
        wanted = ApprovedKeeping.model_validate(reviewed.proposal.payload)
    except ValidationError as invalid:
        problem = invalid.errors()[0]
        field = ".".join(map(str, problem["loc"]))
        raise InputError(
            f"the payload of proposal {reviewed.id!r} is no reconciliation of a memory: {field}: {problem['msg']}. It "
            "needs bubble, memory and keep_as (personal or global)."
        ) from invalid
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
