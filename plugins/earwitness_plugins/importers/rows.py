"""JSON Lines as rows that know their place in the file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from earwitness.errors import StoryError
from earwitness.unmatched import differ_little

from .files.documents import loaded
from .files.limits import MAX_FILE, refuse_larger


@dataclass(frozen=True, slots=True)
class JsonRow:
    """One JSON object of a file."""

    place: str
    """`chat.jsonl:12`, or `scenes.jsonl:3: messages[7]`."""
    values: dict[str, Any]
    """Its keys and values."""
    line: int | None = None
    """Number of its line in the file; `None` for an object within a line."""

    def text(self, key: str) -> str:
        """Text that is required. Raises `StoryError`."""
        value = self.values.get(key)
        if not isinstance(value, str):
            raise self.error(f"{key!r} must be text; it is {_said(value)}.")
        return value

    def optional_text(self, key: str) -> str | None:
        """Text, or `None` when there is none. Raises `StoryError` for anything else."""
        return None if self.values.get(key) is None else self.text(key)

    def names(self, key: str) -> tuple[str, ...] | None:
        """A list of names, or `None` when there is none. Raises `StoryError` for anything else."""
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise self.error(f"{key!r} must be a list of names; it is {_said(value)}.")
        return tuple(value)

    def rows(self, key: str) -> Iterator[JsonRow]:
        """A list of objects. Raises `StoryError` for anything else."""
        value = self.values.get(key)
        if not isinstance(value, list):
            raise self.error(f"{key!r} must be a list; it is {_said(value)}.")
        for number, item in enumerate(value):
            yield as_row(f"{self.place}: {key}[{number}]", item)

    def refuse_misspelt(self, known: Iterable[str]) -> None:
        """Raise `StoryError` for a key that is one of these but for letter case or one letter. Others may be there."""
        keys = [*known]
        for given in self.values:
            meant = [key for key in keys if differ_little(given.casefold(), key.casefold())]
            if given not in keys and meant:
                raise self.error(f"there is no key {given!r}. Did you mean {meant[0]!r}?")

    def error(self, message: str) -> StoryError:
        """A `StoryError` that names the place."""
        return StoryError(f"{self.place}: {message}")


def rows(path: str) -> Iterator[JsonRow]:
    """The objects in a JSON Lines file, without blank lines. Raises `StoryError` that names file and line."""
    try:
        refuse_larger(path, Path(path).stat().st_size, MAX_FILE)
        with Path(path).open(encoding="utf-8-sig") as lines:
            yield from rows_in(lines, path)
    except FileNotFoundError as error:
        raise StoryError(f"{path}: there is no such file.") from error
    except UnicodeDecodeError as error:
        raise StoryError(f"{path}: not UTF-8 text. Save it as UTF-8.") from error
    except OSError as error:
        raise StoryError(f"{path}: cannot be read: {error.strerror or error}.") from error


def rows_in(lines: Iterable[str], name: str) -> Iterator[JsonRow]:
    """The objects in lines from another source, called `name`. Raises `StoryError` that names the line."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield as_row(f"{name}:{number}", loaded(line, f"{name}:{number}"), number)


def first_line(head: bytes) -> bytes:
    """The first line that is not blank, without a byte order mark, as far as the head has it."""
    return head.lstrip(b"\xef\xbb\xbf \r\n").partition(b"\n")[0]


def as_row(place: str, value: object, line: int | None = None) -> JsonRow:
    """The value as a row. Raises `StoryError` when it is not an object."""
    if not isinstance(value, dict):
        raise StoryError(f"{place}: must be an object; it is {_said(value)}.")
    return JsonRow(place, value, line)


def _said(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return "missing" if value is None else text if len(text) <= 60 else f"{text[:57]}…"
