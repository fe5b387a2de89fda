"""The roles of backstage and their permissions. Pure functions."""

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
"""Role → permissions: `read` everything, `edit` the story, or see the memories of its `own` persona."""


def check_role(role: str, persona: str | None, cast: Cast) -> str | None:
    """Check a role; returns the id of a player's persona, else `None`. Raises `UnknownName`, `InputError`."""
    if text("role", role) not in PERMISSIONS:
        raise unknown("backstage role", role, PERMISSIONS)
    if role == "player" and persona is None:
        raise InputError("backstage(role='player') needs to know whose player it is: give persona='…'.")
    if role != "player" and persona is not None:
        raise InputError(f"backstage(role={role!r}, persona={persona!r}): only a player has a persona.")
    return None if persona is None else cast.named(text("persona", persona)).id


def permit(role: str, needed: Permission, what: str) -> None:
    """Raise `NotPermitted` if the role lacks this permission."""
    if needed not in PERMISSIONS[role]:
        allowed = ", ".join(each for each, held in PERMISSIONS.items() if needed in held)
        raise NotPermitted(f"role {role!r} may not {what}. These roles may: {allowed}.")
