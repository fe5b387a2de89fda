"""Taking back: which deliveries stop standing, and what was told on from them."""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from earwitness.records.plan import Withdrawal

_MARK = {
    "source": "UPDATE ledger_deliveries INDEXED BY ledger_deliveries_source"
    " SET status = 'withdrawn', reason = ? WHERE session = ? AND source = ?"
    " AND sequence < ? AND status IN ('pending', 'applied') RETURNING memory_id",
    "memory_id": "UPDATE ledger_deliveries INDEXED BY ledger_deliveries_memory"
    " SET status = 'withdrawn', reason = ? WHERE session = ? AND memory_id = ?"
    " AND sequence < ? AND status IN ('pending', 'applied') RETURNING memory_id",
    "via": "UPDATE ledger_deliveries INDEXED BY ledger_deliveries_via"
    " SET status = 'withdrawn', reason = ? WHERE session = ? AND via = ?"
    " AND sequence < ? AND status IN ('pending', 'applied') RETURNING memory_id",
}
_STANDS = (
    "SELECT EXISTS (SELECT 1 FROM ledger_deliveries INDEXED BY ledger_deliveries_memory"
    " WHERE session = ? AND memory_id = ? AND status IN ('pending', 'applied'))"
)


def withdraw(connection: apsw.Connection, session: int, sequence: int, withdrawal: Withdrawal) -> None:
    """Withdraw what stood before the plan with this sequence number; its own new deliveries stay."""
    if withdrawal.source is not None:
        _mark(connection, session, sequence, "source", withdrawal.source, withdrawal.reason)
    if withdrawal.memory_id is not None:
        _with_what_was_told_on(connection, session, sequence, withdrawal.memory_id, withdrawal.reason)


def _with_what_was_told_on(
    connection: apsw.Connection, session: int, sequence: int, memory_id: str, reason: str
) -> None:
    _mark(connection, session, sequence, "memory_id", memory_id, reason)
    fallen = [memory_id]
    while fallen:
        teller = fallen.pop()
        if not _stands(connection, session, teller):
            fallen.extend(_mark(connection, session, sequence, "via", teller, reason))


def _stands(connection: apsw.Connection, session: int, memory_id: str) -> bool:
    return bool(connection.execute(_STANDS, (session, memory_id)).get)


def _mark(
    connection: apsw.Connection, session: int, sequence: int, column: str, value: str, reason: str
) -> Iterable[str]:
    """Withdraw by one column; the memories whose deliveries fell."""
    rows = connection.execute(_MARK[column], (reason, session, value, sequence))
    return {str(memory_id) for (memory_id,) in rows}
