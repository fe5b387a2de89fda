"""The stories that one instance has open: each is begun, resumed, handed out again and forgotten here."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from . import namesakes, register, transfer
from .background import Background
from .clock import now
from .containers import character_container, world_container
from .end.applier import FIRST_PAUSE, LONGEST_PAUSE, Applier
from .end.decider import Decider
from .engine import FORGOTTEN, Engine
from .errors import StorageError, UnknownName, unknown
from .extensions import Opener
from .ids import check_new_session_id, check_session_id
from .live import Live
from .records.character import Cast, Character, as_cast
from .records.journal import BEGIN, Changed
from .records.snapshot import Snapshot
from .records.state import State
from .session import Session
from .validation.arguments import several, table, text
from .validation.records import check_state, keepable, state_keys

DROPPED_LATER = "what the store still holds is dropped once it answers, or by ew.spool.replay()"


class OpenSessions:
    """At most one handle and one decider for each story. One story is opened or forgotten at a time."""

    def __init__(self, engine: Engine, background: Background, app: Opener[Session]) -> None:
        self._engine, self._background, self._app = engine, background, app
        self._sessions: dict[str, Session] = {}
        self._deciders: dict[str, Decider] = {}
        self._locks = WeakValueDictionary[str, asyncio.Lock]()

    async def session(
        self, id: str, cast: Iterable[Character | str], state: Mapping[str, Any] | None, present: Iterable[str]
    ) -> Session:
        """Begin a story, or resume an existing one, which new members of `cast` join. Raises as `Earwitness` does."""
        check_session_id(id)
        cast = cast.members if isinstance(cast, Cast) else several("cast", cast)
        members = as_cast(cast).members
        async with self._lock(id):
            found = await self._standing(id) or await self._resumed(id)
            if found is None:
                given = state_keys(table("state", state))
                found = await self._begun(check_new_session_id(id), members, given, several("present", present))
            self._sessions[id] = found
        await self._deciders[id].caught_up()  # the store may be away: what it lacks is applied in the background
        newcomers = _newcomers(cast, found.cast)
        if newcomers:
            await found.join(*newcomers)
        return found

    async def ids(self) -> tuple[str, ...]:
        """The ids of all stories, sorted. Stories whose removal was interrupted are left out."""
        ledger = self._engine.ledger
        return tuple([id for id in await ledger.sessions() if await ledger.entry(id, key=FORGOTTEN) is None])

    async def existing(self, id: str) -> Session:
        """Open an existing story. Raises `UnknownName`, which lists the existing ones."""
        text("session", id)
        async with self._lock(id):
            await self._erased(id)
        if await self._engine.ledger.load(id) is None:
            raise unknown("session", id, await self.ids())
        return await self._app.session(id)

    async def forget(self, session: str) -> None:
        """Remove a story for good. Raises `UnknownName`, and `StorageError` from a store that is away."""
        if await self._engine.ledger.load(text("session", session)) is None:
            raise unknown("session", session, await self.ids())
        if decider := self._deciders.get(session):
            await decider.end()
        async with self._lock(session):
            await self._engine.ledger.append(session, Changed(quiet=True), key=FORGOTTEN, timestamp=now())
            try:
                await self._erased(session)
            except StorageError:
                self._background.start(partial(self._erase_later, session), f"erase {session}", cancelled_on_close=True)
                raise

    async def _standing(self, id: str) -> Session | None:
        """The existing handle, unless another process has forgotten its story."""
        try:
            if id in self._sessions:
                await self._deciders[id].staleness.check()
        except UnknownName:
            return None
        return self._sessions.get(id)

    async def _resumed(self, id: str) -> Session | None:
        """The session as the ledger has it, or `None` if its creation was interrupted and must be repeated.

        Raises `InputError` for a branch or an import that was interrupted.
        """
        await self._erased(id)
        found = transfer.require_complete(await self._engine.ledger.load(id))
        begun = found and await self._engine.ledger.entries(id, limit=1)
        return await self._opened(id) if begun else None

    async def _erased(self, id: str) -> None:
        """Erase a story that is marked as forgotten. The mark is removed last, so an interrupted call can resume."""
        ledger = self._engine.ledger
        if await ledger.load(id) is None or await ledger.entry(id, key=FORGOTTEN) is None:
            return
        self._sessions.pop(id, None)
        self._deciders.pop(id, None)
        try:
            for container in await ledger.containers(id):
                await self._engine.written(self._engine.store.drop(container.name))
            await register.forget_in_hubs(self._engine, id)
            await namesakes.keep_apart(self._engine, id)
        except StorageError as error:
            error.add_note(f"session {id!r} is forgotten; {DROPPED_LATER}.")
            raise
        await ledger.forget(id)

    async def _erase_later(self, id: str) -> None:
        """Erase a forgotten story once the store is back."""
        pause = FIRST_PAUSE
        while True:
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
            with suppress(StorageError):
                async with self._lock(id):
                    return await self._erased(id)

    def _lock(self, id: str) -> asyncio.Lock:
        """Held while a story is opened or forgotten."""
        return self._locks.setdefault(id, asyncio.Lock())

    async def _opened(self, id: str) -> Session:
        live = await Live.load(self._engine, id)
        if not self._engine.writes_here:
            await live.read_withdrawn(self._engine, 0, live.snapshot.decided)
        applier = Applier(self._engine, live, self._background)
        self._deciders[id] = decider = Decider(self._engine, live, applier, self._background)
        await decider.staleness.reached(live.snapshot.decided)
        return Session(self._engine, live, decider, applier, self._app)

    async def _begun(
        self, id: str, members: tuple[Character, ...], state: dict[str, Any], present: tuple[str, ...]
    ) -> Session:
        cast = Cast(members=members)
        Cast().check_newcomers(members)
        moves = tuple((cast.named(who).id, "enter", None) for who in present)
        check_state(State(), state)
        if "participants" in state:
            named = several("participants", state["participants"])
            state["participants"] = tuple(cast.named(who).id for who in named)
        body = Changed(joins=members, changes=state, moves=moves, quiet=True)  # type: ignore[arg-type]
        containers = [world_container(id), *(character_container(id, member.id) for member in members)]
        keepable(body)
        await self._engine.ledger.create(Snapshot(id=id), containers)
        await self._engine.ledger.append(id, body, key=BEGIN, timestamp=now())
        return await self._opened(id)


def _newcomers(given: Iterable[Character | str], cast: Cast) -> list[Character | str]:
    """The characters who are not in the cast yet, or whose description has changed. A bare id describes nothing."""
    return [each for each in given if (each not in cast if isinstance(each, str) else cast.by_id.get(each.id) != each)]
