"""Upgrades from one version to the next.

An upgrade has one function for each kind of record whose shape changed. The function does not modify its argument and
ignores unknown keys. It must accept records without some of their keys: a ledger stores a plan without its deliveries,
and a delivery without its body.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

StoredKind = Literal["entry", "body", "plan", "message", "delivery", "snapshot"]
"""`body` is the body of a journal entry. `message` is a message with the decision about it."""
Json: TypeAlias = dict[str, Any]
Upgrade: TypeAlias = Mapping[StoredKind, Callable[[Json], Json]]
_PARTS: Mapping[StoredKind, Mapping[str, StoredKind]] = {
    "entry": {"body": "body"},
    "plan": {"message": "message", "deliveries": "delivery"},
}


def upgraded_once(kind: StoredKind, record: Any, upgrade: Upgrade) -> Any:
    """Upgrade a record, or a list of records, to the next version: first the records inside, then the record itself.

    Anything but a JSON object is returned as it is, and validation refuses it later. An object that is not a record of
    this kind may raise `LookupError`, `TypeError` or `AttributeError`.
    """
    if isinstance(record, list):
        return [upgraded_once(kind, each, upgrade) for each in record]
    if not isinstance(record, dict):
        return record
    parts = {name: part for name, part in _PARTS.get(kind, {}).items() if name in record}
    whole = {**record, **{name: upgraded_once(part, record[name], upgrade) for name, part in parts.items()}}
    return upgrade[kind](whole) if kind in upgrade else whole


def touches(upgrade: Upgrade, kind: StoredKind) -> bool:
    """Whether an upgrade changes records of this kind, or records inside them."""
    return kind in upgrade or any(touches(upgrade, part) for part in _PARTS.get(kind, {}).values())


def renamed(record: Json, **names: str) -> Json:
    """The record with some keys renamed, as in `renamed(plan, old="new")`."""
    return {names.get(key, key): value for key, value in record.items()}
