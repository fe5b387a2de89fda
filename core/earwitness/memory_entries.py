"""Entries about single memories: written by hand, passed on, archived, restored.

Each is checked before it is appended.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TypeAlias

from .end.archive import named
from .end.derivations import own_metadata, problem
from .end.grounds import container_of, grounds_of, nobodys
from .end.knowers import readers_of
from .end.transfers import known_to, why_not
from .engine import Engine
from .errors import InputError, UnknownName
from .live import Live
from .protocols import Ledger
from .records.derived import Derivation
from .records.journal import Archived, Derived, Transferred
from .records.memory import Memory
from .records.snapshot import Snapshot
from .start.recalled import Recalled
from .validation.arguments import several, text

MemoryRef: TypeAlias = str | Memory | Recalled
"""A memory, its id, or the key of what it is about."""


def memory_ids(what: str, given: Iterable[MemoryRef] | MemoryRef) -> tuple[str, ...]:
    """Ids of the given memories; strings, ids or keys, are kept as they are. Raises `InputError`."""
    return tuple(_id(what, each) for each in several(what, given))  # type: ignore[arg-type]


def _id(what: str, given: MemoryRef) -> str:
    if isinstance(given, Recalled):
        return given.memory.id
    return given.id if isinstance(given, Memory) else text(what, given)


async def check_memories(engine: Engine, live: Live, body: Derived | Transferred | Archived) -> None:
    """Raises `InputError` if the operation does not fit the memories, `UnknownName` for memories nobody has."""
    match body:
        case Derived():
            await _check_derived(engine.ledger, live.snapshot, body.derivation)
        case Transferred():
            await _check_transferred(engine, live, body)
        case Archived():
            await _check_archived(engine.ledger, live.snapshot.id, body)


async def _check_derived(ledger: Ledger, story: Snapshot, derivation: Derivation) -> None:
    if why := problem(derivation):
        raise InputError(f"this cannot be remembered: {why}.")
    container = await container_of(ledger, story.id, story.cast, derivation)
    if container is None:
        raise UnknownName(f"this cannot be remembered: {nobodys(story.cast, derivation)}.")
    knowers, readers = derivation.knowers, readers_of(container, story.cast)
    rests_on = derivation.rests_on
    grounds = await grounds_of(ledger, story.id, container.name, rests_on, knowers=knowers, readers=readers)
    if grounds.unknown is not None:
        raise UnknownName(
            f"rests_on = {grounds.unknown!r} is neither a memory id nor a key of session {story.id!r}: "
            "`inspect` lists memories with their ids and keys."
        )
    if grounds.gone is not None:
        raise InputError(
            f"rests_on = {grounds.gone!r} was retracted, or is withheld from this owner: nothing can rest on it."
        )
    if grounds.kept is not None and not await _any_fits(ledger, story, derivation.instead):
        raise InputError(f"this cannot be remembered: {grounds.kept}.")


async def _any_fits(ledger: Ledger, story: Snapshot, derivations: Iterable[Derivation]) -> bool:
    """Whether one of them can be remembered."""
    for each in derivations:
        with suppress(InputError, UnknownName):
            await _check_derived(ledger, story, each)
            return True
    return False


async def _check_transferred(engine: Engine, live: Live, body: Transferred) -> None:
    if kept := own_metadata(body.metadata):
        raise InputError(f"metadata sets {kept}, which Earwitness sets itself. Leave it out.")
    if body.teller == body.listener:
        raise InputError(f"{body.teller!r} cannot tell themselves of {body.memory!r}. Name another listener.")
    supports, _ = await known_to(engine, live, body.teller, body.memory, live.snapshot.decided + 1)
    if why := why_not(body, supports, live.snapshot.state.game_day if body.day is None else body.day):
        raise InputError(f"{why}.")


async def _check_archived(ledger: Ledger, session: str, body: Archived) -> None:
    found = await named(ledger, session, body.memories)
    for given, memories in found.items():
        if not memories:
            raise UnknownName(
                f"{given!r} is neither a memory id nor a key of what anybody remembers in session {session!r}: "
                "`inspect` lists memories with their ids and keys."
            )
        if not any(each.is_kept for deliveries in memories.values() for each in deliveries):
            what = "restored" if body.restore else "archived"
            raise InputError(f"{given!r} was retracted or never delivered: it cannot be {what}.")
