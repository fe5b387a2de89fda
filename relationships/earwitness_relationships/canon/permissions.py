"""Who may write canon, and end, reconcile and undo bubbles: by role, and for a player by what is their own. Pure.

An `owner` may do everything. An `author` or `designer` may do all but write global canon. A `player` may write about
their own user and personas, and end and reconcile bubbles that nobody else plays in, as personal canon.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from earwitness import Cast
from earwitness.errors import InputError, NotPermitted, did_you_mean, quoted

from ..pantheons.permissions import Actor
from ..personas.lived import is_played
from .records import KeepAs, Scope

ROLES: Mapping[str, frozenset[Scope]] = {
    "owner": frozenset({"global", "personal", "session", "user"}),
    "author": frozenset({"personal", "session", "user"}),
    "designer": frozenset({"personal", "session", "user"}),
    "player": frozenset({"personal", "user"}),
}
"""Role → the scopes that it may write; a player only what is their own."""


def may_write(who: Actor, scope: Scope, user: str | None = None) -> None:
    """Raise `NotPermitted` if somebody may not write a scope, and `InputError` if there is none of that name.

    `user` is whom it is about, for scopes of users.
    """
    if scope not in (known := get_args(Scope)):
        raise InputError(f"scope {quoted(scope)} must be one of {', '.join(known)}.{did_you_mean(str(scope), known)}")
    if scope not in ROLES[who.role]:
        allowed = ", ".join(each for each, scopes in ROLES.items() if scope in scopes)
        raise NotPermitted(f"role {who.role!r} may not write {scope} canon. These roles may: {allowed}.")
    if not who.edits and user != who.user:
        raise NotPermitted(
            f"role {who.role!r} may write {scope} canon only about their own: user {who.user!r} is not {user!r}."
        )


def may_decide(who: Actor, bubble: str, cast: Cast, keep_as: KeepAs | None = None) -> None:
    """Raise `NotPermitted` if somebody may not end, reconcile or undo a bubble with this cast."""
    if keep_as == "global":
        may_write(who, "global")
    if who.edits:
        return
    if others := sorted(each.id for each in cast if is_played(each) and each.user_id != who.user):
        raise NotPermitted(
            f"role {who.role!r} may decide about bubble {bubble!r} only if nobody else plays in it: user {who.user!r} "
            f"is not behind {', '.join(others)}."
        )
