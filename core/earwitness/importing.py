"""What importers answer: a file in the words of a story, whatever its format."""

from __future__ import annotations

from .records.base import Record
from .records.channel import Channel
from .records.character import Kind
from .records.journal import Original


class SceneLine(Record):
    """One line of a transcript."""

    speaker: str | None = None
    """Name as written; `None` is narration."""
    text: str
    """What was said or told."""
    key: str | None = None
    """The source's own id for it, if it has one."""
    present: tuple[str, ...] | None = None
    """Who perceives it, where the source knows for certain (names as written)."""
    channel: Channel | None = None
    """Where it was said; `None`: where the scene is."""


class Scene(Record):
    """A stretch of transcript with one roster, which `replay` plays."""

    id: str
    """Unique within the file."""
    roster: tuple[str, ...]
    """Names as written."""
    lines: tuple[SceneLine, ...]
    """In order."""
    personas: tuple[str, ...] = ()
    """Those in the roster who are users' masks."""
    channel: Channel = Channel()
    """Where it was said."""


class ImportedCharacter(Record):
    """Somebody a file describes."""

    name: str
    """Display name."""
    aliases: tuple[str, ...] = ()
    """Other names."""
    kind: Kind = "character"
    """`persona` for a user's mask."""
    card: str = ""
    """Who this is."""
    examples: tuple[str, ...] = ()
    """How they speak: one dialogue each."""
    greetings: tuple[str, ...] = ()
    """What they may open a story with, the usual one first."""
    group_greetings: tuple[str, ...] = ()
    """What they may open a story of several with."""
    tags: tuple[str, ...] = ()
    """What their card is filed under; lore may name those who know it by tag."""
    file: str = ""
    """Name of the file without its ending: lore may name them by it."""


class ImportedLore(Record):
    """An entry of a lorebook that says something."""

    text: str
    """What it says."""
    key: str
    """Its `loreKey`: unique in the file, and the same when the file is imported again."""
    words: tuple[str, ...] = ()
    """Words that find it besides its own."""
    own: bool = False
    """Only the character whose file this is knows it."""
    names: tuple[str, ...] = ()
    """Who knows it, by name or file name. Without names and tags, and not `own`, it is common knowledge."""
    tags: tuple[str, ...] = ()
    """Who knows it, by tag; with names as well, both must hold."""
    exclude: bool = False
    """Names and tags are of those who do not know it; everybody else does."""


class Imported(Record):
    """What a file says. In its texts `{{user}}` stands for the user's name, which is not known yet."""

    characters: tuple[ImportedCharacter, ...] = ()
    """Whom it describes."""
    plot: str | None = None
    """What the story is about, known to all."""
    lore: tuple[ImportedLore, ...] = ()
    """What is so in its world; disabled entries stay in the original."""
    scenes: tuple[Scene, ...] = ()
    """What was said."""
    originals: tuple[Original, ...] = ()
    """The file itself, if it says more than we have words for."""
    repairs: tuple[str, ...] = ()
    """What was mended, one sentence each, with its place."""
