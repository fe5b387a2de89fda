"""The settings table `[chat]`. The model that answers is that of the table `[model]`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from earwitness import Record
from earwitness.loading.quantities import Count, Positive


class ChatSettings(Record):
    """How `earwitness chat` asks for answers."""

    last: Annotated[int, Field(strict=True, ge=0, le=24)] = 5
    """Number of last messages in the prompt, as the character perceived them."""
    memories: Count = 5
    """Maximum number of the character's own memories in it. Shared ones have a number of their own."""
    permanent: Literal["retrieve", "always"] = "always"
    """Whether card, plot, dialogue and lore are always in it, or found like any memory."""
    answers: Count = 1
    """How many of those who are spoken to answer one message."""
    partner: str | None = None
    """Who answers where nobody is spoken to and nobody has answered yet: an id, name or alias."""
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.8
    """How freely the model chooses its words; with 0 a reroll says the same again."""
    timeout: Positive = 120.0
    """Seconds that an answer may take."""
