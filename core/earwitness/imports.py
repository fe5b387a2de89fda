"""What importers return: the contents of a file, whatever its format."""

from __future__ import annotations

from .records.base import Record
from .records.channel import Channel
from .records.character import CharacterKind
from .records.journal import Original


class ImportedCharacter(Record):
    """A character that a file describes."""

    name: str
    """Display name."""
    aliases: tuple[str, ...] = ()
    """Other names."""
    kind: CharacterKind = "character"
    """`persona` for the mask of a user."""
    card: str = ""
    """Description of the character."""
    examples: tuple[str, ...] = ()
    """Example dialogues."""
    greetings: tuple[str, ...] = ()
    """First messages, the usual one first."""
    group_greetings: tuple[str, ...] = ()
    """First messages in a group."""
    tags: tuple[str, ...] = ()
    """Tags of the card. Lore can refer to characters by tag."""
    file: str = ""
    """Name of the file without its extension. Lore can refer to the character by it."""
    id: str = ""
    """The id of the character, if the source is a story that has one; else it is made of the name."""
    user_id: str | None = None
    """The user behind a persona, if the source is a story that knows it."""
    persona_id: str | None = None
    """The user's persona behind the mask, if the source is a story that knows it."""
    personality_id: str = ""
    """Who the character is across sessions, if the source is a story that knows it; else the id."""


class SceneLine(Record):
    """One line of a transcript."""

    speaker: str | None = None
    """Name of the speaker as written; `None` for narration."""
    text: str
    """The text that was said or narrated."""
    key: str | None = None
    """The id of the line in the source, if it has one."""
    present: tuple[str, ...] | None = None
    """Names, as written, of those who are there; `None` if the source does not say so with certainty."""
    audience: tuple[str, ...] | None = None
    """Names, as written, of those who perceive all of it; `None` if the source does not say so with certainty."""
    place: str | None = None
    """The place it was said at; `None` if the source does not say so."""
    speak_as: str | None = None
    """The name under which the speaker is in disguise; `None` = their own."""
    channel: Channel | None = None
    """The channel it was said in; `None` for the channel of the scene."""
    certain: bool = False
    """Whether the source is a story that knows who was present and who perceived it: then it counts as the host's word,
    whoever imports it."""
    line: int | None = None
    """Number of the line in the file at which it begins, from 1, for errors; `None` if the format has no lines."""


class Scene(Record):
    """A part of a transcript with one roster. `replay` can replay it."""

    id: str
    """Unique within the file."""
    roster: tuple[str, ...]
    """Names of all participants, as written."""
    lines: tuple[SceneLine, ...]
    """The lines in order."""
    personas: tuple[str, ...] = ()
    """Names from the roster that are personas of users."""
    present: tuple[str, ...] | None = None
    """Names from the roster of those who are there from the first line on; `None` leaves that to the lines."""
    channel: Channel = Channel()
    """The channel of all lines that have none of their own."""
    cast: tuple[ImportedCharacter, ...] = ()
    """Those of the roster, and the narrator, if the source is a story that knows more of them than their names."""


class ImportedLore(Record):
    """A lorebook entry that has text."""

    text: str
    """The text."""
    key: str
    """The `loreKey`. It is unique in the file, and the same at every import of the file."""
    words: tuple[str, ...] = ()
    """Words that find it in addition to those in its text."""
    own: bool = False
    """Whether only the character described by this file knows it."""
    names: tuple[str, ...] = ()
    """Names or file names of those who know it. Without names and tags, it is common knowledge unless it is `own`."""
    tags: tuple[str, ...] = ()
    """Tags of those who know it. If there are names as well, both must match."""
    exclude: bool = False
    """Whether names and tags are those of characters who do not know it. Then all others do."""


class Imported(Record):
    """The contents of a file. In its texts, `{{user}}` stands for the user's name, which is not known yet."""

    characters: tuple[ImportedCharacter, ...] = ()
    """The characters it describes."""
    plot: str | None = None
    """The plot of the story, which everyone knows."""
    lore: tuple[ImportedLore, ...] = ()
    """The lore it contains. Disabled entries are only in the original."""
    scenes: tuple[Scene, ...] = ()
    """The scenes of the transcript."""
    originals: tuple[Original, ...] = ()
    """The file itself, if it contains more than these fields."""
    repairs: tuple[str, ...] = ()
    """Repairs that were made to the file: one sentence each, with its place."""
