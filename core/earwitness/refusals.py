"""What the store refuses for good: kept at hand, so that it is remembered all the same, and holds nothing else up.

The ledger keeps such a memory as a pending delivery, and the store holds no older wording of it. Here is what the
applier wanted to write, and why the store did not take it: reads find it as if the store had it, in the words that the
ledger has for it by then. A new start tries it again, and so does `ew.spool.replay`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from .decided_memories import decided_memories
from .errors import MemoriesRefused, quoted
from .filters import EVERYTHING, Filter, matches
from .protocols import Ledger, Store
from .ranked_by_words import ranked_by_words
from .records.memory import Hit, Memory
from .records.plan import Delivery

MemoryAddress = tuple[str, str]
"""Container name and memory id."""


class RefusedMemory(NamedTuple):
    """A memory that the store refuses for good."""

    memory: Memory
    """As the applier wanted to write it."""
    why: str
    """In the store's words."""


RefusedMemories = Mapping[MemoryAddress, RefusedMemory]


def address(of: Memory | Delivery) -> MemoryAddress:
    """Where a memory is, or the one that a delivery supports."""
    return of.container, of.memory_id if isinstance(of, Delivery) else of.id


class KeptRefusal(NamedTuple):
    """A refused memory of a story."""

    session: str
    supports: frozenset[str]
    """Ids of the deliveries that made it."""
    elsewhere: str = ""
    """Why the store does not take it; empty if it does. If there are two, the one elsewhere."""
    here: str = ""
    """Why the one here does not take it, where there are two."""


class Refusals:
    """What the store of one instance refuses, by container; where there are two, what either of them does."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, KeptRefusal]] = {}
        """Container → memory id → what is refused."""
        self._news: dict[str, dict[MemoryAddress, str]] = {}
        self._told: set[MemoryAddress] = set()

    def note(
        self,
        session: str,
        refused: RefusedMemories,
        supports: Mapping[MemoryAddress, Collection[str]],
        *,
        here: bool = False,
    ) -> None:
        """Keep what was refused of a story's memories, `here` or elsewhere.

        `supports` are the ids of the deliveries that made each.
        """
        for place, (_, why) in refused.items():
            container, id = place
            known = self._kept.setdefault(container, {}).get(id) or KeptRefusal(session, frozenset())
            known = known._replace(session=session, supports=frozenset(supports[place]))
            self._kept[container][id] = known._replace(here=why) if here else known._replace(elsewhere=why)
            if place not in self._told:
                self._told.add(place)
                self._news.setdefault(session, {})[place] = why

    def settle(self, places: Iterable[MemoryAddress], *, here: bool = False) -> None:
        """These were written or removed, `here` or elsewhere. They are looked at only where something is refused."""
        for container, id in places if self._kept else ():
            if (known := self._kept.get(container, {}).get(id)) is None:
                continue
            left = known._replace(here="") if here else known._replace(elsewhere="")
            self._kept[container][id] = left
            if not (left.here or left.elsewhere):
                self._forget(container, id)

    def _forget(self, container: str, id: str) -> None:
        del self._kept[container][id]
        if not self._kept[container]:
            del self._kept[container]

    def forget(self, session: str) -> None:
        """Nothing is known of this story's any more: it is forgotten, or opened anew."""
        self._news.pop(session, None)
        places = [(name, id) for name, of in self._kept.items() for id, each in of.items() if each.session == session]
        for container, id in places:
            self._forget(container, id)

    def drop(self, container: str, *, only: Literal["here", "elsewhere"] | None = None) -> None:
        """The container is gone, perhaps only here or elsewhere."""
        if only:
            self.settle([(container, id) for id in self._kept.get(container, ())], here=only == "here")
        else:
            self._kept.pop(container, None)

    def has(self, container: str) -> bool:
        """Whether a memory of a container is refused."""
        return container in self._kept

    def here(self, memories: Iterable[Memory]) -> set[MemoryAddress]:
        """Those of the memories that the store here refuses, where there are two."""
        kept = self._kept
        return {
            address(each)
            for each in (memories if kept else ())
            if (known := kept.get(each.container, {}).get(each.id)) and known.here
        }

    async def of(self, container: str, ledger: Ledger, *, here: bool = False) -> Sequence[Memory]:
        """The refused memories of a container, as the ledger has them now: another process may have taken them back.

        With `here`, those that the store here refuses.
        """
        found: dict[str, Memory] = {}
        kept = {id: each for id, each in self._kept.get(container, {}).items() if each.here or not here}
        for session in dict.fromkeys(each.session for each in kept.values()):
            supports = {id: each.supports for id, each in kept.items() if each.session == session}
            there = await ledger.deliveries(session, memory_ids=sorted(supports), container=container)
            active = [each for each in there if each.is_active and each.id in supports[each.memory_id]]
            found |= {each.id: each for each in await decided_memories(ledger, session, active)}
        return [found[id] for id in kept if id in found]

    def why(self, place: MemoryAddress) -> str:
        """Why a memory is refused; empty if it is not."""
        container, id = place
        known = self._kept.get(container, {}).get(id)
        return known.elsewhere or known.here if known else ""

    def take_news(self, session: str) -> Sequence[str]:
        """What was refused of a story's memories and not told yet."""
        if not (news := self._news.pop(session, {})):
            return ()
        (container, id), why = next(iter(news.items()))
        which, more = f"memory {quoted(id)} of {quoted(container)}", f" and {len(news) - 1} more" * (len(news) > 1)
        return (f"it refuses {which}{more} ({why}); the ledger remembers them, and `earwitness spool list` names them",)

    def over(self, store: Store, ledger: Ledger, local: Store | None = None) -> Store:
        """The store, as if it held what it refuses. Where there is a `local` one, that answers for these containers."""
        return StoreWithRefused(store, local, self, ledger) if self._kept else store


