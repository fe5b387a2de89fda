"""Layers: a branch reads the rows of its parent up to where it branched off, and keeps only what differs.

Rows are written under the number of one session, its *layer*. A branch names the layers it reads, its own among them,
and from each the sequence numbers it reads (`ledger_layers`); no two hold the same delivery, message or entry of it.
Where it sees a delivery otherwise than the row says, it keeps that (`ledger_differences`). Whoever changes a row of its
own keeps the former state for those who read it. A layer outlives its session for as long as anybody reads it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, cast

import apsw

SEQUENCES = 2**32
_LINKED = (("ledger_citations", "delivery"), ("ledger_grounds", "delivery"), ("ledger_deliveries", "number"))
READS = 1
"""Bit of `ledger_sessions.layered`: the session reads rows of other layers."""
IS_READ = 2
"""Bit of `ledger_sessions.layered`: others may read rows of this session."""
_PLAIN = "ledger_deliveries AS d {index} WHERE d.session = ?1"
_LAYERED = (
    "ledger_layers AS l CROSS JOIN ledger_deliveries AS d {index} ON d.session = l.layer"
    " LEFT JOIN ledger_differences AS o ON o.delivery = d.number AND o.session = ?1"
    " WHERE l.session = ?1 AND d.sequence > l.after AND d.sequence <= l.up_to"
    " AND (l.layer = ?1 OR d.owner <> d.container) AND o.status IS NOT 'gone'"
)
_DIFFERENT = (
    "ledger_differences AS o CROSS JOIN ledger_deliveries AS d ON d.number = o.delivery"
    " CROSS JOIN ledger_layers AS l ON l.session = ?1 AND l.layer = d.session"
    " WHERE o.session = ?1 AND o.status = '{status}' AND d.sequence > l.after AND d.sequence <= l.up_to"
)
_READERS = (
    "ledger_layers AS r WHERE r.layer = d.session AND r.session <> d.session"
    " AND d.sequence > r.after AND d.sequence <= r.up_to AND d.owner <> d.container"
)
"""Those who read a delivery `d` of another layer."""
_IS_SEEN = (
    f"EXISTS (SELECT 1 FROM {_READERS} AND NOT EXISTS (SELECT 1 FROM ledger_differences AS o"  # noqa: S608 - our own words
    " WHERE o.delivery = d.number AND o.session = r.session AND o.status = 'gone'))"
)
_KEEP = (
    "INSERT OR IGNORE INTO ledger_differences (delivery, session, status, reason)"  # noqa: S608 - our own words
    f" SELECT d.number, r.session, d.status, d.reason FROM ledger_deliveries AS d CROSS JOIN {_READERS}"
    " AND d.number = ?"
)
_DIFFER = "INSERT OR REPLACE INTO ledger_differences (delivery, session, status, reason) VALUES (?, ?, ?, ?)"
_KEEP_MESSAGE = (
    "INSERT OR IGNORE INTO ledger_messages (session, key, sequence, message)"
    " SELECT r.session, m.key, m.sequence, m.message FROM ledger_messages AS m CROSS JOIN ledger_layers AS r"
    " WHERE m.session = ?1 AND m.key = ?2 AND r.layer = ?1 AND r.session <> ?1"
    " AND m.sequence > r.after AND m.sequence <= r.up_to"
)
_UNREAD_MESSAGES = (
    "DELETE FROM ledger_messages AS m WHERE m.session = ? AND NOT EXISTS (SELECT 1 FROM ledger_layers AS r"
    " WHERE r.layer = m.session AND r.session <> m.session AND m.sequence > r.after AND m.sequence <= r.up_to"
    " AND NOT EXISTS (SELECT 1 FROM ledger_messages AS own WHERE own.session = r.session AND own.key = m.key))"
)
_UNREAD = (
    f"UPDATE ledger_sessions SET layered = layered & {READS} WHERE layered & {IS_READ} AND NOT EXISTS"  # noqa: S608
    " (SELECT 1 FROM ledger_layers WHERE layer = number AND session <> layer)"
)


class Layer(NamedTuple):
    """What a session reads of one layer."""

    number: int
    """The number of the session whose rows they are, or were."""
    after: int
    """Their sequence numbers are above this one, …"""
    up_to: int
    """… and up to this one."""
    name: str
    """Id of that session, with which the names of its containers begin."""


class SessionView(NamedTuple):
    """A session as its rows are read."""

    number: int
    """The session's number in this file."""
    id: str
    """The session's id."""
    reads: bool
    """Whether it reads rows of other layers."""
    is_read: bool
    """Whether others may read its rows."""

    def deliveries(self, index: str | None = None) -> str:
        """SQL after FROM, up to a first condition, for its deliveries `d`; `?1` is its number."""
        chosen = f"INDEXED BY ledger_deliveries_{index}" if index else "NOT INDEXED"
        return (_LAYERED if self.reads else _PLAIN).format(index=chosen)

    @property
    def status(self) -> str:
        """SQL for a delivery's status in it."""
        return "coalesce(o.status, d.status)" if self.reads else "d.status"

    @property
    def reason(self) -> str:
        """SQL for the reason of that status."""
        return "CASE WHEN o.status IS NULL THEN d.reason ELSE o.reason END" if self.reads else "d.reason"

    @property
    def is_forgotten(self) -> str:
        """SQL for whether a delivery was struck when its owner was forgotten."""
        return f"({self.status} = 'struck' AND {self.reason} IS 'forgotten')"

    @property
    def container(self) -> str:
        """SQL for the name of the container that a delivery goes to."""
        moved = "(SELECT id FROM ledger_sessions WHERE number = ?1) || substr(d.container, length(l.name) + 1)"
        return f"CASE l.layer WHEN ?1 THEN d.container ELSE {moved} END" if self.reads else "d.container"

    @property
    def layers(self) -> str:
        """SQL for the numbers of its layers."""
        return "IN (SELECT layer FROM ledger_layers WHERE session = ?1)" if self.reads else "= ?1"


