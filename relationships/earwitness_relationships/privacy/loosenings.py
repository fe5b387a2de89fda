"""`story.privacy`: what the user behind a persona allows beyond the table. Nobody else may loosen it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from earwitness import Earwitness, Outcome, Session, State
from earwitness.errors import InputError, NotPermitted, unknown
from earwitness.records.channel import Context

from .place import Loosening

FACTS = "privacy"
"""The name under which privacy notes its facts."""


class Privacy:
    """What users allow in one story. Each permission is an entry of its journal, and goes when that is retracted."""

    def __init__(self, story: Session, ew: Earwitness) -> None:
        self._story = story

    @property
    def loosened(self) -> tuple[Loosening, ...]:
        """Everything that is allowed beyond the table."""
        return loosenings(self._story.state)

    async def loosen(
        self,
        persona: str,
        *,
        user: str,
        learned: Context,
        asked: Context,
        sayable: bool = False,
        key: str | None = None,
    ) -> Outcome:
        """Let what was learned under a persona in one context be known in another, for characters of this story.

        With `sayable`, it may be said there, too. `user` is who allows it: the one behind the persona. Retract the
        outcome's key to take it back. Raises `UnknownName`, `InputError`, and `NotPermitted` for any other user.
        """
        for what, context in (("learned", learned), ("asked", asked)):
            if context not in get_args(Context):
                raise InputError(f"{what} = {context!r} must be one of {', '.join(get_args(Context))}.")
        users = {each.persona_id: each.user_id for each in self._story.cast if each.persona_id}
        if persona not in users:
            raise unknown("persona", persona, users)
        if users[persona] != user or not user:
            raise NotPermitted(
                f"user {user!r} may not loosen the privacy of persona {persona!r}. Only its own user may."
            )
        fact = {"persona": persona, "learned": learned, "asked": asked, "sayable": sayable}
        return await self._story.change(facts={FACTS: [fact]}, key=key)


def loosenings(state: State) -> tuple[Loosening, ...]:
    """What users allow beyond the table in a story."""
    if not state.facts:
        return ()
    return tuple(Loosening(**each) for each in state.facts_of(FACTS) if isinstance(each, Mapping))  # type: ignore[arg-type]
