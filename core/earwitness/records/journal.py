"""The journal: everything a host reports to a session, in order, before anything is decided."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue

from ..ids import derive
from .base import Record
from .channel import Channel, StandingChannel
from .character import Character
from .derived import Derivation
from .memory_types import MetaValue
from .moment import Movement
from .prose import counted, gist, joined
from .state import Day, FactsOf
from .update import Audience, Update

BEGIN = "#begin"
"""The key of a story's first entry."""


class Said(Record):
    """A message was said."""

    kind: Literal["said"] = "said"
    """The body's kind."""
    speaker: str
    """Character id."""
    speak_as: str | None = None
    """The name under which the speaker is in disguise."""
    content: str
    """The text."""
    channel: Channel = Channel()
    """Where it was said."""
    present: tuple[str, ...] | None = None
    """Ids of those who are there, if the host says so."""
    audience: tuple[str, ...] | None = None
    """Ids of those who perceive all of it, if the host says so."""
    place: str | None = None
    """Where it was said; `None` = at the current scene."""
    metadata: dict[str, JsonValue] = {}
    """The host's own notes."""
    in_turn: bool = False
    """Whether it ended a turn that began with a recall; `turn_count` counts those."""

    def __str__(self) -> str:
        speaker = self.speaker if self.speak_as is None else f"{self.speaker} (as {self.speak_as})"
        return f"{speaker}: {gist(self.content)}"


class Changed(Record):
    """The state changed, something happened in the world, or characters moved, joined or were forgotten."""

    kind: Literal["changed"] = "changed"
    """The body's kind."""
    changes: dict[str, Any] = {}
    """State keys (snake_case) and their new values."""
    moves: tuple[tuple[str, Literal["enter", "leave", "move"], str | None], ...] = ()
    """Movements that the host reports: (character id, kind, place)."""
    channels: tuple[StandingChannel, ...] = ()
    """Channels whose standing members are set; one without members has none from now on."""
    joins: tuple[Character, ...] = ()
    """Newcomers to the cast."""
    leaves_cast: tuple[str, ...] = ()
    """Ids of characters that are forgotten for good."""
    facts: FactsOf = {}
    """What packages note with this entry, such as a relationship."""
    unmasks: tuple[tuple[str, str], ...] = ()
    """Disguises that the audience sees through from now on: (character id, the name they are known under)."""
    description: str | None = None
    """The change in one sentence, if the host describes it."""
    updates: tuple[Update, ...] = ()
    """World updates in the host's own words."""
    audience: Audience = "present"
    """Who may know of the change."""
    channel: Channel | None = None
    """Where it happened; `None` = in no channel, so that it is told anywhere."""
    quiet: bool = False
    """Whether the world remembers nothing of it, as when the story begins or somebody joins."""

    def __str__(self) -> str:
        changes = [f"{key} = {value}" for key, value in self.changes.items()]
        changes += [f"{counted(len(noted), 'fact')} of {name}" for name, noted in self.facts.items()]
        moves = [str(Movement(character=id, kind=kind, place=place)) for id, kind, place in self.moves]
        moves += [f"{name} is unmasked: {id}" for id, name in self.unmasks]
        joins = [f"{each.id} joins" for each in self.joins] + [f"{id} is forgotten" for id in self.leaves_cast]
        sentences = [gist(each) for each in (self.description, *(each.description for each in self.updates)) if each]
        return "; ".join([*changes, *moves, *joins, *sentences])

    @property
    def places(self) -> tuple[str, ...]:
        """The places it names, as the host wrote them."""
        scene = self.changes.get("current_scene")
        written = (scene, *(place for _, _, place in self.moves), *(each.place for each in self.channels))
        return tuple(place for place in written if isinstance(place, str))


class Prepared(Record):
    """What was there before the story: plot, cards, dialogue, lore."""

    kind: Literal["prepared"] = "prepared"
    """The body's kind."""
    pieces: tuple[Piece, ...]
    """Each becomes one permanent memory for each of its owners."""
    originals: tuple[Original, ...] = ()
    """The files that the pieces came from, unchanged, for an export without loss."""

    def __str__(self) -> str:
        return "; ".join(map(str, (*self.pieces, *self.originals)))


class Piece(Record):
    """One piece of plot, card, dialogue or lore."""

    type: Literal["plot", "character_card", "example_dialog", "lore"]
    """Metadata `type`."""
    text: str
    """The content."""
    owners: tuple[str, ...] | None = None
    """Ids of the characters who know it; `None` = everybody, newcomers too."""
    lore_key: str | None = None
    """Metadata `loreKey`; a piece with the same type, key and owners replaces the older one."""
    words: tuple[str, ...] = ()
    """Words by which a search finds it, besides its own."""

    def __str__(self) -> str:
        key = f" {self.lore_key!r}" if self.lore_key else ""
        known = "everybody" if self.owners is None else joined(self.owners)
        return f"{self.type.replace('_', ' ')}{key}, known to {known}: {gist(self.text)}"

    @property
    def version_of(self) -> str:
        """What identifies it across versions: type, lore key and owners. Lore without a key goes by its text."""
        owners = "*" if self.owners is None else ",".join(sorted(self.owners))
        named = self.lore_key or (self.text if self.type in {"lore", "example_dialog"} else "")
        return f"#piece-{derive(self.type, named, owners)}"


