"""The journal: entries get their numbers here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from earwitness.ids import own_key
from earwitness.records.journal import Body, Entry, Said

from ...postgres import Connection
from .sessions import lock, unknown_session

_BODY: TypeAdapter[Body] = TypeAdapter(Body)
_COLUMNS = "SELECT sequence, key, timestamp, applied, body::text FROM earwitness.entry WHERE session = %s"
_APPEND = """
WITH given AS (
    SELECT * FROM unnest(%(keys)s::text[], %(bodies)s::text[], %(timestamps)s::text[])
        WITH ORDINALITY AS g (key, body, timestamp, place)
), known AS (
    SELECT e.* FROM earwitness.entry AS e
    WHERE e.session = %(session)s AND e.key = ANY(%(keys)s::text[])
), fresh AS (
    SELECT *, row_number() OVER (ORDER BY place) AS number FROM given
    WHERE key IS NULL OR key NOT IN (SELECT key FROM known)
), counted AS (
    UPDATE earwitness.session SET last = last + (SELECT count(*) FROM fresh) WHERE id = %(session)s
    RETURNING last - (SELECT count(*) FROM fresh) AS before
), added AS (
    INSERT INTO earwitness.entry (session, sequence, key, timestamp, body)
    SELECT %(session)s, before + number, coalesce(key, '#' || (before + number)), timestamp, body::json
    FROM fresh, counted
)
SELECT before, k.sequence, k.key, k.timestamp, k.applied, k.body::text FROM counted LEFT JOIN known AS k ON true
"""
"""Numbers those of the given entries whose keys are new; says the number before them, and which keys are known."""
APPLY = "UPDATE earwitness.entry SET applied = true WHERE session = %s AND sequence = ANY(%s) AND NOT applied"


class EntryText(NamedTuple):
    """An entry that is to be appended."""

    key: str | None
    """The host's key."""
    body: str
    """Its body as JSON."""
    timestamp: str
    """When the host reported it."""


class EntryPlace(NamedTuple):
    """What became of an entry that was to be appended."""

    row: tuple[Any, ...]
    """Its row, as `as_entry` takes it."""
    created: bool
    """Whether it is new."""


WAITING = """
SELECT DISTINCT e.session FROM earwitness.entry AS e JOIN earwitness.plan AS p USING (session, sequence)
WHERE NOT e.applied AND (
    json_array_length(p.plan -> 'withdrawals') > 0 OR json_array_length(p.plan -> 'restorations') > 0
    OR EXISTS (
        SELECT FROM earwitness.delivery AS d
        WHERE d.session = e.session AND d.status = 'pending' AND d.container = %s
    )
)
ORDER BY e.session
"""
"""The sessions with a recorded plan that is not applied and may change a container: something is pending for it, or the
plan removes or restores something, wherever that is."""


async def append(connection: Connection, session: str, new: Sequence[EntryText]) -> list[EntryPlace]:
    """Number the entries, of which no two have the same key. Raises `UnknownName`."""
    columns = {"keys": [], "bodies": [], "timestamps": []} if not new else _columns(new)
    async with connection.pipeline():  # the session is locked first: the next statement sees all that others appended
        await lock(connection, session)
        found = await connection.execute(_APPEND, {"session": session, **columns})
    rows = await found.fetchall()
    if not rows:
        raise await unknown_session(connection, session)
    known = {str(key): (sequence, key, *rest) for _, sequence, key, *rest in rows if sequence is not None}
    return _placed(new, int(rows[0][0]), known)


def entry_query(session: str, sequence: int | None, key: str | None) -> tuple[str, list[object]]:
    """The statement, and its parameters, for an entry by what is given of sequence number and key."""
    given = {" AND sequence = %s": sequence, " AND key = %s": key}
    chosen = {condition: value for condition, value in given.items() if value is not None}
    return f"{_COLUMNS}{''.join(chosen) or ' AND false'}", [session, *chosen.values()]


def entries_query(
    session: str, after: int, up_to: int | None, unapplied: bool, limit: int | None
) -> tuple[str, list[object]]:
    """The statement, and its parameters, for entries in sequence order."""
    statement, parameters = f"{_COLUMNS} AND sequence > %s", [session, after]
    if up_to is not None:
        statement, parameters = f"{statement} AND sequence <= %s", [*parameters, up_to]
    if unapplied:
        statement += " AND NOT applied"
    return f"{statement} ORDER BY sequence LIMIT %s", [*parameters, limit]


def as_entry(session: str, row: tuple[Any, ...], written: Body | None = None) -> Entry:
    """The record of a row. What a message says is not read again if it has just been `written`."""
    sequence, key, timestamp, applied, body = row
    values = {
        "session": session,
        "sequence": sequence,
        "key": key,
        "body": written if isinstance(written, Said) else _BODY.validate_json(body),
        "timestamp": timestamp,
        "applied": applied,
    }
    return Entry.unchecked(values)  # the columns have these types


def _columns(new: Sequence[EntryText]) -> dict[str, list[str | None]]:
    keys, bodies, timestamps = zip(*new, strict=True)
    return {"keys": list(keys), "bodies": list(bodies), "timestamps": list(timestamps)}


def _placed(new: Sequence[EntryText], last: int, known: dict[str, tuple[Any, ...]]) -> list[EntryPlace]:
    placed = []
    for each in new:
        if each.key in known:
            placed.append(EntryPlace(known[each.key], created=False))
            continue
        last += 1
        row = (last, each.key or own_key(last), each.timestamp, False, each.body)
        placed.append(EntryPlace(row, created=True))
    return placed
