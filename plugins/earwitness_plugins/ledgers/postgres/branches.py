"""Branches: a session that begins with a copy of another one's rows up to an entry, made inside the database.

Memories keep their ids (`Snapshot.origin`), and texts their rows: nothing is decided, embedded or sent again. A branch
has rows of its own, so that views and queries by hand show it like any session, and forgetting its parent takes nothing
from it. What later plans of the parent withdrew, restored or brought is taken back in the copy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from earwitness.containers import SESSION_KINDS, character_container, world_container
from earwitness.records.snapshot import Snapshot

from ...postgres import Connection
from ..facts import without
from ..past_sessions import (
    DeliveryStatus,
    PastSession,
    PlanParts,
    arrivals,
    first_status,
    plan_parts,
    removed,
    restored,
)
from . import data, messages, register, sessions
from .register import as_containers

_UNAPPLIED = "SELECT 1 FROM earwitness.entry WHERE session = %s AND sequence <= %s AND NOT applied LIMIT 1"
_PLANS = "SELECT sequence, plan::text FROM earwitness.plan WHERE session = %s AND sequence > %s AND sequence <= %s"
_IN_ORDER = " ORDER BY sequence"
_CHANGING = (
    " AND (json_array_length(plan -> 'withdrawals') > 0 OR json_array_length(plan -> 'restorations') > 0"
    " OR json_typeof(plan -> 'due_day') <> 'null')"
)
_COPIED = {
    "entry": "sequence, key, timestamp, applied, body",
    "plan": "sequence, plan",
    "plan_text": "sequence, number, text",
    "delivery": "sequence, position, id, memory_id, container, owner, source, via, type, due, status, reason,"
    " forgotten, derived, rests_on, cites, body, metadata, fields",
    "repeated_delivery": "sequence, position, memory_id, container, owner, body, metadata, fields",
    "message": "key, sequence, message",
}
"""The columns of each table that a branch has a copy of, besides the session."""
_OF_SESSION = " AND owner <> container ORDER BY sequence, position"
"""The owner of a container beyond sessions is the container: a branch has none of what its parent wrote there."""
_COPY_DATA = """INSERT INTO earwitness.plugin_data (session, plugin, key, value)
SELECT %s, plugin, key, value FROM earwitness.plugin_data WHERE session = %s"""
_FIRST = """SELECT id, fields FROM earwitness.delivery
WHERE session = %s AND memory_id = ANY(%s) AND id = ANY(%s) AND NOT forgotten"""
_CHANGE = """UPDATE earwitness.delivery SET status = %s, reason = %s
WHERE session = %s AND id = ANY(%s) AND NOT forgotten"""
_NOT_DUE = """SELECT d.container, d.memory_id, d.number FROM earwitness.delivery AS d
JOIN unnest(%s::bigint[], %s::float8[]) AS a (sequence, day) ON a.sequence = d.sequence AND d.due > a.day
WHERE d.session = %s AND d.status = 'applied'"""
"""What is applied, and was not due by the latest day that had come by an entry."""
_TO_COME = "UPDATE earwitness.delivery SET status = 'pending', reason = NULL WHERE number = ANY(%s)"
_BROUGHT = """SELECT container, memory_id FROM earwitness.delivery WHERE session = %(session)s AND sequence > %(after)s
UNION SELECT container, memory_id FROM earwitness.delivery WHERE session = %(session)s AND memory_id = ANY(%(ids)s)"""
_CITING = "SELECT memory_id FROM earwitness.delivery WHERE session = %s AND cites && %s::text[] AND cites <> '{}'"
_FINISH = "UPDATE earwitness.session SET snapshot = %s, version = DEFAULT WHERE id = %s"


async def branch(connection: Connection, session: str, id: str, up_to: int) -> Snapshot | None:
    """Create the branch, unfinished. `None` where it cannot be shared: something is not applied yet, or the session has
    containers besides those of its world and its characters. Raises `ContainerCollision`."""
    newest = await _sharable(connection, session, up_to)
    if newest is None:
        return None
    past = None if newest.decided == up_to else await _past(connection, session, up_to)
    origin = {"parent": session, "forked_at": up_to, "origin": newest.origin or session, "unfinished": True}
    made = (newest if past is None else past.snapshot).model_copy(update={"id": id, **origin})
    owned = [world_container(id), *(character_container(id, member) for member in made.cast.ids)]
    if not await sessions.create(connection, made, owned):
        return await _snapshot(connection, id)
    copied = {"old": session, "id": id, "up_to": up_to, "cut": len(session) + 1}
    async with connection.pipeline():
        for table, columns in _COPIED.items():
            await connection.execute(_copy(table, columns).encode(), copied)
        if past is None:
            await connection.execute(_COPY_DATA, (id, session))
    if past is not None:
        await _put_back(connection, id, past)
    return made


async def touched(connection: Connection, session: str, after: int) -> dict[str, list[str]]:
    """Container name → ids of the memories there that plans after an entry may have changed."""
    later = await _plans(connection, session, after, changing=True)
    taken = sorted({memory for plan in later for memory in removed(plan).values()})
    ids = {*taken, *(memory for plan in later for memory in restored(plan).values())}
    if any(plan["due_day"] is not None for plan in later):
        days = arrivals(await _plans(connection, session, 0, after))
        ids |= {memory for _, memory, _ in await _not_due(connection, session, days)}
    if taken:
        ids |= {memory for (memory,) in await (await connection.execute(_CITING, (session, taken))).fetchall()}
    chosen = {"session": session, "after": after, "ids": sorted(ids)}
    found: dict[str, set[str]] = {}
    for container, memory in await (await connection.execute(_BROUGHT, chosen)).fetchall():
        found.setdefault(str(container), set()).add(str(memory))
    return {container: sorted(memories) for container, memories in found.items()}


async def finish(connection: Connection, session: str) -> None:
    """The branch may be opened."""
    await sessions.lock(connection, session)
    if made := await _snapshot(connection, session):
        whole = made.model_copy(update={"unfinished": False})
        await connection.execute(_FINISH, (without(whole), session))


def _copy(table: str, columns: str) -> str:
    """The statement that copies a table's rows, those of deliveries in the order they were written."""
    values = columns.replace("container,", "%(id)s || substr(container, %(cut)s),")
    return (
        f"INSERT INTO earwitness.{table} (session, {columns}) SELECT %(id)s, {values} FROM earwitness.{table}"  # noqa: S608 - our own words
        f" WHERE session = %(old)s AND sequence <= %(up_to)s{_OF_SESSION if values != columns else ''}"
    )


