"""Merging the contents of several files for one story. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from earwitness.imports import Imported, ImportedCharacter, Scene
from earwitness.lore import Lore
from earwitness.macros import USER
from earwitness.records.character import Cast, Character
from earwitness.records.journal import Original
from earwitness_plugins.importers.cards.macros import names_user, with_character, with_user

from .cast_matcher import CastMatch, CastMatcher

MACRO = "{{user}}"
Knowers = tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class FilePreparation:
    """The contents of one file, as `Session.prepare` takes them."""

    plot: dict[str, str]
    """Source → plot."""
    cards: dict[str, str]
    """Character id → card."""
    examples: dict[str, tuple[str, ...]]
    """Character id → example dialogues."""
    lore: tuple[Lore, ...]
    """Lore entries."""
    originals: tuple[Original, ...]
    """The file itself, to export again."""

    @property
    def says(self) -> bool:
        """Whether it says something of what was before the story. A chat is only kept."""
        return bool(self.plot or self.cards or self.examples or self.lore)


@dataclass(frozen=True, slots=True)
class MergedFiles:
    """The contents of several files, for one story."""

    cast: tuple[Character, ...]
    """The characters they describe."""
    characters: dict[str, ImportedCharacter]
    """Character id → what the file says of them, with the user's name filled in."""
    parts: tuple[FilePreparation, ...]
    """What to prepare, file by file."""
    scenes: tuple[Scene, ...]
    """The scenes in all files."""
    warnings: tuple[str, ...]
    """What was repaired, and what could not be understood."""
    user: str
    """The name of the user: the one given, else of the first persona, else «User»."""
    names_user: bool
    """Whether the files mention the user."""


def merge(
    files: Sequence[Imported], cast: Cast, *, user: str | None = None, avoid: Collection[str] = ()
) -> MergedFiles:
    """Merge the files for a story with this cast. New characters get no id in `avoid`.

    `user` is the name that `{{user}}` stands for. Without one, texts keep the macro: the story fills it in, with its
    first persona, and again when that changes.
    """
    user, persona = user or MACRO, user or _persona(files, cast)
    people = CastMatcher(files, cast, avoid=avoid)
    characters = {each.character.id: _filled_in(each, user) for each in people.described}
    keys = _LoreKeys()
    return MergedFiles(
        cast=tuple(each.character for each in people.described),
        characters=characters,
        parts=tuple(_part(file, number, people, characters, user, keys) for number, file in enumerate(files)),
        scenes=tuple(scene for file in files for scene in file.scenes),
        warnings=(*(each for file in files for each in file.repairs), *_strangers(files, people)),
        user=persona,
        names_user=any(names_user(text) for file in files for text in _texts(file)),
    )


def _persona(files: Sequence[Imported], cast: Cast) -> str:
    """The first persona of the cast, else of the chats."""
    in_cast = (member.name for member in cast if member.kind == "persona")
    in_chats = (name for file in files for scene in file.scenes for name in scene.personas)
    return next(chain(in_cast, in_chats), USER)


def _filled_in(person: CastMatch, user: str) -> ImportedCharacter:
    given = person.described_as or ImportedCharacter(name=person.character.name)
    filled = {
        name: tuple(with_user(each, user) for each in getattr(given, name))
        for name in ("examples", "greetings", "group_greetings")
    }
    return given.model_copy(update={"card": with_user(given.card, user), **filled})


def _texts(file: Imported) -> Iterator[str]:
    for character in file.characters:
        yield from (character.card, *character.examples, *character.greetings[:1], *character.group_greetings[:1])
    yield from (file.plot or "", *(entry.text for entry in file.lore))


# ── one file ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _part(
    file: Imported,
    number: int,
    people: CastMatcher,
    characters: dict[str, ImportedCharacter],
    user: str,
    keys: _LoreKeys,
) -> FilePreparation:
    ids = people.of_file(number)
    name = file.originals[0].name if file.originals else f"file {number + 1}"
    return FilePreparation(
        plot={next(iter(ids), name): with_user(file.plot, user)} if file.plot else {},
        cards={id: characters[id].card for id in ids if characters[id].card},
        examples={id: tuple(dict.fromkeys(characters[id].examples)) for id in ids if characters[id].examples},
        lore=tuple(_lore(file, number, people, user, keys)),
        originals=tuple(_owned(each, ids) for each in file.originals),
    )


def _lore(file: Imported, number: int, people: CastMatcher, user: str, keys: _LoreKeys) -> Iterator[Lore]:
    """Each entry with those who know it. Entries with different texts get different keys, across all files."""
    for entry in file.lore:
        known_by = people.knowers(entry, number)
        text = _filled(entry.text, people, known_by, user)
        key = keys.key(entry.key, known_by, text)
        yield Lore(text=text, key=key, known_by=known_by, words=tuple(with_user(word, user) for word in entry.words))


class _LoreKeys:
    """The keys given so far: each stands for one text of the same knowers."""

    def __init__(self) -> None:
        self._texts: dict[tuple[str, Knowers], str] = {}
        self._keys: dict[tuple[str, Knowers, str], str] = {}
        self._marks: dict[tuple[str, Knowers], int] = {}

    def key(self, wanted: str, known_by: Knowers, text: str) -> str:
        """The key for a text: the one wanted, with as many marks at its end as it takes to be its own."""
        known = self._keys.get((wanted, known_by, text))
        if known is not None:
            return known
        marks = self._marks.get((wanted, known_by), 0)
        while self._texts.setdefault((key := wanted + "'" * marks, known_by), text) != text:
            marks += 1
        self._marks[wanted, known_by] = marks
        self._keys[wanted, known_by, text] = key
        return key


def _filled(text: str, people: CastMatcher, known_by: tuple[str, ...] | None, user: str) -> str:
    """The text with the user's name filled in, and the character's where only one can be meant."""
    named = with_user(text, user)
    return with_character(named, people.name(known_by[0])) if known_by and len(known_by) == 1 else named


def _owned(original: Original, ids: Sequence[str]) -> Original:
    """The original; a card with the id of its character."""
    owner = ids[0] if original.format == "card" and len(ids) == 1 else original.owner
    return original.model_copy(update={"owner": owner})


def _strangers(files: Sequence[Imported], people: CastMatcher) -> Iterator[str]:
    """Warnings about names in filters that match nobody."""
    for file in files:
        for entry in file.lore:
            if names := ", ".join(people.unknown(entry)):
                verb = "hidden from" if entry.exclude else "known to"
                yield f"lore {entry.key!r} is {verb} {names}, who is not here: import it again once they are"
