"""The store `mem0` keeps the contracts, through the real library."""

from contextlib import AbstractContextManager
from importlib.util import find_spec

import pytest

from earwitness.loading.resources import Resources
from earwitness.protocols import Store
from earwitness.testing.promises import PromisesSuite
from earwitness.testing.store import StoreSuite
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.ledgers.sqlite import SqliteLedger
from earwitness_plugins.stores.mem0 import Mem0Store

from .test_qdrant import ONE_PROGRAM, disk_full_after

NOT_HERE = pytest.mark.skipif(find_spec("mem0") is None, reason="the extra 'mem0' is not installed")
pytestmark = NOT_HERE
EMBEDDER = StaticEmbedder()


class TestMem0Store(StoreSuite):
    examples = 5
    atomic = "mem0 writes a batch memory by memory"
    shared = ONE_PROGRAM

    def make_store(self) -> Mem0Store:
        return Mem0Store(path=str(self.folder / "mem0"), embedder=EMBEDDER)

    def cut_short(self, store: Store, after: int) -> AbstractContextManager[object]:
        return disk_full_after(after)


class TestPromisesOnMem0(PromisesSuite):
    examples = 2
    shared = ONE_PROGRAM

    def make_store_and_ledger(self) -> tuple[Mem0Store, SqliteLedger]:
        ledger = SqliteLedger(path=str(self.folder / "story.db"), resources=Resources())
        return Mem0Store(path=str(self.folder / "mem0"), embedder=EMBEDDER), ledger
