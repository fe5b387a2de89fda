"""Several files together: what was there before one story. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from earwitness.importing import Imported, ImportedCharacter, Scene
from earwitness.preparing import Lore
from earwitness.records.character import Cast, Character
from earwitness.records.journal import Original

from .cards.macros import names_user, with_character, with_user
from .people import People, Person

USER = "User"


@dataclass(frozen=True)
class Gathered:
    """What some files say, for one story."""

    cast: tuple[Character, ...]
    """Everybody they describe."""
    told: dict[str, ImportedCharacter]
    """Character id → what their file says, with the user's name in it."""
    plot: dict[str, str]
    """Who or what it comes from → what the story is about."""
    lore: tuple[Lore, ...]
    """What is so in its world."""
    scenes: tuple[Scene, ...]
    """What was said."""
    originals: tuple[Original, ...]
    """The files themselves."""
    warnings: tuple[str, ...] = ()
    """What was mended, and what could not be understood."""
    user: str = USER
    """Whom `{{user}}` means."""
    names_user: bool = False
    """The files speak of the user."""
    cards: dict[str, str] = field(init=False)
    """Character id → who this is."""
    examples: dict[str, tuple[str, ...]] = field(init=False)
    """Character id → how they speak."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cards", {id: told.card for id, told in self.told.items() if told.card})
        spoken = {id: tuple(dict.fromkeys(told.examples)) for id, told in self.told.items()}
        object.__setattr__(self, "examples", {id: examples for id, examples in spoken.items() if examples})


def gathered(
    files: Sequence[Imported], cast: Cast, *, user: str | None = None, avoid: Collection[str] = ()
) -> Gathered:
    """Everything the files say, for a story with this cast. Newcomers get no id in `avoid`.

    `user` is whom `{{user}}` means; by default the one persona of the cast, else of the files' chats.
    """
    user = user or _persona(files, cast)
    people = People(files, cast, avoid=avoid)
    lore, unknown = _lore(files, people, user)
    texts = [text for file in files for text in _texts(file)]
    return Gathered(
        cast=tuple(each.character for each in people.described),
        told={each.character.id: _told(each, user) for each in people.described},
        plot={key: with_user(plot, user) for key, plot in _plots(files, people)},
        lore=lore,
        scenes=tuple(scene for file in files for scene in file.scenes),
        originals=tuple(each for number, file in enumerate(files) for each in _originals(file, people.of_file(number))),
        warnings=(*(repair for file in files for repair in file.repairs), *unknown),
        user=user,
        names_user=any(map(names_user, texts)),
    )


def _persona(files: Sequence[Imported], cast: Cast) -> str:
    in_cast = [member.name for member in cast if member.kind == "persona"]
    in_chats = list(dict.fromkeys(name for file in files for scene in file.scenes for name in scene.personas))
    return next((names[0] for names in (in_cast, in_chats) if len(names) == 1), USER)


def _told(person: Person, user: str) -> ImportedCharacter:
    told = person.told or ImportedCharacter(name=person.character.name)
    filled = {
        name: tuple(with_user(each, user) for each in getattr(told, name))
        for name in ("examples", "greetings", "group_greetings")
    }
    return told.model_copy(update={"card": with_user(told.card, user), **filled})


def _texts(file: Imported) -> Iterator[str]:
    for told in file.characters:
        yield from (told.card, *told.examples, *told.greetings[:1], *told.group_greetings[:1])
    yield from (file.plot or "", *(entry.text for entry in file.lore))


def _plots(files: Sequence[Imported], people: People) -> Iterator[tuple[str, str]]:
    for number, file in enumerate(files):
        if file.plot:
            name = file.originals[0].name if file.originals else f"file {number + 1}"
            yield next(iter(people.of_file(number)), name), file.plot


def _lore(files: Sequence[Imported], people: People, user: str) -> tuple[tuple[Lore, ...], list[str]]:
    """Each entry with those who know it, and what is to be said of names that fit nobody."""
    found: dict[tuple[str, tuple[str, ...] | None], Lore] = {}
    unknown: list[str] = []
    for number, file in enumerate(files):
        for entry in file.lore:
            known_by = people.knowers(entry, number)
            text = _filled(entry.text, people, known_by, user)
            if strangers := people.unknown(entry):
                verb = "hidden from" if entry.exclude else "known to"
                unknown.append(f"lore {entry.key!r} is {verb} {', '.join(strangers)}, whom nobody here is called")
            key = entry.key
            while (key, known_by) in found and found[key, known_by].text != text:
                key += "'"
            words = tuple(with_user(word, user) for word in entry.words)
            found[key, known_by] = Lore(text=text, key=key, known_by=known_by, words=words)
    return tuple(found.values()), unknown


def _filled(text: str, people: People, known_by: tuple[str, ...] | None, user: str) -> str:
    """The text with the user's name, and with the character's where only one can be meant."""
    named = with_user(text, user)
    return with_character(named, people.name(known_by[0])) if known_by and len(known_by) == 1 else named


def _originals(file: Imported, ids: Sequence[str]) -> Iterator[Original]:
    """The file's originals; a card with whose it is."""
    for original in file.originals:
        owner = ids[0] if original.format == "card" and len(ids) == 1 else original.owner
        yield original.model_copy(update={"owner": owner})
