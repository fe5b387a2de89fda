"""Matches characters in files with the cast of a story, and says who knows a lore entry."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from earwitness.imports import Imported, ImportedCharacter, ImportedLore
from earwitness.records.character import Cast, Character
from earwitness_plugins.applications.replay.roles import character_id, distinct


@dataclass(frozen=True, slots=True)
class CastMatch:
    """A member of the cast, and what matched."""

    character: Character
    """The member, with what the file adds."""
    names: frozenset[str]
    """Names that lore may use for them, in lower case."""
    tags: frozenset[str] = frozenset()
    """Tags of their card, in lower case."""
    told: ImportedCharacter | None = None
    """What the file says about them; `None` where no file describes them."""
    source: int | None = None
    """Number of the file, from 0."""


class CastMatcher:
    """The cast of a story, together with the characters that the files describe."""

    def __init__(self, files: Sequence[Imported], cast: Cast, *, avoid: Collection[str] = ()) -> None:
        self._cast = cast
        self._avoid = set(avoid)
        self.described: list[CastMatch] = []
        for number, file in enumerate(files):
            self.described += [self._person(each, number) for each in file.characters]
        ids = {each.character.id for each in self.described}
        self.others = [CastMatch(each, _lower(each.names)) for each in cast if each.id not in ids]

    def name(self, id: str) -> str:
        """Display name."""
        return next(each.character.name for each in self._all() if each.character.id == id)

    def of_file(self, number: int) -> tuple[str, ...]:
        """Ids of the characters that a file describes."""
        return tuple(each.character.id for each in self.described if each.source == number)

    def knowers(self, entry: ImportedLore, number: int) -> tuple[str, ...] | None:
        """Ids of those who know an entry of a file; `None` for everybody."""
        if entry.own:
            return self.of_file(number)
        if not entry.names and not entry.tags:
            return None
        names, tags = _lower(entry.names), _lower(entry.tags)
        if entry.exclude and tags and not self._tagged(tags):
            return ()  # nobody can tell from whom it is hidden
        return tuple(each.character.id for each in self._all() if _passes(each, names, tags, entry.exclude))

    def unknown(self, entry: ImportedLore) -> tuple[str, ...]:
        """Names and tags in the filter of an entry that match nobody."""
        names = (name for name in entry.names if not any(name.casefold() in each.names for each in self._all()))
        return (*names, *(tag for tag in entry.tags if not self._tagged(_lower([tag]))))

    def _all(self) -> list[CastMatch]:
        return [*self.described, *self.others]

    def _tagged(self, tags: frozenset[str]) -> bool:
        return any(each.tags & tags for each in self._all())

    def _person(self, told: ImportedCharacter, number: int) -> CastMatch:
        character = self._known(told) or self._newcomer(told)
        names = _lower((*character.names, told.file) if told.file else character.names)
        return CastMatch(character, names, _lower(told.tags), told, number)

    def _known(self, told: ImportedCharacter) -> Character | None:
        """The member of the cast with this name, with the aliases from the file added. A member matches only once."""
        named = next((each for each in self._cast if each.name == told.name), None) or self._cast.resolve(told.name)
        if named is None or named.id in {each.character.id for each in self.described}:
            return None
        more = [each for each in told.aliases if each not in named.names]
        return named.model_copy(update={"aliases": (*named.aliases, *more)}) if more else named

    def _newcomer(self, told: ImportedCharacter) -> Character:
        taken = [*self._avoid, *self._cast.ids, *(each.character.id for each in self.described)]
        id = newcomer_id(told.name, taken)
        return Character(id, name=told.name, aliases=told.aliases, kind=told.kind)


def newcomer_id(name: str, taken: Iterable[str]) -> str:
    """An id made of a name, different from those taken."""
    return distinct([*taken, character_id(name)])[-1]


def _passes(person: CastMatch, names: frozenset[str], tags: frozenset[str], exclude: bool) -> bool:
    """Whether both parts of a filter match, as far as they are given."""
    return all(bool(has & asked) != exclude for has, asked in ((person.names, names), (person.tags, tags)) if asked)


def _lower(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word.strip().casefold() for word in words)
