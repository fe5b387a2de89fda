"""JSON objects by other programs: a value of the wrong type is repaired where that is possible, and reported."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from earwitness.errors import StoryError
from earwitness.patterns import lazy_pattern

_TRUE = {"true", "1", "yes", "on"}
_FALSE = {"false", "0", "no", "off", ""}
_UNSTORABLE = lazy_pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
SHOWN = 40


@dataclass(frozen=True, slots=True)
class LenientObject:
    """One JSON object. A method that takes several keys reads the first one with a value."""

    values: dict[str, Any]
    """As read."""
    file: str
    """Path of the file, for messages."""
    path: str
    """Where the object is in the file, such as `data.character_book`."""
    repairs: list[str]
    """What was repaired so far in the whole file; shared by all its objects."""

    def get(self, *keys: str) -> tuple[str, Any]:
        """The first of the keys that has a value, and the value; `None` when none has."""
        present = [key for key in keys if self.values.get(key) is not None]
        filled = next((key for key in present if self.values[key] not in ("", [], {})), None)
        key = filled or next(iter(present), keys[0])
        return key, self.values.get(key)

    def text(self, *keys: str) -> str:
        """Text; empty when there is none."""
        key, value = self.get(*keys)
        match value:
            case None:
                return ""
            case str():
                return self._clean(key, value)
            case bool() | dict():
                self.repaired(key, value, "left out")
                return ""
            case list():
                self.repaired(key, value, "its texts were joined")
                return self._clean(key, "\n".join(each for each in value if isinstance(each, str)))
        self.repaired(key, value, "taken as text")
        return str(value)

    def texts(self, *keys: str) -> tuple[str, ...]:
        """A list of texts, without empty ones; a bare text is a list of one."""
        key, value = self.get(*keys)
        if isinstance(value, str):
            if value.strip():
                self.repaired(key, value, "taken as the only one of a list")
            value = [value]
        return tuple(each for each in self._listed(key, value) if each.strip())

    def words(self, *keys: str) -> tuple[str, ...]:
        """A list of words, or a text with commas between them."""
        key, value = self.get(*keys)
        found = value.split(",") if isinstance(value, str) else self._listed(key, value)
        return tuple(dict.fromkeys(word for each in found if (word := self._clean(key, each).strip())))

    def flag(self, key: str, default: bool = False) -> bool:
        """A boolean, or a word for one."""
        value = self.values.get(key)
        if value is None or isinstance(value, bool):
            return default if value is None else value
        word = str(value).strip().casefold()
        known = word in _TRUE or word in _FALSE
        meant = word in _TRUE if known else default
        self.repaired(key, value, f"taken as {str(meant).lower()}")
        return meant

    def table(self, key: str) -> LenientObject | None:
        """The object at this key, or `None` when there is none."""
        value = self.values.get(key)
        if isinstance(value, dict):
            return self.within(key, value)
        if key in self.values:
            self.repaired(key, value, "read as none")
        return None

    def tables(self, key: str) -> Iterator[tuple[str, LenientObject]]:
        """The objects in the list or object at this key, each with its index or its (shortened) key."""
        value = self.values.get(key)
        items = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else None
        if items is None:
            self.repaired(key, value, "taken as an empty list")
        for name, item in items or ():
            place = _short(storable(str(name)))
            if isinstance(item, dict):
                yield place, self.within(f"{key}[{place}]", item)
            else:
                self.repaired(f"{key}[{place}]", item, "left out")

    def within(self, key: str, values: dict[str, Any]) -> LenientObject:
        """An object found at `key`."""
        return LenientObject(values, self.file, f"{self.path}.{key}" if self.path else key, self.repairs)

    def repaired(self, key: str, value: object, how: str) -> None:
        """Report that a value was repaired, and how."""
        self.note(key, f"is {_said(value)}: {how}")

    def note(self, key: str, what: str) -> None:
        """Report something about the value of a key."""
        self.repairs.append(f"{self.file}: {self.path}{'.' if self.path else ''}{key} {what}")

    def _listed(self, key: str, value: object) -> Iterator[str]:
        if not isinstance(value, list):
            if value is not None:
                self.repaired(key, value, "taken as an empty list")
            return
        for number, each in enumerate(value):
            if isinstance(each, str):
                yield self._clean(key, each)
            elif each is not None and not isinstance(each, dict | list):
                self.repaired(f"{key}[{number}]", each, "taken as text")
                yield str(each)
            else:
                self.repaired(f"{key}[{number}]", each, "left out")

    def _clean(self, key: str, text: str) -> str:
        if _UNSTORABLE.search(text):
            self.note(key, "holds characters that no text may hold: they were left out")
        return storable(text).replace("\r\n", "\n")


def lenient_object(value: object, file: str, repairs: list[str]) -> LenientObject:
    """The object that is a whole document. Raises `StoryError` when the document is something else."""
    if not isinstance(value, dict):
        raise StoryError(f"{file}: must be a JSON object; it is {_said(value)}.")
    return LenientObject(value, file, "", repairs)


def storable(text: str) -> str:
    """The text without control characters and lone surrogates, which no file or database can store."""
    return _UNSTORABLE.sub("", text)


def _said(value: object) -> str:
    """A value in a few words; a long one is never quoted whole."""
    match value:
        case None:
            return "null"
        case str():
            return f"the text {_short(value)!r}"
        case bool() | int() | float():
            return f"{value!r:.{SHOWN}}".lower()
        case list():
            return f"a list of {len(value)}"
    return "an object"


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
