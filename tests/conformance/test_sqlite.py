"""The embedded ledger and store keep the contracts."""

import pytest

from earwitness.loading.resources import Resources
from earwitness.testing.cases.store_branches import StoreBranches
from earwitness.testing.ledger import LedgerSuite
from earwitness.testing.store import StoreSuite
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.ledgers.sqlite import SqliteLedger
from earwitness_plugins.stores.sqlite import SqliteStore, segments, writes

SHORT = 4
"""Memories in a segment where segments are short."""
EMBEDDER = StaticEmbedder()


class TestSqliteLedger(LedgerSuite):
    def make_ledger(self) -> SqliteLedger:
        return SqliteLedger(path=str(self.folder / "story.db"), resources=Resources())


class TestSqliteStore(StoreSuite):
    def make_store(self) -> SqliteStore:
        return SqliteStore(path=str(self.folder / "story.db"), embedder=EMBEDDER, resources=Resources())


class TestBranchesOfShortSegments(StoreBranches):
    examples = 60

    @pytest.fixture(autouse=True)
    def short(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(segments, "FOLD", SHORT)
        monkeypatch.setattr(writes, "FOLD", SHORT)

    def make_store(self) -> SqliteStore:
        return SqliteStore(path=str(self.folder / "story.db"), embedder=None, resources=Resources())
