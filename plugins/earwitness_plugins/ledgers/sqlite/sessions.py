"""Sessions: created, loaded, forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import apsw

from earwitness.containers import Container, character_container
from earwitness.errors import UnknownName, unknown
from earwitness.records.snapshot import Snapshot

from ..facts import without
from . import facts, layers, register, shared
from .layers import SEQUENCES, SessionView

LISTED = 50
_FORGET = (
    "DELETE FROM ledger_entries WHERE place BETWEEN :first AND :last",
    "DELETE FROM ledger_plans WHERE place BETWEEN :first AND :last",
    "DELETE FROM ledger_deliveries WHERE session = :number",
    "DELETE FROM ledger_repeats WHERE session = :number",
    "DELETE FROM ledger_crowds WHERE session = :number",
    "DELETE FROM ledger_citations WHERE session = :number",
    "DELETE FROM ledger_grounds WHERE session = :number",
    "DELETE FROM ledger_messages WHERE session = :number",
    "DELETE FROM ledger_data WHERE session = :number",
    "DELETE FROM ledger_facts WHERE session = :number",
    "DELETE FROM ledger_sessions WHERE number = :number",
)
_OF_SESSION = (
    ("ledger_data", "session"),
    ("ledger_facts", "session"),
    ("ledger_crowds", "session"),
    ("ledger_sessions", "number"),
)
"""Tables with rows that no branch reads, and the column with the session's number."""
_FORGET_TEXTS = "DELETE FROM ledger_shared WHERE session = :number"
_FORGET_UNNAMED_HERE = shared.FORGET_UNNAMED.replace("WHERE ", "WHERE session = :number AND ")
_BRANCHED = "SELECT EXISTS (SELECT 1 FROM ledger_sessions WHERE json_extract(snapshot, '$.origin') IS NOT NULL)"
_GONE = (
    "SELECT number FROM ledger_deliveries"
    " WHERE session = :number AND container = :container AND sequence <= :last AND status <> 'pending'"
)
_FORGET_REPEATS = "DELETE FROM ledger_repeats WHERE session = :number AND container = :container AND sequence <= :last"
_FORGET_OWNER = (
    f"DELETE FROM ledger_citations WHERE session = :number AND delivery IN ({_GONE})",  # noqa: S608 - our own words
    f"DELETE FROM ledger_grounds WHERE session = :number AND delivery IN ({_GONE})",  # noqa: S608 - our own words
    (
        "DELETE FROM ledger_deliveries"
        " WHERE session = :number AND container = :container AND sequence <= :last AND status <> 'pending'"
    ),
    (
        "UPDATE ledger_deliveries SET status = 'struck', reason = 'forgotten'"
        " WHERE session = :number AND container = :container AND sequence <= :last AND status = 'pending'"
    ),
    _FORGET_REPEATS,
)
_IN_CAST = (
    "SELECT 1 FROM ledger_sessions, json_each(snapshot, '$.cast.members') AS member"
    " WHERE ledger_sessions.id = ? AND json_extract(member.value, '$.id') = ?"
)


def number(connection: apsw.Connection, session: str) -> int | None:
    """The session's number in this file."""
    found = connection.execute("SELECT number FROM ledger_sessions WHERE id = ?", (session,)).get
    return None if found is None else int(found)


def decided(connection: apsw.Connection, session: str) -> int | None:
    """Sequence number of the last entry whose plan is recorded."""
    found = connection.execute("SELECT settled FROM ledger_sessions WHERE id = ?", (session,)).get
    return None if found is None else int(found)


def known(connection: apsw.Connection, session: str) -> SessionView:
    """The session. Raises `UnknownName`."""
    found = layers.view(connection, session)
    if found is None:
        raise _unknown(connection, session)
    return found


def rowid(session_number: int, sequence: int) -> int:
    """The row of a journal entry and of its plan; no number leads into another session's rows."""
    return session_number * SEQUENCES + min(max(sequence, 0), SEQUENCES - 1)


def rowids(session_number: int, after: int = 0, up_to: int | None = None) -> tuple[int, int]:
    """The first and last row of those after one sequence number and up to another."""
    last = SEQUENCES - 1 if up_to is None else up_to
    return rowid(session_number, max(after, 0) + 1), rowid(session_number, last)