def view(connection: apsw.Connection, session: str) -> SessionView | None:
    """A session by its id."""
    row = connection.execute("SELECT number, layered FROM ledger_sessions WHERE id = ?", (session,)).fetchone()
    return None if row is None else SessionView(int(row[0]), session, bool(row[1] & READS), bool(row[1] & IS_READ))


def pending() -> str:
    """SQL after FROM for deliveries of which only the session knows that they are pending."""
    return _DIFFERENT.format(status="pending")


def of(connection: apsw.Connection, seen: SessionView) -> list[Layer]:
    """The layers that a session reads, in the order of their sequence numbers; those of one range, oldest first."""
    if not seen.reads:
        return [Layer(seen.number, -1, SEQUENCES, seen.id)]
    rows = connection.execute(
        'SELECT layer, "after", up_to, name FROM ledger_layers WHERE session = ? ORDER BY "after", up_to, layer',
        (seen.number,),
    )
    return sorted((Layer(*row) for row in rows), key=lambda layer: (layer.number == seen.number, layer.after))


def ranges(connection: apsw.Connection, seen: SessionView, after: int = 0, up_to: int | None = None) -> list[Layer]:
    """Of which layers the entries and plans after one sequence number and up to another are, in their order."""
    last = SEQUENCES - 1 if up_to is None else up_to
    clipped = [
        layer._replace(after=max(layer.after, after), up_to=min(layer.up_to, last))
        for layer in of(connection, seen)
        if layer.number >= 0
    ]
    return [layer for layer in clipped if layer.after < layer.up_to]


def at(connection: apsw.Connection, seen: SessionView, sequence: int) -> list[int]:
    """The layers that may have the entry and the plan of this number."""
    if not seen.reads:
        return [seen.number]
    return [layer.number for layer in ranges(connection, seen, sequence - 1, sequence)]


def share(connection: apsw.Connection, parent: SessionView, new: int, id: str, up_to: int) -> None:
    """Let a new session read what another one reads up to an entry, and see it in the same way."""
    own = connection.execute("SELECT began FROM ledger_sessions WHERE number = ?", (parent.number,)).get
    read = [layer for layer in of(connection, parent) if layer.number != parent.number]
    read.append(Layer(parent.number, int(own) if parent.reads else -1, SEQUENCES, parent.id))
    rows = [(new, each.number, each.after, min(each.up_to, up_to), each.name) for each in read if each.after < up_to]
    insert = 'INSERT INTO ledger_layers (session, layer, "after", up_to, name) VALUES (?, ?, ?, ?, ?)'
    connection.executemany(insert, [*rows, (new, new, -1, SEQUENCES, id)])
    connection.execute(
        "INSERT INTO ledger_differences (delivery, session, status, reason)"
        " SELECT o.delivery, ?, o.status, o.reason FROM ledger_differences AS o"
        " CROSS JOIN ledger_deliveries AS d ON d.number = o.delivery WHERE o.session = ? AND d.sequence <= ?",
        (new, parent.number, up_to),
    )
    if parent.reads:  # messages of other layers that it keeps otherwise
        connection.execute(
            "INSERT INTO ledger_messages (session, key, sequence, message) SELECT ?, key, sequence, message"
            " FROM ledger_messages WHERE session = ? AND sequence <= ?",
            (new, parent.number, min(int(own), up_to)),
        )
    flag = "UPDATE ledger_sessions SET layered = layered | ? WHERE number = ?"
    connection.executemany(flag, [(IS_READ, parent.number), (READS, new)])


