"""The embedded ledger and store keep the contracts."""

from earwitness.loading.resources import Resources
from earwitness.testing.ledger import LedgerSuite
from earwitness.testing.store import StoreSuite
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.ledgers.sqlite import SqliteLedger
from earwitness_plugins.stores.sqlite import SqliteStore

EMBEDDER = StaticEmbedder()


class TestSqliteLedger(LedgerSuite):
    def make_ledger(self) -> SqliteLedger:
        return SqliteLedger(path=str(self.folder / "story.db"), resources=Resources())


class TestSqliteStore(StoreSuite):
    def make_store(self) -> SqliteStore:
        return SqliteStore(path=str(self.folder / "story.db"), embedder=EMBEDDER, resources=Resources())
