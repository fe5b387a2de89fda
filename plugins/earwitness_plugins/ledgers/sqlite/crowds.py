"""Crowds: thousands of copies of a message are kept as one row, until they are applied or somebody asks for them.

Rows of their own, each in five indexes, would keep the file's one writer busy for a tenth of a second, and the next
turn waiting for it. They are written batch by batch, as the copies are applied. A question about some of them, or a
change of them, writes those out first. The state is all in the file: any process may write any of them out.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import count
from secrets import randbits
from typing import NamedTuple, cast

import apsw

from earwitness.ids import delivery_ids
from earwitness.records.crowd import CrowdOwners, OwnValues

from ..delivery_conditions import DeliveryQuery
from .delivery_rows import AlikeColumns, DeliveryRows, DeliveryRun, OwnColumns, write
from .layers import SessionView

KEPT = 8
"""The members of so many crowds are kept in memory."""
_AT_ONCE = 512
"""So many ids are derived together."""
_INSERT = (
    "INSERT INTO ledger_crowds (number, session, sequence, packed, source, via, type, due, status, reason, body,"
    " fields, lists) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_OF_SESSION = (
    "SELECT number, session, sequence, packed, source, via, type, due, status, reason, body, fields, lists"
    " FROM ledger_crowds WHERE session = ? ORDER BY sequence, number"
)
_WRITTEN_BETWEEN = (
    "SELECT position FROM ledger_deliveries INDEXED BY ledger_deliveries_plan WHERE session = ?1 AND sequence = ?2"
    " AND position BETWEEN ?3 AND ?4"
)
_WRITTEN_AMONG = f"{_WRITTEN_BETWEEN} AND position IN (SELECT value FROM json_each(?5))"  # noqa: S608 - our own words


class Members:
    """What the deliveries of one crowd have for themselves."""

    def __init__(self, begin: int, way: Sequence[object], own: Sequence[OwnValues]) -> None:
        self._begin, self._way, self._own = begin, way, own
        """The position of the first in its plan; how they got there, as their ids have it; their own values."""
        self._made: list[OwnValues] = []
        """Those of the first of them, …"""
        self._ids: list[str] = []
        """… and their ids."""
        self._places: dict[str, int] = {}

    @classmethod
    def of(cls, run: DeliveryRun) -> Members:
        """Those of a plan that was just decided."""
        return cls(run.begin, run.first.way, run.own)

    @classmethod
    def read(cls, text: str) -> Members:
        """As `text` has them."""
        begin, way, own = json.loads(text)
        return cls(begin, way, CrowdOwners.read(own) if isinstance(own, dict) else own)

    def __len__(self) -> int:
        return len(self._own)

    def hold(self, values: OwnValues) -> bool:
        """Whether one of them has these values."""
        place = self._place(values[1])
        return place is not None and self._own[place][0] == values[0]

    def _place(self, container: str) -> int | None:
        return self._own.place(container) if isinstance(self._own, CrowdOwners) else self._by_container.get(container)

    @cached_property
    def _by_container(self) -> Mapping[str, int]:
        return {container: place for place, (_, container, _) in enumerate(self._own)}

    @cached_property
    def _by_memory(self) -> Mapping[str, int]:
        return {memory: place for place, (memory, *_) in enumerate(self._own)}

    @property
    def text(self) -> str:
        """All of it as JSON."""
        own = self._own.plain if isinstance(self._own, CrowdOwners) else self._own
        return json.dumps([self._begin, self._way, own], separators=(",", ":"))

    def with_ids(self, ids: Collection[str]) -> list[int]:
        """The places of those deliveries that have one of these ids."""
        while len(self._ids) < len(self._own) and any(id not in self._places for id in ids):
            self._derive(len(self._ids) + _AT_ONCE)
        return sorted(self._places[id] for id in ids if id in self._places)

    def asked_for(self, query: DeliveryQuery) -> Sequence[int]:
        """The places of those that may meet the conditions on containers and memories."""
        if query.container is not None:
            place = self._place(query.container)
            return () if place is None else (place,)
        return range(len(self._own)) if query.memory_ids is None else self.with_memories(query.memory_ids)

    def with_memories(self, ids: Iterable[str]) -> list[int]:
        """The places of those that support one of these memories."""
        return sorted({self._by_memory[id] for id in ids if id in self._by_memory})

    def rows(self, places: Sequence[int]) -> list[OwnColumns]:
        """Their rows."""
        self._derive(max(places, default=-1) + 1)
        return [(self._begin + place, self._ids[place], *self._made[place]) for place in places]

    def written(self, connection: apsw.Connection, crowd: Crowd, places: Sequence[int]) -> set[int]:
        """The places of those of which rows are written."""
        first, last = (self._begin + place for place in (places[0], places[-1]))
        among = json.dumps([self._begin + place for place in places]) if len(places) <= _AT_ONCE else None
        where = (crowd.session, crowd.sequence, first, last)
        if among is None:
            rows = connection.execute(_WRITTEN_BETWEEN, where).fetchall()
        else:
            rows = connection.execute(_WRITTEN_AMONG, (*where, among)).fetchall()
        return {cast("int", position) - self._begin for (position,) in rows}

    def _derive(self, up_to: int) -> None:
        begin = len(self._ids)
        made = self._own[begin:up_to]
        ids = delivery_ids([memory for memory, *_ in made], *self._way)
        self._made += made
        self._ids += ids
        self._places.update(zip(ids, count(begin), strict=False))


class Crowd(NamedTuple):
    """Deliveries of one plan that are not rows yet, or not all of them."""

    number: int
    """A number of its own in the file, drawn at random: none is given twice."""
    session: int
    """The session's number in the file."""
    sequence: int
    """The plan's sequence number."""
    packed: int
    """How many of them are not rows yet."""
    alike: AlikeColumns
    """The columns that their rows have in common."""

    def may_meet(self, query: DeliveryQuery) -> bool:
        """Whether they may meet the conditions on what they have in common."""
        source, via, type, due, status, *_ = self.alike
        return (
            query.rests_on is None
            and not query.derived
            and self.sequence > query.after
            and query.status in (None, status)
            and (query.due_by is None or cast("float", due) <= query.due_by)
            and all(
                values is None or value in values
                for value, values in ((source, query.sources), (via, query.via), (type, query.types))
            )
        )


