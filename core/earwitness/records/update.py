"""World updates, and the world knowledge that characters draw from them."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from .base import Record

Audience = Literal["present", "public"] | tuple[str, ...]


class Update(Record):
    """Something that happened in the world, in one sentence."""

    description: str
    """The sentence, without full stop or day: core writes `{description}. GameDay: {game_day}`. Blank = left out."""
    type: Literal["world_state_update", "character_update"] = "world_state_update"
    """Whether the world changed, or one character."""
    update_type: str | None = None
    """The kind of update, such as `item_acquired`, `status_changed`, `location_changed`."""
    character: str | None = None
    """Id of the character whom a `character_update` is about."""
    audience: Audience = "present"
    """Who may know of it: those present and the character it is about, everybody, or exactly these ids."""
    hidden_from: tuple[str, ...] = ()
    """Ids of those who cannot know of it, whatever the audience, because they heard a message without seeing what
    was done."""
    metadata: dict[str, JsonValue] = {}
    """Further metadata, such as `location` and `previous_location`. It is stored in camelCase."""


class Knowledge(Record):
    """One line of world knowledge for one character, and the world memories that it rests on."""

    text: str
    """The line, as it will appear under `###Newly discovered world knowledge###`."""
    cites: tuple[str, ...]
    """Ids of world memories. The line is struck unless this character may know each of them."""
