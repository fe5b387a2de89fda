"""Matches characters in files with the cast of a story, and says who knows a lore entry."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from earwitness.display_names import usable_name
from earwitness.imports import Imported, ImportedCharacter, ImportedLore
from earwitness.records.character import Cast, Character
from earwitness_plugins.applications.replay.roles import FreeIds, character_id, identified


@dataclass(frozen=True, slots=True)
class CastMatch:
    """A member of the cast, and what matched."""

    character: Character
    """The member, with what the file adds."""
    names: frozenset[str]
    """Names that lore may use for them, in lower case."""
    tags: frozenset[str] = frozenset()
    """Tags of their card, in lower case."""
    described_as: ImportedCharacter | None = None
    """What the file says about them; `None` where no file describes them."""
    source: int | None = None
    """Number of the file, from 0."""


class CastMatcher:
    """The cast of a story, together with the characters that the files describe."""

    def __init__(self, files: Sequence[Imported], cast: Cast, *, avoid: Collection[str] = ()) -> None:
        self._cast = cast
        self._free = FreeIds((*avoid, *cast.ids))
        self._in_chats = {each.name: each for file in files for scene in file.scenes for each in scene.cast}
        """Name → who that is, as a chat says that came from a story."""
        self._ids: set[str] = set()
        """Ids of those who are described."""
        self._of_file: dict[int, list[str]] = {}
        self.described: list[CastMatch] = []
        for number, file in enumerate(files):
            for each in file.characters:
                self._describe(each, number)
        self.others = [CastMatch(each, _lower(each.names)) for each in cast if each.id not in self._ids]
        self._all = [*self.described, *self.others]
        self._names = {each.character.id: each.character.name for each in reversed(self._all)}
        self._by_name = _index((place, each.names) for place, each in enumerate(self._all))
        self._by_tag = _index((place, each.tags) for place, each in enumerate(self._all))

    def name(self, id: str) -> str:
        """Display name."""
        return self._names[id]

    def of_file(self, number: int) -> tuple[str, ...]:
        """Ids of the characters that a file describes."""
        return tuple(self._of_file.get(number, ()))

    def knowers(self, entry: ImportedLore, number: int) -> tuple[str, ...] | None:
        """Ids of those who know an entry of a file; `None` for everybody."""
        if entry.own:
            return self.of_file(number)
        if not entry.names and not entry.tags:
            return None
        names, tags = _lower(entry.names), _lower(entry.tags)
        if entry.exclude and tags and not tags & self._by_tag.keys():
            return ()  # nobody can tell from whom it is hidden
        asked = self._all if entry.exclude else [self._all[place] for place in self._meant(names, tags)]
        return tuple(each.character.id for each in asked if _passes(each, names, tags, entry.exclude))

    def unknown(self, entry: ImportedLore) -> tuple[str, ...]:
        """Names and tags in the filter of an entry that match nobody."""
        names = (name for name in entry.names if not _lower([name]) & self._by_name.keys())
        return (*names, *(tag for tag in entry.tags if not _lower([tag]) & self._by_tag.keys()))

    def _meant(self, names: frozenset[str], tags: frozenset[str]) -> list[int]:
        """Places of those who have one of the names, or one of the tags, in order."""
        by_name = (place for name in names for place in self._by_name.get(name, ()))
        return sorted({*by_name, *(place for tag in tags for place in self._by_tag.get(tag, ()))})

    def _describe(self, described_as: ImportedCharacter, number: int) -> None:
        character = self._known(described_as) or self._newcomer(described_as)
        names = _lower((*character.names, described_as.file) if described_as.file else character.names)
        self.described.append(CastMatch(character, names, _lower(described_as.tags), described_as, number))
        self._ids.add(character.id)
        self._of_file.setdefault(number, []).append(character.id)

    def _known(self, described_as: ImportedCharacter) -> Character | None:
        """The member of the cast with this name, with the aliases from the file added. A member matches only once."""
        named = self._cast.of_name(described_as.name)
        if named is None or named.id in self._ids:
            return None
        more = [each for each in map(usable_name, described_as.aliases) if each not in named.names]
        return named.model_copy(update={"aliases": (*named.aliases, *more)}) if more else named

    def _newcomer(self, described_as: ImportedCharacter) -> Character:
        known = self._in_chats.get(described_as.name)
        named = (
            described_as
            if known is None
            else known.model_copy(update={"aliases": (*known.aliases, *described_as.aliases)})
        )
        return identified(self._free.take(named.id or character_id(described_as.name)), named, kind=described_as.kind)


def newcomer_id(name: str, taken: Iterable[str]) -> str:
    """An id made of a name, different from those taken."""
    return FreeIds(taken).take(character_id(name))


def _passes(person: CastMatch, names: frozenset[str], tags: frozenset[str], exclude: bool) -> bool:
    """Whether both parts of a filter match, as far as they are given."""
    return all(bool(has & asked) != exclude for has, asked in ((person.names, names), (person.tags, tags)) if asked)


def _lower(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word.strip().casefold() for word in words)


def _index(words: Iterable[tuple[int, frozenset[str]]]) -> dict[str, list[int]]:
    """Word → the places that have it."""
    index: dict[str, list[int]] = {}
    for place, each in words:
        for word in each:
            index.setdefault(word, []).append(place)
    return index
