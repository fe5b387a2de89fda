"""The contents of a story file: the cast, what was there before the story, and the steps in order."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, InstanceOf, SerializeAsAny, field_validator, model_validator

from earwitness.records import update
from earwitness.records.base import Record
from earwitness.records.channel import Channel, Context
from earwitness.records.character import Cast, Character, CharacterKind, as_cast
from earwitness.story_steps import PackageStep

SomeText = Annotated[str, Field(min_length=1)]


def _one_or_more(given: object) -> object:
    """A single id stands for a list of one."""
    return [given] if isinstance(given, str) and given not in {"present", "public"} else given


AudienceField = Annotated[update.Audience, BeforeValidator(_one_or_more)]


class StoryMember(Record):
    """A member of the cast; a bare id will do."""

    id: str
    """Id, unique in the story."""
    name: str = ""
    """Display name. Default: the id in title case."""
    aliases: tuple[str, ...] = ()
    """Other names."""
    kind: CharacterKind = "character"
    """`character`, `persona` (a user's mask) or `narrator`."""
    user_id: str | None = None
    """The user behind a persona."""
    persona_id: str | None = None
    """The user's persona behind the mask, across stories."""
    personality_id: str = ""
    """Who the character is across stories. Default: the id."""

    @model_validator(mode="before")
    @classmethod
    def _bare_id(cls, given: object) -> object:
        return {"id": given} if isinstance(given, str) else given

    def character(self) -> Character:
        """The member as a `Character`. Raises `InvalidId`."""
        return Character(**self.model_dump())


class StoryLore(Record):
    """A fact of the story's world."""

    text: SomeText
    """The fact."""
    key: str | None = None
    """Its key; an entry with the same key replaces it."""
    known_by: tuple[str, ...] | None = None
    """Ids of those who know it; `None` for everybody."""
    words: tuple[str, ...] = ()
    """Words that bring it to mind, besides its own."""


class StoryPreparation(Record):
    """What was there before the story."""

    plot: str | None = None
    """What the story is about; everybody knows it."""
    cards: dict[str, SomeText] = {}
    """Character id → who the character is; only the character knows it."""
    examples: dict[str, SomeText | tuple[SomeText, ...]] = {}
    """Character id → one example dialogue, or a list of them."""
    lore: tuple[StoryLore, ...] = ()
    """Facts of the story's world."""


# ── steps ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _id(given: object) -> object:
    """An id that YAML reads as a number, as text."""
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else given


ChannelId = Annotated[SomeText, BeforeValidator(_id)]


class StepInChannel(Record):
    """A step that happens in a channel of the host's."""

    context: Context = "private_channel"
    """A direct message, a closed or an open channel."""
    channel: ChannelId | None = None
    """The host's id of the channel."""
    guild: ChannelId | None = None
    """The host's id of the guild or server."""
    persona: ChannelId | None = None
    """The persona that a user speaks or reads under."""

    def where(self) -> Channel:
        """The channel as a record."""
        return Channel(context=self.context, channel_id=self.channel, guild_id=self.guild, persona_id=self.persona)


class SayStep(StepInChannel):
    """Somebody says or does something: `alice: "…"`, or the long form."""

    kind: Literal["say"] = "say"
    """Kind of step."""
    speaker: str
    """Character id."""
    text: SomeText
    """What is said."""
    speak_as: SomeText | None = None
    """The name under which the speaker is in disguise."""
    key: str | None = None
    """A key for the message, so that later steps can change it."""
    present: tuple[str, ...] | None = None
    """Ids of those who are there, if that is certain; whispers and thoughts stay what they are."""
    audience: tuple[str, ...] | None = None
    """Ids of those who perceive all of it, if that is certain."""
    place: SomeText | None = None
    """Where it is said. Default: the current scene, or the place of its channel."""

    @model_validator(mode="after")
    def _dm_has_no_place(self) -> SayStep:
        if self.place is not None and self.context == "dm":
            raise ValueError("a direct message has no place. Leave `place` out, or use move.")
        return self


class ChannelStep(StepInChannel):
    """Who is in a channel from now on: `channel: {channel: "1042", context: dm, members: [kim, bob]}`."""

    kind: Literal["channel"] = "channel"
    """Kind of step."""
    channel: ChannelId
    """The host's id of the channel."""
    members: tuple[str, ...]
    """Ids of those who are in it; an empty list ends that."""
    place: SomeText | None = None
    """The place at which what is said in it is said. Default: none."""

    @model_validator(mode="after")
    def _dm_has_no_place(self) -> ChannelStep:
        if self.place is not None and self.context == "dm":
            raise ValueError("a direct message has no place. Leave `place` out.")
        return self


class ChangeStep(Record):
    """The state changes: `change: {game_day: 6, current_scene: cellar}`."""

    kind: Literal["change"] = "change"
    """Kind of step."""
    changes: dict[str, Any]
    """State keys and their new values."""
    description: SomeText | None = None
    """The change in one sentence. Default: what plugins say about it."""
    audience: AudienceField = "present"
    """Who may know: `present`, `public`, or ids."""

    @field_validator("changes")
    @classmethod
    def _not_nothing(cls, changes: dict[str, Any]) -> dict[str, Any]:
        if not changes:
            raise ValueError("nothing changes. Name a state key, as in game_day: 6.")
        return changes


class UpdateStep(Record):
    """Something happens: `update: {text: Alice found a key, character: alice}`."""

    kind: Literal["update"] = "update"
    """Kind of step."""
    text: SomeText
    """What happened, in one sentence."""
    character: str | None = None
    """The character it is about."""
    type: str | None = None
    """Type of the update, such as `item_acquired`."""
    audience: AudienceField = "present"
    """Who may know: `present`, `public`, or ids."""


class EnterLeaveStep(Record):
    """Somebody enters or leaves: `enter: bob`, `leave: [bob, mira]`."""

    kind: Literal["enter", "leave"]
    """Kind of step."""
    characters: Annotated[tuple[str, ...], Field(min_length=1)]
    """Character ids."""


class MoveStep(Record):
    """Somebody goes to another place: `move: {character: bob, place: cellar}`."""

    kind: Literal["move"] = "move"
    """Kind of step."""
    character: str
    """Character id."""
    place: SomeText
    """The new place."""


class UnmaskStep(Record):
    """It is revealed who is behind a name: `unmask: count`, or `unmask: {character: count, audience: [bob]}`."""

    kind: Literal["unmask"] = "unmask"
    """Kind of step."""
    character: str
    """Id of the character in disguise."""
    name: SomeText | None = None
    """The name they spoke under. Default: the last one."""
    audience: AudienceField = "present"
    """Who learns it: `present`, `public`, or ids."""
    text: SomeText | None = None
    """What they learn, in one sentence. Default: `NAME is CHARACTER`."""


class RecallStep(StepInChannel):
    """A character remembers: `recall: bob`."""

    kind: Literal["recall"] = "recall"
    """Kind of step."""
    character: str
    """Character id."""
    query: SomeText | None = None
    """What is asked. Default: what the recent messages bring to mind."""
    show: Annotated[int, Field(strict=True, ge=1)] = 3
    """Largest number of memories to show."""


class WhoKnowsStep(Record):
    """Who knows about this, and how: `who_knows: "…"`."""

    kind: Literal["who_knows"] = "who_knows"
    """Kind of step."""
    text: SomeText
    """What they may know about."""


class EditStep(Record):
    """A message is corrected: `edit: {key: promise, text: "…"}`."""

    kind: Literal["edit"] = "edit"
    """Kind of step."""
    key: str
    """The key of an earlier message."""
    text: SomeText
    """The new text."""


class RerollStep(Record):
    """The last message, or the one with a key, is replaced by another answer: `reroll: "…"`."""

    kind: Literal["reroll"] = "reroll"
    """Kind of step."""
    text: SomeText
    """The other answer."""
    key: str | None = None
    """The key of an earlier message. Default: the last one."""


class RetractStep(Record):
    """A message is retracted: `retract: promise`."""

    kind: Literal["retract"] = "retract"
    """Kind of step."""
    key: str
    """The key of an earlier message."""


class TellStep(Record):
    """Somebody passes a memory on, off stage: `tell: {teller: bob, listener: mira, memory: promise}`."""

    kind: Literal["tell"] = "tell"
    """Kind of step."""
    teller: str
    """Character id."""
    listener: str
    """Character id."""
    memory: str
    """The key of an earlier message, or of what somebody `remember`s."""
    text: SomeText | None = None
    """What is passed on, in other words. Default: what the teller remembers."""
    day: float | None = None
    """The game day on which it is passed on. Default: today."""


class RememberStep(Record):
    """A memory that is no message: `remember: {character: bob, text: He never trusted her., rests_on: [promise]}`."""

    kind: Literal["remember"] = "remember"
    """Kind of step."""
    character: str
    """Whose memory it is: a character id, or `world`."""
    text: SomeText
    """The memory."""
    type: SomeText = "note"
    """What it is: `note`, `summary`, or a word of your own."""
    rests_on: Annotated[tuple[str, ...], BeforeValidator(_one_or_more)] = ()
    """Keys of what it rests on; retracting any of them takes it away."""
    key: str | None = None
    """A key for the memory, so that later steps can name it."""


class AddedStep(Record):
    """A step that an installed package adds, such as `relate` or `bubble`."""

    kind: Literal["added"] = "added"
    """Kind of step."""
    name: str
    """The name of the step."""
    step: SerializeAsAny[InstanceOf[PackageStep]]
    """What it takes."""


class NoteStep(Record):
    """A note for the audience; no character hears it: `note: "…"`."""

    kind: Literal["note"] = "note"
    """Kind of step."""
    text: SomeText
    """The note."""


MessageStep = SayStep | EditStep | RerollStep
"""Steps that tell a message, or a new text for one."""
StateStep = ChangeStep | UpdateStep | EnterLeaveStep | MoveStep | ChannelStep
"""Steps that tell a change."""
MemoryStep = TellStep | RememberStep
"""Steps about single memories."""
StoryStep = Annotated[
    MessageStep | StateStep | MemoryStep | AddedStep | UnmaskStep | RecallStep | WhoKnowsStep | RetractStep | NoteStep,
    Field(discriminator="kind"),
]


class Story(Record):
    """A story that can be played."""

    story: str
    """The session's id."""
    title: str = ""
    """Title for the audience."""
    cast: Annotated[tuple[StoryMember, ...], Field(min_length=1)]
    """The characters."""
    state: dict[str, Any] = {}
    """The state at the beginning."""
    present: tuple[str, ...] | None = None
    """Ids of those in the first scene; `None` leaves that to the messages."""
    prepare: StoryPreparation = StoryPreparation()
    """What was there before the story."""
    steps: tuple[StoryStep, ...]
    """The steps, in order."""

    def people(self) -> Cast:
        """The cast as a record."""
        return as_cast(member.character() for member in self.cast)

    def key(self, number: int) -> str:
        """The key of a step (from 1). It is the same in every play, so that playing twice changes nothing."""
        step = self.steps[number - 1]
        return (step.key if isinstance(step, SayStep | RememberStep) else None) or f"{self.story}:{number}"
