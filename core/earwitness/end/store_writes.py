"""The applier's calls to the store: each within the time limit, and never again for what has been written already."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from ..engine import Engine
from ..errors import PartialWrite
from ..extras import NewMemoryStore
from ..records.memory import Memory
from ..refusals import MemoryAddress, RefusedMemories, RefusedMemory, address, put_taken
from .doubtful_writes import DoubtfulWrites

T = TypeVar("T")


class StoreWrites:
    """What one session writes to the store. An attempt that fails is repeated without what it has written."""

    def __init__(self, engine: Engine, doubtful: DoubtfulWrites) -> None:
        self._engine = engine
        self._doubtful = doubtful
        self._batches: list[Sequence[Memory]] = []
        """Batches that this attempt has written."""
        self._known: dict[tuple[str, str], Memory | None] = {}
        """Container and id → what earlier attempts have written there; `None` = it was removed."""
        self._refused: dict[MemoryAddress, RefusedMemory] = {}
        """What the store has refused, until it is to be asked again."""

    async def put(self, memories: Sequence[Memory], *, are_new: bool = False) -> RefusedMemories:
        """Write those that no earlier attempt has written; returns those that the store refuses.

        `are_new` if nobody has tried to write any of them. Raises `StorageError`, and `PartialWrite`.
        """
        left = [each for each in memories if self._known.get(address(each)) != each] if self._known else memories
        old = [each for each in left if self._is_refused(each)] if self._refused else ()
        left = [each for each in left if not self._is_refused(each)] if old else left
        try:
            new = await put_taken(self._putting(are_new=are_new), left, self._batches.append)
        except PartialWrite as error:
            self._batches.append([each for each in left if error.names(each.container, each.id)])
            self._note_doubtful([each.id for each in left if not error.names(each.container, each.id)])
            raise
        except BaseException:
            self._note_doubtful([each.id for each in left])
            raise
        self._refused |= new
        return {**{address(each): self._refused[address(each)] for each in old}, **new}

    def _putting(self, *, are_new: bool) -> Callable[[Sequence[Memory]], Awaitable[None]]:
        """How to put several times; only the first time, all of them are new."""
        store = self._engine.written_store
        ways = [store.put_new] if are_new and isinstance(store, NewMemoryStore) else []

        def put(memories: Sequence[Memory]) -> Awaitable[None]:
            return self.limited((ways.pop() if ways else store.put)(memories))

        return put

    def ask_again(self, places: Iterable[MemoryAddress] | None = None) -> None:
        """Put what the store has refused, too: all of it, or at these places."""
        for place in [*self._refused] if places is None else places if self._refused else ():
            self._refused.pop(place, None)

    def _is_refused(self, memory: Memory) -> bool:
        known = self._refused.get(address(memory))
        return known is not None and known.memory == memory

    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        """Remove those that no earlier attempt has removed. Raises as `put`."""
        left = {container: [id for id in of if not self._is_removed(container, id)] for container, of in ids.items()}
        try:
            await self.limited(self._engine.written_store.remove({name: of for name, of in left.items() if of}))
        except PartialWrite as error:
            self._keep()
            self._known |= {(name, id): None for name, of in left.items() for id in of if error.names(name, id)}
            self._note_doubtful([id for name, of in left.items() for id in of if not error.names(name, id)])
            raise
        except BaseException:
            self._note_doubtful([id for of in left.values() for id in of])
            raise

    def _note_doubtful(self, ids: Iterable[str]) -> None:
        """What a store elsewhere was asked and did not answer, it may still do."""
        if not self._engine.writes_here:
            self._doubtful.note(ids)

    async def limited(self, work: Awaitable[T]) -> T:
        """Treat a store that hangs as one that fails; its writes may be repeated."""
        return await self._engine.written(work)

    def repeat(self) -> None:
        """The attempt has failed: the next one leaves out what it has written."""
        self._keep()

    def forget(self) -> None:
        """What was written may not be there any more, or need not be known: write everything."""
        self._batches.clear()
        self._known.clear()

    def _keep(self) -> None:
        self._known |= _by_place(each for batch in self._batches for each in batch)
        self._batches.clear()

    def _is_removed(self, container: str, id: str) -> bool:
        return self._known.get((container, id), ...) is None


def _by_place(memories: Iterable[Memory]) -> dict[tuple[str, str], Memory]:
    return {address(each): each for each in memories}
