"""The settings table `[guild]`."""

from pydantic import Field

from earwitness import Record


class GuildSettings(Record):
    """What the strategies and the plugin of this package share."""

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
