"""`story.close_conversation(channel)`: rules with `when: conversation` tell one summary of what was said there.

The teller notes the summary, and tells it. Whoever is told tells it on, each hop on its day, by the rules and relations
that are known when the conversation is closed; where a listener may be told of a part of it alone, the teller notes and
tells that part. Calling it again says nothing twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from earwitness import Earwitness, Record, Session, SettledMessage
from earwitness.sentences import sentences

from ..model import RelationshipsModel
from ..pantheons.desk import model_of
from .adjacency import Adjacency
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
    """Keys of the messages since it was last closed."""
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

    async def __call__(self, channel: str | None = None) -> ClosedConversation:
        """Tell what was said in a channel since it was last closed, to whom rules name. Raises `StorageError`."""
        await self._model.open()
        messages = await self._since(channel)
        if not messages:
            return ClosedConversation(channel=channel)
        picture = await self._model.picture(self._story.id, self._story.state)
        people = Personalities(self._story.cast)
        talks = self._talks(self._model.adjacency(picture), messages, people)
        last = messages[-1].key
        told = await self._tell(talks, {each.key: each for each in messages}, people, f"closed-{last}")
        await self._story.change(facts={CONVERSATIONS: [{"channel": channel, "last": last}]}, key=f"closed-{last}")
        return ClosedConversation(channel=channel, messages=tuple(each.key for each in messages), told=told)

    async def _since(self, channel: str | None) -> Sequence[SettledMessage]:
        noted = [each for each in self._story.state.facts_of(CONVERSATIONS) if isinstance(each, dict)]
        last = next((str(each["last"]) for each in reversed(noted) if each.get("channel") == channel), None)
        after = last if last is not None and await self._story.has(last) else None
        found = await self._story.messages(after=after, channel_id=channel)
        return [each for each in found if each.message.channel.channel_id == channel]

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
        self, talks: Sequence[Talk], messages: Mapping[str, SettledMessage], people: Personalities, key: str
    ) -> dict[str, str]:
        held: dict[str, list[Held]] = {}
        told: dict[str, str] = {}
        for number, talk in enumerate(talks):
            teller, listener = people.characters[talk.telling.teller], people.characters[talk.telling.listener]
            for at, each in enumerate(await self._tellable(teller, talk, messages, held, f"{key}-{number}-note")):
                own_key = f"{key}-{number}-told" if at == 0 else f"{key}-{number}-told-{at}"
                outcome = await self._story.tell(teller, listener, each.memory, day=talk.telling.day, key=own_key)
                copies = [one.memory_id for one in (await outcome.settled()).deliveries if one.owner == listener]
                day = talk.telling.day
                held.setdefault(listener, []).extend(Held(copy, each.text, each.lines, day) for copy in copies[:1])
                told[listener] = f"{told[listener]}\n{each.text}" if listener in told else each.text
        return told

    async def _tellable(
        self, teller: str, talk: Talk, messages: Mapping[str, SettledMessage], held: dict[str, list[Held]], key: str
    ) -> Sequence[Held]:
        """What a teller tells: at second hand what they were told, without what may not be told to this listener."""
        there = held.setdefault(teller, [])
        if talk.telling.hop > 1:
            known = [each for each in there if each.day <= talk.telling.day]
            parts = [await self._part(teller, each, talk, f"{key}-{at}") for at, each in enumerate(known)]
            return [each for each in parts if each is not None]
        if same := [each for each in there if tuple(each.lines) == talk.keys]:
            return same[:1]
        there.append(await self._noted(teller, talk, messages, key))
        return there[-1:]

    async def _part(self, teller: str, held: Held, talk: Talk, key: str) -> Held | None:
        """The part of a summary that may be told; `None` = nothing. If that is not all of it, the teller notes it."""
        if set(held.lines) <= set(talk.keys):
            return held
        lines = {each: line for each, line in held.lines.items() if each in talk.keys}
        text = "\n".join(filter(None, lines.values()))
        if not text:
            return None
        memory = await self._remembered(teller, text, [held.memory], talk, key)
        return Held(memory, text, lines, held.day)

    async def _noted(self, teller: str, talk: Talk, messages: Mapping[str, SettledMessage], key: str) -> Held:
        """The summary that a teller notes of what they perceived."""
        cast = self._story.cast
        heard = {each: messages[each] for each in talk.keys}
        lines = {id: f"{_name(each, cast[each.speaker].name)}: {each.heard_by(teller)}" for id, each in heard.items()}
        text = summary([*lines.values()], ROOM)
        memory = await self._remembered(teller, text, talk.keys, talk, key)
        return Held(memory, text, {id: _said_in(text, line) for id, line in lines.items()}, self._story.state.game_day)

    async def _remembered(self, teller: str, text: str, rests_on: Sequence[str], talk: Talk, key: str) -> str:
        """Id of the memory that a teller notes."""
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
