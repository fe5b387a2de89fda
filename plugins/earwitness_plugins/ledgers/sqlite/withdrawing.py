"""Taking back: which deliveries stop standing, and what was told on from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

import apsw

from earwitness.records.plan import Withdrawal

Live = dict[int, tuple[str, str | None]]
"""Number of a pending or applied delivery → its memory id, and the memory id of the teller."""

_BY_SOURCE = (
    "SELECT number FROM ledger_deliveries INDEXED BY ledger_deliveries_source"
    " WHERE session = ? AND source = ? AND status IN ('pending', 'applied')"
)
_OF_MEMORY = (
    "SELECT number, memory_id, via FROM ledger_deliveries INDEXED BY ledger_deliveries_memory"
    " WHERE session = ? AND memory_id = ? AND status IN ('pending', 'applied')"
)
_TOLD_BY = (
    "SELECT number, memory_id, via FROM ledger_deliveries INDEXED BY ledger_deliveries_via"
    " WHERE session = ? AND via = ? AND status IN ('pending', 'applied')"
)


def withdraw(connection: apsw.Connection, session: int, withdrawal: Withdrawal) -> None:
    """Withdraw what stands or is due now: do it before the plan's own deliveries are added, so that those stay."""
    fallen: set[int] = set()
    if withdrawal.source is not None:
        rows = connection.execute(_BY_SOURCE, (session, withdrawal.source)).fetchall()
        fallen.update(cast("int", number) for (number,) in rows)
    if withdrawal.memory_id is not None:
        fallen |= _with_what_was_told_on(connection, session, withdrawal.memory_id)
    connection.executemany(
        "UPDATE ledger_deliveries SET status = 'withdrawn', reason = ? WHERE number = ?",
        [(withdrawal.reason, number) for number in sorted(fallen)],
    )


def _with_what_was_told_on(connection: apsw.Connection, session: int, memory_id: str) -> set[int]:
    """The deliveries of a memory, and those told on from it that nothing else holds up.

    A circle of tellers who have it from each other holds nothing up, so support is followed from firm ground: from
    other supports of the memories concerned that do not go back to this one.
    """
    gone = set(_live(connection, _OF_MEMORY, session, memory_id))
    told_on = _told_on(connection, session, memory_id)
    doubtful = {number: ways for number, ways in told_on.items() if number not in gone}
    firm: set[str] = set()
    for memory in {memory for memory, _ in doubtful.values()} - {memory_id}:
        if any(number not in doubtful for number in _live(connection, _OF_MEMORY, session, memory)):
            firm.add(memory)
    return gone | _unsupported(doubtful, firm)


def _told_on(connection: apsw.Connection, session: int, memory_id: str) -> Live:
    """Everything that goes back to this memory, over any number of tellers."""
    found: Live = {}
    tellers, asked = [memory_id], {memory_id}
    while tellers:
        told = _live(connection, _TOLD_BY, session, tellers.pop())
        found |= told
        fresh = {memory for memory, _ in told.values()} - asked
        asked |= fresh
        tellers.extend(fresh)
    return found


def _unsupported(doubtful: Mapping[int, tuple[str, str | None]], firm: Iterable[str]) -> set[int]:
    """Those whose tellers, hop by hop, do not come to stand on firm memories. Pure."""
    standing, left = set(firm), dict(doubtful)
    while rescued := [number for number, (_, teller) in left.items() if teller in standing]:
        standing |= {left.pop(number)[0] for number in rescued}
    return set(left)


def _live(connection: apsw.Connection, question: str, session: int, value: str) -> Live:
    rows = connection.execute(question, (session, value)).fetchall()
    return {number: (memory_id, via) for number, memory_id, via in cast("list[tuple[int, str, str | None]]", rows)}
