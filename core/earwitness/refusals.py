"""What the store refuses for good: kept at hand, so that it is remembered all the same, and holds nothing else up.

The ledger keeps such a memory as a pending delivery, and the store holds no older wording of it. Here is what the
applier wanted to write, and why the store did not take it: reads find it as if the store had it. A new start tries it
again, and so does `ew.spool.replay`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from .errors import MemoriesRefused, quoted
from .filters import EVERYTHING, Filter, matches
from .protocols import Store
from .ranked_by_words import ranked_by_words
from .records.memory import Hit, Memory

MemoryAddress = tuple[str, str]
"""Container name and memory id."""


class RefusedMemory(NamedTuple):
    """A memory that the store refuses for good."""

    memory: Memory
    """As the applier wanted to write it."""
    why: str
    """In the store's words."""


RefusedMemories = Mapping[MemoryAddress, RefusedMemory]


def address(memory: Memory) -> MemoryAddress:
    """Where a memory is."""
    return memory.container, memory.id


class Refusals:
    """What the store of one instance refuses, by container."""

    def __init__(self) -> None:
        self._held: dict[str, dict[str, tuple[str, RefusedMemory]]] = {}
        """Container → memory id → session and refusal."""
        self._news: dict[str, dict[MemoryAddress, str]] = {}
        self._told: set[MemoryAddress] = set()

    def note(self, session: str, refused: RefusedMemories) -> None:
        """Keep what was refused of a story's memories."""
        for (container, id), refusal in refused.items():
            self._held.setdefault(container, {})[id] = (session, refusal)
            if (container, id) not in self._told:
                self._told.add((container, id))
                self._news.setdefault(session, {})[container, id] = refusal.why

    def settle(self, places: Iterable[MemoryAddress]) -> None:
        """These were written or removed. They are looked at only where something is refused."""
        for container, id in places if self._held else ():
            if self._held.get(container, {}).pop(id, None) and not self._held[container]:
                del self._held[container]

    def forget(self, session: str) -> None:
        """Nothing is known of this story's any more: it is forgotten, or opened anew."""
        self._news.pop(session, None)
        self.settle(
            [(name, id) for name, held in self._held.items() for id, (whose, _) in held.items() if whose == session]
        )

    def drop(self, container: str) -> None:
        """The container is gone."""
        self._held.pop(container, None)

    def of(self, container: str) -> Sequence[Memory]:
        """The refused memories of a container."""
        return [refusal.memory for _, refusal in self._held.get(container, {}).values()]

    def why(self, place: MemoryAddress) -> str:
        """Why a memory is refused; empty if it is not."""
        container, id = place
        held = self._held.get(container, {}).get(id)
        return held[1].why if held else ""

    def take_news(self, session: str) -> Sequence[str]:
        """What was refused of a story's memories and not told yet."""
        if not (news := self._news.pop(session, {})):
            return ()
        (container, id), why = next(iter(news.items()))
        which, more = f"memory {quoted(id)} of {quoted(container)}", f" and {len(news) - 1} more" * (len(news) > 1)
        return (f"it refuses {which}{more} ({why}); the ledger remembers them, and `earwitness spool list` names them",)

    def over(self, store: Store, local: Store | None = None) -> Store:
        """The store, as if it held what it refuses. One that is `local` has that, and answers for its containers."""
        return StoreWithRefused(store, local, self) if self._held else store


class StoreWithRefused:
    """A store for reading: what it refuses is found as if it were there."""

    def __init__(self, store: Store, local: Store | None, refusals: Refusals) -> None:
        self._store, self._local, self._refusals = store, local, refusals
        self.open, self.close, self.health = store.open, store.close, store.health
        self.put, self.remove, self.drop = store.put, store.remove, store.drop

    def _split(self, container: str) -> tuple[Store, Sequence[Memory]]:
        """The store to ask, and what it lacks."""
        kept = self._refusals.of(container)
        return (self._local, ()) if kept and self._local else (self._store, kept)

    async def get(self, container: str, ids: Sequence[str]) -> Sequence[Memory]:
        """The memories with these ids, in this order."""
        store, kept = self._split(container)
        found = {each.id: each for each in (*await store.get(container, ids), *kept)}
        return [found[id] for id in dict.fromkeys(ids) if id in found]

    async def list(
        self, container: str, *, filter: Filter = EVERYTHING, limit: int | None = None, offset: int = 0
    ) -> Sequence[Memory]:
        """Memories in the order they were first written; the refused ones come last."""
        store, kept = self._split(container)
        if not kept:
            return await store.list(container, filter=filter, limit=limit, offset=offset)
        end = None if limit is None else offset + limit
        there = await store.list(container, filter=filter, limit=end)
        return [*there, *(each for each in kept if matches(filter, each.metadata))][offset:end]

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        """The best hits of the store, then those of the refused memories that have words of the query."""
        store, kept = self._split(container)
        hits = await store.search(container, query, filter=filter, limit=limit)
        own = [each for each in kept if matches(filter, each.metadata)]
        return [*hits, *(hit for hit in await ranked_by_words(own, query, limit) if hit.score)] if own else hits

    async def count(self, container: str) -> int:
        """How many memories there are."""
        store, kept = self._split(container)
        return await store.count(container) + len(kept)


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