async def _sharable(connection: Connection, session: str, up_to: int) -> Snapshot | None:
    """The session as it stands; no other transaction writes to it until this one ends."""
    await sessions.lock(connection, session)
    newest = await _snapshot(connection, session)
    if newest is None or await (await connection.execute(_UNAPPLIED, (session, up_to))).fetchone() is not None:
        return None
    containers = as_containers(await (await connection.execute(register.OF_SESSION, (session,))).fetchall())
    return newest if all(each.kind in SESSION_KINDS for each in containers) else None


async def _snapshot(connection: Connection, session: str) -> Snapshot | None:
    row = await (await connection.execute(sessions.LOAD.encode(), (None, None, session))).fetchone()
    return None if row is None else sessions.LoadedSession(*row).snapshot


async def _past(connection: Connection, session: str, up_to: int) -> PastSession:
    """The session as it was after one of its entries."""
    past = PastSession(session, await _plans(connection, session, up_to))
    past.fold(await _plans(connection, session, 0, up_to), await _first_statuses(connection, session, past))
    return past


async def _plans(
    connection: Connection, session: str, after: int, up_to: int = sessions.LAST, *, changing: bool = False
) -> list[PlanParts]:
    """Plans as JSON; if `changing`, only those that may do more than add memories."""
    statement = f"{_PLANS}{_CHANGING if changing else ''}{_IN_ORDER}"
    rows = await (await connection.execute(statement.encode(), (session, after, up_to))).fetchall()
    return [plan_parts(sequence, text) for sequence, text in rows]


async def _first_statuses(connection: Connection, session: str, past: PastSession) -> dict[str, DeliveryStatus]:
    """The statuses that what later plans change had once their own plans were applied."""
    if not past.undone:
        return {}
    chosen = (session, sorted({*past.memories.values()}), sorted(past.undone))
    return {id: first_status(fields) for id, fields in await (await connection.execute(_FIRST, chosen)).fetchall()}


async def _put_back(connection: Connection, id: str, past: PastSession) -> None:
    """Let the branch be the session as it was then."""
    by_status: dict[DeliveryStatus, list[str]] = {}
    for delivery, its in past.statuses.items():
        by_status.setdefault(its, []).append(delivery)
    for (status, reason), deliveries in by_status.items():
        await connection.execute(_CHANGE, (status, reason, id, deliveries))
    numbers = [number for _, _, number in await _not_due(connection, id, past.arrivals)]
    await connection.execute(_TO_COME, (numbers,))
    for key, message in past.messages.items():
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        await connection.execute(messages.PUT, (id, key, message["message"]["sequence"], text))
    kept = [text for (plugin, key), value in past.data.items() for text in data.as_texts(plugin, {key: value})]
    await data.write(connection, id, kept)


async def _not_due(connection: Connection, session: str, days: Mapping[int, float]) -> list[tuple[str, str, int]]:
    """Container, memory id and number of each delivery that is applied and was not due by those days (`arrivals`)."""
    if not days:
        return []
    found = await connection.execute(_NOT_DUE, (list(days), list(days.values()), session))
    return await found.fetchall()
