"""What importers return: the contents of a file, whatever its format."""

from __future__ import annotations

from .records.base import Record
from .records.channel import Channel
from .records.character import CharacterKind
from .records.journal import Original


class SceneLine(Record):
    """One line of a transcript."""

    speaker: str | None = None
    """Name as written; `None` is narration."""
    text: str
    """What was said or narrated."""
    key: str | None = None
    """The source's own id for it, if it has one."""
    present: tuple[str, ...] | None = None
    """Who perceives it, where the source is certain (names as written)."""
    channel: Channel | None = None
    """Where it was said; `None` for the channel of the scene."""


class Scene(Record):
    """A stretch of transcript with one roster, which `replay` can replay."""

    id: str
    """Unique within the file."""
    roster: tuple[str, ...]
    """Names as written."""
    lines: tuple[SceneLine, ...]
    """The lines in order."""
    personas: tuple[str, ...] = ()
    """Those in the roster who are personas of users."""
    channel: Channel = Channel()
    """Where its lines were said, unless a line says otherwise."""


class ImportedCharacter(Record):
    """A character that a file describes."""

    name: str
    """Display name."""
    aliases: tuple[str, ...] = ()
    """Other names."""
    kind: CharacterKind = "character"
    """`persona` for the mask of a user."""
    card: str = ""
    """Who the character is."""
    examples: tuple[str, ...] = ()
    """Example dialogues."""
    greetings: tuple[str, ...] = ()
    """First messages, the usual one first."""
    group_greetings: tuple[str, ...] = ()
    """First messages in a group."""
    tags: tuple[str, ...] = ()
    """Tags of the card; lore may name those who know it by tag."""
    file: str = ""
    """Name of the file without its ending; lore may name the character by it."""


class ImportedLore(Record):
    """A lorebook entry that has text."""

    text: str
    """The text."""
    key: str
    """Its `loreKey`: unique in the file, and the same at every import of the file."""
    words: tuple[str, ...] = ()
    """Words that find it, besides its own."""
    own: bool = False
    """Known only to the character whose file this is."""
    names: tuple[str, ...] = ()
    """Who knows it, by name or file name. An entry that is not `own` and has no names or tags is common knowledge."""
    tags: tuple[str, ...] = ()
    """Who knows it, by tag. With names as well, both must match."""
    exclude: bool = False
    """Names and tags are those who do not know it; everybody else does."""


class Imported(Record):
    """The contents of a file. In its texts, `{{user}}` stands for the user's name, which is not known yet."""

    characters: tuple[ImportedCharacter, ...] = ()
    """The characters it describes."""
    plot: str | None = None
    """What the story is about; everybody knows it."""
    lore: tuple[ImportedLore, ...] = ()
    """Its lore. Disabled entries stay in the original."""
    scenes: tuple[Scene, ...] = ()
    """What was said, by scene."""
    originals: tuple[Original, ...] = ()
    """The file itself, if it holds more than these fields."""
    repairs: tuple[str, ...] = ()
    """What was repaired: one sentence each, with its place."""
