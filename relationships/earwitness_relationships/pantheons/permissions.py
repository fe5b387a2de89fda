"""Who may create and change pantheons, their rules, and relations: by role, and by pantheon.

An `owner` may do everything. An `author` or `designer` may do all but change a pantheon that somebody else made. A
`player` may make a `friend_group`, and change and remove the one that they made; in a story they include characters of
it and their own personas. Pure functions.
"""

from __future__ import annotations

from earwitness import Cast, Record
from earwitness.backstage.roles import PERMISSIONS
from earwitness.errors import InputError, NotPermitted, unknown

from ..rules.records import Pantheon

FRIENDS = "friend_group"
OWNER = "owner"


class Actor(Record):
    """Who asks for a change."""

    role: str = "owner"
    """A backstage role: `owner`, `author`, `designer` or `player`."""
    user: str | None = None
    """Id of the user; a player must have one."""

    @property
    def edits(self) -> bool:
        """Whether the role edits what nobody made."""
        return "edit" in PERMISSIONS[self.role]


def actor(role: str, user: str | None) -> Actor:
    """An actor. Raises `UnknownName` for an unknown role, and `InputError` for a player without a user."""
    if role not in PERMISSIONS:
        raise unknown("role", role, PERMISSIONS)
    if user is None and "edit" not in PERMISSIONS[role]:
        raise InputError(f"role {role!r} needs the user who acts: give user='…'.")
    return Actor(role=role, user=user)


def may_create(who: Actor, type: str) -> None:
    """Raise `NotPermitted` unless the actor may make a pantheon of this type."""
    if not who.edits and type != FRIENDS:
        raise NotPermitted(f"role {who.role!r} may not make a {type!r}. A user may make a {FRIENDS!r} of their own.")


def may_change(who: Actor, pantheon: Pantheon) -> None:
    """Raise `NotPermitted` unless the actor may change this pantheon.

    The owner may, and who made it: a player only if it is a group of friends. What nobody made, such as a pantheon of
    the rule file, authors and designers may change, too.
    """
    own = pantheon.owner is not None and pantheon.owner == who.user
    nobodys = who.edits and pantheon.owner is None
    if who.role == OWNER or nobodys or (own and (who.edits or pantheon.type == FRIENDS)):
        return
    made = "the roles author and designer" if pantheon.owner is None else f"user {pantheon.owner!r}, who made it"
    raise NotPermitted(f"role {who.role!r} may not change {pantheon.slug!r}. The role owner may, and {made}.")


def may_include(who: Actor, personality: str, cast: Cast | None) -> None:
    """Raise `NotPermitted` unless the actor may make somebody a member.

    In a story, a player who plays in it includes its characters and their own personas. Of all stories (no cast), it is
    not known whose persona somebody is.
    """
    if who.edits or cast is None:
        return
    if not any(each.user_id == who.user for each in cast):
        raise NotPermitted(f"user {who.user!r} plays nobody in this story, and may not include {personality!r}.")
    found = [each for each in cast if each.personality_id == personality]
    if not found:
        raise NotPermitted(f"role {who.role!r} may not include {personality!r}, who is not in this story.")
    if any(each.kind == "persona" and each.user_id != who.user for each in found):
        raise NotPermitted(f"role {who.role!r} may not include {personality!r}, a persona of another user.")


def may_relate(who: Actor) -> None:
    """Raise `NotPermitted` unless the actor may change the graph."""
    if not who.edits:
        raise NotPermitted(f"role {who.role!r} may not change relations. The roles owner, author and designer may.")
