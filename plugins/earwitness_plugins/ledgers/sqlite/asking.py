"""Asking for deliveries: every condition is answered from an index, chosen here and not by guesses about the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast, get_args

import apsw

from earwitness.errors import unknown
from earwitness.records.plan import Delivery, Status

from .deliveries import whole
from .text import as_list

Condition = tuple[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The conditions of `Ledger.deliveries`; `None` is none."""

    memory_ids: Sequence[str] | None
    sources: Sequence[str] | None
    container: str | None
    via: Sequence[str] | None
    status: Status | None
    due_by: float | None
    after: int
    types: Sequence[str] | None
    limit: int | None


def ask(connection: apsw.Connection, session: int, wanted: Wanted) -> list[Delivery]:
    """The deliveries that meet all conditions, in (due, sequence, position) order."""
    conditions = list(_conditions(wanted))
    where = " AND ".join(["d.session = ?", *_fixed(wanted), *(text for text, _ in conditions)])
    rows = connection.execute(
        "SELECT delivery, b.body, status, reason"  # noqa: S608 - our own words; every value is bound
        f" FROM ledger_deliveries AS d INDEXED BY ledger_deliveries_{_index(wanted)}"
        f" CROSS JOIN ledger_bodies AS b ON b.number = d.body WHERE {where}"
        " ORDER BY due, d.sequence, position LIMIT ?",
        (session, *(value for _, value in conditions), -1 if wanted.limit is None else wanted.limit),
    )
    return [_current(*row) for row in cast("list[tuple[str, str, Status, str | None]]", rows.fetchall())]


def _conditions(wanted: Wanted) -> Iterator[Condition]:
    if wanted.memory_ids is not None:
        yield "memory_id IN (SELECT value FROM json_each(?))", as_list(wanted.memory_ids)
    if wanted.sources is not None:
        yield "source IN (SELECT value FROM json_each(?))", as_list(wanted.sources)
    if wanted.via is not None:
        yield "via IN (SELECT value FROM json_each(?))", as_list(wanted.via)
    if wanted.types is not None:
        yield "type IN (SELECT value FROM json_each(?))", as_list(wanted.types)
    if wanted.container is not None:
        yield "container = ?", wanted.container
    if wanted.due_by is not None:
        yield "due <= ?", wanted.due_by
    if wanted.after > 0:
        yield "d.sequence > ?", wanted.after


def _fixed(wanted: Wanted) -> Iterator[str]:
    """Conditions in the words of the partial indexes, which cannot be used through a parameter."""
    if wanted.status is not None:
        if wanted.status not in get_args(Status):
            raise unknown("delivery status", wanted.status, get_args(Status))
        yield f"status = '{wanted.status}'"
    if _only_others(wanted):
        yield "type <> 'message'"


def _index(wanted: Wanted) -> str:
    if wanted.memory_ids is not None:
        return "memory"
    if wanted.via is not None:
        return "via"
    if wanted.sources is not None:
        return "source"
    if wanted.status == "pending":
        return "pending"
    return "type" if _only_others(wanted) and wanted.container is not None else "plan"


def _only_others(wanted: Wanted) -> bool:
    """Whether no messages are asked for, but what there is few of: updates and what was there before the story."""
    return wanted.types is not None and "message" not in wanted.types


def _current(delivery: str, body: str, status: Status, reason: str | None) -> Delivery:
    """As recorded, with what has become of it since."""
    recorded = Delivery.model_validate_json(whole(delivery, body))
    if (recorded.status, recorded.reason) == (status, reason):
        return recorded
    return recorded.model_copy(update={"status": status, "reason": reason})
