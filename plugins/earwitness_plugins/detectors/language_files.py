"""The words of each language, from the files in `languages` and from a folder of one's own.

The environment variable `EARWITNESS_LANGUAGES` names such a folder. It is laid out as `languages` is: `nl.toml` for
what people say who come and go, `journeys/nl.toml`, `manners/nl.toml` and `places/nl.toml`. A file named as one of ours
adds to it, any other adds a language. The words are read once in each process, and count for all its stories.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

from earwitness.errors import SettingsError, did_you_mean

from .acts.phrases import set_of
from .acts.system_lines import SYSTEM, check_templates

VARIABLE = "EARWITNESS_LANGUAGES"
LanguagePart = Literal["acts", "journeys", "manners", "places"]
"""What the words of a file are for; the files for `acts` lie in the folder itself."""
PARTS: tuple[LanguagePart, ...] = get_args(LanguagePart)
_OURS = Path(__file__).parent / "languages"
_NAMED_BY_AUTHORS = frozenset({"words", "sets"})
"""Tables of which an author chooses the keys: sets of phrases, for `<…>` in others."""
PHRASES = ("phrases", "sleeps", "arrives")
"""Lists of journeys that hold phrases, not words."""
_MARKS = " \t\n-=…"
"""What is written around words, and is none."""
_STAYS = 2
"""Words of an entry of `stays`."""
_Words = dict[str, Any]


def language_files(part: LanguagePart) -> Sequence[Mapping[str, Any]]:
    """The words of every language. Raises `SettingsError` for a file of one's own that cannot be read."""
    ours = _ours(part)
    own = {path.stem: _own_file(path, part) for path in _own_paths(part)}
    empty = _empty(_known(part)) if own else {}
    return [_joined(ours.get(name, empty), own.get(name, {})) for name in sorted(ours.keys() | own.keys())]


