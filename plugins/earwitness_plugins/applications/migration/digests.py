"""Digests that are the same where two backends hold the same, however they keep it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, TypeVar

from earwitness.copies.long_lists import ListTexts
from earwitness.records.base import Record
from earwitness.records.memory import Memory
from earwitness.records.plan import Delivery, Plan

T = TypeVar("T")


def canonical(record: Record) -> str:
    """The record as JSON: keys sorted, and `3.0` is `3`, as it is in some backends."""
    return json.dumps(_plain(record.model_dump(mode="json")), sort_keys=True, ensure_ascii=True)


def canonical_value(value: object) -> str:
    """The same for a JSON value."""
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=True)


class DigestTexts:
    """Deliveries and memories as JSON, where a digest stands for long lists: one that many share is read once."""

    def __init__(self) -> None:
        self._lists = ListTexts()
        self._digests: dict[str, str] = {}

    def of(self, record: Delivery | Memory) -> str:
        """The record as `canonical` has it, but for the long lists of its metadata."""
        metadata, lists = self._lists.taken(dict(sorted(record.metadata.items())))
        if lists is None:
            return canonical(record)
        if lists not in self._digests:
            self._digests[lists] = digest([lists])
        return f"{canonical(record.model_copy(update={'metadata': metadata}))} {self._digests[lists]}"


def canonical_plan(plan: Plan) -> str:
    """The plan as JSON, its deliveries as `DigestTexts` has them."""
    texts = DigestTexts()
    return "\n".join([canonical(plan.model_copy(update={"deliveries": ()})), *map(texts.of, plan.deliveries)])


def digest(texts: Iterable[str]) -> str:
    """16 hexadecimal digits of these texts in this order."""
    hashed = blake2b(digest_size=8)
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        hashed.update(f"{len(data)}:".encode())
        hashed.update(data)
    return hashed.hexdigest()


def batches(values: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """The values in parts of so many."""
    return (values[begin : begin + size] for begin in range(0, len(values), size))


def _plain(value: Any) -> Any:
    match value:
        case dict():
            return {key: _plain(each) for key, each in value.items()}
        case list():
            return [_plain(each) for each in value]
        case float() if value.is_integer():
            return int(value)
    return value
