"""START: the source of a recall: the store, or recent entries in the ledger if the store does not answer in time."""

from __future__ import annotations

from collections.abc import Awaitable, Collection, Mapping, Sequence
from itertools import islice
from typing import TypeVar

from ..by_hand import BY_HAND
from ..decided_memories import decided_memories
from ..emptied import why_emptied
from ..engine import Engine
from ..errors import StorageError
from ..filters import EVERYTHING, Filter, matches
from ..live import Live, Unapplied
from ..memories import memories_of
from ..protocols import Store
from ..ranked_by_words import AtHand, asked_words, by_share, ranked_by_words, with_words
from ..records.memory import Hit, Memory
from ..records.plan import Delivery
from ..time_limit import LimitReached, contained, reason

T = TypeVar("T")
Lacking = Mapping[int, Unapplied]
AT_HAND = 200
"""Number of latest entries that are searched if the store is unavailable."""


class RecallSource:
    """The reads of one recall. After a failure the store is not asked again, so the recall keeps its time limit."""

    def __init__(self, engine: Engine, live: Live, limit: float, own: str) -> None:
        self._engine = engine
        self._live = live
        self._limit = limit
        self._own = own
        """The reader's own container, which only this session writes to."""
        self.failure: str | None = None
        """Why the store did not answer. If set, the memories come from the latest entries only."""
        self.emptied: Sequence[str] = ()
        """That the store holds nothing of the reader's own container, although it should."""
        self._is_away = False
        """Whether the one elsewhere has failed, where there are two: the one here answers the rest of this recall."""

    @property
    def refused(self) -> Sequence[str]:
        """What the store refuses of this story for good, as far as no recall has said so yet."""
        return self._engine.refusals.take_news(self._live.snapshot.id)

    @property
    def standing_failures(self) -> Sequence[str]:
        """Why a part of the store did not answer, while another did."""
        store = self._engine.local_first
        return store.failures if store else ()

    async def look_at_own(self) -> None:
        """Look whether the reader's own container, in which nothing was found, was emptied; `emptied` says so then."""
        if self.failure is None:
            why = await why_emptied(self._engine, self._live, self._own, self._limit)
            self.emptied = (why,) if why else ()

    @property
    def _is_doubtful(self) -> bool:
        """Whether the store may hold what was taken back, although it lacks nothing."""
        return self._live.is_behind or bool(self._live.withdrawn)

    async def _waiting(self, container: str) -> Sequence[str] | None:
        """The sessions that have decided something for a container that others write to, too, which the store has not
        taken yet; `None` where the ledger does not say."""
        if container == self._own or self.failure is not None:
            return ()
        ledger = self._engine.waiting_ledger
        return await ledger.waiting(container) if ledger else None

    def _store(self, container: str, waiting: Sequence[str] | None) -> Store:
        """The store to ask: the one here, where there are two and the one elsewhere may lack something yet.

        What is on its way may arrive during the search, which finds it as little then as `Live.unapplied` does.
        """
        both = self._engine.local_first
        if both is None:
            return self._engine.reading
        lacks = self._is_away or waiting is None or len(waiting) > 0 or self._engine.refusals.has(container)
        lacks = lacks or self._live.is_behind or any(each.concerns(container) for each in self._live.writable.values())
        return self._engine.reading_here(both) if lacks else self._engine.store

    async def search(self, container: str, query: str, *, filter: Filter, limit: int) -> Sequence[Hit]:
        """The best hits, best first. Raises `StorageError` if `strict`."""
        lacking = dict(self._live.lacking)  # what is written meanwhile is perhaps not found
        waiting = await self._waiting(container)
        store = self._store(container, waiting)
        found = await self._asked(store.search(container, query, filter=filter, limit=limit))
        if found is None:
            return await ranked_by_words(await self._at_hand(container, filter, self._latest()), query, limit)
        if waiting:
            gone = await self._gone(container, [hit.memory.id for hit in found], waiting)
            found = [hit for hit in found if hit.memory.id not in gone]
        if not (lacking or self._is_doubtful):
            return found
        known = {hit.memory.id for hit in found}
        now = await self._as_decided(container, [hit.memory for hit in found], lacking)
        if not (lacking or now):
            return found
        found = [
            hit if memory is hit.memory else hit.model_copy(update={"memory": memory})
            for hit in found
            if (memory := now.get(hit.memory.id, hit.memory)) is not None and matches(filter, memory.metadata)
        ]
        ranked = by_share(await self._unapplied(container, lacking), await asked_words(query))
        late = (hit for hit in ranked if hit.memory.id not in known and matches(filter, hit.memory.metadata))
        return [*found, *islice(late, limit)]

    async def list(self, container: str, *, filter: Filter, limit: int | None = None) -> Sequence[Memory]:
        """Memories that match the filter, at most `limit`. Raises `StorageError` if `strict`."""
        lacking = dict(self._live.lacking)
        waiting = await self._waiting(container)
        found = await self._asked(self._store(container, waiting).list(container, filter=filter, limit=limit))
        found = await self._without_gone(container, found, waiting)
        if found is None:
            found = await self._at_hand(container, filter, self._latest())
        elif lacking or self._is_doubtful:
            found = await self._with_unapplied(container, found, lacking)
            found = [each for each in found if matches(filter, each.metadata)]
        return found[:limit]

    async def get(self, container: str, ids: Sequence[str]) -> Sequence[Memory]:
        """The memories with these ids, as far as they exist. Raises `StorageError` if `strict`."""
        lacking = dict(self._live.lacking)
        waiting = await self._waiting(container)
        found = await self._asked(self._store(container, waiting).get(container, ids))
        found = await self._without_gone(container, found, waiting)
        if found is None:
            found = await self._at_hand(container, EVERYTHING, self._latest())
        elif lacking or self._is_doubtful:
            found = await self._with_unapplied(container, found, lacking)
        return [each for each in found if each.id in ids]

    async def _without_gone(
        self, container: str, found: Sequence[Memory] | None, waiting: Sequence[str] | None
    ) -> Sequence[Memory] | None:
        if not found or not waiting:
            return found
        gone = await self._gone(container, [each.id for each in found], waiting)
        return [each for each in found if each.id not in gone]

    async def _gone(self, container: str, ids: Collection[str], waiting: Sequence[str]) -> set[str]:
        """Those of the memories that nothing supports any more in the session that wrote them, among these sessions."""
        gone = set[str]()
        for session in waiting if ids else ():
            supports = await self._engine.ledger.deliveries(session, memory_ids=sorted(ids), container=container)
            active = {each.memory_id for each in supports if each.is_active}
            gone.update(each.memory_id for each in supports if each.memory_id not in active)
        return gone

    async def _with_unapplied(self, container: str, found: Sequence[Memory], lacking: Lacking) -> Sequence[Memory]:
        """What was found, as it will be, and what is decided for this container and not in the store yet."""
        now = await self._as_decided(container, found, lacking)
        there = [memory for each in found if (memory := now.get(each.id, each)) is not None]
        if not lacking:
            return there
        known = {each.id for each in found}
        late = [each.memory for each in await self._unapplied(container, lacking)]
        return [*there, *(each for each in late if each.id not in known)]

    async def _as_decided(
        self, container: str, found: Sequence[Memory], lacking: Lacking
    ) -> Mapping[str, Memory | None]:
        """Id → each of these memories as it will be, while this process or the store lacks a plan that takes something
        away; `None` for one that goes, as with a forgotten character whose id a newcomer has. Those of other sessions
        are not there."""
        ids = {each.id for each in found}
        plans = [each.plan for each in lacking.values()]
        if not (self._live.is_behind or any(plan is None or plan.withdrawals or plan.forgotten for plan in plans)):
            ids &= self._live.withdrawn
        if not ids:
            return {}
        ledger, snapshot = self._engine.ledger, self._live.snapshot
        supports = await ledger.deliveries(snapshot.id, memory_ids=sorted(ids))
        there = [each for each in supports if each.is_active and each.due <= snapshot.state.game_day]
        memories = await decided_memories(ledger, snapshot.id, there)
        own = (each.id for each in found if each.id in ids and BY_HAND not in each.metadata)
        known = own if container == self._own else (each.memory_id for each in supports)
        return dict.fromkeys(known) | {each.id: each for each in memories}

    async def _asked(self, call: Awaitable[T]) -> T | None:
        """The store's answer; `None` if it fails or has failed before."""
        if self.failure is not None:
            getattr(call, "close", lambda: None)()
            return None
        try:
            return await self._engine.store_work(self._limit, call)
        except LimitReached as error:
            if self._engine.settings.strict:
                raise StorageError(f"the store has not answered within {self._limit:g} s") from error
            why = str(error)
        except BaseException as error:  # noqa: BLE001 - whatever a store raises
            failure = contained(error)
            if self._engine.settings.strict:
                raise failure from failure.__cause__
            why = reason(failure)
        finally:
            self._is_away |= bool(self.standing_failures)
        self.failure = f"store: {why.rstrip('.')}; only memories of the latest {AT_HAND} entries are at hand"
        return None

    def _latest(self) -> int:
        return max(0, self._live.snapshot.decided - AT_HAND)

    async def _unapplied(self, container: str, lacking: Lacking) -> Sequence[AtHand]:
        """What is decided for this container and not in the store yet. Turn after turn looks at the same memories."""
        waiting = list(lacking.values())
        if not all(each.is_plain for each in waiting):  # one may have withdrawn another
            return await with_words(await self._at_hand(container, EVERYTHING, min(lacking) - 1))
        for each in waiting:
            if container not in each.at_hand:
                each.at_hand[container] = await with_words(memories_of(each.due(container)))
        return [late for each in waiting for late in each.at_hand[container]]

    async def _at_hand(self, container: str, filter: Filter, after: int) -> Sequence[Memory]:
        """Memories that the ledger recorded for this container after an entry, in the form the store would have."""
        snapshot = self._live.snapshot
        deliveries = await self._engine.ledger.deliveries(snapshot.id, container=container, after=after)
        day = snapshot.state.game_day
        found = [*await self._arrived(container, after), *deliveries]
        active = [each for each in found if each.is_active and each.due <= day]
        memories = await decided_memories(self._engine.ledger, snapshot.id, active)
        return [each for each in memories if matches(filter, each.metadata)]

    async def _arrived(self, container: str, up_to: int) -> Sequence[Delivery]:
        """The deliveries of plans up to an entry that hold up what has arrived since, such as a rumour on its day."""
        ledger, snapshot = self._engine.ledger, self._live.snapshot
        if not any(each.due_day is not None for each in self._live.unapplied.values()):
            return ()
        today = snapshot.state.game_day
        late = await ledger.deliveries(snapshot.id, container=container, status="pending", due_by=today)
        has_arrived = self._live.has_arrived()
        ids = {each.memory_id for each in late if each.sequence <= up_to and has_arrived(each)}
        known = await ledger.deliveries(snapshot.id, memory_ids=sorted(ids)) if ids else ()
        return [each for each in known if each.sequence <= up_to and (each.status != "pending" or has_arrived(each))]
