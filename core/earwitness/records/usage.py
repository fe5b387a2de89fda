"""What an answer rests on besides the strategy's settings: a version, a model, and what asking it cost."""

from __future__ import annotations

from .base import Record


class Usage(Record):
    """One or several calls to a model."""

    model: str
    """The model's name."""
    tokens_in: int = 0
    """Tokens in the prompts."""
    tokens_out: int = 0
    """Tokens in the answers."""
    cost: float = 0.0
    """What the calls cost, in the currency of the price list."""


class Reply(Record):
    """What every answer of a plugin or strategy may say about itself."""

    version: str | None = None
    """Version of the rules, graph or prompt that the answer rests on."""
    usage: Usage | None = None
    """The model that was asked, and what that cost; `None` = no model."""
