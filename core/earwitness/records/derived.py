"""Memories that are no message: facts, summaries, memories written by hand, reconciled ones."""

from __future__ import annotations

from .base import Record
from .memory import MetaValue


class Derivation(Record):
    """A memory that somebody proposes or writes, and what it rests on."""

    text: str
    """The content."""
    owner: str | None = None
    """Character id, or `world`, in whose container of this session it belongs."""
    container: str | None = None
    """Name of a registered container beyond the session; give this or `owner`."""
    type: str = "fact"
    """Metadata `type`, such as `fact`, `summary`, `note`, `reconciled`."""
    metadata: dict[str, MetaValue] = {}
    """More metadata; camelCase or snake_case."""
    rests_on: tuple[str, ...] = ()
    """Memory ids and message keys; when one of them is taken back, the derived memory falls with it."""
    rule: str = ""
    """What derived it, for `explain`."""
