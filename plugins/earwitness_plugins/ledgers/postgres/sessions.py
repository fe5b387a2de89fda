"""Sessions: created, loaded, forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from earwitness.containers import Container, character_container
from earwitness.errors import UnknownName, unknown
from earwitness.records.snapshot import Snapshot

from ...postgres import Connection
from ..facts import joined, made, without
from . import facts, register
from .deliveries import STRIKE, forget_texts

if TYPE_CHECKING:
    from psycopg import AsyncCursor

LISTED = 50
LAST = 2**62
LOAD = (
    "SELECT s.version, CASE WHEN s.version IS DISTINCT FROM %s THEN s.snapshot::text END, f.keys, f.facts"
    " FROM earwitness.session AS s CROSS JOIN LATERAL"
    " (SELECT array_agg(key ORDER BY number) AS keys, array_agg(facts::text ORDER BY number) AS facts"
    " FROM earwitness.fact WHERE session = s.id AND s.version IS DISTINCT FROM %s) AS f WHERE s.id = %s"
)
DECIDED = "SELECT decided FROM earwitness.session WHERE id = %s"
ALL = "SELECT id FROM earwitness.session ORDER BY id"
_LOCK = "SELECT version, decided FROM earwitness.session WHERE id = %s FOR NO KEY UPDATE"
_CREATE = (
    "INSERT INTO earwitness.session (id, last, decided, snapshot) VALUES (%s, %s, %s, %s)"
    " ON CONFLICT (id) DO NOTHING RETURNING id"
)
_IN_CAST = (
    "SELECT 1 FROM earwitness.session, json_array_elements(snapshot->'cast'->'members') AS member"
    " WHERE session.id = %s AND member->>'id' = %s"
)
_FORGET = (  # the constraints would remove it all, plan by plan
    "DELETE FROM earwitness.delivery WHERE session = %s",
    "DELETE FROM earwitness.repeated_delivery WHERE session = %s",
    "DELETE FROM earwitness.plan_text WHERE session = %s",
    "DELETE FROM earwitness.session WHERE id = %s",
)
_READERS = "SELECT to_regclass('earwitness.reader') IS NOT NULL"
"""The table is the store's; it may be elsewhere."""
_FORGET_READERS = "DELETE FROM earwitness.reader WHERE session = %s"
_CHOSEN = "session = %(session)s AND container = %(container)s AND sequence <= %(last)s"
_TAKE_BACK = (
    f"DELETE FROM earwitness.delivery WHERE {_CHOSEN} AND status <> 'pending'",  # noqa: S608 - our own words
    f"{STRIKE} WHERE {_CHOSEN} AND status = 'pending'",
    f"DELETE FROM earwitness.repeated_delivery WHERE {_CHOSEN}",  # noqa: S608 - our own words
)


class LoadedSession(NamedTuple):
    """A session's row."""

    version: int
    """Another number whenever the snapshot is another."""
    written: str | None
    """The snapshot as JSON, without facts; `None` if it is of the version that the caller has."""
    keys: Sequence[str] | None
    """Keys of the entries with facts; `None` = there are none, or the version is known."""
    facts: Sequence[str] | None
    """What each of these notes, as JSON."""

    @property
    def snapshot(self) -> Snapshot | None:
        """The session as of the last entry whose plan is recorded; `None` if the caller has it."""
        if self.written is None:
            return None
        noted = made(zip(self.keys or (), self.facts or (), strict=True))
        return joined(Snapshot.model_validate_json(self.written), noted)


async def create(connection: Connection, snapshot: Snapshot, owned: Sequence[Container]) -> bool:
    """Create. Returns whether there was none of this id. Raises `ContainerCollision`."""
    decided = snapshot.decided
    created = await connection.execute(_CREATE, (snapshot.id, decided, decided, without(snapshot)))
    if await created.fetchone() is None:
        return False
    await facts.put(connection, snapshot.id, snapshot.state.facts)
    await register.register(connection, owned)
    return True


async def lock(connection: Connection, session: str) -> AsyncCursor[tuple[Any, ...]]:
    """Let no other transaction write to the session until this one ends. Found are the version of its snapshot and the
    number of its last decided entry, if it exists."""
    return await connection.execute(_LOCK, (session,))


async def forget(connection: Connection, session: str) -> None:
    """Remove every trace of a session, and who may read it by hand; an unknown one has no trace."""
    await register.forget_session(connection, session)
    await lock(connection, session)
    for statement in _FORGET:
        await connection.execute(statement, (session,))
    found = await (await connection.execute(_READERS)).fetchone()
    if found and found[0]:
        await connection.execute(_FORGET_READERS, (session,))


async def forget_owner(connection: Connection, session: str, owner: str, up_to: int | None) -> None:
    """Remove what one owner was delivered; strike what is still due, so that no resumed plan brings it."""
    container = character_container(session, owner).name
    await lock(connection, session)
    if up_to is None or not await _is_in_cast(connection, session, owner):
        await register.remove(connection, container)
    chosen = {"session": session, "container": container, "last": LAST if up_to is None else up_to}
    for statement in _TAKE_BACK:
        await connection.execute(statement, chosen)
    await forget_texts(connection, [session])


async def unknown_session(connection: Connection, session: str) -> UnknownName:
    """The error that names some sessions that there are."""
    rows = await (await connection.execute(f"{ALL} LIMIT {LISTED + 1}".encode())).fetchall()
    ids = [str(id) for (id,) in rows]
    return unknown("session", session, ids if len(ids) <= LISTED else [*ids[:LISTED], "…"])


async def _is_in_cast(connection: Connection, session: str, owner: str) -> bool:
    return await (await connection.execute(_IN_CAST, (session, owner))).fetchone() is not None
