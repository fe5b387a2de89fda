"""The embedded ledger keeps core's contract for ledgers."""

from earwitness.loading.resources import Resources
from earwitness.testing.ledger import LedgerSuite
from earwitness_plugins.ledgers.sqlite import SqliteLedger


class TestSqliteLedger(LedgerSuite):
    def make_ledger(self) -> SqliteLedger:
        return SqliteLedger(path=str(self.folder / "story.db"), resources=Resources())
