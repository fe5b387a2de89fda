"""Branches: a session that reads the rows of another one up to an entry, and keeps only what differs (`layers`).

Memories keep their ids (`Snapshot.origin`). What later plans of the parent withdrew, restored or brought is taken back
in the branch's view.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, cast

import apsw
from pydantic_core import from_json

from earwitness.containers import SESSION_KINDS, character_container, world_container
from earwitness.records.plan import Plan
from earwitness.records.snapshot import Snapshot

from ...sqlite.blobs import deflated, inflated
from ..text import as_list
from . import data, deliveries, facts, layers, messages, plans, register, sessions, snapshots
from .differences import Fields, number_of
from .layers import SessionView
from .sessions import rowids

_COPY_REPEATS = (
    "INSERT INTO ledger_repeats (session, sequence, position, memory_id, container, owner, body, fields, lists)"
    " SELECT :new, sequence, position, memory_id, :id || substr(container, :cut), owner, body, fields, lists"
    " FROM ledger_repeats WHERE session = :old AND sequence <= :up_to AND owner <> container"
)
_CHANGES_NOTHING = ('"withdrawals":[]', '"restorations":[]', '"due_day":null')
"""Passages of a plan that only brings something: no text in it can have them, since its quotes are escaped."""
_KEPT = ("pending", "applied", "archived")
"""Statuses of deliveries that can still be withdrawn."""
_Status = tuple[str, str | None]
"""The status of a delivery, and its reason."""
_Parts = dict[str, Any]
"""A plan as JSON, without its deliveries."""


def branch(connection: apsw.Connection, session: str, id: str, up_to: int) -> Snapshot | None:
    """Create the branch, unfinished. `None` where it cannot be shared: something is not applied yet, or the session has
    containers besides those of its world and its characters. Raises `ContainerCollision`."""
    row = sessions.load(connection, session)
    if row is None or not _is_sharable(connection, session, row.number, up_to):
        return None
    newest = snapshots.without_facts(connection, session, row)
    is_whole = newest.decided == up_to
    old = sessions.known(connection, session)
    past = None if is_whole else _PastSession(connection, old, up_to)
    there = snapshots.with_facts(connection, row, newest) if past is None else past.snapshot
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
    else:
        past.put_back(connection, sessions.known(connection, id))
    return made


def finish(connection: apsw.Connection, session: str) -> None:
    """The branch may be opened."""
    row = sessions.load(connection, session)
    if row is not None:
        whole = Snapshot.model_validate_json(row.snapshot).model_copy(update={"unfinished": False})
        connection.execute("UPDATE ledger_sessions SET snapshot = ? WHERE id = ?", (facts.without(whole), session))


def touched(connection: apsw.Connection, session: str, after: int) -> dict[str, list[str]]:
    """Container name → ids of the memories there that plans after an entry may have changed."""
    seen = layers.view(connection, session)
    if seen is None:
        return {}
    found: dict[str, set[str]] = {}
    brought = f"SELECT {seen.container}, d.memory_id FROM {seen.deliveries('plan')} AND d.sequence > ?2"  # noqa: S608
    for container, memory in connection.execute(brought, (seen.number, after)):
        found.setdefault(str(container), set()).add(str(memory))
    later = [plan for _, plan in _plans(connection, seen, after, passing=_CHANGES_NOTHING)]
    taken = {memory for plan in later for memory in _removed(plan).values()}
    ids = taken | {memory for plan in later for memory in _restored(plan).values()}
    if any(plan["due_day"] is not None for plan in later):
        ids |= {memory for memory, *_ in _arrived_since(connection, seen, _arrivals(connection, seen, after))}
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


class _PastSession:
    """A session as it was after one of its entries, worked out from the recorded plans."""

    def __init__(self, connection: apsw.Connection, seen: SessionView, up_to: int) -> None:
        self._of = seen
        later = [plan for _, plan in _plans(connection, seen, up_to)]
        self._undone = {id for plan in later for id in (*_removed(plan), *_restored(plan))}
        self._revised = {plan["message"]["message"]["key"] for plan in later if plan["message"]}
        self._came = bool(self._undone) or any(plan["due_day"] is not None for plan in later)
        self._brought: dict[int, float] = {}
        self._memories: dict[str, str] = {id: memory for plan in later for id, memory in _both(plan).items()}
        self._statuses: dict[str, _Status] = self._first_statuses(connection, seen) if self._undone else {}
        self._messages: dict[str, _Parts] = {}
        self._data: dict[tuple[str, str], Any] = {}
        plans = (plan for _, plan in _plans(connection, seen, 0, up_to))
        self.snapshot = reduce(Snapshot.after, _merged(map(self._noted, plans)), Snapshot(id=seen.id))

    def put_back(self, connection: apsw.Connection, new: SessionView) -> None:
        """Let the branch see it as it was then."""
        for id in sorted(self._statuses):
            deliveries.change(connection, new, self._memories[id], id, self._statuses[id])
        for memory, id, _ in _arrived_since(connection, new, _latest(self._brought) if self._came else {}):
            deliveries.change(connection, new, memory, id, ("pending", None))
        for key, message in self._messages.items():
            text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
            messages.put(connection, new, (key, message["message"]["sequence"], deflated(text)))
        for (plugin, key), value in self._data.items():
            data.write(connection, new.number, plugin, {key: value})

    def _noted(self, plan: _Parts) -> _Parts:
        """Note what a plan up to then did to what later ones have changed."""
        self._brought[plan["sequence"]] = _day(plan)
        for withdrawal in plan["withdrawals"] if self._undone else ():
            self._change(withdrawal["removes"], _KEPT, (withdrawal["status"], withdrawal["reason"]))
        if plan["restorations"]:
            self._change(_restored(plan), ("archived",), ("applied", None))
        if self._revised and plan["message"] and plan["message"]["message"]["key"] in self._revised:
            self._messages[plan["message"]["message"]["key"]] = plan["message"]
        for written in plan["plugin_data"]:
            self._data[written["plugin"], written["key"]] = written["value"]
        return plan

    def _change(self, ids: Iterable[str], former: Sequence[str], status: _Status) -> None:
        """Note a status of those of the deliveries that had one of the `former` ones."""
        changed = [id for id in ids if id in self._statuses and self._statuses[id][0] in former]
        self._statuses |= dict.fromkeys(changed, status)

    def _first_statuses(self, connection: apsw.Connection, seen: SessionView) -> dict[str, _Status]:
        """The statuses that what later plans change had once their own plans were applied."""
        rows = connection.execute(
            f"SELECT d.id, d.fields FROM {seen.deliveries('memory')}"  # noqa: S608 - our own words
            f" AND d.memory_id IN (SELECT value FROM json_each(?2)) AND NOT {seen.is_forgotten}",
            (seen.number, as_list(set(self._memories.values()))),
        ).fetchall()
        found = cast("list[tuple[str, Fields]]", rows)
        texts = {text: _first_status(connection, text) for text in {number_of(fields) for _, fields in found}}
        return {id: texts[number_of(fields)] for id, fields in found if id in self._undone}


def _first_status(connection: apsw.Connection, fields: int) -> _Status:
    ((blob,),) = _rows(connection, "SELECT data FROM ledger_shared WHERE number = ?", (fields,))
    recorded = json.loads(inflated(blob))
    return ("applied", None) if recorded["status"] == "pending" else (recorded["status"], recorded["reason"])


def _plans(
    connection: apsw.Connection,
    seen: SessionView,
    after: int,
    up_to: int | None = None,
    passing: Sequence[str] = (),
) -> Iterator[tuple[int, _Parts]]:
    """Sequence numbers and plans, as JSON. Those whose JSON has all of some passages are passed over."""
    for sequence, plan in plans.between(connection, seen, after, up_to):
        text = inflated(plan)
        if not (passing and all(passage in text for passage in passing)):
            yield sequence, {**_blank(), **from_json(text), "sequence": sequence}


def _blank() -> _Parts:
    """What plans of earlier versions may lack."""
    lists: _Parts = {"withdrawals": [], "restorations": [], "plugin_data": []}
    return {**lists, "message": None, "due_day": None, **{name: {} for name in _FOLDED}}


def _merged(plans: Iterator[_Parts]) -> Iterator[Plan]:
    """Plans that have the same effect on a snapshot: one for all between two changes of the cast or of disguises."""
    waiting: _Parts | None = None
    wearers: set[str] = set()
    for plan in plans:
        disguise = _is_of_disguises(plan, wearers)
        if disguise or plan.get("cast") is not None or plan.get("forgotten"):
            yield from _effect(waiting)
            yield from _effect(plan, _DISGUISES if disguise else ())
            waiting = None
        else:
            waiting = plan if waiting is None else _joined(waiting, plan)
    yield from _effect(waiting)


def _is_of_disguises(plan: _Parts, wearers: set[str]) -> bool:
    """Whether a plan may change who is in disguise, or who knows it. `wearers` are those who were so far."""
    said = plan["message"] and plan["message"]["message"]
    if said and said.get("speak_as") is not None:
        wearers.add(said["speaker"])
    return plan.get("unmaskings") is not None or bool(said and said["speaker"] in wearers)


def _joined(one: _Parts, other: _Parts) -> _Parts:
    if "whereabouts" in other["state"]:  # as earlier versions recorded it
        one["whereabouts"] = {}
    for name in _FOLDED:
        one[name] |= other[name]
    return {**other, **{name: one[name] for name in _FOLDED}}


_FOLDED = ("state", "whereabouts", "facts", "news_seen")
"""Fields of a plan that name only what changes."""
_DISGUISES = ("message", "unmaskings")
_EFFECTS = ("session", "sequence", "key", *_FOLDED, "cast", "forgotten")


def _effect(plan: _Parts | None, more: Sequence[str] = ()) -> Iterator[Plan]:
    if plan is not None:
        yield Plan.model_validate_json(json.dumps({name: plan[name] for name in (*_EFFECTS, *more) if name in plan}))


def _removed(plan: _Parts) -> Mapping[str, str]:
    return {id: memory for each in plan["withdrawals"] for id, memory in each["removes"].items()}


def _restored(plan: _Parts) -> Mapping[str, str]:
    return {id: memory for each in plan["restorations"] for id, memory in each["restores"].items()}


def _both(plan: _Parts) -> Mapping[str, str]:
    return {**_removed(plan), **_restored(plan)}


def _rows(connection: apsw.Connection, sql: str, bindings: tuple[int | str, ...]) -> list[tuple[Any, ...]]:
    return connection.execute(sql, bindings).fetchall()


def _arrivals(connection: apsw.Connection, seen: SessionView, up_to: int) -> dict[int, float]:
    """Sequence number → the latest day that had come by an entry, since the plan with that number was applied."""
    return _latest({sequence: _day(plan) for sequence, plan in _plans(connection, seen, 0, up_to)})


def _day(plan: _Parts) -> float:
    """The latest day that had come with a plan; before all days if it brought none."""
    brought = [] if plan["due_day"] is None else [plan["due_day"]]
    said = [plan["message"]["message"]["game_day"]] if plan["message"] else []
    return max([*brought, *said], default=float("-inf"))


def _latest(days: Mapping[int, float]) -> dict[int, float]:
    """As `_arrivals`, of the days that came with each plan."""
    latest, found = float("-inf"), {}
    for sequence in sorted(days, reverse=True):
        latest = max(latest, days[sequence])
        found[sequence] = latest if days[sequence] > float("-inf") else float("inf")
    return found


def _arrived_since(
    connection: apsw.Connection, seen: SessionView, days: Mapping[int, float]
) -> Sequence[tuple[str, str, int]]:
    """Memory id, delivery id and sequence number of what is applied and was not due by those days."""
    if not days:
        return []
    rows = connection.execute(
        f"SELECT d.memory_id, d.id, d.sequence, d.due FROM {seen.deliveries()} AND {seen.status} = 'applied'",  # noqa: S608
        (seen.number,),
    ).fetchall()
    found = [(str(memory), str(id), int(str(sequence)), float(str(due))) for memory, id, sequence, due in rows]
    return [each[:3] for each in found if each[3] > days.get(each[2], float("inf"))]
