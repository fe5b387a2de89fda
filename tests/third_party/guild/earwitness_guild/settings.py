"""The settings table `[guild]`."""

from typing import ClassVar

from pydantic import Field

from earwitness import Record


class GuildSettings(Record):
    """What the strategies and the plugin of this package share. Where the table stands, they are in use."""

    brings: ClassVar[dict[str, str]] = {"read_providers": "guild", "guards": "guild", "sharing_rules": "guild"}

    name: str = "thieves"
    """The guild that archives what it hears."""
    secret: str = Field(default="vault", min_length=1)
    """The word that the guild listens for."""
    runners: tuple[str, ...] = ()
    """Ids of the characters who pass a secret on, each to the next."""
    delay: float = Field(default=2, gt=0)
    """Game days that each runner takes."""
    number: int = Field(default=4, ge=1)
    """How many memories of guilds a recall holds at most."""

    def concerns(self, text: str) -> bool:
        """Whether a text speaks of the secret."""
        return self.secret.casefold() in text.casefold()
