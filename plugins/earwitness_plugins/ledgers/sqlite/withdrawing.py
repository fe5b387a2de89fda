"""Taking back: what a plan says falls stops standing."""

from __future__ import annotations

import apsw

from earwitness.records.plan import Withdrawal

_FALLS = (
    "UPDATE ledger_deliveries INDEXED BY ledger_deliveries_memory SET status = ?, reason = ?"
    " WHERE session = ? AND memory_id = ? AND id = ? AND status IN ('pending', 'applied')"
)


def withdraw(connection: apsw.Connection, session: int, withdrawal: Withdrawal) -> None:
    """What stands or is due falls; first of all, so that the deliveries of the plan itself stay."""
    connection.executemany(
        _FALLS,
        [(withdrawal.status, withdrawal.reason, session, memory, id) for id, memory in withdrawal.removes.items()],
    )
