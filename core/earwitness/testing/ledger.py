"""The conformance suite of ledgers: every line of `Ledger`'s contract.

In a test file of your own:

    from earwitness.testing.ledger import LedgerSuite

    class TestMyLedger(LedgerSuite):
        def make_ledger(self) -> MyLedger:
            return MyLedger(self.folder / "book.db")
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from ..protocols import Ledger
from .cases.ledger_backlogs import LedgerWaiting
from .cases.ledger_branches import LedgerBranches
from .cases.ledger_claims import LedgerClaims
from .cases.ledger_containers import BeyondSessions
from .cases.ledger_facts import LedgerFacts
from .cases.ledger_journal import JournalCases
from .cases.ledger_plans import Plans
from .cases.ledger_register import Register
from .cases.ledger_withdrawals import Withdrawals
from .suite import Report, adapted, check


class LedgerSuite(
    JournalCases,
    Register,
    BeyondSessions,
    Plans,
    LedgerFacts,
    Withdrawals,
    LedgerBranches,
    LedgerClaims,
    LedgerWaiting,
):
    """Subclass it, and create your own ledger in `make_ledger`."""


def check_ledger(make: Callable[[Path], Ledger | Awaitable[Ledger]], **flags: Any) -> Report:
    """Run the suite without pytest. `make` takes a fresh folder; flags are attributes of the suite.

    Raises one `ExceptionGroup` with every failure.
    """
    return check(adapted(LedgerSuite, "make_ledger", make, flags))
