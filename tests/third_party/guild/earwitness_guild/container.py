"""A kind of container that Earwitness does not know."""

from earwitness import Container

KIND = "guild"


def guild_container(guild: str) -> Container:
    """What a guild knows, in whatever story. The host registers it and admits members."""
    return Container(name=f"{KIND}-{guild}", kind=KIND, owner=guild)
