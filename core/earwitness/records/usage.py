"""What an answer rests on besides its asker's settings: a version, a model, and what asking it cost."""

from __future__ import annotations

from .base import Record


class Usage(Record):
    """One or several calls of a model."""

    model: str
    """The model's name."""
    tokens_in: int = 0
    """Tokens of the prompts."""
    tokens_out: int = 0
    """Tokens of the answers."""
    cost: float = 0.0
    """What the calls cost, in the currency of the price list."""


class Reply(Record):
    """What every answer of a plugin or strategy may say of itself."""

    version: str | None = None
    """Version of what the answer rests on: rules, a graph, a prompt."""
    usage: Usage | None = None
    """The model that was asked, and what it cost; `None` where there was none."""
