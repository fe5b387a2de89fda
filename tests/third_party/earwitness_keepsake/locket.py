"""A plugin with one hook."""

from earwitness.events import MessageAnswer, MessageEvent
from earwitness.hooks import Plugin
from earwitness.records.update import Update


class Keepsake(Plugin):
    """A locket glows whenever it is spoken of, and those who are there see it."""

    async def on_message(self, event: MessageEvent) -> MessageAnswer | None:
        """Count the times in this plugin's own data, and tell the world."""
        if "locket" not in event.moment.message.content.casefold():
            return None
        times = int(str(event.data.get("times", 0))) + 1
        event.data["times"] = times
        return MessageAnswer(updates=(Update(description=f"The locket glows for the {times}. time"),))
