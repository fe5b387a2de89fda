"""JSON documents: their text in any encoding, their value, and what had to be repaired to read them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from earwitness.errors import StoryError
from earwitness.records.journal import Original

from .lenient import storable
from .limits import MAX_TEXT, refuse_larger
from .text_encoding import decoded


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON document."""

    value: Any
    """What it says."""
    exact: str
    """The text, such that `exact.encode(encoding)` gives the bytes it was read from."""
    encoding: str
    """The encoding of `exact`."""

    def original(self, path: str, format: str) -> Original:
        """The document as it is kept with the story."""
        return Original(name=storable(Path(path).name), format=format, text=self.exact, encoding=self.encoding)


def document(data: bytes, place: str, repairs: list[str]) -> Document:
    """Read a JSON document. Raises `StoryError` that says where the JSON is broken."""
    refuse_larger(place, len(data), MAX_TEXT)
    found = decoded(data)
    repairs += [f"{place}: {repair}" for repair in found.repairs]
    return Document(parsed(found.text, place, repairs), found.exact, found.encoding)


def parsed(text: str, place: str, repairs: list[str]) -> Any:
    """The value of JSON text. Bare line breaks and tabs within its strings are kept, and reported."""
    try:
        return loaded(text, place)
    except StoryError as strict:
        try:
            value = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            raise strict from strict.__cause__
    repairs.append(f"{place}: bare line breaks or control characters in its texts were kept")
    return value


def loaded(text: str, place: str) -> Any:
    """The value of JSON text. Raises `StoryError` that says where the JSON is broken."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise StoryError(f"{place}: nested too deeply.") from error
    except json.JSONDecodeError as error:
        several = error.lineno > 1 or "\n" in text.strip()  # of a single one, `place` has the line
        line = f"line {error.lineno} " if several else ""
        raise StoryError(f"{place}: not JSON: {error.msg}: {line}column {error.colno}.") from error
    except ValueError as error:
        said, _, _ = str(error).partition(";")  # how to let Python read longer numbers helps nobody here
        raise StoryError(f"{place}: not JSON: {said}.") from error