def change(
    connection: apsw.Connection, seen: SessionView, rows: Iterable[tuple[int, int]], status: str, reason: str | None
) -> None:
    """Give deliveries another status in this view only; `rows` are (number, layer)."""
    for number, layer in rows:
        if layer == seen.number:
            connection.execute(_KEEP, (number,))
            connection.execute(
                "UPDATE ledger_deliveries SET status = ?, reason = ? WHERE number = ?", (status, reason, number)
            )
        else:
            connection.execute(_DIFFER, (number, seen.number, status, reason))


def keep_message(connection: apsw.Connection, seen: SessionView, key: str) -> None:
    """Before a message is replaced: those who read it keep what they read."""
    connection.execute(_KEEP_MESSAGE, (seen.number, key))


def remove(connection: apsw.Connection, seen: SessionView, numbers: Sequence[int]) -> None:
    """Take deliveries out of this view. What nobody else sees is deleted."""
    own: list[int] = []
    others: list[int] = []
    asked = f"SELECT session, {_IS_SEEN} FROM ledger_deliveries AS d WHERE number = ?"  # noqa: S608 - our own words
    for number in numbers:
        layer, is_seen = connection.execute(asked, (number,)).fetchall()[0]
        if layer != seen.number:
            connection.execute(_DIFFER, (number, seen.number, "gone", None))
        else:
            (others if is_seen else own).append(number)
    _delete(connection, own)
    _leave(connection, seen, others)
    sweep(connection, {layer.number for layer in of(connection, seen)})


def forget(connection: apsw.Connection, seen: SessionView) -> None:
    """A session's row is gone: delete what nobody reads any more, in its layer and in those it read."""
    read = {layer.number for layer in of(connection, seen)}
    connection.execute("DELETE FROM ledger_layers WHERE session = ?", (seen.number,))
    connection.execute("DELETE FROM ledger_differences WHERE session = ?", (seen.number,))
    sweep(connection, read | {seen.number})
    connection.execute(_UNREAD)


def sweep(connection: apsw.Connection, numbers: Iterable[int]) -> None:
    """Delete what nobody reads of those layers that have no session of their own any more."""
    alive = "SELECT EXISTS (SELECT 1 FROM ledger_sessions WHERE number = ?)"
    for layer in numbers:
        if not connection.execute(alive, (layer,)).get:
            furthest = "SELECT coalesce(max(up_to), -1) FROM ledger_layers WHERE layer = ?"
            reach: Any = connection.execute(furthest, (layer,)).get
            _trim(connection, layer, int(reach))


def _trim(connection: apsw.Connection, layer: int, reach: int) -> None:
    first = layer * SEQUENCES + max(reach + 1, 0)
    last = (layer + 1) * SEQUENCES - 1
    if layer >= 0:
        for table in ("ledger_entries", "ledger_plans"):
            connection.execute(f"DELETE FROM {table} WHERE place BETWEEN ? AND ?", (first, last))  # noqa: S608
    connection.execute("DELETE FROM ledger_repeats WHERE session = ?", (layer,))  # a branch has its own
    connection.execute(_UNREAD_MESSAGES, (layer,))
    unseen = f"SELECT number FROM ledger_deliveries AS d WHERE session = ? AND NOT {_IS_SEEN}"  # noqa: S608
    rows = cast("list[tuple[int]]", connection.execute(unseen, (layer,)).fetchall())
    _delete(connection, [number for (number,) in rows])
    if reach < 0:
        connection.execute("DELETE FROM ledger_layers WHERE layer = ?", (layer,))


def _delete(connection: apsw.Connection, numbers: Sequence[int]) -> None:
    """Delete deliveries, what they cite, and what they rest on. A trigger deletes how others saw them."""
    _with_links(connection, numbers, "DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))")


def _leave(connection: apsw.Connection, seen: SessionView, numbers: Sequence[int]) -> None:
    """Leave deliveries to those who read them: they become a layer that has no session."""
    if not numbers:
        return
    lowest: Any = connection.execute("SELECT min(0, coalesce(min(layer), 0)) FROM ledger_layers").get
    new = int(lowest) - 1
    connection.execute(
        'INSERT INTO ledger_layers (session, layer, "after", up_to, name)'
        ' SELECT session, ?, "after", up_to, name FROM ledger_layers WHERE layer = ? AND session <> layer',
        (new, seen.number),
    )
    update = f"UPDATE {{table}} SET session = {new} WHERE {{column}} IN (SELECT value FROM json_each(?))"  # noqa: S608
    _with_links(connection, numbers, update)


def _with_links(connection: apsw.Connection, numbers: Sequence[int], statement: str) -> None:
    listed = json.dumps(list(numbers))
    for table, column in _LINKED if numbers else ():
        connection.execute(statement.format(table=table, column=column), (listed,))
