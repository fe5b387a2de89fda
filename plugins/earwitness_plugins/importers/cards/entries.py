"""Lorebook entries. The dialects name the same fields differently; one reader knows all their names.

Sources: Character Card V2 and V3 specifications (`character_book`, `lorebook_v3`, decorators), and the files that
SillyTavern, NovelAI, Agnai and Risu write.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from earwitness.imports import ImportedLore
from earwitness.patterns import lazy_pattern
from earwitness_plugins.importers.files.lenient import LenientObject, storable

from .macros import with_character

TEXT = ("content", "entry", "text")
WORDS = ("keys", "key", "keywords")
MORE_WORDS = ("secondary_keys", "keysecondary", "secondkey")
ID = ("uid", "id")
CONSTANT = ("constant", "forceActivation", "alwaysActive")
FILTER = ("characterFilter", "character_filter")
POSITIONS = ("before_char", "after_char", "", None)
LONGEST_ID = 60
_DECORATOR = lazy_pattern(r"@@@?(\w+)[ \t]*(.*)")
_REGEX = lazy_pattern(r"/.+/[a-z]*")


def entries(book: LenientObject, list_key: str, title: str, owner: str = "") -> tuple[ImportedLore, ...]:
    """The entries that are enabled and have text.

    `title` names the book in their keys; `owner` is the name that `{{char}}` stands for in a character's own book.
    """
    found = [(place, entry) for place, entry in book.tables(list_key) if _enabled(entry)]
    ids = Counter(_id(entry) for _, entry in found)
    keys = [(_id(entry) if ids[_id(entry)] == 1 else "") or place for place, entry in found]
    read = (_lore(entry, f"{title}/{key}", owner) for key, (_, entry) in zip(_distinct(keys), found, strict=True))
    return tuple(each for each in read if each.text)


def _lore(entry: LenientObject, key: str, owner: str) -> ImportedLore:
    """One entry: common knowledge, unless a filter says who knows it. A character's own book is the character's,
    except for constant entries."""
    text, decorators = _undecorated(entry.text(*TEXT))
    names, tags, exclude = _knowers(entry)
    constant = any(entry.flag(each) for each in CONSTANT) or "activate" in decorators
    words = (*entry.words(*WORDS), *entry.words(*MORE_WORDS), *decorators.get("additional_keys", ()))
    if owner:
        text, words = with_character(text, owner), tuple(with_character(word, owner) for word in words)
    return ImportedLore(
        text="" if "dont_activate" in decorators else text,
        key=key,
        words=tuple(dict.fromkeys(each for each in words if not _REGEX.fullmatch(each))),
        own=bool(owner) and not (names or tags or constant),
        names=names,
        tags=tags,
        exclude=exclude,
    )


def _enabled(entry: LenientObject) -> bool:
    _check_position(entry)
    return entry.flag("enabled", default=True) and not entry.flag("disable")


def _check_position(entry: LenientObject) -> None:
    """Report an unknown position. Nothing here depends on it, but whoever wrote it may want to know."""
    position = entry.values.get("position")
    if "keys" in entry.values and position not in POSITIONS:
        entry.repaired("position", position, "not one of before_char, after_char; it is not used")


def _id(entry: LenientObject) -> str:
    value = entry.get(*ID)[1]
    known = isinstance(value, str | int) and not isinstance(value, bool)
    return storable(str(value)).strip()[:LONGEST_ID] if known else ""


def _distinct(keys: Sequence[str]) -> Iterator[str]:
    """The keys, each made unique by a mark at its end."""
    seen: set[str] = set()
    for key in keys:
        free = key
        while free in seen:
            free += "'"
        seen.add(free)
        yield free


def _knowers(entry: LenientObject) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Names and tags in the filter, and whether it excludes them."""
    for home in (entry, entry.table("extensions") if "extensions" in entry.values else None):
        for key in FILTER:
            if home is not None and home.values.get(key) is not None and (chosen := home.table(key)) is not None:
                names = tuple(_file_stem(each) for each in chosen.texts("names"))
                return names, chosen.texts("tags"), chosen.flag("isExclude")
    return (), (), False


def _file_stem(name: str) -> str:
    """The name without the ending of a card file, which some write."""
    return re.sub(r"(?i)\.(?:png|json|charx|jpe?g|webp)$", "", name).strip()


def _undecorated(text: str) -> tuple[str, dict[str, tuple[str, ...]]]:
    """The text without its decorators, and the decorators with their values (V3, «Decorators»)."""
    decorators: dict[str, tuple[str, ...]] = {}
    lines = text.strip().split("\n")
    while lines and (found := _DECORATOR.fullmatch(lines[0].strip())):
        said = tuple(word for each in found[2].split(",") if (word := each.strip()))
        name = "activate" if found[1] == "constant" else found[1]
        decorators[name] = (*decorators.get(name, ()), *said)
        lines.pop(0)
    return "\n".join(lines).strip(), decorators
