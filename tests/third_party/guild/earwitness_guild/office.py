"""Extensions: `ew.guild` and `story.guild`."""

from earwitness import Earwitness, Membership, Outcome, Session

from .container import guild_container
from .settings import GuildSettings


class GuildOffice:
    """What a host asks of the guild in all stories."""

    def __init__(self, ew: Earwitness) -> None:
        self._ew = ew
        self._container = guild_container(ew.settings.table(GuildSettings).name)

    async def enroll(self, member: str) -> Membership:
        """Let somebody read what the guild knows."""
        await self._ew.register(self._container)
        return await self._ew.admit(self._container, member)


class GuildBranch:
    """What a host asks of the guild in one story."""

    def __init__(self, story: Session, ew: Earwitness) -> None:
        self._story = story

    @property
    def hired(self) -> tuple[str, ...]:
        """The runners hired in this story."""
        return tuple(map(str, self._story.state.facts_of("guild")))

    async def hire(self, runner: str, *, key: str | None = None) -> Outcome:
        """Let one more runner pass the secret on, after all others. It is undone when the entry is retracted."""
        return await self._story.change(facts={"guild": [runner]}, key=key)
