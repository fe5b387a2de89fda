"""The register of containers, and who may read those that are not their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from earwitness.containers import Container, Membership, collision
from earwitness.errors import unknown

from ...postgres import Connection
from .deliveries import STRIKE, forget_texts

_COLUMNS = "SELECT name, kind, owner, session FROM earwitness.container"
OF_SESSION = f"{_COLUMNS} WHERE session = %s"
OF_NONE = f"{_COLUMNS} WHERE session IS NULL"
CLAIMED = f"{_COLUMNS} WHERE name = ANY(%s) ORDER BY position"
_CLAIM = (
    "INSERT INTO earwitness.container (name, kind, owner, session)"
    " SELECT * FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[]) ON CONFLICT (name) DO NOTHING"
)
_ADMIT = (
    "INSERT INTO earwitness.membership (container, member, since, until) VALUES (%s, %s, %s, %s)"
    " ON CONFLICT (container, member, since) DO UPDATE SET until = excluded.until"
)
_DISMISS = (
    "DELETE FROM earwitness.membership WHERE container = %s AND member = %s AND since IS NOT DISTINCT FROM %s::float8"
)
_TAKE_BACK = (
    "DELETE FROM earwitness.delivery WHERE container = %s AND status <> 'pending' RETURNING session",
    f"{STRIKE} WHERE container = %s AND status = 'pending' RETURNING session",
    "DELETE FROM earwitness.repeated_delivery WHERE container = %s RETURNING session",
)


async def register(connection: Connection, containers: Sequence[Container]) -> None:
    """Claim each name for its owner. Raises `ContainerCollision`."""
    first = {each.name: each for each in reversed(containers)}
    for each in containers:
        if first[each.name] != each:
            raise collision(each, first[each.name])
    columns = [[getattr(each, name) for each in containers] for name in ("name", "kind", "owner", "session")]
    await connection.execute(_CLAIM, columns)
    held = {each.name: each for each in as_containers(await _claimed(connection, list(first)))}
    for each in containers:
        if held[each.name] != each:
            raise collision(each, held[each.name])


def as_containers(rows: Sequence[tuple[Any, ...]]) -> list[Container]:
    """The containers of these rows."""
    return [
        Container.model_construct(name=name, kind=kind, owner=owner, session=session)
        for name, kind, owner, session in rows
    ]


async def forget_container(connection: Connection, name: str) -> None:
    """Remove one container's name, members and deliveries, of whatever session."""
    sessions: set[str] = set()
    for statement in _TAKE_BACK:
        rows = await (await connection.execute(statement, (name,))).fetchall()
        sessions |= {str(session) for (session,) in rows}
    await forget_texts(connection, sorted(sessions))
    await remove(connection, name)


async def forget_session(connection: Connection, session: str) -> None:
    """Remove the names and members of a session's containers."""
    await connection.execute("DELETE FROM earwitness.container WHERE session = %s", (session,))


async def remove(connection: Connection, name: str) -> None:
    """Free the name of one container, whose members lose it."""
    await connection.execute("DELETE FROM earwitness.container WHERE name = %s", (name,))


async def admit(connection: Connection, memberships: Sequence[Membership]) -> None:
    """Write or replace by container, member and first day. Raises `UnknownName` for a container nobody registered."""
    names = sorted({each.container for each in memberships})
    there = {name for name, *_ in await _claimed(connection, names)}
    for each in memberships:
        if each.container not in there:
            raise unknown("container", each.container, ())
        await connection.execute(_ADMIT, (each.container, each.member, each.since, each.until))


async def dismiss(connection: Connection, memberships: Sequence[Membership]) -> None:
    """Remove by container, member and first day."""
    for each in memberships:
        await connection.execute(_DISMISS, (each.container, each.member, each.since))


def memberships_query(
    containers: Sequence[str] | None, member: str | None, kind: str | None
) -> tuple[str, list[object]]:
    """The statement, and its parameters, for memberships that meet all conditions given, in the order written."""
    conditions: dict[str, object] = {
        "m.container = ANY(%s)": None if containers is None else list(containers),
        "m.member = %s": member,
        "c.kind = %s": kind,
    }
    given = {condition: value for condition, value in conditions.items() if value is not None}
    where = f" WHERE {' AND '.join(given)}" if given else ""
    statement = (
        "SELECT m.container, m.member, m.since, m.until FROM earwitness.membership AS m"  # noqa: S608 - our own words
        f" JOIN earwitness.container AS c ON c.name = m.container{where} ORDER BY m.number"
    )
    return statement, list(given.values())


def containers_query(session: str | None, kind: str | None, owner: str | None) -> tuple[str, list[object]]:
    """The statement, and its parameters, for the containers of a session, or of none, in the order claimed."""
    given = {" AND kind = %s": kind, " AND owner = %s": owner}
    chosen = {condition: value for condition, value in given.items() if value is not None}
    first = OF_NONE if session is None else OF_SESSION
    own: list[object] = [] if session is None else [session]
    return f"{first}{''.join(chosen)} ORDER BY position", [*own, *chosen.values()]


async def _claimed(connection: Connection, names: Sequence[str]) -> list[tuple[Any, ...]]:
    return await (await connection.execute(CLAIMED, (list(names),))).fetchall()
