"""A thieves' guild: its container, what it archives, who reads it, how secrets travel and where they stay unsaid."""

from .container import KIND, guild_container

__all__ = ["KIND", "guild_container"]