class Crowds:
    """The crowds in one file."""

    def __init__(self) -> None:
        self._members: dict[int, Members] = {}
        """Number of a crowd → its members, who never change."""

    def insert(
        self, connection: apsw.Connection, place: tuple[int, int], run: DeliveryRun, numbers: Mapping[str, int]
    ) -> None:
        """Keep a run of deliveries of a session's plan as a crowd; `numbers` are those of their texts."""
        members, number = Members.of(run), randbits(62)
        values = (number, *place, len(run.own), *run.columns(numbers, applied=False))
        connection.execute(_INSERT, values)
        connection.execute("INSERT INTO ledger_crowd_members (crowd, members) VALUES (?, ?)", (number, members.text))
        self._keep(number, members)

    def of(self, connection: apsw.Connection, session: int) -> list[Crowd]:
        """Those of one session, given by its number, in the order of their plans."""
        rows = connection.execute(_OF_SESSION, (session,)).fetchall()
        return [Crowd(*cast("tuple[int, int, int, int]", row[:4]), cast("AlikeColumns", row[4:])) for row in rows]

    def hold(self, connection: apsw.Connection, session: int, new: DeliveryRows) -> bool:
        """Whether a session has one with the source or a memory of new deliveries."""
        known = self.of(connection, session)
        sources = {run.first.source for run in new.runs} if known else ()
        others = new.one_by_one if known else ()
        return any(each.alike[0] in sources or any(map(self._of(connection, each).hold, others)) for each in known)

    def reach(self, connection: apsw.Connection, session: int, container: str) -> bool:
        """Whether a session has one with a copy for a container, applied or not."""
        query = DeliveryQuery(container=container)
        return any(self._of(connection, each).asked_for(query) for each in self.of(connection, session))

    def hide(self, connection: apsw.Connection, seen: SessionView, query: DeliveryQuery | None = None) -> bool:
        """Whether an answer needs deliveries that are not rows yet: those that may meet a query, or any."""
        return any(self._lacks(connection, *each) for each in self._asked_for(connection, seen, query))

    def write_out(self, connection: apsw.Connection, seen: SessionView, query: DeliveryQuery | None = None) -> None:
        """Write those out that may meet a query, or all."""
        for crowd, places in list(self._asked_for(connection, seen, query)):
            self._write(connection, crowd, places)

    def write_all_out(self, connection: apsw.Connection) -> None:
        """Write all of all sessions out."""
        for (session,) in connection.execute("SELECT DISTINCT session FROM ledger_crowds").fetchall():
            for crowd in self.of(connection, cast("int", session)):
                self._write(connection, crowd, range(len(self._of(connection, crowd))))

    def apply(self, connection: apsw.Connection, session: int, ids: Collection[str]) -> None:
        """Write those out that have one of these ids and are not rows yet, as applied."""
        for crowd in self.of(connection, session):
            if places := self._of(connection, crowd).with_ids(ids):
                self._write(connection, crowd, places, status="applied")

    def _lacks(self, connection: apsw.Connection, crowd: Crowd, places: Sequence[int]) -> bool:
        """Whether some of these are not rows yet. Of all of them, some are not."""
        members = self._of(connection, crowd)
        return len(places) == len(members) or len(members.written(connection, crowd, places)) < len(places)

    def _asked_for(
        self, connection: apsw.Connection, seen: SessionView, query: DeliveryQuery | None
    ) -> Iterator[tuple[Crowd, Sequence[int]]]:
        """The crowds that a query may be about, or all, and whom of them."""
        for crowd in self.of(connection, seen.number):
            if query is None:
                yield crowd, range(len(self._of(connection, crowd)))
            elif crowd.may_meet(query) and (places := self._of(connection, crowd).asked_for(query)):
                yield crowd, places

    def _write(
        self, connection: apsw.Connection, crowd: Crowd, places: Sequence[int], *, status: str | None = None
    ) -> None:
        members = self._of(connection, crowd)
        written = members.written(connection, crowd, places)
        rows = members.rows([place for place in places if place not in written])
        alike = crowd.alike if status is None else (*crowd.alike[:4], status, *crowd.alike[5:])
        write(connection, (crowd.session, crowd.sequence), [(rows, alike)])
        if len(rows) < crowd.packed:
            update = "UPDATE ledger_crowds SET packed = packed - ? WHERE number = ?"
            connection.execute(update, (len(rows), crowd.number))
        else:
            connection.execute("DELETE FROM ledger_crowds WHERE number = ?", (crowd.number,))
            self._members.pop(crowd.number, None)

    def _of(self, connection: apsw.Connection, crowd: Crowd) -> Members:
        members = self._members.get(crowd.number)
        if members is None:
            found = connection.execute("SELECT members FROM ledger_crowd_members WHERE crowd = ?", (crowd.number,))
            members = Members.read(cast("str", found.get))
            self._keep(crowd.number, members)
        return members

    def _keep(self, number: int, members: Members) -> None:
        self._members[number] = members
        for oldest in list(self._members)[:-KEPT]:
            self._members.pop(oldest, None)