class Original(Record):
    """A file that pieces came from, unchanged."""

    name: str
    """The file's name, without its folder."""
    format: str
    """What `export --format` calls it: `card`, `worldinfo`, `chat`, or an importer's own word."""
    text: str
    """The file's text, to the letter."""
    encoding: str = "utf-8"
    """`text.encode(encoding)` gives the file's bytes."""
    owner: str | None = None
    """Id of the character whose card it is."""
    keys: tuple[str, ...] | None = None
    """The key of each message, for a chat that came back to its story. `None` = its name and their numbers."""

    def __str__(self) -> str:
        whose = f" of {self.owner}" if self.owner else ""
        return f"file {self.name!r} ({self.format}{whose}, {counted(len(self.text), 'character')})"

    @property
    def version_of(self) -> str:
        """What identifies it across versions: format and character, or format and file name."""
        return f"{self.format}:{self.owner or self.name}"


class Revised(Record):
    """A message was edited or rerolled."""

    kind: Literal["revised"] = "revised"
    """The body's kind."""
    target: str
    """Key of the message."""
    content: str
    """The new text."""
    reroll: bool = False
    """Whether it is another answer rather than a correction."""
    present: tuple[str, ...] | None = None
    """Ids of those who were there, if the host says so; `None` = as it was said of the message."""
    audience: tuple[str, ...] | None = None
    """Ids of those who perceive all of the new text, if the host says so; `None` = as it was said of the message."""
    metadata: dict[str, JsonValue] = {}
    """The host's own notes on the new text, over those of the message."""

    def __str__(self) -> str:
        return f"{'another answer' if self.reroll else 'other words'} for {self.target!r}: {gist(self.content)}"


class Retracted(Record):
    """A message, update or memory was retracted."""

    kind: Literal["retracted"] = "retracted"
    """The body's kind."""
    target: str
    """Key of a message or change, or a memory id."""
    by: str = "author"
    """The backstage role that retracted it."""

    def __str__(self) -> str:
        return f"{self.target!r}, by {self.by}"


class Derived(Record):
    """A host wrote, or a plugin proposed, a memory that is not a message."""

    kind: Literal["derived"] = "derived"
    """The body's kind."""
    derivation: Derivation
    """The memory, and what it rests on."""
    day: Day | None = None
    """The game day of the message that it was proposed with; `None` = the story's current day."""

    def __str__(self) -> str:
        found = self.derivation
        return f"{found.type} for {found.owner or found.container}: {gist(found.content)}"


class Transferred(Record):
    """One character passed a memory on to another."""

    kind: Literal["transferred"] = "transferred"
    """The body's kind."""
    teller: str
    """Id of the character who tells it."""
    listener: str
    """Id of the character who is told."""
    memory: str
    """Id of one of the teller's memories, or the key of what it is about."""
    text: str | None = None
    """What is passed on, in other words; `None` = what the teller remembers."""
    day: Day | None = None
    """The game day on which it is passed on; `None` = the story's current day."""
    channel: Channel | None = None
    """Where it is passed on; `None` = where the memory was learned."""
    rule: str | None = None
    """The rule by which it is passed on, as `explain` shows it; `None` = the host says so."""
    how: Literal["shared", "witnessed"] = "shared"
    """How the listener learns it."""
    trust: float = Field(default=1.0, ge=0, le=1)
    """How far the listener believes it, from 0 to 1."""
    metadata: dict[str, MetaValue] = {}
    """Further metadata of the listener's memory, over the teller's."""

    def __str__(self) -> str:
        return f"{self.teller} tells {self.listener} of {self.memory!r}" + (f": {gist(self.text)}" if self.text else "")


class Archived(Record):
    """Memories were taken out of recall, or put back."""

    kind: Literal["archived"] = "archived"
    """The body's kind."""
    memories: tuple[str, ...]
    """Memory ids, and keys of messages and other calls, which mean all memories of them."""
    restore: bool = False
    """Whether to put archived memories back rather than take memories out."""
    dropped: str | None = None
    """Why those that the store has not taken are struck, and the others left as they are; `None` = all are archived."""
    newer: bool = False
    """Whether a newer version has taken their place: a turn before this entry still recalls them."""

    def __str__(self) -> str:
        if self.dropped is not None:
            return f"dropped, {self.dropped}: {joined(self.memories)}"
        return f"{'put back' if self.restore else 'taken out of recall'}: {joined(self.memories)}"


Body = Annotated[
    Said | Changed | Prepared | Revised | Retracted | Derived | Transferred | Archived, Field(discriminator="kind")
]


class Entry(Record):
    """One entry of the journal. It is durable once `append` has returned."""

    session: str
    """Session id."""
    sequence: int
    """1, 2, 3, … within the session."""
    key: str
    """The host's key, or `#{sequence}`."""
    body: Body
    """What the entry records."""
    timestamp: str
    """ISO 8601, UTC."""
    applied: bool = False
    """Whether everything in its plan that is due has reached the store."""

    def __str__(self) -> str:
        return f"{self.sequence}, key {self.key!r}, {self.body.kind}: {self.body}"


class NewEntry(Record):
    """An entry to append to the journal."""

    body: Body
    """What the entry records."""
    key: str | None = None
    """The host's key; `None` = make one of the sequence number."""
    timestamp: str
    """When the host reported it, ISO 8601 in UTC."""


class Appended(Record):
    """The ledger's answer to a new entry."""

    entry: Entry
    """The entry: the new one, or the one that already had this key."""
    created: bool
    """False if the key already existed."""


Prepared.model_rebuild()
