"""A plugin with one hook."""

from earwitness import MessageAnswer, MessageEvent, Plugin, Settings, Update

from .settings import KeepsakeSettings


class Keepsake(Plugin):
    """A locket glows whenever it is spoken of, and those who are there see it."""

    def __init__(self, *, settings: Settings) -> None:
        self._thing = settings.table(KeepsakeSettings).thing

    async def on_message(self, event: MessageEvent) -> MessageAnswer | None:
        """Count the times in this plugin's own data, and tell the world."""
        if self._thing not in event.moment.message.content.casefold():
            return None
        times = int(str(event.data.get("times", 0))) + 1
        event.data["times"] = times
        return MessageAnswer(updates=(Update(description=f"The {self._thing} glows for the {times}. time"),))
