"""What a story file says: the cast, what was there before, and the steps, in order."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from earwitness.records import update
from earwitness.records.base import Record
from earwitness.records.channel import Channel, Context
from earwitness.records.character import Cast, Character, Kind, as_cast

Text = Annotated[str, Field(min_length=1)]


def _one_or_more(given: object) -> object:
    """A single id stands for a list of one."""
    return [given] if isinstance(given, str) and given not in {"present", "public"} else given


AudienceField = Annotated[update.Audience, BeforeValidator(_one_or_more)]


class StoryMember(Record):
    """A member of the cast; a bare id will do."""

    id: str
    """Unique in the story."""
    name: str = ""
    """Display name. Default: the id in title case."""
    aliases: tuple[str, ...] = ()
    """Other names."""
    kind: Kind = "character"
    """`character`, `persona` (a user's mask) or `narrator`."""
    user_id: str | None = None
    """The user behind a persona."""

    @model_validator(mode="before")
    @classmethod
    def _bare_id(cls, given: object) -> object:
        return {"id": given} if isinstance(given, str) else given

    def character(self) -> Character:
        """As core knows it. Raises pydantic's `ValidationError` for an unusable id."""
        return Character(self.id, name=self.name, aliases=self.aliases, kind=self.kind, user_id=self.user_id)


class StoryLore(Record):
    """Something that is so, whether or not anybody has said it yet."""

    text: Text
    """What is so."""
    key: str | None = None
    """Its name: an entry with the same one replaces it."""
    known_by: tuple[str, ...] | None = None
    """Ids of those who know; `None` = everybody."""
    words: tuple[str, ...] = ()
    """Words that bring it to mind besides its own."""


class StoryPreparation(Record):
    """What was there before the story."""

    plot: str | None = None
    """What it is about, known to all."""
    cards: dict[str, Text] = {}
    """Character id → who this is, known to that character alone."""
    examples: dict[str, Text | tuple[Text, ...]] = {}
    """Character id → how this character speaks: a dialogue, or a list of them."""
    lore: tuple[StoryLore, ...] = ()
    """What is so in this world."""


# ── steps ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _id(given: object) -> object:
    """An id that YAML reads as a number is meant as it is written."""
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else given


ChannelId = Annotated[Text, BeforeValidator(_id)]


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
        """The channel as core knows it."""
        return Channel(context=self.context, channel_id=self.channel, guild_id=self.guild, persona_id=self.persona)


class SayStep(StepInChannel):
    """Somebody says or does something: `alice: "…"`, or the long form."""

    kind: Literal["say"] = "say"
    """The step's kind."""
    speaker: str
    """Character id."""
    text: Text
    """What is said."""
    key: str | None = None
    """A name for the message, so that later steps can change it."""
    present: tuple[str, ...] | None = None
    """Who perceives it, if the story says so for certain."""


class ChangeStep(Record):
    """The state changes: `change: {game_day: 6, current_scene: cellar}`."""

    kind: Literal["change"] = "change"
    """The step's kind."""
    changes: dict[str, Any]
    """State keys and their new values."""
    description: Text | None = None
    """The change in one sentence. Default: what the plugins make of it."""
    audience: AudienceField = "present"
    """Who may know: `present`, `public`, or ids."""

    @field_validator("changes")
    @classmethod
    def _not_nothing(cls, changes: dict[str, Any]) -> dict[str, Any]:
        if not changes:
            raise ValueError("nothing changes. Name a state key, as in game_day: 6.")
        return changes


class UpdateStep(Record):
    """The world tells an update: `update: {text: Alice found a key, character: alice}`."""

    kind: Literal["update"] = "update"
    """The step's kind."""
    text: Text
    """What happened, in one sentence."""
    character: str | None = None
    """Whom it is about."""
    type: str | None = None
    """Such as `item_acquired`."""
    audience: AudienceField = "present"
    """Who may know: `present`, `public`, or ids."""


class EnterLeaveStep(Record):
    """Somebody enters or leaves: `enter: bob`, `leave: [bob, mira]`."""

    kind: Literal["enter", "leave"]
    """The step's kind."""
    characters: Annotated[tuple[str, ...], Field(min_length=1)]
    """Character ids."""


class MoveStep(Record):
    """Somebody goes to another place: `move: {character: bob, place: cellar}`."""

    kind: Literal["move"] = "move"
    """The step's kind."""
    character: str
    """Character id."""
    place: Text
    """Where to."""


class RecallStep(StepInChannel):
    """A character remembers: `recall: bob`."""

    kind: Literal["recall"] = "recall"
    """The step's kind."""
    character: str
    """Character id."""
    query: Text | None = None
    """What is asked. Default: what the recent messages bring to mind."""
    show: Annotated[int, Field(strict=True, ge=1)] = 3
    """How many memories are shown at most."""


class WhoKnowsStep(Record):
    """Who knows of this, and how: `who_knows: "…"`."""

    kind: Literal["who_knows"] = "who_knows"
    """The step's kind."""
    text: Text
    """What they may know of."""


class EditStep(Record):
    """A message is corrected: `edit: {key: promise, text: "…"}`."""

    kind: Literal["edit"] = "edit"
    """The step's kind."""
    key: str
    """The name of an earlier message."""
    text: Text
    """What it says now."""


class RerollStep(Record):
    """The last message, or a named one, is said anew: `reroll: "…"`."""

    kind: Literal["reroll"] = "reroll"
    """The step's kind."""
    text: Text
    """What is said in its place."""
    key: str | None = None
    """The name of an earlier message. Default: the last one."""


class RetractStep(Record):
    """A message is taken back: `retract: promise`."""

    kind: Literal["retract"] = "retract"
    """The step's kind."""
    key: str
    """The name of an earlier message."""


class NoteStep(Record):
    """A word to whoever watches; nobody in the story hears it: `note: "…"`."""

    kind: Literal["note"] = "note"
    """The step's kind."""
    text: Text
    """The word."""


MessageStep = SayStep | EditStep | RerollStep
"""Steps that tell a message, or another text of one."""
StateStep = ChangeStep | UpdateStep | EnterLeaveStep | MoveStep
"""Steps that tell a change."""
StoryStep = Annotated[
    MessageStep | StateStep | RecallStep | WhoKnowsStep | RetractStep | NoteStep, Field(discriminator="kind")
]


class Story(Record):
    """A story that can be played."""

    story: str
    """The session's id."""
    title: str = ""
    """For whoever watches."""
    cast: Annotated[tuple[StoryMember, ...], Field(min_length=1)]
    """Everybody in it."""
    state: dict[str, Any] = {}
    """What is the case at the beginning."""
    present: tuple[str, ...] | None = None
    """Ids of those in the first scene; `None` leaves it to what is said."""
    prepare: StoryPreparation = StoryPreparation()
    """What was there before."""
    steps: tuple[StoryStep, ...]
    """What happens, in order."""

    def people(self) -> Cast:
        """The cast as core knows it."""
        return as_cast(member.character() for member in self.cast)

    def key(self, number: int) -> str:
        """The key of a step (from 1): the same at every play, so that playing twice changes nothing."""
        step = self.steps[number - 1]
        return (step.key if isinstance(step, SayStep) else None) or f"{self.story}:{number}"