def fillers_of(files: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The words that count for nothing in any language."""
    return frozenset(word.casefold() for file in files for word in file["fillers"])


@lru_cache(maxsize=1)
def check_own_languages() -> None:
    """Read the files of one's own, if there are any.

    Raises `SettingsError` for a folder without any, and for a file or a phrase that cannot be read.
    """
    folder = _own_folder()
    if folder is None:
        return
    if not folder.is_dir():
        raise SettingsError(
            f"{VARIABLE} names {str(folder)!r}, which is not a folder. Name one with files such as nl.toml."
        )
    _check_folders(folder)
    paths = {part: _paths(folder, part) for part in PARTS}
    if not any(paths.values()):
        raise SettingsError(
            f"{VARIABLE} names {str(folder)!r}, which holds no file of a language. Allowed: nl.toml, journeys/nl.toml, "
            "manners/nl.toml and places/nl.toml, for any language."
        )
    own = {(path, part): _own_file(path, part) for part, each in paths.items() for path in each}
    fillers = fillers_of(language_files("acts"))
    for (path, part), words in own.items():
        _check_phrases(path, words, _ours(part).get(path.stem, {}), fillers if part == "acts" else frozenset())


def _check_folders(folder: Path) -> None:
    """Raises `SettingsError` for a file that lies where none is read: `manner/nl.toml`."""
    for path in sorted(folder.glob("*/*.toml")):
        if (name := path.parent.name) not in PARTS[1:]:
            raise SettingsError(
                f"{path}: no words are read from a folder {name!r}. Allowed: {', '.join(PARTS[1:])}, and "
                f"{str(folder)!r} itself for what people say.{did_you_mean(name, PARTS[1:])}"
            )


def _own_folder() -> Path | None:
    named = os.environ.get(VARIABLE)
    return Path(named).expanduser() if named else None


def _own_paths(part: LanguagePart) -> Sequence[Path]:
    folder = _own_folder()
    return [] if folder is None else _paths(folder, part)


def _paths(folder: Path, part: LanguagePart) -> Sequence[Path]:
    return sorted((folder if part == "acts" else folder / part).glob("*.toml"))


@lru_cache(maxsize=len(PARTS))
def _ours(part: LanguagePart) -> Mapping[str, _Words]:
    """Language → the words of our own file."""
    return {path.stem: tomllib.loads(path.read_text("utf-8")) for path in _paths(_OURS, part)}


def _own_file(path: Path, part: LanguagePart) -> _Words:
    try:
        words = tomllib.loads(path.read_text("utf-8-sig"))  # some editors begin a file with a mark
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path}: {error}. A file of a language is TOML in UTF-8.") from error
    _check(path, words, _known(part))
    return {"letters": "latin", **words} if part == "manners" else {**words, "language": path.stem}


def _check(path: Path, words: Mapping[str, Any], known: Mapping[str, Any], table: str = "") -> None:
    """Raises `SettingsError` for a key that no list of ours has, and for values of another kind."""
    for key, value in words.items():
        name = f"{table}.{key}" if table else key
        kind = list if table in _NAMED_BY_AUTHORS else known.get(key)
        if kind is None:
            allowed = f"Allowed: {', '.join(sorted(known))}.{did_you_mean(key, known)}"
            raise SettingsError(f"{path}: there is no list {name!r}. {allowed}")
        if isinstance(kind, dict):
            if not isinstance(value, dict):
                raise SettingsError(f"{path}: {name!r} must be a table of lists, under [{name}].")
            _check(path, value, kind, key)
        elif kind is list and not (isinstance(value, list) and all(isinstance(each, str) for each in value)):
            raise SettingsError(f'{path}: {name!r} must be a list of texts, as ["tot ziens", "doei"], not {value!r}.')
        elif kind is list and (wrong := next((each for each in value if not each.strip(_MARKS)), None)) is not None:
            raise SettingsError(f"{path}: {name!r} holds {wrong!r}, which says nothing. Write words, or leave it out.")
        elif kind is str and not isinstance(value, str):
            raise SettingsError(f"{path}: {name!r} must be a text, not {value!r}.")


def _check_phrases(path: Path, own: Mapping[str, Any], ours: Mapping[str, Any], fillers: frozenset[str]) -> None:
    sets: dict[str, Any] = {}
    try:
        for table in _NAMED_BY_AUTHORS:
            for name, phrases in _joined(ours.get(table, {}), own.get(table, {})).items():
                sets[name] = set_of(phrases, sets, fillers)
        for phrases in (*own.get("acts", {}).values(), *(own.get(name, ()) for name in PHRASES)):
            set_of(phrases, sets, fillers)
        for phrases in own.get("context", {}).values():
            set_of(phrases, {}, fillers)
        for told in SYSTEM:
            check_templates(told, own.get("system", {}).get(told, ()))
        _check_stays(own.get("stays", ()))
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from error


def _check_stays(entries: Iterable[str]) -> None:
    for entry in entries:
        if len(entry.split()) != _STAYS:
            raise SettingsError(
                f"'stays' holds {entry!r}. Write a verb and a word with which it leads nowhere: 'back off'."
            )


@lru_cache(maxsize=len(PARTS))
def _known(part: LanguagePart) -> Mapping[str, Any]:
    """Key → what it holds in our own files: `list`, `str`, or the keys of a table."""
    found: dict[str, Any] = {}
    for file in _ours(part).values():
        for key, value in file.items():
            if isinstance(value, dict):
                found.setdefault(key, {}).update((name, type(each)) for name, each in value.items())
            else:
                found[key] = type(value)
    return found


def _empty(known: Mapping[str, Any]) -> _Words:
    """A file of a new language before its words."""
    lists = {key: [] if kind is list else _empty(kind) for key, kind in known.items() if kind is not str}
    return {key: {} if key in _NAMED_BY_AUTHORS else each for key, each in lists.items()}


def _joined(ours: Any, own: Any) -> Any:
    """The words of both."""
    if isinstance(ours, dict):
        extended = {key: _joined(ours[key], each) if key in ours else each for key, each in own.items()}
        return {**ours, **extended}
    return [*ours, *own] if isinstance(ours, list) else own
