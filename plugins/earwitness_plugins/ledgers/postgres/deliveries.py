"""Deliveries: written once by a plan, applied once, and shown with their plan."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from pydantic_core import from_json

from earwitness.copies.json_text import as_json, value_as_json
from earwitness.records.memory_types import MetaValue
from earwitness.records.plan import Delivery, Restoration, Status, Withdrawal
from earwitness.slices import in_slices

from ...postgres import Connection

COLUMNS = "d.sequence, d.memory_id, d.container, d.owner, d.body, d.metadata, d.fields::text"
"""What `DeliveryReader` makes a delivery of, of a row of `delivery` or `repeated_delivery` called `d`."""
TEXTS = "SELECT sequence, number, text FROM earwitness.plan_text WHERE session = %s AND sequence = ANY(%s)"
_OF_PLANS = "WHERE d.session = %s AND d.sequence = ANY(%s)"
RECORDED = (
    f"SELECT d.position, {COLUMNS} FROM earwitness.delivery AS d {_OF_PLANS} UNION ALL"  # noqa: S608 - our own words
    f" SELECT d.position, {COLUMNS} FROM earwitness.repeated_delivery AS d {_OF_PLANS} ORDER BY 2, 1"
)
_APPLY = (
    "UPDATE earwitness.delivery SET status = 'applied'"
    " WHERE session = %s AND id = ANY(%s) AND NOT forgotten AND status = 'pending'"
)
_WITHDRAW = (
    "UPDATE earwitness.delivery SET status = %s, reason = %s WHERE session = %s AND id = ANY(%s) AND NOT forgotten"
    " AND status IN ('pending', 'applied', 'archived')"
)
_RESTORE = (
    "UPDATE earwitness.delivery SET status = 'pending', reason = NULL"
    " WHERE session = %s AND id = ANY(%s) AND NOT forgotten AND status = 'archived'"
)
STRIKE = "UPDATE earwitness.delivery SET status = 'struck', reason = 'forgotten', forgotten = true"
"""What becomes of what is due to somebody who is forgotten."""
_FORGET_TEXTS = (
    "DELETE FROM earwitness.plan_text AS t WHERE session = ANY(%s)"
    " AND NOT EXISTS (SELECT 1 FROM earwitness.delivery AS d WHERE d.session = t.session"
    " AND d.sequence = t.sequence AND t.number IN (d.body, d.metadata))"
    " AND NOT EXISTS (SELECT 1 FROM earwitness.repeated_delivery AS r WHERE r.session = t.session"
    " AND r.sequence = t.sequence AND t.number IN (r.body, r.metadata))"
)
_INSERT_TEXTS = (
    "INSERT INTO earwitness.plan_text (session, sequence, number, text)"
    " SELECT %s, %s, place - 1, text::json FROM unnest(%s::text[]) WITH ORDINALITY AS t (text, place)"
)
_COLUMN_TYPES = {
    "position": "integer",
    "id": "text",
    "memory_id": "text",
    "container": "text",
    "owner": "text",
    "source": "text",
    "via": "text",
    "type": "text",
    "due": "float8",
    "status": "text",
    "reason": "text",
    "derived": "boolean",
    "rests_on": "text",
    "cites": "text",
    "body": "integer",
    "metadata": "integer",
    "fields": "text",
}
"""The columns of a delivery that is recorded, and the types of their values; lists of ids are JSON."""
_ARRAYS = ", ".join(f"%({name})s::{type}[]" for name, type in _COLUMN_TYPES.items())
_IDS = "CASE WHEN {0} IS NULL THEN '{{}}' ELSE ARRAY(SELECT json_array_elements_text({0}::json)) END"
_VALUES = ", ".join(
    {"rests_on": _IDS.format("rests_on"), "cites": _IDS.format("cites"), "fields": "fields::json"}.get(name, name)
    for name in _COLUMN_TYPES
)
_INSERT = f"""
WITH given AS (
    SELECT * FROM unnest({_ARRAYS}) AS g ({", ".join(_COLUMN_TYPES)})
), added AS (
    INSERT INTO earwitness.delivery (session, sequence, {", ".join(_COLUMN_TYPES)})
    SELECT %(session)s, %(sequence)s, {_VALUES} FROM given ORDER BY position
    ON CONFLICT (session, id) WHERE NOT forgotten DO NOTHING
    RETURNING position
)
INSERT INTO earwitness.repeated_delivery
    (session, sequence, position, memory_id, container, owner, body, metadata, fields)
SELECT %(session)s, %(sequence)s, position, memory_id, container, owner, body, metadata, fields::json
FROM given WHERE position NOT IN (SELECT position FROM added)
"""  # noqa: S608 - our own words
"""What already exists stays as it is: struck or withdrawn, pending or applied."""
_APART = {"session", "sequence", "memory_id", "container", "owner", "body", "metadata"}
"""Fields that are not part of `fields`."""


@dataclass(frozen=True, slots=True)
class DeliveryColumns:
    """The deliveries of a plan, ready to be written."""

    ids: Sequence[str]
    """Their derived ids, in the order of the plan."""
    columns: dict[str, list[Any]]
    """The values of each column, in the order of the plan."""
    texts: Sequence[str]
    """Every different body and metadata, as JSON."""

    @classmethod
    async def of(cls, deliveries: Sequence[Delivery]) -> Self:
        """Take deliveries apart. Raises `InputError` for what JSON cannot hold."""
        texts: dict[str, int] = {}
        rows = await in_slices(_rows(deliveries, texts))
        values = zip(*rows, strict=True) if rows else ([] for _ in _COLUMN_TYPES)
        columns = {name: list(column) for name, column in zip(_COLUMN_TYPES, values, strict=True)}
        return cls(columns["id"], columns, list(texts))


async def insert(
    connection: Connection, session: str, sequence: int, new: DeliveryColumns, applied: Collection[str]
) -> None:
    """Add a plan's deliveries. Those with an id in `applied` are applied, also if they were pending before."""
    if not new.ids:
        return
    await connection.execute(_INSERT_TEXTS, (session, sequence, new.texts))
    columns = new.columns
    if applied:
        status = zip(new.ids, columns["status"], strict=True)
        columns = {**columns, "status": ["applied" if id in applied else its for id, its in status]}
    await connection.execute(_INSERT, {"session": session, "sequence": sequence, **columns})
    await apply(connection, session, applied)


