"""Sessions that have decided something which the store has not taken yet."""

from __future__ import annotations

import json
from typing import cast

import apsw

from ...sqlite.blobs import inflated
from .crowds import Crowds
from .layers import SEQUENCES
from .sessions import rowid

MANY = 32
"""The plans of a session that waits with more than so many are not looked into."""
_SESSIONS = """
WITH RECURSIVE first(place) AS (
    SELECT min(place) FROM ledger_entries INDEXED BY ledger_entries_unsettled WHERE settled = 0
    UNION ALL
    SELECT (
        SELECT min(place) FROM ledger_entries INDEXED BY ledger_entries_unsettled
        WHERE settled = 0 AND place >= (first.place / 4294967296 + 1) * 4294967296
    ) FROM first WHERE first.place IS NOT NULL
)
SELECT id, number, place % 4294967296, settled FROM first JOIN ledger_sessions ON number = place / 4294967296
WHERE place % 4294967296 <= settled ORDER BY id
"""
"""One step for each session that has an entry which is not applied; of these, those that have decided it."""
_PENDING = (
    "SELECT EXISTS (SELECT 1 FROM ledger_deliveries INDEXED BY ledger_deliveries_pending"
    " WHERE session = ? AND status = 'pending' AND container = ?)"
)
_PLANS = (
    "SELECT plan FROM ledger_entries AS e INDEXED BY ledger_entries_unsettled"
    " CROSS JOIN ledger_plans AS p ON p.place = e.place WHERE e.settled = 0 AND e.place BETWEEN ? AND ? LIMIT ?"
)


def sessions_for(connection: apsw.Connection, container: str, crowds: Crowds) -> list[str]:
    """Ids of the sessions with a recorded plan that is not applied and may change the container, sorted."""
    found = cast("list[tuple[str, int, int, int]]", connection.execute(_SESSIONS).fetchall())
    return [
        id
        for id, *numbers in found
        if crowds.reach(connection, numbers[0], container) or _may_change(connection, container, *numbers)
    ]


def _may_change(connection: apsw.Connection, container: str, number: int, first: int, decided: int) -> bool:
    """Whether something is pending for the container, or a plan removes or restores something, wherever that is."""
    if connection.execute(_PENDING, (number, container)).get:
        return True
    bindings = (rowid(number, first), rowid(number, min(decided, SEQUENCES - 1)), MANY + 1)
    plans = cast("list[tuple[bytes]]", connection.execute(_PLANS, bindings).fetchall())
    return len(plans) > MANY or any(_removes(inflated(plan)) for (plan,) in plans)


def _removes(text: str) -> bool:
    plan = json.loads(text.partition("\n")[0])  # what thousands have in common follows
    return bool(plan.get("withdrawals") or plan.get("restorations"))
