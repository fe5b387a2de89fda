"""A read provider."""

from earwitness import ReadProviderEvent, ReadRequest, Settings

from .container import KIND
from .settings import GuildSettings


class GuildReads:
    """Whoever is in a guild knows what the guild knows."""

    def __init__(self, *, settings: Settings) -> None:
        self._number = settings.table(GuildSettings).number

    async def reads(self, event: ReadProviderEvent) -> list[ReadRequest]:
        """A section for the guilds that the reader is a member of today."""
        guilds = await event.containers.readable(kind=KIND)
        return [self._request(each.name) for each in guilds]

    def _request(self, container: str) -> ReadRequest:
        return ReadRequest(container=container, section=KIND, number=self._number, heading="What the guild knows")