async def apply(connection: Connection, session: str, ids: Collection[str]) -> None:
    """What was pending is applied; what was struck or withdrawn meanwhile stays so."""
    if ids:
        await connection.execute(_APPLY, (session, list(ids)))


async def withdraw(connection: Connection, session: str, withdrawal: Withdrawal) -> None:
    """Withdraw, strike or archive what is kept of the deliveries that a withdrawal names."""
    if withdrawal.removes:
        status = (withdrawal.status, withdrawal.reason)
        await connection.execute(_WITHDRAW, (*status, session, list(withdrawal.removes)))


async def restore(connection: Connection, session: str, restoration: Restoration) -> None:
    """What is archived of the deliveries that a restoration names is pending again."""
    if restoration.restores:
        await connection.execute(_RESTORE, (session, list(restoration.restores)))


async def forget_texts(connection: Connection, sessions: Sequence[str]) -> None:
    """Remove the texts of these sessions that no delivery names any more."""
    await connection.execute(_FORGET_TEXTS, (list(sessions),))


class DeliveryReader:
    """Makes deliveries of rows. Each text that several of them share is read once."""

    def __init__(self, session: str, texts: Iterable[tuple[int, int, Any]]) -> None:
        self._session = session
        self._texts = {(sequence, number): text for sequence, number, text in texts}

    @classmethod
    async def of(cls, connection: Connection, session: str, sequences: Collection[int]) -> Self:
        """A reader of the deliveries of these plans."""
        return cls(session, await (await connection.execute(TEXTS, (session, list(sequences)))).fetchall())

    def delivery(self, row: Sequence[Any], status: tuple[Status, str | None] | None = None) -> Delivery:
        """The delivery of a row, as it was recorded or with its present `status` and reason."""
        sequence, memory_id, container, owner, body, metadata, fields = row
        values = from_json(fields)
        its_metadata: dict[str, MetaValue] = self._texts[sequence, metadata]
        values |= {"session": self._session, "sequence": sequence, "memory_id": memory_id, "container": container}
        values |= {"owner": owner, "body": self._texts[sequence, body], "metadata": its_metadata}
        if status is not None:
            values["status"], values["reason"] = status
        return Delivery.model_validate(values)


async def recorded(connection: Connection, session: str, sequences: Sequence[int]) -> dict[int, list[Delivery]]:
    """The deliveries of these plans, as they were when they were recorded: sequence number → in their order."""
    found: dict[int, list[Delivery]] = {sequence: [] for sequence in sequences}
    chosen = (session, list(sequences)) * 2
    rows = await (await connection.execute(RECORDED, chosen)).fetchall()
    reader = await DeliveryReader.of(connection, session, sequences) if rows else DeliveryReader(session, ())
    for _, *row in rows:
        found[row[0]].append(reader.delivery(row))
    return found


def _rows(deliveries: Sequence[Delivery], texts: dict[str, int]) -> Iterator[tuple[Any, ...]]:
    """The values of each delivery's columns. Bodies and metadata are noted in `texts`, each different one once."""
    metadata = _MetadataTexts(texts)
    for position, each in enumerate(deliveries):
        body = value_as_json(each.body, "the text of a delivery")
        type = each.metadata.get("type")
        yield (
            position,
            each.id,
            each.memory_id,
            each.container,
            each.owner,
            each.source,
            each.support.via,
            type if isinstance(type, str) else None,
            float(each.due),
            each.status,
            each.reason,
            each.is_derived,
            _id_list(each.rests_on),
            _id_list(sorted(each.cites) if each.knowledge else ()),
            texts.setdefault(body, len(texts)),
            metadata.number(each),
            as_json(each, exclude=_APART, exclude_defaults=True),
        )


class _MetadataTexts:
    """Numbers of metadata. Those of neighbours are mostly equal, and dumped once."""

    def __init__(self, texts: dict[str, int]) -> None:
        self._texts = texts
        self._known: list[tuple[dict[str, MetaValue], int]] = []

    def number(self, delivery: Delivery) -> int:
        for metadata, number in self._known:
            if metadata == delivery.metadata and list(metadata) == list(delivery.metadata):
                return number
        text = value_as_json(delivery.metadata, "the metadata of a delivery")  # type: ignore[arg-type]
        number = self._texts.setdefault(text, len(self._texts))
        self._known = [(delivery.metadata, number), *self._known[:3]]
        return number


def _id_list(ids: Sequence[str]) -> str | None:
    return value_as_json(list(ids), "the ids that a delivery rests on") if ids else None
