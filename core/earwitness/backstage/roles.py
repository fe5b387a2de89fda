"""The roles of backstage and their permissions. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from ..errors import InputError, NotPermitted, UnknownName, unknown
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
    """Check a role; returns the character id of a player's persona, else `None`.

    `persona` is a character's id, name or alias, or a `persona_id`. Raises `UnknownName`, also where it may be several,
    and `InputError`.
    """
    if text("role", role) not in PERMISSIONS:
        raise unknown("backstage role", role, PERMISSIONS)
    if role == "player" and persona is None:
        raise InputError("backstage(role='player') needs the character that the player plays: give persona='…'.")
    if role != "player" and persona is not None:
        raise InputError(f"backstage(role={role!r}, persona={persona!r}): only a player has a persona.")
    return None if persona is None else _persona(text("persona", persona), cast)


def _persona(name: str, cast: Cast) -> str:
    """The id of the only character meant. An exact id belongs to one character only.

    A player reads the errors: they name nobody else in the cast.
    """
    masks = [] if name in cast else [each for each in cast if each.persona_id == name]
    meant = list(dict.fromkeys(each.id for each in (*cast.called(name), *masks)))
    if len(meant) > 1:
        raise UnknownName(
            f"persona {name!r} could mean {len(meant)} characters: give the id of the player's own character."
        )
    if not meant:
        raise UnknownName(f"unknown persona {name!r}: give a character's id, name or alias, or a persona_id.")
    return meant[0]


def permit(role: str, needed: Permission, what: str) -> None:
    """Raise `NotPermitted` if the role lacks this permission."""
    if needed not in PERMISSIONS[role]:
        allowed = ", ".join(each for each, held in PERMISSIONS.items() if needed in held)
        raise NotPermitted(f"role {role!r} may not {what}. These roles may: {allowed}.")
