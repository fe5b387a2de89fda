"""The journal: everything the host told a session, in order, before anything is decided."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue

from ..ids import derive
from .base import Record
from .channel import Channel
from .character import Character
from .derived import Derivation
from .state import Day
from .update import Audience, Update


class Said(Record):
    """A message was said."""

    kind: Literal["said"] = "said"
    """The body's kind."""
    speaker: str
    """Character id."""
    content: str
    """The text."""
    channel: Channel = Channel()
    """Where it was said."""
    present: tuple[str, ...] | None = None
    """The host's word on who perceives it."""
    metadata: dict[str, JsonValue] = {}
    """The host's own notes."""
    in_turn: bool = False
    """Ended a turn that began with a recall; counted in `turn_count`."""


class Changed(Record):
    """The state changed, updates were told, or people joined."""

    kind: Literal["changed"] = "changed"
    """The body's kind."""
    changes: dict[str, Any] = {}
    """State keys (snake_case) and their new values."""
    moves: tuple[tuple[str, Literal["enter", "leave", "move"], str | None], ...] = ()
    """The host's word on movements: (character id, kind, place)."""
    joins: tuple[Character, ...] = ()
    """Newcomers to the cast."""
    leaves_cast: tuple[str, ...] = ()
    """Ids of characters forgotten for good."""
    description: str | None = None
    """The change in one sentence, when the host wants to word it."""
    updates: tuple[Update, ...] = ()
    """World updates the host tells in so many words."""
    audience: Audience = "present"
    """Who may know of the change."""
    quiet: bool = False
    """Tell the world nothing: how the story begins, or who joins it."""


class Prepared(Record):
    """What was there before the story: plot, cards, dialogue, lore."""

    kind: Literal["prepared"] = "prepared"
    """The body's kind."""
    pieces: tuple[Piece, ...]
    """Each becomes one permanent memory per owner."""
    originals: tuple[Original, ...] = ()
    """The files the pieces came from, untouched, for an export without loss."""


class Piece(Record):
    """One piece of what was there before the story."""

    type: Literal["plot", "character_card", "example_dialog", "lore"]
    """Metadata `type`."""
    text: str
    """The content."""
    owners: tuple[str, ...] | None = None
    """Ids of the characters who hold it; `None` = common knowledge, newcomers too."""
    lore_key: str | None = None
    """Metadata `loreKey`; a piece with the same type, key and owners replaces the older one."""
    words: tuple[str, ...] = ()
    """Words that find the entry besides its own text."""

    @property
    def version_of(self) -> str:
        """What it is a version of: same type, lore key and owners; without a lore key, lore is known by its text."""
        owners = "*" if self.owners is None else ",".join(sorted(self.owners))
        named = self.lore_key or (self.text if self.type in {"lore", "example_dialog"} else "")
        return f"#piece-{derive(self.type, named, owners)}"


class Original(Record):
    """A file that pieces came from, as it was."""

    name: str
    """Its name, without its folder."""
    format: str
    """What `export --format` calls it: `card`, `worldinfo`, `chat`, or an importer's own word."""
    text: str
    """Its text, to the letter."""
    encoding: str = "utf-8"
    """`text.encode(encoding)` gives its bytes."""
    owner: str | None = None
    """Whose card it is (character id)."""

    @property
    def version_of(self) -> str:
        """What it is a version of: the same character's card, or a file of the same name."""
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
    """A new answer in place of the old, not a correction."""
    present: tuple[str, ...] | None = None
    """The host's word on who perceives it."""


class Retracted(Record):
    """A message, update or memory was taken back."""

    kind: Literal["retracted"] = "retracted"
    """The body's kind."""
    target: str
    """Key of a message or change, or a memory id."""
    by: str = "author"
    """Backstage role that did it."""


class Derived(Record):
    """A memory that is no message was written by hand, or proposed by a plugin."""

    kind: Literal["derived"] = "derived"
    """The body's kind."""
    derivation: Derivation
    """The memory, and what it rests on."""


class Transferred(Record):
    """A character told another what she remembers."""

    kind: Literal["transferred"] = "transferred"
    """The body's kind."""
    teller: str
    """Id of the character who tells it."""
    listener: str
    """Id of the character who is told."""
    memory: str
    """Id of one of the teller's memories, or the key of what it is about."""
    text: str | None = None
    """What is told, in words of its own; `None` = what the teller remembers."""
    day: Day | None = None
    """The game day it is told on; `None` = the day the story is at."""


class Archived(Record):
    """Memories were taken out of recall, or put back."""

    kind: Literal["archived"] = "archived"
    """The body's kind."""
    memories: tuple[str, ...]
    """Memory ids."""
    restore: bool = False
    """Put back what was archived."""


Body = Annotated[
    Said | Changed | Prepared | Revised | Retracted | Derived | Transferred | Archived, Field(discriminator="kind")
]


class Entry(Record):
    """One line of the journal. Durable once `append` has returned."""

    session: str
    """Session id."""
    sequence: int
    """1, 2, 3, … within the session."""
    key: str
    """The host's, else `#{sequence}`."""
    body: Body
    """What was told."""
    timestamp: str
    """ISO 8601, UTC."""
    applied: bool = False
    """Everything in its plan that is due has reached the store."""


class NewEntry(Record):
    """What is to be appended to the journal."""

    body: Body
    """What was told."""
    key: str | None = None
    """The host's own; `None` for one made of the entry's number."""
    timestamp: str
    """When it was told, ISO 8601 in UTC."""


class Appended(Record):
    """The journal's answer to what was told."""

    entry: Entry
    """The entry: the new one, or the one that already had this key."""
    created: bool
    """False when the key was there already."""


Prepared.model_rebuild()
