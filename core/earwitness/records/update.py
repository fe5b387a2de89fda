"""World updates, and the world knowledge characters draw from them."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from .base import Record

Audience = Literal["present", "public"] | tuple[str, ...]


class Update(Record):
    """Something that happened in the world, told in one sentence."""

    description: str
    """Without a full stop or a day: core writes `{description}. GameDay: {game_day}`."""
    type: Literal["world_state_update", "character_update"] = "world_state_update"
    """Whether the world changed or one character did."""
    update_type: str | None = None
    """Such as `item_acquired`, `status_changed`, `location_changed`."""
    character: str | None = None
    """Whom a `character_update` is about."""
    audience: Audience = "present"
    """Who may know it: those present and whom it is about, everybody, or exactly these ids."""
    hidden_from: tuple[str, ...] = ()
    """Ids of those who cannot know it, whatever the audience: they heard a message, and did not see what was done."""
    metadata: dict[str, JsonValue] = {}
    """More, such as `location` and `previous_location`; stored in camelCase."""


class Knowledge(Record):
    """One line of world knowledge for one character, and the world memories it rests on."""

    text: str
    """As it will stand under `###Newly discovered world knowledge###`."""
    cites: tuple[str, ...]
    """Ids of world memories. Each must be one this character may know, or the line is struck."""
