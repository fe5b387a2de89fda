"""Who would not learn of a message, and why: what a preview shows of sharing rules."""

from __future__ import annotations

from .base import Record


class Stopped(Record):
    """Somebody who would not be told of a message, and what stands in the way."""

    character: str
    """Character id of who would not learn of it."""
    shared_from: str | None = None
    """Character id of who would not tell them; `None` = nobody in particular."""
    rule: str = ""
    """Name of the rule that would have told them."""
    reason: str
    """What stopped it, in words."""

    def __str__(self) -> str:
        teller = "" if self.shared_from is None else f" by {self.shared_from}"
        rule = f" ({self.rule})" if self.rule else ""
        return f"{self.character}: would not be told{teller}{rule}: {self.reason}"
