"""The register of containers, and who may read those that are not their own. No session is stored as ''."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import apsw

from earwitness.containers import Container, Membership, collision
from earwitness.errors import unknown

from ..text import as_list
from . import shared

_COLUMNS = "name, kind, owner, nullif(session, '')"
_GONE = "SELECT number FROM ledger_deliveries WHERE container = :name AND status <> 'pending'"
_FORGET = (
    f"DELETE FROM ledger_citations WHERE delivery IN ({_GONE})",  # noqa: S608 - our own words
    f"DELETE FROM ledger_grounds WHERE delivery IN ({_GONE})",  # noqa: S608 - our own words
    "DELETE FROM ledger_deliveries WHERE container = :name AND status <> 'pending'",
    (
        "UPDATE ledger_deliveries SET status = 'struck', reason = 'forgotten'"
        " WHERE container = :name AND status = 'pending'"
    ),
    "DELETE FROM ledger_repeats WHERE container = :name",
    shared.FORGET_UNNAMED,
    "DELETE FROM ledger_memberships WHERE container = :name",
    "DELETE FROM ledger_containers WHERE name = :name",
)
_FORGET_SESSION = (
    "DELETE FROM ledger_memberships WHERE container IN (SELECT name FROM ledger_containers WHERE session = ?)",
    "DELETE FROM ledger_containers WHERE session = ?",
)


def register(connection: apsw.Connection, containers: Iterable[Container]) -> None:
    """Claim each name for its owner. Raises `ContainerCollision`."""
    for container in containers:
        found = _rows(connection, "name = ?", (container.name,))
        if not found:
            connection.execute(
                "INSERT INTO ledger_containers (name, kind, owner, session) VALUES (?, ?, ?, ?)",
                (container.name, container.kind, container.owner, container.session or ""),
            )
        elif found != [container]:
            raise collision(container, found[0])


def containers_of(
    connection: apsw.Connection, session: str | None, kind: str | None, owner: str | None
) -> list[Container]:
    """Those of a session, or of none, in the order they were claimed."""
    where = "session = ?1 AND (?2 IS NULL OR kind = ?2) AND (?3 IS NULL OR owner = ?3)"
    return _rows(connection, where, (session or "", kind, owner))


def claimed(connection: apsw.Connection, names: Sequence[str]) -> list[Container]:
    """Those of the names that are registered."""
    return _rows(connection, "name IN (SELECT value FROM json_each(?))", (as_list(names),))


def forget_container(connection: apsw.Connection, name: str) -> None:
    """Remove one container's name, members and deliveries, of whatever session."""
    for statement in _FORGET:
        connection.execute(statement, {"name": name})


def forget_session(connection: apsw.Connection, session: str) -> None:
    """Remove the names and members of a session's containers."""
    for statement in _FORGET_SESSION:
        connection.execute(statement, (session,))


def forget_character(connection: apsw.Connection, name: str) -> None:
    """Free the name of one container."""
    connection.execute("DELETE FROM ledger_containers WHERE name = ?", (name,))


def admit(connection: apsw.Connection, memberships: Iterable[Membership]) -> None:
    """Write or replace by container, member and first day. Raises `UnknownName` for a container nobody registered."""
    for each in memberships:
        if not claimed(connection, [each.container]):
            raise unknown("container", each.container, ())
        _remove(connection, each)
        connection.execute(
            "INSERT INTO ledger_memberships (container, member, since, until) VALUES (?, ?, ?, ?)",
            (each.container, each.member, each.since, each.until),
        )


def dismiss(connection: apsw.Connection, memberships: Iterable[Membership]) -> None:
    """Remove by container, member and first day."""
    for each in memberships:
        _remove(connection, each)


def memberships_of(
    connection: apsw.Connection, containers: Sequence[str] | None, member: str | None, kind: str | None
) -> list[Membership]:
    """Memberships that meet all conditions given, in the order they were written."""
    conditions = {
        "m.container IN (SELECT value FROM json_each(?))": None if containers is None else as_list(containers),
        "m.member = ?": member,
        "c.kind = ?": kind,
    }
    given = {condition: value for condition, value in conditions.items() if value is not None}
    rows = connection.execute(
        "SELECT m.container, m.member, m.since, m.until FROM ledger_memberships AS m"  # noqa: S608 - our own words
        f" JOIN ledger_containers AS c ON c.name = m.container WHERE {' AND '.join(given) or 1} ORDER BY m.number",
        tuple(given.values()),
    )
    return [
        Membership.model_validate({"container": container, "member": member, "since": since, "until": until})
        for container, member, since, until in rows
    ]


def _rows(connection: apsw.Connection, where: str, values: tuple[str | None, ...]) -> list[Container]:
    query = f"SELECT {_COLUMNS} FROM ledger_containers WHERE {where} ORDER BY position"  # noqa: S608 - our own words
    return [
        Container.model_construct(name=name, kind=kind, owner=owner, session=session)
        for name, kind, owner, session in connection.execute(query, values)
    ]


def _remove(connection: apsw.Connection, membership: Membership) -> None:
    connection.execute(
        "DELETE FROM ledger_memberships WHERE container = ? AND member = ? AND since IS ?",
        (membership.container, membership.member, membership.since),
    )
