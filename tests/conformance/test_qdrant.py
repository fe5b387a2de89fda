"""The store `qdrant` keeps the contracts: in a folder, and with the client of a server."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest

from earwitness.loading.resources import Resources
from earwitness.protocols import Store
from earwitness.testing.cases.promises_programs import SeveralPrograms
from earwitness.testing.cases.promises_walls import PromisedWalls
from earwitness.testing.cases.store_filters import Filtering
from earwitness.testing.cases.store_limits import StoreLimits
from earwitness.testing.cases.store_writers import Writers
from earwitness.testing.cases.store_writes import Keeping
from earwitness.testing.promises import PromisesSuite
from earwitness.testing.store import StoreSuite
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.ledgers.sqlite import SqliteLedger
from earwitness_plugins.stores.qdrant import QdrantStore

from ..qdrant_servers import QdrantServer

pytest.importorskip("qdrant_client", reason="the extra 'qdrant' is not installed")
EMBEDDER = StaticEmbedder()
ONE_PROGRAM = "Qdrant's local mode: one program a folder"


@contextmanager
def disk_full_after(after: int) -> Iterator[None]:
    """Qdrant's local storage takes, or loses, so many more points."""
    from qdrant_client.local.persistence import CollectionPersistence

    left = iter(range(after))

    def limited(method: Any) -> Any:
        def run(self: Any, point: Any) -> None:
            if next(left, None) is None:
                raise sqlite3.OperationalError("disk is full")
            method(self, point)

        return run

    with pytest.MonkeyPatch.context() as patched:
        for name in ("persist", "delete"):
            patched.setattr(CollectionPersistence, name, limited(getattr(CollectionPersistence, name)))
        yield


class TestQdrantInAFolder(StoreSuite):
    examples = 5
    atomic = "Qdrant's local mode commits a batch memory by memory"
    shared = ONE_PROGRAM

    def make_store(self) -> QdrantStore:
        return QdrantStore(path=str(self.folder / "qdrant"), embedder=EMBEDDER)

    def cut_short(self, store: Store, after: int) -> AbstractContextManager[object]:
        return disk_full_after(after)


@pytest.fixture(scope="module", autouse=True)
def server() -> Iterator[None]:
    """What the real client talks to over a socket: the server that is named, or a stand-in. Each test has its own
    collections.
    """
    with QdrantServer.running() as running:
        ServerStores.url = os.environ.get("EARWITNESS_QDRANT", running.url)
        yield


class ServerStores:
    """Stores on one server; those of one test share their collections."""

    folder: Path
    url: ClassVar[str]

    def store_on_a_server(self) -> QdrantStore:
        prefix = self.folder.name.replace(".", "_")
        return QdrantStore(path="", url=self.url, embedder=EMBEDDER, collection=prefix)


class TestQdrantOnAServer(ServerStores, Keeping, StoreLimits, Writers, Filtering):
    """What a socket, and others on its other end, could change; names are only values there, as in a folder."""

    examples = 2

    def make_store(self) -> QdrantStore:
        return self.store_on_a_server()


class TestPromisesOnQdrantInAFolder(PromisesSuite):
    examples = 2
    shared = ONE_PROGRAM

    def make_store_and_ledger(self) -> tuple[QdrantStore, SqliteLedger]:
        ledger = SqliteLedger(path=str(self.folder / "story.db"), resources=Resources())
        return QdrantStore(path=str(self.folder / "qdrant"), embedder=EMBEDDER), ledger


class TestSharedPromisesOnAQdrantServer(ServerStores, PromisedWalls, SeveralPrograms):
    """What several programs on one server may do to each other."""

    examples = 2

    def make_store_and_ledger(self) -> tuple[QdrantStore, SqliteLedger]:
        ledger = SqliteLedger(path=str(self.folder / "story.db"), resources=Resources())
        return self.store_on_a_server(), ledger
