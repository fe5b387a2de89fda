"""From one version to the next.

An upgrade says, for each kind of record whose shape changed, how one becomes the next version's. It changes nothing it
was given, ignores keys it does not know, and may be handed a record without some of its keys: a ledger stores a plan
without its deliveries, and a delivery without its body.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

StoredKind = Literal["entry", "body", "plan", "message", "delivery", "snapshot"]
"""`body` is a journal entry's, `message` a message with what was decided about it."""
Json: TypeAlias = dict[str, Any]
Upgrade: TypeAlias = Mapping[StoredKind, Callable[[Json], Json]]
_PARTS: Mapping[StoredKind, Mapping[str, StoredKind]] = {
    "entry": {"body": "body"},
    "plan": {"message": "message", "deliveries": "delivery"},
}


def upgraded_once(kind: StoredKind, record: Any, upgrade: Upgrade) -> Any:
    """A record, or a list of them, in the next version's shape: first the records inside, then itself.

    What is no JSON object is left for validation to refuse. One that is no record of this kind may raise `LookupError`,
    `TypeError` or `AttributeError`.
    """
    if isinstance(record, list):
        return [upgraded_once(kind, each, upgrade) for each in record]
    if not isinstance(record, dict):
        return record
    parts = {name: part for name, part in _PARTS.get(kind, {}).items() if name in record}
    whole = {**record, **{name: upgraded_once(part, record[name], upgrade) for name, part in parts.items()}}
    return upgrade[kind](whole) if kind in upgrade else whole


def touches(upgrade: Upgrade, kind: StoredKind) -> bool:
    """Whether an upgrade changes records of this kind, or what is inside them."""
    return kind in upgrade or any(touches(upgrade, part) for part in _PARTS.get(kind, {}).values())


def renamed(record: Json, **names: str) -> Json:
    """The record with some of its keys renamed, as in `renamed(plan, old="new")`."""
    return {names.get(key, key): value for key, value in record.items()}
