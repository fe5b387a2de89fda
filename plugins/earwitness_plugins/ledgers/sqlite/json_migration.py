"""Migrations that SQL alone cannot do: stored JSON, row by row, into the shape of the next version."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import NamedTuple, cast

import apsw

from earwitness.upgrades.upgrade import StoredKind, Upgrade, touches, upgraded_once

from ...sqlite.blobs import deflated, inflated

BATCH = 500
"""Rows read before they are written: a store of any size is rewritten in little memory."""


class _RecordColumn(NamedTuple):
    """Where records of one kind are stored."""

    kind: StoredKind
    table: str
    key: str
    column: str


_COLUMNS = (
    _RecordColumn("body", "ledger_entries", "place", "body"),
    _RecordColumn("plan", "ledger_plans", "place", "plan"),
    _RecordColumn("delivery", "ledger_deliveries", "number", "delivery"),
    _RecordColumn("delivery", "ledger_repeats", "rowid", "delivery"),
    _RecordColumn("message", "ledger_messages", "number", "message"),
    _RecordColumn("snapshot", "ledger_sessions", "number", "snapshot"),
)
"""As the tables were first made; an upgrade that comes after they have changed needs a list of its own."""


def json_migration(upgrade: Upgrade) -> Callable[[apsw.Connection], bool]:
    """The migration that rewrites every record an upgrade changes, and answers whether it has rewritten any."""

    def rewrite(connection: apsw.Connection) -> bool:
        changed = [_rewrite(connection, each, upgrade) for each in _COLUMNS if touches(upgrade, each.kind)]
        return any(changed)

    return rewrite


def _rewrite(connection: apsw.Connection, where: _RecordColumn, upgrade: Upgrade) -> bool:
    update = f"UPDATE {where.table} SET {where.column} = ? WHERE {where.key} = ?"  # noqa: S608 - our own words
    rewritten = False
    for batch in _batches(connection, where):
        changed = [(new, key) for key, old in batch if (new := _upgraded(where.kind, old, upgrade)) is not None]
        connection.executemany(update, changed)
        rewritten = rewritten or bool(changed)
    return rewritten


def _batches(connection: apsw.Connection, where: _RecordColumn) -> Iterator[list[tuple[int, str | bytes]]]:
    after = -1
    select = (
        f"SELECT {where.key}, {where.column} FROM {where.table}"  # noqa: S608 - our own words
        f" WHERE {where.key} > ? ORDER BY {where.key} LIMIT {BATCH}"
    )
    while batch := connection.execute(select, (after,)).fetchall():
        yield cast("list[tuple[int, str | bytes]]", batch)
        after = int(cast("int", batch[-1][0]))


def _upgraded(kind: StoredKind, stored: str | bytes, upgrade: Upgrade) -> str | bytes | None:
    """The record as compact JSON, deflated where it was; `None` where nothing has changed."""
    old = json.loads(stored if isinstance(stored, str) else inflated(stored))
    new = upgraded_once(kind, old, upgrade)
    text = None if new == old else json.dumps(new, ensure_ascii=False, separators=(",", ":"))
    return text if text is None or isinstance(stored, str) else deflated(text)
