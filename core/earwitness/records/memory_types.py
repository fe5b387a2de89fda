"""The values of metadata `type` that core gives; every other says that a memory is a derived one."""

from __future__ import annotations

MESSAGE = "message"
UPDATE_TYPES = ("world_state_update", "character_update")
"""What the world was told."""
PIECE_TYPES = ("plot", "character_card", "example_dialog", "lore")
"""What was there before the story."""
OUR_TYPES = (MESSAGE, *UPDATE_TYPES, *PIECE_TYPES)
