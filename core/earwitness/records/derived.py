"""Memories that are not messages: facts, summaries, notes, reconciled memories."""

from __future__ import annotations

from pydantic import field_validator

from .base import Record
from .memory_types import MetaValue, without_null


class Derivation(Record):
    """A memory that a plugin proposes or a host writes, and what it rests on."""

    text: str
    """The content."""
    owner: str | None = None
    """The character id, or `world`, whose container in this session receives it."""
    container: str | None = None
    """Name of a registered container outside the session. Give either this or `owner`."""
    type: str = "fact"
    """Metadata `type`, such as `fact`, `summary`, `note`, `reconciled`."""
    metadata: dict[str, MetaValue] = {}
    """Further metadata, in camelCase or snake_case."""
    rests_on: tuple[str, ...] = ()
    """Memory ids and message keys. Retracting any of them removes the derived memory too."""
    rule: str = ""
    """What derived it, shown by `explain`."""

    _readable = field_validator("metadata", mode="before")(without_null)
