"""Who may do what backstage. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from ..errors import InputError, NotPermitted, unknown
from ..records.character import Cast
from ..validation.arguments import text

Permission: TypeAlias = Literal["read", "edit", "own"]
PERMISSIONS: Mapping[str, frozenset[Permission]] = {
    "owner": frozenset({"read", "edit", "own"}),
    "author": frozenset({"read", "edit", "own"}),
    "designer": frozenset({"read", "edit", "own"}),
    "player": frozenset({"own"}),
}
"""Role → what it may: `read` everything, `edit` the story, see what is its `own` persona's."""


def check_role(role: str, persona: str | None, cast: Cast) -> str | None:
    """The id of a player's persona; `None` for the other roles. Raises `UnknownName`, `InputError`."""
    if text("role", role) not in PERMISSIONS:
        raise unknown("backstage role", role, PERMISSIONS)
    if role == "player" and persona is None:
        raise InputError("backstage(role='player') needs to know whose player it is: give persona='…'.")
    if role != "player" and persona is not None:
        raise InputError(f"backstage(role={role!r}, persona={persona!r}): only a player has a persona.")
    return None if persona is None else cast.named(text("persona", persona)).id


def permit(role: str, needed: Permission, what: str) -> None:
    """Raises `NotPermitted` when a role may not do this."""
    if needed not in PERMISSIONS[role]:
        allowed = ", ".join(each for each, held in PERMISSIONS.items() if needed in held)
        raise NotPermitted(f"role {role!r} may not {what}. These roles may: {allowed}.")
