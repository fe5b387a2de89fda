"""JSON documents: text in whatever encoding, its value, and what had to be mended to read it."""

from __future__ import annotations

import codecs
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from earwitness.errors import StoryError
from earwitness.records.journal import Original

from .lenient import storable
from .limits import MAX_TEXT, refuse_larger

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_GUESSES = ("utf-8", "cp1252", "latin-1")
MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON document."""

    value: Any
    """What it says."""
    text: str
    """To the letter."""
    encoding: str
    """`text.encode(encoding)` are the bytes it was read from."""

    def original(self, path: str, format: str) -> Original:
        """The document to keep."""
        return Original(name=storable(Path(path).name), format=format, text=self.text, encoding=self.encoding)


def document(data: bytes, place: str, repairs: list[str]) -> Document:
    """Read JSON. Raises `StoryError` that says where it is none."""
    refuse_larger(place, len(data), MAX_TEXT)
    text, encoding = decoded(data)
    if encoding in _GUESSES[1:]:
        repairs.append(f"{place}: not UTF-8; read as {encoding}")
    return Document(parsed(text.removeprefix(MARK), place, repairs), text, encoding)


def decoded(data: bytes) -> tuple[str, str]:
    """The text, and an encoding that gives the same bytes again."""
    marked = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)
    for encoding in (marked, *_GUESSES) if marked else _GUESSES:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if text.encode(encoding) == data:
            return text, encoding
    return data.decode("latin-1"), "latin-1"


def parsed(text: str, place: str, repairs: list[str]) -> Any:
    """The value of JSON text; line breaks and tabs within its strings are taken as meant."""
    try:
        return loaded(text, place)
    except StoryError as strict:
        try:
            value = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            raise strict from strict.__cause__
    repairs.append(f"{place}: bare line breaks or control characters within its texts; they were kept")
    return value


def loaded(text: str, place: str) -> Any:
    """The value of JSON text. Raises `StoryError` that says where it is none."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise StoryError(f"{place}: nested too deeply to be read.") from error
    except ValueError as error:
        said, _, _ = str(error).partition(";")  # how to let Python read longer numbers helps nobody here
        raise StoryError(f"{place}: not JSON: {said}.") from error
