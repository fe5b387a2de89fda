"""A plugin that proposes derived memories."""

from earwitness import Derivation, MessageAnswer, MessageEvent, Plugin, Settings

from .container import guild_container
from .settings import GuildSettings


class GuildArchive(Plugin):
    """Whenever somebody speaks of the secret, the guild notes it. The note falls with the message."""

    table = "guild"

    def __init__(self, *, settings: Settings) -> None:
        self._guild = settings.table(GuildSettings)

    async def on_message(self, event: MessageEvent) -> MessageAnswer | None:
        """Note who said what, and where it was said."""
        message = event.moment.message
        if not self._guild.concerns(message.content):
            return None
        note = Derivation(
            content=f'{event.cast[message.speaker].name} was heard saying: "{message.content}"',
            container=guild_container(self._guild.name).name,
            metadata={"context_type": message.channel.context},
            rests_on=(message.key,),
        )
        return MessageAnswer(derived=(note,))
