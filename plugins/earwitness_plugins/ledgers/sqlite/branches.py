"""Branches: a session's past under another id, copied inside the file. The texts of its deliveries are shared.

Memories keep their ids (`Snapshot.origin`). The rows of the past are those of the parent, as they were after one entry:
what later plans withdrew, restored or brought is taken back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

import apsw

from earwitness.containers import SESSION_KINDS, character_container, world_container
from earwitness.records.plan import Plan, Snapshot

from ...sqlite.blobs import deflated, inflated
from . import data, register, sessions
from .sessions import rowid, rowids
from .snapshots import folded, plans_since
from .text import as_list

_COPY = (
    (
        "INSERT INTO ledger_entries (place, session, key, settled, timestamp, body)"
        " SELECT place - :first + :begin, :new, key, 1, timestamp, body FROM ledger_entries"
        " WHERE place BETWEEN :first AND :last"
    ),
    (
        "INSERT INTO ledger_plans (place, plan)"
        " SELECT place - :first + :begin, plan FROM ledger_plans WHERE place BETWEEN :first AND :last"
    ),
    (
        "INSERT INTO ledger_messages (session, key, sequence, message) SELECT :new, key, sequence, message"
        " FROM ledger_messages WHERE session = :old AND sequence <= :up_to"
    ),
    (
        "INSERT INTO ledger_deliveries (session, sequence, position, id, memory_id, container, owner, source, via,"
        " type, due, status, reason, body, fields, lists) SELECT :new, sequence, position, id, memory_id,"
        " :name || substr(container, :cut), owner, source, via, type, due, status, reason, body, fields, lists"
        " FROM ledger_deliveries WHERE session = :old AND sequence <= :up_to AND owner <> container"
    ),
    (
        "INSERT INTO ledger_repeats (session, sequence, position, memory_id, container, owner, body, fields, lists)"
        " SELECT :new, sequence, position, memory_id, :name || substr(container, :cut), owner, body, fields, lists"
        " FROM ledger_repeats WHERE session = :old AND sequence <= :up_to AND owner <> container"
    ),
)
_COPY_LINKS = (
    "INSERT INTO {table} SELECT :new, link.{column}, mine.number FROM {table} AS link"
    " CROSS JOIN ledger_deliveries AS theirs ON theirs.number = link.delivery AND theirs.sequence <= :up_to"
    " CROSS JOIN ledger_deliveries AS mine INDEXED BY ledger_deliveries_plan"
    " ON mine.session = :new AND mine.sequence = theirs.sequence AND mine.position = theirs.position"
    " WHERE link.session = :old"
)
_PLANS = "SELECT place % 4294967296, plan FROM ledger_plans WHERE place BETWEEN ? AND ? ORDER BY place"
_STATUS = (
    "UPDATE ledger_deliveries INDEXED BY ledger_deliveries_memory SET status = ?, reason = ?"
    " WHERE session = ? AND memory_id = ? AND id = ?"
)
_Parts = dict[str, Any]
"""A plan as JSON, without its deliveries."""


def branch(connection: apsw.Connection, session: str, id: str, up_to: int) -> Snapshot | None:
    """Create the branch, unfinished. `None` where it cannot be shared: something is not applied yet, or the session has
    containers besides those of its world and its characters. Raises `ContainerCollision`."""
    row = sessions.load(connection, session)
    if row is None or not _is_sharable(connection, session, row.number, up_to):
        return None
    old, written = row.number, Snapshot.model_validate_json(row.snapshot)
    newest = folded(written, plans_since(connection, session, written.decided, row.settled))
    is_whole = newest.decided == up_to
    past = None if is_whole else _PastSession(connection, old, up_to)
    there = newest if past is None else past.snapshot
    made = there.model_copy(
        update={
            "id": id,
            "parent": session,
            "forked_at": up_to,
            "origin": newest.origin or session,
            "unfinished": True,
        }
    )
    owned = [world_container(id), *(character_container(id, member) for member in made.cast.ids)]
    sessions.create(connection, id, up_to, made.model_dump_json(), owned)
    new = sessions.known(connection, id)
    _copy(connection, {"old": old, "new": new, "up_to": up_to, "name": id, "cut": len(session) + 1})
    if past is None:
        _copy_data(connection, old, new)
    else:
        past.put_back(connection, old, new)
    return made


def finish(connection: apsw.Connection, session: str) -> None:
    """The branch may be opened."""
    row = sessions.load(connection, session)
    if row is not None:
        whole = Snapshot.model_validate_json(row.snapshot).model_copy(update={"unfinished": False})
        connection.execute("UPDATE ledger_sessions SET snapshot = ? WHERE id = ?", (whole.model_dump_json(), session))


def touched(connection: apsw.Connection, session: str, after: int) -> dict[str, list[str]]:
    """Container name → ids of the memories there that plans after an entry may have changed."""
    number = sessions.number(connection, session)
    if number is None:
        return {}
    found: dict[str, set[str]] = {}
    for container, memory in connection.execute(
        "SELECT container, memory_id FROM ledger_deliveries WHERE session = ? AND sequence > ?", (number, after)
    ):
        found.setdefault(str(container), set()).add(str(memory))
    later = [plan for _, plan in _plans(connection, *rowids(number, after))]
    taken = {memory for plan in later for memory in _removed(plan).values()}
    ids = taken | {memory for plan in later for memory in _restored(plan).values()}
    if any(plan["due_day"] is not None for plan in later):
        ids |= {memory for memory, *_ in _arrived_since(connection, number, _arrivals(connection, number, after))}
    ids |= _citing(connection, number, taken)
    for container, memory in connection.execute(
        "SELECT DISTINCT container, memory_id FROM ledger_deliveries INDEXED BY ledger_deliveries_memory"
        " WHERE session = ? AND memory_id IN (SELECT value FROM json_each(?))",
        (number, as_list(ids)),
    ):
        found.setdefault(str(container), set()).add(str(memory))
    return {container: sorted(memories) for container, memories in found.items()}


def _is_sharable(connection: apsw.Connection, session: str, number: int, up_to: int) -> bool:
    unapplied = "SELECT EXISTS (SELECT 1 FROM ledger_entries WHERE settled = 0 AND place BETWEEN ? AND ?)"
    if connection.execute(unapplied, rowids(number, 0, up_to)).get:
        return False
    return all(each.kind in SESSION_KINDS for each in register.containers_of(connection, session, None, None))


def _copy(connection: apsw.Connection, names: dict[str, int | str]) -> None:
    old, new, up_to = int(names["old"]), int(names["new"]), int(names["up_to"])
    first, last = rowids(old, 0, up_to)
    bindings = {**names, "first": first, "last": last, "begin": rowid(new, 1)}
    for statement in _COPY:
        connection.execute(statement, bindings)
    for table, column in (("ledger_citations", "cited"), ("ledger_grounds", "ground")):
        connection.execute(_COPY_LINKS.format(table=table, column=column), bindings)


def _copy_data(connection: apsw.Connection, old: int, new: int) -> None:
    connection.execute(
        "INSERT INTO ledger_data (session, plugin, key, value)"
        " SELECT ?, plugin, key, value FROM ledger_data WHERE session = ?",
        (new, old),
    )


class _PastSession:
    """A session as it was after one of its entries, worked out from the recorded plans."""

    def __init__(self, connection: apsw.Connection, number: int, up_to: int) -> None:
        name = sessions.name(connection, number)
        later = [plan for _, plan in _plans(connection, *rowids(number, up_to))]
        self._undone = {id for plan in later for id in (*_removed(plan), *_restored(plan))}
        self._revised = {plan["message"]["message"]["key"] for plan in later if plan["message"]}
        came = self._undone or any(plan["due_day"] is not None for plan in later)
        self._days = _arrivals(connection, number, up_to) if came else {}
        self._statuses: dict[str, tuple[str, str | None]] = {}
        self._memories: dict[str, str] = {id: memory for plan in later for id, memory in _both(plan).items()}
        self._messages: dict[str, _Parts] = {}
        self._data: dict[tuple[str, str], Any] = {}
        plans = (plan for _, plan in _plans(connection, *rowids(number, 0, up_to)))
        self.snapshot = reduce(Snapshot.after, _merged(map(self._noted, plans)), Snapshot(id=name))

    def put_back(self, connection: apsw.Connection, old: int, new: int) -> None:
        """Bring the copied rows to what they were then."""
        first = self._first_statuses(connection, old)
        for id in sorted(self._undone):
            if id in first:
                status = self._statuses.get(id, first[id])
                connection.execute(_STATUS, (*status, new, self._memories[id], id))
        for memory, id, _ in _arrived_since(connection, new, self._days):
            connection.execute(_STATUS, ("pending", None, new, memory, id))
        for key, message in self._messages.items():
            connection.execute(
                "UPDATE ledger_messages SET message = ? WHERE session = ? AND key = ?",
                (deflated(json.dumps(message, ensure_ascii=False, separators=(",", ":"))), new, key),
            )
        for (plugin, key), value in self._data.items():
            data.write(connection, new, plugin, {key: value})

    def _noted(self, plan: _Parts) -> _Parts:
        """Note what a plan up to then did to what later ones have changed."""
        for withdrawal in plan["withdrawals"] if self._undone else ():
            status = (withdrawal["status"], withdrawal["reason"])
            self._statuses |= dict.fromkeys(self._undone & withdrawal["removes"].keys(), status)
        if plan["restorations"]:
            self._statuses |= dict.fromkeys(self._undone & _restored(plan).keys(), ("applied", None))
        if self._revised and plan["message"] and plan["message"]["message"]["key"] in self._revised:
            self._messages[plan["message"]["message"]["key"]] = plan["message"]
        for written in plan["plugin_data"]:
            self._data[written["plugin"], written["key"]] = written["value"]
        return plan

    def _first_statuses(self, connection: apsw.Connection, number: int) -> dict[str, tuple[str, str | None]]:
        """The statuses that deliveries had once their own plan was applied."""
        rows = _rows(
            connection,
            "SELECT id, fields FROM ledger_deliveries INDEXED BY ledger_deliveries_memory"
            " WHERE session = ? AND memory_id IN (SELECT value FROM json_each(?))",
            (number, as_list(set(self._memories.values()))),
        )
        texts = {text: _first_status(connection, text) for text in {text for _, text in rows}}
        return {id: texts[text] for id, text in rows}


def _first_status(connection: apsw.Connection, fields: int) -> tuple[str, str | None]:
    ((blob,),) = _rows(connection, "SELECT data FROM ledger_shared WHERE number = ?", (fields,))
    recorded = json.loads(inflated(blob))
    return ("applied", None) if recorded["status"] == "pending" else (recorded["status"], recorded["reason"])


def _plans(connection: apsw.Connection, first: int, last: int) -> Iterator[tuple[int, _Parts]]:
    """Sequence numbers and plans, as JSON."""
    for sequence, plan in _rows(connection, _PLANS, (first, last)):
        parts = json.loads(inflated(bytes(plan)))
        yield int(sequence), {**_blank(), **parts}


def _blank() -> _Parts:
    """What plans of earlier versions may lack."""
    lists: _Parts = {"withdrawals": [], "restorations": [], "plugin_data": []}
    return {**lists, "message": None, "due_day": None, "state": {}, "whereabouts": {}, "news_seen": {}}


def _merged(plans: Iterator[_Parts]) -> Iterator[Plan]:
    """Plans that have the same effect on a snapshot: those between two changes of the cast are one."""
    waiting: _Parts | None = None
    for plan in plans:
        if plan.get("cast") is not None or plan.get("forgotten"):
            yield from _effect(waiting)
            yield from _effect(plan)
            waiting = None
        else:
            waiting = plan if waiting is None else _joined(waiting, plan)
    yield from _effect(waiting)


def _joined(one: _Parts, other: _Parts) -> _Parts:
    if "whereabouts" in other["state"]:  # as earlier versions recorded it
        one["whereabouts"] = {}
    for name in ("state", "whereabouts", "news_seen"):
        one[name] |= other[name]
    return {**other, **{name: one[name] for name in ("state", "whereabouts", "news_seen")}}


_EFFECTS = ("session", "sequence", "key", "state", "whereabouts", "news_seen", "cast", "forgotten")


def _effect(plan: _Parts | None) -> Iterator[Plan]:
    if plan is not None:
        yield Plan.model_validate_json(json.dumps({name: plan[name] for name in _EFFECTS if name in plan}))


def _removed(plan: _Parts) -> Mapping[str, str]:
    return {id: memory for each in plan["withdrawals"] for id, memory in each["removes"].items()}


def _restored(plan: _Parts) -> Mapping[str, str]:
    return {id: memory for each in plan["restorations"] for id, memory in each["restores"].items()}


def _both(plan: _Parts) -> Mapping[str, str]:
    return {**_removed(plan), **_restored(plan)}


def _rows(connection: apsw.Connection, sql: str, bindings: tuple[int | str, ...]) -> list[tuple[Any, ...]]:
    return connection.execute(sql, bindings).fetchall()


def _arrivals(connection: apsw.Connection, number: int, up_to: int) -> dict[int, float]:
    """Sequence number → the latest day that had come by an entry, since the plan with that number was applied."""
    days = {
        sequence: max(
            [plan["due_day"] if plan["due_day"] is not None else float("-inf")]
            + ([plan["message"]["message"]["game_day"]] if plan["message"] else [])
        )
        for sequence, plan in _plans(connection, *rowids(number, 0, up_to))
    }
    latest, found = float("-inf"), {}
    for sequence in sorted(days, reverse=True):
        latest = max(latest, days[sequence])
        found[sequence] = latest if days[sequence] > float("-inf") else float("inf")
    return found


def _arrived_since(
    connection: apsw.Connection, number: int, days: Mapping[int, float]
) -> Sequence[tuple[str, str, int]]:
    """Memory id, delivery id and sequence number of what is applied and was not due by those days."""
    if not days:
        return []
    applied = "SELECT memory_id, id, sequence, due FROM ledger_deliveries WHERE session = ? AND status = 'applied'"
    rows = _rows(connection, applied, (number,))
    return [
        (str(memory), str(id), int(sequence))
        for memory, id, sequence, due in rows
        if due > days.get(int(sequence), float("inf"))
    ]


def _citing(connection: apsw.Connection, number: int, taken: set[str]) -> set[str]:
    rows = connection.execute(
        "SELECT d.memory_id FROM json_each(?2) AS asked"
        " CROSS JOIN ledger_citations AS c ON c.session = ?1 AND c.cited = asked.value"
        " CROSS JOIN ledger_deliveries AS d ON d.number = c.delivery",
        (number, as_list(taken)),
    )
    return {str(memory) for (memory,) in rows}
