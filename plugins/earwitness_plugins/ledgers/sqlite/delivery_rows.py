"""Deliveries as rows: those of a plan that differ in their owners only are made, and written, together."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from operator import attrgetter
from typing import Self

import apsw

from earwitness.copies.parts import DeliveryParts, taken_apart
from earwitness.ids import delivery_ids
from earwitness.records.crowd import OWN, CrowdCopies, CrowdOwners, OwnValues
from earwitness.records.plan import Delivery
from earwitness.slices import in_pieces

from ...sqlite.blobs import deflated
from .shared import Fields

_INSERT = (
    "INSERT INTO ledger_deliveries (session, sequence, position, id, memory_id, container, owner, source, via, type,"
    " due, status, reason, body, fields, lists) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_INSERT_ALIKE = (
    "INSERT INTO ledger_deliveries (session, sequence, position, id, memory_id, container, owner, source, via, type,"
    " due, status, reason, body, fields, lists) SELECT ?1, ?2, value ->> 0, value ->> 1, value ->> 2, value ->> 3,"
    " value ->> 4, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12 FROM json_each(?3)"
)
_INSERT_COPIES = (
    "INSERT INTO ledger_deliveries (session, sequence, position, id, memory_id, container, owner, source, via, type,"
    " due, status, reason, body, fields, lists) SELECT ?1, ?2, ?13 + key, substr(value, 1, ?14),"
    " substr(value, ?14 + 1, ?15), ?16 || substr(value, ?14 + ?15 + 1), substr(value, ?14 + ?15 + 1),"
    " ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12 FROM json_each(?3)"
)
"""As `_INSERT_ALIKE`, in two thirds of its time: each row is one text."""
MANY = 256
"""More rows than this that differ in their owners only are written by one statement for so many of them."""
CROWD = 256
"""More copies of a message than this that differ in their owners only are a crowd."""
OwnColumns = tuple[int, str, str, str, str]
"""What a delivery's row has for itself: position, id, memory_id, container and owner."""
AlikeColumns = tuple[str | int | float | None, ...]
"""The other columns of `_INSERT`, from `source`."""
_own_values = attrgetter(*OWN)


def _all_own_values(deliveries: Sequence[Delivery]) -> Iterator[OwnValues]:
    return map(_own_values, deliveries)


@dataclass(frozen=True)
class DeliveryRun:
    """Rows of a plan's deliveries, one after the other, that differ in their own columns only."""

    begin: int
    """The position of the first in its plan."""
    own: Sequence[OwnValues]
    """What each has for itself, in the order of the plan."""
    first: Delivery
    """The first of the deliveries."""
    parts: DeliveryParts
    """Their texts; these are stored as `shared` says."""

    @cached_property
    def rows(self) -> Sequence[OwnColumns]:
        """The own columns, in the order of the plan."""
        ids = delivery_ids([memory for memory, *_ in self.own], *self.first.way)
        return [(position, id, *its) for position, id, its in zip(count(self.begin), ids, self.own, strict=False)]

    def columns(self, numbers: Mapping[str, int], *, applied: bool) -> AlikeColumns:
        """The columns that they have in common; `numbers` are those of their texts."""
        first = self.first
        type = first.metadata.get("type")
        return (
            first.source,
            first.support.via,
            type if isinstance(type, str) else None,
            first.due,
            "applied" if applied else first.status,
            first.reason,
            *self.numbers(numbers),
        )

    def numbers(self, numbers: Mapping[str, int]) -> tuple[int, Fields, int | None]:
        """The columns that name their texts."""
        body, fields, lists, difference = self.parts
        named = numbers[fields] if difference is None else f"{numbers[fields]}:{difference}"
        return numbers[body], named, None if lists is None else numbers[lists]

    @property
    def is_copies(self) -> bool:
        """Whether they are copies of the message that they are about: no other message has their memories."""
        return self.first.part == "message" and not self.first.of_other

    @property
    def is_crowd(self) -> bool:
        """Whether they may be kept as one row (`crowds`): many copies that wait to be applied, and tell no news."""
        first = self.first
        alone = not (first.knowledge or first.rests_on or first.beyond_session)
        return len(self.own) > CROWD and self.is_copies and alone and first.status == "pending"


@dataclass(frozen=True, slots=True)
class DeliveryRows:
    """The deliveries of a plan, ready to be written."""

    runs: Sequence[DeliveryRun]
    """In the order of the plan."""
    shared: Mapping[str, bytes]
    """Every different text of theirs, deflated."""

    @classmethod
    async def of(cls, deliveries: Sequence[Delivery]) -> Self:
        """Take deliveries apart. Raises `InputError` for what JSON cannot hold."""
        runs: list[DeliveryRun] = []
        begin = 0
        for alike, parts in await taken_apart(deliveries):
            own = alike.own if isinstance(alike, CrowdCopies) else await in_pieces(alike, _all_own_values)
            runs.append(DeliveryRun(begin, own, alike[0], parts))
            begin += len(alike)
        texts = dict.fromkeys(text for run in runs for text in (run.parts.body, run.parts.fields, run.parts.lists))
        return cls(runs, {text: deflated(text) for text in texts if text is not None})

    @property
    def size(self) -> int:
        """How many deliveries they are."""
        return sum(len(run.own) for run in self.runs)

    @property
    def has_crowd(self) -> bool:
        """Whether some may be kept as one row, and are nowhere else among them."""
        crowds = [run.own for run in self.runs if run.is_crowd]
        if len(crowds) != 1 or not isinstance(only := crowds[0], CrowdOwners):
            return bool(crowds) and self.size == len(self.memories)
        others = [its for run in self.runs if not run.is_crowd for its in run.own]
        return len({memory for memory, *_ in others}) == len(others) and not any(map(only.hold, others))

    @property
    def memories(self) -> set[str]:
        """Ids of their memories."""
        return {memory for run in self.runs for memory, *_ in run.own}

    @property
    def one_by_one(self) -> Sequence[OwnValues]:
        """What those have for themselves that are no crowd's: the memories of a crowd are its message's alone."""
        return [its for run in self.runs if not isinstance(run.own, CrowdOwners) for its in run.own]

    @property
    def without_crowds(self) -> Self:
        """The others."""
        return replace(self, runs=[run for run in self.runs if not run.is_crowd])


def write(
    connection: apsw.Connection,
    place: tuple[int, int],
    runs: Sequence[tuple[Sequence[OwnColumns], AlikeColumns]],
) -> None:
    """Write rows of a session's plan, given with what they have in common: many of them together."""
    if sum(len(rows) for rows, _ in runs) <= MANY:
        connection.executemany(_INSERT, [(*place, *row, *alike) for rows, alike in runs for row in rows])
        return
    for rows, alike in runs:
        for begin in range(0, len(rows), MANY):
            connection.execute(*_together(place, rows[begin : begin + MANY], alike))


def _together(
    place: tuple[int, int], rows: Sequence[OwnColumns], alike: AlikeColumns
) -> tuple[str, tuple[str | int | float | None, ...]]:
    """The statement that writes rows with so much in common, and its values."""
    first, id, memory, container, owner = rows[0]
    ids, memories, before = len(id), len(memory), container.removesuffix(owner)
    is_even = rows[-1][0] == first + len(rows) - 1 and all(
        len(id) == ids and len(memory) == memories and at == before + to for _, id, memory, at, to in rows
    )
    if not is_even:
        return _INSERT_ALIKE, (*place, json.dumps(rows), *alike)
    texts = json.dumps([f"{id}{memory}{to}" for _, id, memory, _, to in rows])
    return _INSERT_COPIES, (*place, texts, *alike, first, ids, memories, before)
