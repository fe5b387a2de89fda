"""Containers: hard walls around memories, their names, and who owns them."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import quote, unquote

from .ids import WORLD
from .records.base import Record


class Container(Record):
    """One container as the register knows it."""

    name: str
    """`{session_id}-{character_id}` or `{session_id}-world`."""
    session: str
    """The session it belongs to."""
    owner: str
    """A character id, or `world`."""


@lru_cache(maxsize=1024, typed=True)  # each message goes to the same few
def character_container(session: str, character: str) -> Container:
    """Where this character's memories of this session live."""
    return Container(name=f"{session}-{character}", session=session, owner=character)


@lru_cache(maxsize=64, typed=True)
def world_container(session: str) -> Container:
    """Where the world remembers everything that happened in this session."""
    return Container(name=f"{session}-{WORLD}", session=session, owner=WORLD)


def encode(name: str, *, escape: str = "_") -> str:
    """A container name in `[A-Za-z0-9-]` plus the escape character, reversibly, for backends with a narrow alphabet.

    Percent-encoding (RFC 3986) with another escape character; letters, digits and `-` stay.
    """
    return quote(name, safe="").replace("_", "%5F").replace(".", "%2E").replace("~", "%7E").replace("%", escape)


def decode(encoded: str, *, escape: str = "_") -> str:
    """Undo `encode`."""
    return unquote(encoded.replace(escape, "%"))
