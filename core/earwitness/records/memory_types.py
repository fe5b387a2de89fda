"""The metadata of memories: its fields, and the values of `type` that core sets. Any other marks a derived memory."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationInfo

MetaValue = str | int | float | bool | list[str]
Metadata = Mapping[str, MetaValue]


def without_null(values: object, info: ValidationInfo) -> object:
    """Stored metadata without `null`, as which earlier versions wrote NaN and infinities. They are refused today."""
    if info.mode != "json" or not isinstance(values, dict):
        return values
    return {key: value for key, value in values.items() if value is not None}


TOLD_AT = "toldAt"
"""Metadata of what a hub was told: number of the journal entry with which it was told. Who joins the story later does
not read it."""
FACT_ID = "factId"
"""Metadata: the same for memories that say the same of one fact. Who may read several of them in hubs reads one."""
REPLACES = "replaces"
"""Metadata of a summary: how many memories it replaces. They are out of recall as long as it is there."""
MESSAGE = "message"
UPDATE_TYPES = ("world_state_update", "character_update")
"""World updates."""
PIECE_TYPES = ("plot", "character_card", "example_dialog", "lore")
"""What there was before the story."""
OUR_TYPES = (MESSAGE, *UPDATE_TYPES, *PIECE_TYPES)
FIELDS = (
    "type",
    "speaker",
    "participants",
    "isSpeaker",
    "location",
    "gameDay",
    "learnedDay",
    "timestamp",
    "interactionType",
    "sharedFrom",
    "contextType",
    "channelId",
    "guildId",
    "personaId",
    "messageIds",
    "updateType",
    "characterId",
    "previousLocation",
    "stateKey",
    "audience",
    "public",
    "permanent",
    "loreKey",
    "words",
    "restsOn",
    "gameDayFrom",
    REPLACES,
    "sessionId",
    "forkedFrom",
    "pantheonId",
    "personalityId",
    "userId",
    "canonScope",
    "createdAt",
)
"""The metadata fields that Earwitness and its plugins set. Hosts and plugins may add others."""
