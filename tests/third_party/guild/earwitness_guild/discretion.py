"""A guard that marks."""

from earwitness import PlanEvent, ReadAnswer, ReadEvent, Strike
from earwitness.filters import equals


class Discretion:
    """What was said in a direct message is known, but not sayable in public channels."""

    def filter(self, event: ReadEvent) -> ReadAnswer:
        """Mark what was said in private, wherever it is kept."""
        if event.channel.context != "public_channel":
            return ReadAnswer()
        return ReadAnswer(unsayable=equals("context_type", "dm"), reason="said in private")

    def strike(self, event: PlanEvent) -> tuple[Strike, ...]:
        """Keep nobody from learning anything."""
        return ()
