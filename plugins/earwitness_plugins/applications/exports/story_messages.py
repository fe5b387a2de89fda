"""What a story now says: each message with all its answers and who perceived it, in the order of the story."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from earwitness.records.channel import Channel
from earwitness.records.journal import Archived, Body, Changed, Entry, Retracted, Revised, Said
from earwitness.records.message import SettledMessage
from earwitness.session import Session
from earwitness_plugins.applications.replay.replay import THERE

STAGE = ("participants", "current_scene")
"""State keys that say who can be there."""


@dataclass(slots=True)
class StoryMessage:
    """One message, as it was said and as it was changed since."""

    key: str
    """Its key."""
    speaker: str
    """Character id."""
    timestamp: str
    """When it was reported, ISO 8601 in UTC."""
    first: str
    """Its text as it was said first."""
    retracted: bool = False
    """Whether it was retracted."""
    speak_as: str | None = None
    """The name under which the speaker was in disguise."""
    channel: Channel = field(default_factory=Channel)
    """Where it was said."""
    present: tuple[str, ...] | None = None
    """Ids of those who are there, if the host says so."""
    by_host: bool = False
    """Whether the host says who is there, or who perceives it."""
    perceived_by: tuple[str, ...] = ()
    """Ids of those who perceived any of it, besides the speaker."""
    whole: bool = True
    """Whether all of them perceived all of it."""
    off_stage: bool = False
    """Whether the host said before it who comes, goes or is where. No chat says that."""
    moves: bool = False
    """Of a message that no chat may tell as it was: whether somebody came or went in it."""
    forgotten_by: tuple[str, ...] = ()
    """Ids of those who perceived it, and whose own memory of it was taken away, or kept from them by a guard."""
    left_out: bool = False
    """Whether it is left out of the chat."""
    revisions: list[Revised] = field(default_factory=list)
    """Edits and rerolls that changed the text, in order."""

    @property
    def is_gone(self) -> bool:
        """Whether no chat has it."""
        return self.retracted or self.left_out

    @property
    def now(self) -> str:
        """Its text as it now reads."""
        return self.revisions[-1].content if self.revisions else self.first


MessagesByKey = dict[str, StoryMessage]
"""Key → message, in the order in which they were said."""


async def story_messages(story: Session) -> MessagesByKey:
    """Key → message, in the order in which they were said."""
    settled = {each.key: each for each in await story.messages(retracted=True)}
    journal = await story.backstage(role="owner").journal()
    messages = messages_in(journal, settled)
    channels = {each.channel for each in messages.values()}
    for each in messages.values():
        apart = len(channels) > 1 and each.channel.context == "private_channel" and each.channel.channel_id is not None
        if each.retracted or each.revisions or apart:
            each.moves = bool((await (await story.outcome(each.key)).decided()).movements)
    if any(_takes_memories(entry.body, messages) for entry in journal):
        for id in story.cast.ids:
            _without_forgotten(messages.values(), id, {each.key for each in await story.messages(heard_by=id)})
    return messages


def _takes_memories(body: Body, messages: MessagesByKey) -> bool:
    """Whether it takes single memories away, and not a whole message."""
    return isinstance(body, Archived) or (isinstance(body, Retracted) and body.target not in messages)


def _without_forgotten(messages: Iterable[StoryMessage], id: str, remembered: Collection[str]) -> None:
    for each in messages:
        if id in each.perceived_by and each.key not in remembered:
            each.forgotten_by += (id,)
            each.perceived_by = tuple(other for other in each.perceived_by if other != id)


def messages_in(journal: Iterable[Entry], settled: Mapping[str, SettledMessage]) -> MessagesByKey:
    """The messages of a journal. `settled` are the same messages by key, as they were decided. Pure."""
    messages: MessagesByKey = {}
    now: dict[str, str] = {}
    off_stage = False
    for entry in journal:
        match entry.body:
            case Said(content=content) as body if entry.key in settled:
                messages[entry.key] = _story_message(entry, body, settled[entry.key], off_stage)
                now[entry.key] = content
            case Revised(target=key) as body if key in messages:
                if body.reroll or body.content != now[key]:  # else only a name in it was filled in anew
                    messages[key].revisions.append(body)
                messages[key].by_host |= body.present is not None or body.audience is not None
                messages[key].present = messages[key].present if body.present is None else body.present
                now[key] = body.content
            case Changed() as body if messages and _moves(body) and not entry.key.endswith(f":{THERE}"):
                off_stage = True
            case _:
                pass
    return messages


def _story_message(entry: Entry, body: Said, settled: SettledMessage, off_stage: bool) -> StoryMessage:
    others = [id for id in settled.participants if id != body.speaker]
    heard = tuple(id for id in others if settled.heard.get(id) != "")
    return StoryMessage(
        key=entry.key,
        speaker=body.speaker,
        timestamp=entry.timestamp,
        first=body.content,
        retracted=settled.retracted,
        speak_as=body.speak_as,
        channel=body.channel,
        present=body.present,
        by_host=body.present is not None or body.audience is not None,
        perceived_by=heard,
        whole=not any(id in settled.heard for id in (body.speaker, *heard)),
        forgotten_by=tuple(id for id in others if id not in heard),
        off_stage=off_stage,
    )


def _moves(body: Changed) -> bool:
    return bool(body.moves or body.channels or body.leaves_cast or any(key in body.changes for key in STAGE))
