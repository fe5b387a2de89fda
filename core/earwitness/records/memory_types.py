"""The values of metadata `type` that core sets. Any other value marks a derived memory."""

from __future__ import annotations

from collections.abc import Mapping

MetaValue = str | int | float | bool | list[str]
Metadata = Mapping[str, MetaValue]

MESSAGE = "message"
UPDATE_TYPES = ("world_state_update", "character_update")
"""World updates."""
PIECE_TYPES = ("plot", "character_card", "example_dialog", "lore")
"""What there was before the story."""
OUR_TYPES = (MESSAGE, *UPDATE_TYPES, *PIECE_TYPES)