class StoreWithRefused:
    """A store for reading: what it refuses is found as if it were there, unless it was taken back."""

    def __init__(self, store: Store, local: Store | None, refusals: Refusals, ledger: Ledger) -> None:
        self._store, self._local, self._refusals, self._ledger = store, local, refusals, ledger
        self.open, self.close, self.health = store.open, store.close, store.health
        self.put, self.remove, self.drop = store.put, store.remove, store.drop

    async def _split(self, container: str) -> tuple[Store, Sequence[Memory]]:
        """The store to ask, and what it lacks, unless another process has brought it there."""
        if not self._refusals.has(container):
            return self._store, ()
        if self._local:
            return self._local, await self._refusals.of(container, self._ledger, here=True)
        return self._store, await self._refusals.of(container, self._ledger)

    async def get(self, container: str, ids: Sequence[str]) -> Sequence[Memory]:
        """The memories with these ids, in this order."""
        store, kept = await self._split(container)
        found = {each.id: each for each in (*await store.get(container, ids), *kept)}
        return [found[id] for id in dict.fromkeys(ids) if id in found]

    async def list(
        self, container: str, *, filter: Filter = EVERYTHING, limit: int | None = None, offset: int = 0
    ) -> Sequence[Memory]:
        """Memories in the order they were first written; the refused ones come last."""
        store, kept = await self._split(container)
        if not kept:
            return await store.list(container, filter=filter, limit=limit, offset=offset)
        end = None if limit is None else offset + limit
        there = await store.list(container, filter=filter, limit=end)
        known = {each.id for each in there}
        own = [each for each in kept if each.id not in known and matches(filter, each.metadata)]
        return [*there, *own][offset:end]

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        """The best hits of the store, then those of the refused memories that have words of the query."""
        store, kept = await self._split(container)
        hits = await store.search(container, query, filter=filter, limit=limit)
        known = {hit.memory.id for hit in hits}
        own = [each for each in kept if each.id not in known and matches(filter, each.metadata)]
        return [*hits, *(hit for hit in await ranked_by_words(own, query, limit) if hit.score)] if own else hits

    async def count(self, container: str) -> int:
        """How many memories there are."""
        store, kept = await self._split(container)
        there = await store.get(container, [each.id for each in kept]) if kept else ()
        return await store.count(container) + len(kept) - len(there)


async def put_taken(
    put: Callable[[Sequence[Memory]], Awaitable[None]],
    memories: Sequence[Memory],
    written: Callable[[Sequence[Memory]], None] = lambda _: None,
) -> dict[MemoryAddress, RefusedMemory]:
    """Put all that the store takes, whatever it refuses of it; returns what it refuses.

    `written` is called with what was written each time. Raises what else the store raises.
    """
    refused: dict[MemoryAddress, RefusedMemory] = {}
    left = list(memories)
    while left:
        try:
            await put(left)
        except MemoriesRefused as error:
            done, rest, new = _parted(left, error)
            if not new:
                raise
            written(done)
            refused |= new
            left = rest
        else:
            written(left)
            break
    return refused


def refusal_of(refused: RefusedMemories, memories: Iterable[Memory]) -> MemoriesRefused:
    """The error of a store that has taken all of these memories but the refused ones."""
    why: dict[str, dict[str, str]] = {}
    for (container, id), each in refused.items():
        why.setdefault(container, {})[id] = each.why
    written: dict[str, list[str]] = {}
    for memory in memories:
        if address(memory) not in refused:
            written.setdefault(memory.container, []).append(memory.id)
    return MemoriesRefused(why, written)


def _parted(
    memories: Collection[Memory], error: MemoriesRefused
) -> tuple[list[Memory], list[Memory], dict[MemoryAddress, RefusedMemory]]:
    """What was written of them, what is still to be put, and what was refused."""
    new = {
        address(each): RefusedMemory(each, why) for each in memories if (why := error.why(*address(each))) is not None
    }
    done = [each for each in memories if error.names(*address(each)) and address(each) not in new]
    known = {address(each) for each in done} | new.keys()
    return done, [each for each in memories if address(each) not in known], new