def create(connection: apsw.Connection, snapshot: Snapshot, containers: Sequence[Container]) -> bool:
    """Create. Returns whether there was none of this id."""
    if number(connection, snapshot.id) is not None:
        return False
    register.register(connection, containers)
    connection.execute(
        "INSERT INTO ledger_sessions (id, began, settled, snapshot) VALUES (?, ?, ?, ?)",
        (snapshot.id, snapshot.decided, snapshot.decided, without(snapshot)),
    )
    facts.put(connection, connection.last_insert_rowid(), snapshot.state.facts)
    return True


class Written(NamedTuple):
    """A session's row."""

    number: int
    """The session's number in this file."""
    snapshot: str
    """The snapshot as last written, without facts."""
    settled: int
    """Number of the last entry whose plan is recorded."""
    facts: str
    """The version of its facts, as of that entry."""

    def after(self, snapshot: str | None, settled: int, facts: str) -> Written:
        """The row once a plan is recorded."""
        return Written(self.number, self.snapshot if snapshot is None else snapshot, settled, facts)


def load(connection: apsw.Connection, session: str) -> Written | None:
    """The session's row."""
    rows = connection.execute("SELECT number, snapshot, settled, facts FROM ledger_sessions WHERE id = ?", (session,))
    found = rows.fetchone()
    return None if found is None else Written(*found)


def all_ids(connection: apsw.Connection) -> list[str]:
    """Session ids, sorted by code point."""
    return [id for (id,) in connection.execute("SELECT id FROM ledger_sessions ORDER BY id")]


def forget(connection: apsw.Connection, session: str) -> None:
    """Remove every trace of a session that no branch reads; an unknown one has none."""
    register.forget_session(connection, session)
    connection.execute("DELETE FROM ledger_claims WHERE session = ?", (session,))
    found = layers.view(connection, session)
    if found is None:
        return
    texts = shared.FORGET_UNNAMED if _is_branched(connection) else _FORGET_TEXTS
    if found.reads or found.is_read:
        _forget_layer(connection, found)
        connection.execute(texts, {"number": found.number})
        return
    its_own = {"number": found.number, "first": rowid(found.number, 0), "last": rowid(found.number, SEQUENCES - 1)}
    for statement in (*_FORGET, texts):
        connection.execute(statement, its_own)


def _forget_layer(connection: apsw.Connection, seen: SessionView) -> None:
    for table, column in _OF_SESSION:
        connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (seen.number,))  # noqa: S608 - our own words
    layers.forget(connection, seen)


def forget_owner(connection: apsw.Connection, session: str, owner: str, up_to: int | None) -> None:
    """Remove what one owner was delivered; strike what is still due, so that no resumed plan brings it."""
    container = character_container(session, owner).name
    if up_to is None or connection.execute(_IN_CAST, (session, owner)).get is None:
        register.forget_character(connection, container)
    if (found := layers.view(connection, session)) is not None:
        forget_deliveries(connection, found, container, SEQUENCES if up_to is None else up_to)


def forget_deliveries(connection: apsw.Connection, seen: SessionView, container: str, last: int) -> None:
    """Remove what a session delivered to one of its containers, up to an entry; strike what is still due."""
    texts = shared.FORGET_UNNAMED if _is_branched(connection) else _FORGET_UNNAMED_HERE
    own = {"number": seen.number, "container": container, "last": last}
    if seen.reads or seen.is_read:
        _forget_in_view(connection, seen, container, last)
        connection.execute(_FORGET_REPEATS, own)
        connection.execute(texts, own)
        return
    for statement in (*_FORGET_OWNER, texts):
        connection.execute(statement, own)


def _forget_in_view(connection: apsw.Connection, seen: SessionView, container: str, last: int) -> None:
    rows = connection.execute(
        f"SELECT d.number, d.session, {seen.status} FROM {seen.deliveries('plan')}"  # noqa: S608 - our own words
        f" AND d.sequence <= ?2 AND {seen.container} = ?3",
        (seen.number, last, container),
    ).fetchall()
    due = [(number, layer) for number, layer, status in rows if status == "pending"]
    layers.change(connection, seen, due, "struck", "forgotten")  # type: ignore[arg-type]
    layers.remove(connection, seen, [number for number, _, status in rows if status != "pending"])  # type: ignore[misc]


def _is_branched(connection: apsw.Connection) -> bool:
    return bool(connection.execute(_BRANCHED).get)


def _unknown(connection: apsw.Connection, session: str) -> UnknownName:
    rows = connection.execute("SELECT id FROM ledger_sessions ORDER BY id LIMIT ?", (LISTED + 1,))
    ids = [id for (id,) in rows]
    return unknown("session", session, ids if len(ids) <= LISTED else [*ids[:LISTED], "…"])
