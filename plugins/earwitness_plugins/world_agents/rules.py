"""World Agent `rules`: tells each participant the world's news, and claims nothing of its own."""

from __future__ import annotations

from earwitness.protocols import WorldAnswer, WorldView
from earwitness.records.moment import Moment, Presence
from earwitness.records.plan import Delivery
from earwitness.records.update import Knowledge

LIKELY = 0.5


class RulesWorldAgent:
    """What has happened since a character was last told, as far as she may know it.

    The oldest news come first, at most `most` lines a message; what is left is told with her next one, so none is lost.
    Who took part is left to the detector's presence.
    """

    def __init__(self, *, most: int = 8) -> None:
        self.most = most

    async def propose(self, moment: Moment, presence: Presence, world: WorldView) -> WorldAnswer:
        """One line a piece of news, in the world's own words, citing the world memory it is."""
        knowledge = {}
        for id in _listeners(moment, presence):
            news = await world.news(id)
            if news:
                knowledge[id] = tuple(_line(each) for each in news[: self.most])
        return WorldAnswer(knowledge=knowledge)


def _listeners(moment: Moment, presence: Presence) -> list[str]:
    """Whoever may turn out to be a participant, but for narrators, who tell the story from outside."""
    named = moment.message.present or ()
    likely = [id for id, who in presence.characters.items() if who.probability >= LIKELY]
    known = moment.cast.by_id
    return [id for id in dict.fromkeys((*likely, *named)) if id in known and known[id].kind != "narrator"]


def _line(news: Delivery) -> Knowledge:
    return Knowledge(text=news.body, cites=(news.memory_id,))
