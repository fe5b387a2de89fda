"""The default World Agent: tells each participant what has happened in the world since they were last told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

from pydantic import Field

from earwitness.events import WorldAgentEvent, WorldAnswer
from earwitness.loading.settings import EndSettings
from earwitness.records.moment import Moment, Presence
from earwitness.records.plan import Delivery
from earwitness.records.update import Knowledge


class RulesWorldAgent:
    """World knowledge by rule, without a model: every piece of news a participant may know, once, oldest first.

    It leaves who took part to the detector's presence, and proposes no updates: what a message changes in the world is
    for the host, or for an agent with a model, to say.
    """

    def __init__(self, *, most: Annotated[int, Field(ge=1)] = 8, end: EndSettings | None = None) -> None:
        """`most` is how many lines a character is told with one message; `end` says how likely a participant must be.

        More news than that is told with the next messages: core counts as told what stands before the first line left.
        """
        self.most = most
        self.end = end or EndSettings()

    async def propose(self, event: WorldAgentEvent) -> WorldAnswer:
        """Knowledge for everybody who will take part, narrators aside: they tell the news."""
        knowledge = {}
        for id in self._participants(event.moment, event.presence):
            if lines := tuple(_lines((await event.world.news(id))[: self.most])):
                knowledge[id] = lines
        return WorldAnswer(knowledge=knowledge)

    def _participants(self, moment: Moment, presence: Presence) -> Iterator[str]:
        """Whom the host names as present; without its word, whoever may come to take part."""
        certain = moment.message.present
        likely = (id for id, who in presence.characters.items() if self._may_take_part(who.probability))
        for id in dict.fromkeys((moment.message.speaker, *(likely if certain is None else certain))):
            if id in moment.cast and moment.cast[id].kind != "narrator":
                yield id

    def _may_take_part(self, probability: float) -> bool:
        return probability >= self.end.enough or self.end.asks(probability)


def _lines(news: Iterable[Delivery]) -> Iterator[Knowledge]:
    """One line each, as it stands in the world container, citing the memory it rests on."""
    for delivery in news:
        yield Knowledge(text=" ".join(delivery.body.splitlines()), cites=(delivery.memory_id,))
