"""Branches: a session that reads the rows of another one up to an entry, and keeps only what differs (`layers`).

Memories keep their ids (`Snapshot.origin`). What later plans of the parent withdrew, restored or brought is taken back
in the branch's view.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import apsw

from earwitness.containers import SESSION_KINDS, character_container, world_container
from earwitness.records.snapshot import Snapshot

from ...sqlite.blobs import deflated, inflated
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
from ..text import as_list
from . import data, deliveries, facts, layers, messages, plans, register, sessions, snapshots
from .crowds import Crowds
from .layers import SessionView
from .sessions import rowids
from .shared import Fields, number_of

_COPY_REPEATS = (
    "INSERT INTO ledger_repeats (session, sequence, position, memory_id, container, owner, body, fields, lists)"
    " SELECT :new, sequence, position, memory_id, :id || substr(container, :cut), owner, body, fields, lists"
    " FROM ledger_repeats WHERE session = :old AND sequence <= :up_to AND owner <> container"
)
_CHANGES_NOTHING = ('"withdrawals":[]', '"restorations":[]', '"due_day":null')
"""Passages of a plan that only brings something: no text in it can have them, since its quotes are escaped."""


def branch(connection: apsw.Connection, session: str, id: str, up_to: int, crowds: Crowds) -> Snapshot | None:
    """Create the branch, unfinished, and return it without its facts. `None` where it cannot be shared: something is
    not applied yet, or the session has containers besides those of its world and its characters. Raises
    `ContainerCollision`."""
    row = sessions.load(connection, session)
    if row is None or not _is_sharable(connection, session, row.number, up_to):
        return None
    newest = snapshots.without_facts(connection, session, row)
    crowds.write_out(connection, sessions.known(connection, session))
    is_whole = newest.decided == up_to
    old = sessions.known(connection, session)
    past = None if is_whole else _past(connection, old, up_to)
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
    sessions.create(connection, made, owned)
    number = sessions.known(connection, id).number
    layers.share(connection, old, number, id, up_to)
    repeats = {"old": old.number, "new": number, "up_to": up_to, "id": id, "cut": len(session) + 1}
    connection.execute(_COPY_REPEATS, repeats)
    if past is None:
        _copy_data(connection, old.number, number)
        facts.copy(connection, old.number, number)
    else:
        _put_back(connection, sessions.known(connection, id), past)
    return made


def finish(connection: apsw.Connection, session: str) -> None:
    """The branch may be opened."""
    row = sessions.load(connection, session)
    if row is not None:
        whole = Snapshot.model_validate_json(row.snapshot).model_copy(update={"unfinished": False})
        connection.execute("UPDATE ledger_sessions SET snapshot = ? WHERE id = ?", (without(whole), session))


def touched(connection: apsw.Connection, seen: SessionView, after: int) -> Mapping[str, Sequence[str]]:
    """Container name → ids of the memories there that plans after an entry may have changed."""
    found: dict[str, set[str]] = {}
    brought = f"SELECT {seen.container}, d.memory_id FROM {seen.deliveries('plan')} AND d.sequence > ?2"  # noqa: S608
    for container, memory in connection.execute(brought, (seen.number, after)):
        found.setdefault(str(container), set()).add(str(memory))
    later = list(_plans(connection, seen, after, passing=_CHANGES_NOTHING))
    taken = {memory for plan in later for memory in removed(plan).values()}
    ids = taken | {memory for plan in later for memory in restored(plan).values()}
    if any(plan["due_day"] is not None for plan in later):
        ids |= {memory for memory, *_ in _arrived_since(connection, seen, arrivals(_plans(connection, seen, 0, after)))}
    ids |= set(deliveries.citing(connection, seen, sorted(taken), live=False))
    named = (
        f"SELECT DISTINCT {seen.container}, d.memory_id FROM {seen.deliveries('memory')}"  # noqa: S608 - our own words
        " AND d.memory_id IN (SELECT value FROM json_each(?2))"
    )
    for container, memory in connection.execute(named, (seen.number, as_list(ids))):
        found.setdefault(str(container), set()).add(str(memory))
    return {container: sorted(memories) for container, memories in found.items()}


def _is_sharable(connection: apsw.Connection, session: str, number: int, up_to: int) -> bool:
    unapplied = "SELECT EXISTS (SELECT 1 FROM ledger_entries WHERE settled = 0 AND place BETWEEN ? AND ?)"
    if connection.execute(unapplied, rowids(number, 0, up_to)).get:
        return False
    return all(each.kind in SESSION_KINDS for each in register.containers_of(connection, session, None, None))


def _copy_data(connection: apsw.Connection, old: int, new: int) -> None:
    connection.execute(
        "INSERT INTO ledger_data (session, plugin, key, value)"
        " SELECT ?, plugin, key, value FROM ledger_data WHERE session = ?",
        (new, old),
    )


def _past(connection: apsw.Connection, seen: SessionView, up_to: int) -> PastSession:
    """The session as it was after one of its entries."""
    past = PastSession(seen.id, _plans(connection, seen, up_to))
    past.fold(_plans(connection, seen, 0, up_to), _first_statuses(connection, seen, past) if past.undone else {})
    return past


def _put_back(connection: apsw.Connection, new: SessionView, past: PastSession) -> None:
    """Let the branch see the session as it was then."""
    for id in sorted(past.statuses):
        deliveries.change(connection, new, past.memories[id], id, past.statuses[id])
    for memory, id, _ in _arrived_since(connection, new, past.arrivals):
        deliveries.change(connection, new, memory, id, ("pending", None))
    for key, message in past.messages.items():
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        messages.put(connection, new, (key, message["message"]["sequence"], deflated(text)))
    for (plugin, key), value in past.data.items():
        data.write(connection, new.number, plugin, {key: value})


def _first_statuses(connection: apsw.Connection, seen: SessionView, past: PastSession) -> dict[str, DeliveryStatus]:
    """The statuses that what later plans change had once their own plans were applied."""
    rows = connection.execute(
        f"SELECT d.id, d.fields FROM {seen.deliveries('memory')}"  # noqa: S608 - our own words
        f" AND d.memory_id IN (SELECT value FROM json_each(?2)) AND NOT {seen.is_forgotten}",
        (seen.number, as_list(set(past.memories.values()))),
    ).fetchall()
    found = cast("list[tuple[str, Fields]]", rows)
    texts = {text: _first_status(connection, text) for text in {number_of(fields) for _, fields in found}}
    return {id: texts[number_of(fields)] for id, fields in found if id in past.undone}


def _first_status(connection: apsw.Connection, fields: int) -> DeliveryStatus:
    ((blob,),) = _rows(connection, "SELECT data FROM ledger_shared WHERE number = ?", (fields,))
    return first_status(json.loads(inflated(blob)))


def _plans(
    connection: apsw.Connection,
    seen: SessionView,
    after: int,
    up_to: int | None = None,
    passing: Sequence[str] = (),
) -> Iterator[PlanParts]:
    """Plans as JSON. Those whose JSON has all of some passages are passed over."""
    for sequence, plan in plans.between(connection, seen, after, up_to):
        text = inflated(plan)
        if not (passing and all(passage in text for passage in passing)):
            yield plan_parts(sequence, text)


def _rows(connection: apsw.Connection, sql: str, bindings: tuple[int | str, ...]) -> list[tuple[Any, ...]]:
    return connection.execute(sql, bindings).fetchall()


def _arrived_since(
    connection: apsw.Connection, seen: SessionView, days: Mapping[int, float]
) -> Sequence[tuple[str, str, int]]:
    """Memory id, delivery id and sequence number of what is applied and was not due by those days (`arrivals`)."""
    if not days:
        return []
    rows = connection.execute(
        f"SELECT d.memory_id, d.id, d.sequence, d.due FROM {seen.deliveries()} AND {seen.status} = 'applied'",  # noqa: S608
        (seen.number,),
    ).fetchall()
    found = [(str(memory), str(id), int(str(sequence)), float(str(due))) for memory, id, sequence, due in rows]
    return [each[:3] for each in found if each[3] > days.get(each[2], float("inf"))]
