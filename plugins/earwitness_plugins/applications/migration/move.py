"""All stories and their memories, from one ledger and store to others. It can be interrupted and repeated."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from earwitness.errors import InputError, StorageError
from earwitness.protocols import Ledger, Store
from earwitness.records.base import Record
from earwitness_plugins.applications.assistants import ConversationFolders

from .conversations import MovedConversations, check_conversations, move_conversations
from .memories import MovedContainer, move_container
from .sessions import check_ours, move_session, session_digest
from .shared import forget_as_the_source, move_memberships, shared_digest


class Backends(NamedTuple):
    """Where stories are kept: an open ledger and an open store."""

    ledger: Ledger
    store: Store
    data_owners: Sequence[str] = ()
    """Names of plugins and strategies that may keep data."""
    conversations: ConversationFolders | None = None
    """Where chat assistants keep their conversations; `None` = they are left alone."""


class MovedSession(Record):
    """A story that the target holds exactly as the source."""

    session: str
    """Its id."""
    entries: int
    """How many entries its journal has."""
    deliveries: int
    """How many deliveries it has, of whatever status."""
    digest: str
    """Of its journal, plans, deliveries, messages, containers and plugin data, in both ledgers."""
    was_there: bool = False
    """Whether the target held all of it already."""


class Moved(Record):
    """What a move has moved, and found to be the same in both places."""

    sessions: tuple[MovedSession, ...]
    """The stories; empty if only the memories moved."""
    containers: dict[str, str]
    """Name of each container with memories → how many memories, and their digest, in both stores."""
    memories: int
    """How many memories in all."""
    conversations: MovedConversations
    """The conversations of chat assistants on this machine."""
    was_there: bool
    """Whether the target held all of it already, so that nothing was written."""


async def moved(
    source: Backends,
    target: Backends,
    *,
    ledger: bool = True,
    store: bool = True,
    seen: Callable[[int], object] = lambda steps: None,
) -> Moved:
    """Move all stories, and verify them by counts and digests. The source is only read.

    The conversations of chat assistants on this machine move along where both backends name their folders.

    An interrupted move goes on where it stopped; a finished one only verifies. `seen` is called with the number of
    entries and containers that were moved. Raises `InputError` for a target that holds anything else, and
    `StorageError` if something is not the same in both.

    Args:
        source: where everything is.
        target: where it is to be; both are open, and nobody else writes to them.
        ledger: whether the ledger moves; not if both places have the same.
        store: whether the memories move.
        seen: told of progress.
    """
    files = _checked(source, target)
    sessions = await _move_ledger(source, target, seen) if ledger else ()
    containers = await _move_store(source, target, seen) if store else {}
    conversations = await asyncio.to_thread(move_conversations, *files) if files else MovedConversations()
    found = {name: each.found for name, each in containers.items()}
    were_there = [*(each.was_there for each in sessions), *(each.was_there for each in containers.values())]
    return Moved(
        sessions=tuple(sessions),
        containers={name: f"{count} {digest}" for name, (count, digest) in found.items()},
        memories=sum(each.memories for each in found.values()),
        conversations=conversations,
        was_there=all([*were_there, conversations.was_there]),
    )


def _checked(source: Backends, target: Backends) -> tuple[ConversationFolders, ConversationFolders] | None:
    """Whose conversations move, if both places have any. Raises `InputError` before anything else has moved."""
    if source.conversations is None or target.conversations is None:
        return None
    if source.conversations.root.resolve() != target.conversations.root.resolve():
        check_conversations(source.conversations, target.conversations)
    return source.conversations, target.conversations


async def _move_ledger(source: Backends, target: Backends, seen: Callable[[int], object]) -> Sequence[MovedSession]:
    ids = await source.ledger.sessions()
    if others := sorted({*await target.ledger.sessions()} - {*ids}):
        raise InputError(
            f"the target holds stories that the source does not: {', '.join(others[:5])}. Move into an empty target."
        )
    for id in ids:
        await check_ours(source.ledger, target.ledger, id)
    owners = {*source.data_owners, *target.data_owners}
    whole = {id for id in ids if await _is_whole(source.ledger, target.ledger, id, owners)}
    for id in ids:
        await move_session(source.ledger, target.ledger, id, owners, seen)
    await forget_as_the_source(source.ledger, target.ledger, ids)
    await move_memberships(source.ledger, target.ledger, ids)
    if await shared_digest(source.ledger, ids) != await shared_digest(target.ledger, ids):
        raise StorageError("shared containers or memberships were not moved exactly. Run the move again.")
    verified = [await _verified(source.ledger, target.ledger, id, sorted(owners)) for id in ids]
    return [each.model_copy(update={"was_there": each.session in whole}) for each in verified]


async def _is_whole(source: Ledger, target: Ledger, id: str, owners: Collection[str]) -> bool:
    """Whether the target holds the story exactly as the source. Asked only where its journal is complete."""
    if await target.load(id) != await source.load(id):
        return False
    return await session_digest(source, id, owners) == await session_digest(target, id, owners)


async def _verified(source: Ledger, target: Ledger, id: str, owners: Sequence[str]) -> MovedSession:
    ours, theirs = await session_digest(source, id, owners), await session_digest(target, id, owners)
    if ours != theirs:
        raise StorageError(
            f"story {id!r} was not moved exactly: {ours.entries} entries and {ours.deliveries} deliveries "
            f"({ours.digest}) have become {theirs.entries} and {theirs.deliveries} ({theirs.digest}). "
            "Does another program write to it? Run the move again."
        )
    return MovedSession(session=id, entries=ours.entries, deliveries=ours.deliveries, digest=ours.digest)


async def _move_store(source: Backends, target: Backends, seen: Callable[[int], object]) -> dict[str, MovedContainer]:
    """All containers that the ledger knows, and that hold anything."""
    ids = (None, *await source.ledger.sessions())
    found: dict[str, MovedContainer] = {}
    for container in [each for id in ids for each in await source.ledger.containers(id)]:
        moved = await move_container(source.store, target.store, container.name)
        if moved.found.memories:
            found[container.name] = moved
        seen(1)
    return found
