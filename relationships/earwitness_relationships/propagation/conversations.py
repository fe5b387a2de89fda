"""`story.close_conversation(channel)`: rules with `when: conversation` tell one summary of what was said there.

The teller notes the summary, and tells it. Whoever is told tells it on, each hop on its day, by the rules and relations
that are known when the conversation is closed; where a listener may be told of a part of it alone, the teller notes and
tells that part. Calling it again says nothing twice: it goes on with what was broken off, and tells anew what was
edited or retracted in part since, as it now reads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from earwitness import Channel, Earwitness, Outcome, Record, Session, SettledMessage
from earwitness.sentences import sentences

from ..compiled.adjacency import Adjacency
from ..model import RelationshipsModel
from ..pantheons.desk import model_of
from .closings import Closing, digest, to_close, version_of
from .personalities import Personalities
from .records import Telling
from .retell import summary
from .seeds import seed_of_settled
from .walk import Walk

CONVERSATIONS = "conversations"
"""The name under which it is noted how far conversations were closed."""
NOTE = "summary"
"""The type of the memory."""
ROOM = 400
"""Characters of a summary."""


class ClosedConversation(Record):
    """What closing a conversation told."""

    channel: str | None
    """Id of the channel; `None` = the unnamed one."""
    messages: tuple[str, ...] = ()
    """Keys of the messages that it told of: those since it was last closed, and those that it told anew."""
    told: dict[str, str] = {}
    """Character id → the summary that was told to them."""


@dataclass(frozen=True)
class Talk:
    """What one character tells another of a conversation."""

    telling: Telling
    """The first telling of it."""
    keys: tuple[str, ...] = ()
    """Keys of the messages that it is about."""


@dataclass(frozen=True)
class Held:
    """A summary that a character can tell."""

    memory: str
    """Id of the memory."""
    text: str
    """What it says."""
    lines: Mapping[str, str]
    """Keys of the messages that it is about → what it says of each; empty if it says nothing of it."""
    day: float
    """The first game day on which the character knows it."""


class Conversations:
    """Closes the conversations of a story."""

    def __init__(self, story: Session, ew: Earwitness) -> None:
        """Raises `InputError` without the settings table `[relationships]`."""
        self._story = story
        self._model: RelationshipsModel = model_of(ew)

    async def __call__(self, channel: Channel | str | None = None) -> ClosedConversation:
        """Tell what was said in a channel since it was last closed, to whom rules name.

        A channel is one by its context, id and guild, and a direct message by its persona, too. An id alone (`None` =
        the unnamed channel) will do as long as it is that of one channel. Raises `InputError` if there is something to
        tell of several, and `StorageError`.
        """
        await self._model.open()
        id = channel.channel_id if isinstance(channel, Channel) else channel
        told = ClosedConversation(channel=id)
        for last, closing in to_close(channel, await self._said(id), self._noted()):
            told = await self._close(closing, last, told)
        return told

    def _noted(self) -> list[Mapping[str, Any]]:
        return [each for each in self._story.state.facts_of(CONVERSATIONS) if isinstance(each, dict)]

    async def _said(self, id: str | None) -> Sequence[SettledMessage]:
        found = await self._story.messages(channel_id=id, retracted=True)
        return [each.as_tellable() for each in found if each.message.channel.channel_id == id]

    async def _close(self, closing: Closing, last: str, before: ClosedConversation) -> ClosedConversation:
        """Note which messages are told of, tell them, and note that. Whatever breaks off is gone on with."""
        if closing.is_new:
            await self._story.change(facts={CONVERSATIONS: [closing.fact(last, told=False)]}, key=f"closing-{last}")
        picture = await self._model.picture(self._story.id, self._story.state)
        people = Personalities(self._story.cast)
        talks = self._talks(self._model.adjacency(picture), closing.messages, people)
        told = await self._tell(talks, {each.key: each for each in closing.messages}, people)
        await self._story.change(facts={CONVERSATIONS: [closing.fact(last, told=True)]})
        texts = {who: f"{before.told[who]}\n{text}" if who in before.told else text for who, text in told.items()}
        messages = (*before.messages, *(each.key for each in closing.messages))
        return before.model_copy(update={"messages": messages, "told": {**before.told, **texts}})

    def _talks(self, adjacency: Adjacency, messages: Iterable[SettledMessage], people: Personalities) -> list[Talk]:
        """Who tells whom of which messages, tellers before those whom they tell."""
        talks: dict[TalkKey, Talk] = {}
        today = self._story.state.game_day
        for message in messages:
            seed = seed_of_settled(message, self._story.state, people).model_copy(update={"day": today})
            walk = Walk(adjacency, seed, among=people.characters, when="conversation")
            walk.run()
            for each in _one_each(walk.tellings(), talks):
                known = talks.get(_pair(each), Talk(each))
                talks[_pair(each)] = Talk(known.telling, (*known.keys, message.key))
        return sorted(talks.values(), key=lambda each: (each.telling.day, each.telling.hop, *_pair(each.telling)))

    async def _tell(
        self, talks: Sequence[Talk], messages: Mapping[str, SettledMessage], people: Personalities
    ) -> dict[str, str]:
        held: dict[str, list[Held]] = {}
        told: dict[str, str] = {}
        for talk in talks:
            teller, listener = people.characters[talk.telling.teller], people.characters[talk.telling.listener]
            for each in await self._tellable(teller, talk, messages, held):
                outcome = await self._told(teller, listener, each.memory, talk.telling)
                copies = [one.memory_id for one in (await outcome.settled()).deliveries if one.owner == listener]
                day = talk.telling.day
                held.setdefault(listener, []).extend(Held(copy, each.text, each.lines, day) for copy in copies[:1])
                if outcome.created:
                    told[listener] = f"{told[listener]}\n{each.text}" if listener in told else each.text
        return told

    async def _told(self, teller: str, listener: str, memory: str, telling: Telling) -> Outcome:
        """What became of telling it, now or when this was closed before."""
        key = f"closed-told-{digest(teller, listener, memory)}"
        if await self._story.has(key):
            return await self._story.outcome(key)
        return await self._story.tell(teller, listener, memory, day=telling.day, rule=telling.rule, key=key)

    async def _tellable(
        self, teller: str, talk: Talk, messages: Mapping[str, SettledMessage], held: dict[str, list[Held]]
    ) -> Sequence[Held]:
        """What a teller tells: at second hand what they were told, without what may not be told to this listener."""
        there = held.setdefault(teller, [])
        if talk.telling.hop > 1:
            known = [each for each in there if each.day <= talk.telling.day]
            parts = [await self._part(teller, each, talk) for each in known]
            return [each for each in parts if each is not None]
        if same := [each for each in there if tuple(each.lines) == talk.keys]:
            return same[:1]
        there.append(await self._summed_up(teller, talk, messages))
        return there[-1:]

    async def _part(self, teller: str, held: Held, talk: Talk) -> Held | None:
        """The part of a summary that may be told; `None` = nothing. If that is not all of it, the teller notes it."""
        if set(held.lines) <= set(talk.keys):
            return held
        lines = {each: line for each, line in held.lines.items() if each in talk.keys}
        text = "\n".join(filter(None, lines.values()))
        if not text:
            return None
        memory = await self._remembered(teller, text, [held.memory], talk)
        return Held(memory, text, lines, held.day)

    async def _summed_up(self, teller: str, talk: Talk, messages: Mapping[str, SettledMessage]) -> Held:
        """The summary that a teller notes of what they perceived."""
        cast = self._story.cast
        heard = {each: messages[each] for each in talk.keys}
        lines = {id: f"{_name(each, cast[each.speaker].name)}: {each.heard_by(teller)}" for id, each in heard.items()}
        text = summary([*lines.values()], ROOM)
        memory = await self._remembered(teller, text, talk.keys, talk, version_of(heard.values()))
        return Held(memory, text, {id: _said_in(text, line) for id, line in lines.items()}, self._story.state.game_day)

    async def _remembered(self, teller: str, text: str, rests_on: Sequence[str], talk: Talk, version: str = "") -> str:
        """Id of the memory that a teller notes, or has noted when this was closed before."""
        key = f"closed-note-{digest(teller, text, version, *rests_on)}"
        if await self._story.has(key):
            outcome = await self._story.outcome(key)
        else:
            metadata = {"pantheonId": talk.telling.pantheon, "messageIds": list(talk.keys)}
            given = {name: value for name, value in metadata.items() if value is not None}
            outcome = await self._story.remember(teller, text, type=NOTE, rests_on=rests_on, metadata=given, key=key)
        return next(each.memory_id for each in (await outcome.settled()).deliveries)


TalkKey = tuple[str, str, bool, float]


def _pair(telling: Telling) -> TalkKey:
    """Who is told by whom, whether at first hand, and on which day.

    What somebody perceived and what they were told stay apart.
    """
    return telling.listener, telling.teller, telling.hop == 1, telling.day


def _said_in(text: str, line: str) -> str:
    """The part of a line that a summary has."""
    return line if line in text else " ".join(each for each in sentences(line) if each in text)


def _one_each(tellings: Iterable[Telling], talks: Collection[TalkKey]) -> Sequence[Telling]:
    """One telling of a message for each listener: by whoever tells them something already, else the first."""
    found: dict[str, Telling] = {}
    for each in tellings:
        first = found.setdefault(each.listener, each)
        if _pair(first) not in talks and _pair(each) in talks:
            found[each.listener] = each
    return [*found.values()]


def _name(message: SettledMessage, own: str) -> str:
    return message.disguises.get(message.speaker, own)
