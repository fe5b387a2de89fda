"""What a person wrote or changed in the store itself. No entry of the journal tells of it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from .containers import character_container, world_container
from .errors import StorageError
from .extras import HandWritten
from .ids import WORLD
from .protocols import Store
from .records.character import Cast
from .records.memory import Memory
from .records.prose import counted

BY_HAND = "byHand"
"""Metadata of a memory that a person wrote or changed."""
_NOT_EXPORTED = (
    "the export of %r lacks %s that people wrote or changed in the store: no entry of the journal tells of it. "
    "`earwitness migrate` moves all of it"
)
_NOT_READ = "nobody knows whether the export of %r lacks what people wrote or changed in the store: %s"
_log = logging.getLogger("earwitness")


async def hand_written(store: Store, session: str, cast: Cast) -> Mapping[str, Sequence[Memory]]:
    """Owner → what a person wrote or changed in their container; only of a store that people can write in."""
    if not isinstance(store, HandWritten):
        return {}
    found = {owner: await store.by_hand(name) for owner, name in _containers(session, cast).items()}
    return {owner: memories for owner, memories in found.items() if memories}


async def warn_exporter(store: Store, session: str, cast: Cast) -> None:
    """Log a warning if an export, which is the journal, lacks what people wrote in the store itself.

    A file that cannot be read is a warning, too: the journal is whole.
    """
    try:
        found = await hand_written(store, session, cast)
    except StorageError as error:
        _log.warning(_NOT_READ, session, str(error).rstrip("."))
        return
    if number := sum(map(len, found.values())):
        _log.warning(_NOT_EXPORTED, session, counted(number, "memory", "memories"))


async def held(store: Store, session: str, cast: Cast, id: str) -> tuple[str, Memory] | None:
    """A memory in a container of the session, with its owner; also one that no entry tells of."""
    for owner, name in _containers(session, cast).items():
        for memory in await store.get(name, [id]):
            return owner, memory
    return None


def place(store: Store, container: str) -> str:
    """Where a person finds the memories of a container: a file, if there is one."""
    return store.place(container) if isinstance(store, HandWritten) else f"the container {container!r} of the store"


def _containers(session: str, cast: Cast) -> Mapping[str, str]:
    own = {id: character_container(session, id).name for id in cast.ids}
    return {**own, WORLD: world_container(session).name}
