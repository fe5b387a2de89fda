"""Statements that read one container, and memories from their rows."""

from __future__ import annotations

import json

from earwitness.records.memory import Memory

from .search import FoundMemory
from .text import given, given_metadata

_CONTAINER = "(SELECT number FROM earwitness.memory_container WHERE name = %(container)s)"
_COLUMNS = "SELECT m.id, m.content, coalesce(m.exact_metadata::text, m.metadata::text) FROM earwitness.memory m"
GET = f"{_COLUMNS} WHERE m.container = {_CONTAINER} AND m.id = ANY(%(ids)s::text[])"
LIST = (
    f"{_COLUMNS} WHERE m.container = {_CONTAINER} AND {{condition}}"
    " ORDER BY m.number LIMIT %(limit)s::bigint OFFSET %(offset)s::bigint"
)
COUNT = "SELECT memories FROM earwitness.memory_container WHERE name = %(container)s"
PLACED = (
    f"SELECT id FROM earwitness.memory WHERE container = {_CONTAINER} AND id = ANY(%(ids)s::text[])"  # noqa: S608
    f" UNION SELECT id FROM earwitness.memory_place WHERE container = {_CONTAINER} AND id = ANY(%(ids)s::text[])"
)
HOLDERS = """
SELECT c.memories, w.term, array_agg(m.id ORDER BY m.number) FROM earwitness.memory_container c
LEFT JOIN (earwitness.memory_word w JOIN earwitness.memory m ON m.container = w.container AND m.number = w.number)
    ON w.container = c.number AND w.term = ANY(%(terms)s::text[])
WHERE c.name = %(container)s GROUP BY c.memories, w.term
"""
ALL = {"limit": None, "offset": 0}
"""No page, but all."""


def memory(container: str, row: FoundMemory) -> Memory:
    """A memory of this container."""
    metadata = given_metadata(json.loads(row.metadata))
    return Memory(id=given(row.id), container=container, content=given(row.content), metadata=metadata)
