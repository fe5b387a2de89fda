"""The promises of the design hold on the references, and on what we ship."""

from functools import cached_property

from earwitness.loading.resources import Resources
from earwitness.testing.promises import PromisesSuite
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.ledgers.sqlite import SqliteLedger
from earwitness_plugins.stores.sqlite import SqliteStore


class TestPromisesOnTheReferences(PromisesSuite):
    """The same two dicts are opened again and again: what they keep outlives an Earwitness."""

    @cached_property
    def _made(self) -> tuple[MemoryStore, MemoryLedger]:
        return MemoryStore(), MemoryLedger()

    def make_store_and_ledger(self) -> tuple[MemoryStore, MemoryLedger]:
        return self._made


class TestPromisesOnSqlite(PromisesSuite):
    @cached_property
    def _embedder(self) -> StaticEmbedder:
        return StaticEmbedder()

    def make_store_and_ledger(self) -> tuple[SqliteStore, SqliteLedger]:
        path, resources = str(self.folder / "story.db"), Resources()
        return SqliteStore(path=path, embedder=self._embedder, resources=resources), SqliteLedger(
            path=path, resources=resources
        )
