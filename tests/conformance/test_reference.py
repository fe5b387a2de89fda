"""The suites agree with the references."""

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
