"""Containers separate the memories of different owners. This module holds their names, owners and memberships.

A session has one container for each character and one for the world. Other containers belong to no session. They
outlive the stories that write into them, and are neither forked nor forgotten with a story.
"""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import quote, unquote

from . import ids
from .errors import ContainerCollision, InputError
from .ids import PREFIXES, WORLD, check_shared_id
from .records.base import Record
from .records.prose import period
from .records.state import Day

CHARACTER = "character"
EVERYBODY = ids.EVERYBODY
"""The member that stands for every personality: a read provider may ask for the container by name, for anybody."""
SESSION_KINDS = (CHARACTER, WORLD)
"""The kinds that sessions register themselves."""


class Container(Record):
    """One container as the register knows it."""

    name: str
    """Unique: `{session_id}-{character_id}`, `{session_id}-world`, `persona-{persona_id}-{personality_id}`, …."""
    kind: str
    """`character`, `world`, `persona`, `user`, `global_canon`, `pantheon`, `conversation`, or a kind of your own."""
    owner: str
    """Id of the owner, whose type follows from the kind, or `world`."""
    session: str | None = None
    """The session it belongs to, and with which it is forked and forgotten; `None` = it outlives sessions."""

    def __str__(self) -> str:
        where = "" if self.session is None else f" in session {self.session!r}"
        return f"{self.name}: {self.words}{where}"

    @property
    def words(self) -> str:
        """What it is, in words: `the hub of olympus`, `the facts about user u1`, `the guild 'smiths'`."""
        known = {
            "global_canon": f"the global canon of {self.owner}",
            "pantheon": f"the hub of {self.owner}",
            "persona": f"what persona {self.owner} lived",
            "user": f"the facts about user {self.owner}",
            CHARACTER: f"what {self.owner} remembers",
            WORLD: "what happens in the world",
        }
        return known.get(self.kind, f"the {self.kind.replace('_', ' ')} {self.owner!r}")


class Membership(Record):
    """The permission of a personality to read a container that is not its own."""

    container: str
    """Container name."""
    member: str
    """Id of the personality that may read it; `*` = everybody for whom a read provider asks for it by name."""
    since: Day | None = None
    """The first game day of the membership, in the days of the session that reads; `None` = no beginning."""
    until: Day | None = None
    """The last game day of the membership; `None` = no end."""

    def __str__(self) -> str:
        who = "everybody" if self.member == EVERYBODY else self.member
        return f"{who} may read {self.container}{period(self.since, self.until)}"

    def holds_on(self, day: float) -> bool:
        """Whether the membership includes a game day."""
        return (self.since is None or self.since <= day) and (self.until is None or day <= self.until)


@lru_cache(maxsize=1024, typed=True)  # every message goes to the same few containers
def character_container(session: str, character: str) -> Container:
    """The container of one character's memories of one session."""
    return Container(
        name=character_container_name(session, character), kind=CHARACTER, owner=character, session=session
    )


def character_container_name(session: str, character: str) -> str:
    """The name of that container."""
    return f"{session}-{character}"


@lru_cache(maxsize=64, typed=True)
def world_container(session: str) -> Container:
    """The world's container of one session. It receives everything that happens there."""
    return Container(name=f"{session}-{WORLD}", kind=WORLD, owner=WORLD, session=session)


def persona_container(persona: str, personality: str) -> Container:
    """What a user's persona experienced with one personality, across sessions. Raises `InvalidId`."""
    check_shared_id("personality", personality)
    return _shared("persona", persona, f"{persona}-{personality}")


def user_container(user: str) -> Container:
    """Facts about a user, which all members may know. Raises `InvalidId`."""
    return _shared("user", user, user)


def global_canon_container(personality: str) -> Container:
    """Facts about a personality that are true in all sessions. Raises `InvalidId`."""
    return _shared("global_canon", personality, personality)


def pantheon_container(slug: str) -> Container:
    """The shared container of a pantheon. Raises `InvalidId`."""
    return _shared("pantheon", slug, slug)


def conversation_container(id: str) -> Container:
    """The container of a chat assistant's conversation. Raises `InvalidId`."""
    return _shared("conversation", id, id)


def check_container(container: Container) -> Container:
    """Return the container if a host or plugin may register it. Raises `InvalidId`, and `InputError` with what may be.

    A container of a session is named after the session. One that belongs to no session has the prefix of its kind, and
    never the prefix of another kind.
    """
    for what, value in (("name", container.name), ("kind", container.kind), ("owner", container.owner)):
        check_shared_id(f"container {what}", value)
    if container.kind in SESSION_KINDS:
        raise InputError(f"container {container.name!r}: only sessions make containers of kind {container.kind!r}.")
    wanted = _wanted_prefix(container)
    if wanted is not None and not container.name.startswith(wanted):
        raise InputError(f"container {container.name!r} of {_described(container)} must be named {wanted}….")
    if container.session is None and (kind := _reserved_by(container.name)) not in {None, container.kind}:
        raise InputError(
            f"container {container.name!r} of {_described(container)} has a name that is reserved for kind {kind!r}."
        )
    return container


def collision(claim: Container, held: Container) -> ContainerCollision:
    """The error that a ledger raises when another owner already has the name of a container."""
    return ContainerCollision(
        f"container {claim.name!r} of {_described(claim)} has the name of the container of {_described(held)}. "
        "Choose another session, character or container id."
    )


def _shared(kind: str, owner: str, rest: str) -> Container:
    check_shared_id(kind.replace("_", " "), owner)
    return Container(name=f"{PREFIXES[kind]}{rest}", kind=kind, owner=owner)


def _wanted_prefix(container: Container) -> str | None:
    if container.session is None:
        return PREFIXES.get(container.kind)
    if container.kind in PREFIXES:
        raise InputError(f"container {container.name!r}: one of kind {container.kind!r} belongs to no session.")
    return f"{container.session}-"


def _reserved_by(name: str) -> str | None:
    return next((kind for kind, prefix in PREFIXES.items() if name.casefold().startswith(prefix)), None)


def _described(container: Container) -> str:
    where = "beyond sessions" if container.session is None else f"in session {container.session!r}"
    return f"{container.kind} {container.owner!r} {where}"


def encode(name: str, *, escape: str = "_") -> str:
    """Encode a container name in `[A-Za-z0-9-]` plus the escape character, for backends that allow little else.

    This is percent-encoding (RFC 3986) with another escape character. Letters, digits and `-` are unchanged.
    `decode` undoes it.
    """
    return quote(name, safe="").replace("_", "%5F").replace(".", "%2E").replace("~", "%7E").replace("%", escape)


def decode(encoded: str, *, escape: str = "_") -> str:
    """Undo `encode`."""
    return unquote(encoded.replace(escape, "%"))
