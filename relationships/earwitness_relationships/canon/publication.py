"""What reconciling as global canon makes public: everybody may hear of it then, wherever the character is. Pure.

What was learned in private is left out unless somebody asks for it. What was learned under a persona stays private
until the persona's user allows it, as with every other loosening of the table.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from earwitness import Cast, Memory
from earwitness.records.channel import context_of

from ..personas.lived import is_played
from ..privacy.place import Loosening

PUBLIC = "public_channel"
WORDS = {"dm": "a direct message", "private_channel": "a private channel"}


class Publication(NamedTuple):
    """What may become public."""

    asked: bool
    """Whether what was learned in private was asked for."""
    cast: Cast
    """Everybody in the bubble."""
    allowed: Collection[Loosening]
    """What the users of personas allow."""

    def withheld(self, memory: Memory) -> str | None:
        """Why a memory must not become public; `None` if it may."""
        context = context_of(memory.metadata)
        if context == PUBLIC:
            return None
        learned = f"learned in {WORDS.get(context, repr(context))}"
        persona = self._persona(memory)
        if persona is None and context != "private_channel":
            return f"{learned}, and no persona is known whose user could allow it"
        if persona is not None and not self._is_allowed(persona, context):
            return f"{learned} of the persona {persona!r}, whose user has not allowed to say it in public"
        return None if self.asked else f"{learned}; publish it to make it known everywhere"

    def _persona(self, memory: Memory) -> str | None:
        """The persona it was learned under; in a direct message that names none, the only one there is."""
        named = memory.metadata.get("personaId")
        if isinstance(named, str):
            return named
        played = {each.persona_id for each in self.cast if is_played(each)}
        is_alone = context_of(memory.metadata) == "dm" and len(played) == 1
        return next(iter(played)) if is_alone else None

    def _is_allowed(self, persona: str, context: str) -> bool:
        return any(
            (each.persona, each.learned, each.asked, each.sayable) == (persona, context, PUBLIC, True)
            for each in self.allowed
        )


def published(memory: Memory) -> str:
    """What becomes public with it, in words; empty for what was public already."""
    context = context_of(memory.metadata)
    return "" if context == PUBLIC else f"learned in {WORDS.get(context, repr(context))}, known everywhere then"
