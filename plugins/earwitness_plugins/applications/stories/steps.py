"""The steps of a story file."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, InstanceOf, SerializeAsAny, field_validator, model_validator

from earwitness.records import update
from earwitness.records.base import Record
from earwitness.records.channel import STRICTNESS, Channel, Context
from earwitness.story_steps import PackageStep

from .members import SomeText, StoryMember, StoryPreparation


def _one_or_more(given: object) -> object:
    """A single id stands for a list of one."""
    return [given] if isinstance(given, str) and given not in {"present", "public"} else given


AudienceField = Annotated[update.Audience, BeforeValidator(_one_or_more)]


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

    def channel_given(self) -> Channel | None:
        """The channel, if the step names one."""
        return self.where() if self.model_fields_set & {"context", "channel", "guild", "persona"} else None

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
    channel: StepInChannel | None = None
    """Where it happened: `channel: {context: dm, channel: "1042"}`. State keys of one's own may be called `guild`."""

    @field_validator("changes")
    @classmethod
    def _not_nothing(cls, changes: dict[str, Any]) -> dict[str, Any]:
        if not changes:
            raise ValueError("nothing changes. Name a state key, as in game_day: 6.")
        if isinstance(context := changes.get("context"), str) and context in STRICTNESS:
            raise ValueError(f"a change names its channel so: channel: {{context: {context}}}.")
        return changes


class UpdateStep(StepInChannel):
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
    characters: Annotated[tuple[str, ...], BeforeValidator(_one_or_more), Field(min_length=1)]
    """Character ids."""
    to: SomeText | None = None
    """The place they leave for. Default: nobody knows."""

    @model_validator(mode="after")
    def _nobody_enters_to(self) -> EnterLeaveStep:
        if self.to is not None and self.kind == "enter":
            raise ValueError("whoever enters comes to the current scene. Leave `to` out, or use move.")
        return self


class JoinStep(Record):
    """Somebody joins the cast: `join: mira`, or `join: [{id: mira, name: Mira the Tall}, tom]`."""

    kind: Literal["join"] = "join"
    """Kind of step."""
    members: Annotated[tuple[StoryMember, ...], Field(min_length=1)]
    """The newcomers: ids, or as in `cast`. They know nothing from before but common knowledge."""


class ForgetStep(Record):
    """A character leaves the cast for good, and what they remember goes: `forget: charlie`."""

    kind: Literal["forget"] = "forget"
    """Kind of step."""
    character: str
    """Character id."""


class PrepareStep(StoryPreparation):
    """What counts as known before the story, from now on: `prepare: {lore: [{text: The harbour is frozen.}]}`."""

    kind: Literal["prepare"] = "prepare"
    """Kind of step."""

    @model_validator(mode="after")
    def _not_nothing(self) -> PrepareStep:
        if not (self.plot or self.cards or self.examples or self.lore):
            raise ValueError("nothing is prepared. Give plot, cards, examples or lore.")
        return self


class MoveStep(Record):
    """Somebody goes to another place: `move: {character: bob, place: cellar}`."""

    kind: Literal["move"] = "move"
    """Kind of step."""
    character: str
    """Character id."""
    place: SomeText
    """The new place."""


class UnmaskStep(StepInChannel):
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
    present: tuple[str, ...] | None = None
    """Ids of those who were there, if that was wrong, too."""
    audience: tuple[str, ...] | None = None
    """Ids of those who perceive all of it, if that was wrong, too."""


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


class ArchiveStep(Record):
    """Memories are taken out of recall, or put back: `archive: promise`, `restore: promise`."""

    kind: Literal["archive", "restore"]
    """Kind of step."""
    keys: Annotated[tuple[str, ...], BeforeValidator(_one_or_more), Field(min_length=1)]
    """Keys of earlier messages, or of what somebody `remember`s: everybody's memories of them."""


class TellStep(StepInChannel):
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


class RememberStep(StepInChannel):
    """A memory that is not a message: `remember: {character: bob, text: He never trusted her, rests_on: [promise]}`."""

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
MemoryStep = TellStep | RememberStep | ArchiveStep
"""Steps about single memories."""
CastStep = JoinStep | ForgetStep | PrepareStep
"""Steps about who is in the cast, and what is known from before."""
ShownStep = RecallStep | WhoKnowsStep | NoteStep
"""Steps that change nothing."""
StoryStep = Annotated[
    MessageStep | StateStep | MemoryStep | CastStep | AddedStep | UnmaskStep | RetractStep | ShownStep,
    Field(discriminator="kind"),
]
