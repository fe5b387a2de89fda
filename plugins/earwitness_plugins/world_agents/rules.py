"""The default World Agent: tells each participant what has happened in the world since they were last told."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Annotated

from pydantic import Field

from earwitness.events import WorldAgentEvent, WorldAnswer
from earwitness.formats import update_line
from earwitness.loading.end_settings import EndSettings
from earwitness.records.message import Message
from earwitness.records.moment import Moment, Presence
from earwitness.records.plan import Delivery
from earwitness.records.update import Knowledge, Update
from earwitness.shared_values import chosen, without
from earwitness.slices import Pace

from ..detectors.text import THREAD_FROM
from ..detectors.text.known_casts import KnownCasts
from ..detectors.text.names import Names
from .action_updates import is_done_to, item_updates, nouns, owns, sentence
from .actions import Action, actions, may_tell_actions

Deeds = tuple[Message, tuple[Action, ...]]
"""A message and what it tells that was done."""
REMEMBERED = 1_024
"""Messages whose actions are kept at hand."""


class RulesWorldAgent:
    """World knowledge by rule, without a model.

    Every participant is told, once and oldest first, the updates they may know, and what the messages they perceived
    did to them, to what they own or to what is sought. What the text plainly tells of things that are picked up,
    handed over or lost becomes an update. Who took part is left to the detector's presence.
    """

    def __init__(self, *, most: Annotated[int, Field(ge=1)] = 8, end: EndSettings | None = None) -> None:
        """`most` is how many lines a character is told with one message; `end` says how likely a participant must be.

        More news than that waits for the next messages: core counts as told what comes before the first line left over.
        """
        self.most = most
        self.end = end or EndSettings()
        self._may_tell = lru_cache(maxsize=REMEMBERED)(may_tell_actions)
        self._actions = lru_cache(maxsize=REMEMBERED)(actions)
        self._known = KnownCasts(Names)

    async def propose(self, event: WorldAgentEvent) -> WorldAnswer:
        """Knowledge for everybody who will take part, narrators aside: they tell the news. Updates of what was done."""
        participants = self._participants(event.moment, event.presence)
        await self._read_long(event.moment)
        recent = self._read_recent(event.moment)
        knowledge, pace = {}, Pace()
        for id in participants if recent else await event.world.with_news(participants):
            deeds = await self._deeds(event, id, recent) if recent else []
            news = (await event.world.news(id))[: max(0, self.most - len(deeds))]
            if deeds or news:
                knowledge[id] = _in_order(deeds[: self.most], news)
            await pace.kept()
        return WorldAnswer(knowledge=knowledge, updates=self._updates(event, participants))

    def _participants(self, moment: Moment, presence: Presence) -> tuple[str, ...]:
        """Whom the host says perceive it; without its word, whoever may come to take part."""
        message, cast, narrators = moment.message, moment.cast.by_id, moment.cast.narrators
        named = self._likely(presence) if message.audience is None else message.audience
        asked = dict.fromkeys((message.speaker, *named))
        return tuple(without(filter(cast.__contains__, asked), narrators))

    def _likely(self, presence: Presence) -> list[str]:
        """Whoever may come to take part. Of thousands, much the same is believed."""
        believed = presence.characters
        return chosen(believed, believed.values(), lambda who: self._may_take_part(who.probability))

    def _may_take_part(self, probability: float) -> bool:
        return probability >= self.end.enough or self.end.asks(probability)

    def _updates(self, event: WorldAgentEvent, participants: Collection[str]) -> tuple[Update, ...]:
        """What the message itself plainly tells of things, where those it names are there."""
        done = self._read(event.moment.message, event.moment)
        return tuple(item_updates(done, event.moment, event.presence, participants)) if done else ()

    async def _read_long(self, moment: Moment) -> None:
        """Read long messages on a thread; what they tell is kept at hand."""
        if sum([len(each.content) for each in (moment.message, *moment.recent)]) >= THREAD_FROM:
            await asyncio.to_thread(lambda: [self._read(each, moment) for each in (*moment.recent, moment.message)])

    def _read_recent(self, moment: Moment) -> list[Deeds]:
        """The messages before this one that tell of deeds; of what becomes of things, updates tell."""
        telling = [message for message in moment.recent if self._may_tell(message.content)]
        read = ((message, self._read(message, moment)) for message in telling)
        deeds = ((message, tuple(each for each in done if each.effect == "deed")) for message, done in read)
        return [(message, done) for message, done in deeds if done]

    def _read(self, message: Message, moment: Moment) -> tuple[Action, ...]:
        cast = moment.cast_at(message)
        if not self._may_tell(message.content) or message.speaker not in cast:
            return ()
        speaker, names = cast[message.speaker], self._known.of(cast.members)
        return self._actions(message.content, speaker, names, nouns(moment.state.quest))

    async def _deeds(self, event: WorldAgentEvent, id: str, recent: Sequence[Deeds]) -> list[tuple[int, Knowledge]]:
        """What the messages did to this character or theirs, of those perceived and not mentioned to them since."""
        copies = await event.world.messages(id, [message for message, _ in recent])
        ids = {copy.source: copy.memory_id for copy in copies}
        return [
            (message.sequence, Knowledge(text=_line(action, message, event.moment), cites=(ids[message.key],)))
            for message, done in recent
            if message.key in ids
            for action in done
            if await self._concerns(event, id, action)
        ]

    async def _concerns(self, event: WorldAgentEvent, id: str, action: Action) -> bool:
        if is_done_to(action, id, nouns(event.state.quest)):
            return True
        if action.actor == id or action.thing is None or action.thing.owner is not None:
            return False
        return owns(id, action.thing, await event.world.updates(id))


def _line(action: Action, message: Message, moment: Moment) -> str:
    """What was done, under the names that were worn then: disguises may have changed since."""
    return update_line(sentence(action, moment.cast_at(message)), message.game_day)


def _in_order(deeds: Sequence[tuple[int, Knowledge]], news: Sequence[Delivery]) -> tuple[Knowledge, ...]:
    """Deeds and news, oldest first; news stand as in the world container, one line each."""
    lines = [
        (each.sequence, Knowledge(text=" ".join(each.body.splitlines()), cites=(each.memory_id,))) for each in news
    ]
    return tuple(line for _, line in sorted([*deeds, *lines], key=lambda each: each[0]))
