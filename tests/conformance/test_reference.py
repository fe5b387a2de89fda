"""The suites agree with the references."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager

from earwitness.errors import MemoriesRefused, PartialWrite, named
from earwitness.protocols import Store
from earwitness.records.memory import Memory
from earwitness.testing.ledger import LedgerSuite
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness.testing.reference_branches import BranchingMemoryLedger, BranchingMemoryStore, PlacedMemoryStore
from earwitness.testing.store import StoreSuite

IN_MEMORY = "keeps nothing outside its process"


class TestMemoryStore(StoreSuite):
    persistent = IN_MEMORY
    shared = IN_MEMORY
    ranks_by_meaning = "ranks by words only"

    def make_store(self) -> MemoryStore:
        return MemoryStore()


class Breaking(MemoryStore):
    """Takes one memory a request, and can be made to fail after some."""

    left: float = float("inf")
    refused: Collection[str] = frozenset()

    async def put(self, memories: Sequence[Memory]) -> None:
        refused = {each.container: {each.id: "422"} for each in memories if each.content in self.refused}
        if refused:
            raise MemoriesRefused(refused)
        await self._each(
            [(each.container, each.id) for each in memories], lambda at: MemoryStore.put(self, [memories[at]])
        )

    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        each = [(container, id) for container, of in ids.items() for id in of]
        await self._each(each, lambda at: MemoryStore.remove(self, {each[at][0]: [each[at][1]]}))

    async def _each(self, places: Sequence[tuple[str, str]], write: Callable[[int], Awaitable[None]]) -> None:
        written: dict[str, list[str]] = {}
        try:
            for at, (container, id) in enumerate(places):
                self._request()
                await write(at)
                written.setdefault(container, []).append(id)
        except Exception as error:
            raise PartialWrite(named(error), written) from error

    @contextmanager
    def refusing(self, contents: Collection[str]) -> Iterator[None]:
        self.refused = frozenset(contents)
        try:
            yield
        finally:
            self.refused = frozenset()

    def _request(self) -> None:
        if self.left <= 0:
            raise ConnectionError("the service is away")
        self.left -= 1

    @contextmanager
    def failing(self, after: int) -> Iterator[None]:
        self.left = after
        try:
            yield
        finally:
            self.left = float("inf")


class TestBreaking(TestMemoryStore):
    atomic = "takes one memory a request"

    def make_store(self) -> Breaking:
        return Breaking()

    def cut_short(self, store: Store, after: int) -> AbstractContextManager[None]:
        assert isinstance(store, Breaking)
        return store.failing(after)

    def refusing(self, store: Store, contents: Collection[str]) -> AbstractContextManager[None]:
        assert isinstance(store, Breaking)
        return store.refusing(contents)


class TestMemoryLedger(LedgerSuite):
    persistent = IN_MEMORY
    shared = IN_MEMORY

    def make_ledger(self) -> MemoryLedger:
        return MemoryLedger()


class TestBranchingMemoryStore(TestMemoryStore):
    def make_store(self) -> BranchingMemoryStore:
        return BranchingMemoryStore()


class TestPlacedMemoryStore(TestMemoryStore):
    def make_store(self) -> PlacedMemoryStore:
        return PlacedMemoryStore()


class TestBranchingMemoryLedger(TestMemoryLedger):
    def make_ledger(self) -> BranchingMemoryLedger:
        return BranchingMemoryLedger()
