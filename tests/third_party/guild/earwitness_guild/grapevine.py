"""A sharing rule with delayed hops."""

from collections.abc import Iterator
from itertools import pairwise

from earwitness import Settings, Share, SharingEvent

from .settings import GuildSettings


class Grapevine:
    """A runner who learns the secret tells the next runner some days later, who tells the one after that."""

    def __init__(self, *, settings: Settings) -> None:
        self._guild = settings.table(GuildSettings)

    def share(self, event: SharingEvent) -> Iterator[Share]:
        """The next hop of each runner who knows: when the message is said, and again when a hop has arrived."""
        if not self._guild.concerns(event.message.message.content):
            return
        due = event.day + self._guild.delay
        hired = [str(each) for each in event.state.facts_of("guild")]
        for teller, listener in pairwise((*self._guild.runners, *hired)):
            if teller in event.knowers and listener not in event.knowers:
                yield Share(character=listener, shared_from=teller, rule="grapevine", due=due)
