"""Bytes that others wrote, as text: in whatever encoding, and with what had to be repaired to read them."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass

MARK = "\ufeff"
UNREADABLE = "\ufffd"
LONG = "\u0800"
"""From this character on, UTF-8 takes three bytes or more."""
PLACES_NAMED = 3
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_LEGACY = ("cp1252", "latin-1")


@dataclass(frozen=True, slots=True)
class DecodedText:
    """A text, and the bytes it was read from."""

    text: str
    """What it says, without a byte order mark."""
    exact: str
    """`exact.encode(encoding)` gives the bytes again."""
    encoding: str
    """The encoding of `exact`."""
    repairs: tuple[str, ...] = ()
    """What was repaired: one sentence at most, without the name of the file."""


def decoded(data: bytes) -> DecodedText:
    """The text of a file. A few bytes that are not UTF-8 do not make it a file in another encoding."""
    marked = [encoding for mark, encoding in _MARKS if data.startswith(mark)]
    for encoding in (*marked, "utf-8"):
        if (text := _text_in(encoding, data)) is not None:
            return DecodedText(text.removeprefix(MARK), text, encoding)
    return _repaired(data) or _in_legacy_encoding(data)


def _text_in(encoding: str, data: bytes) -> str | None:
    """The text, if it is in this encoding and gives the same bytes again."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return text if text.encode(encoding) == data else None


def _repaired(data: bytes) -> DecodedText | None:
    """UTF-8 with damage; `None` for anything else.

    It is UTF-8 if one character of three bytes or more can be read, such as a dash: no other encoding has it by chance.
    It is, too, if as many of its characters beyond ASCII can be read as cannot.
    """
    text = data.decode("utf-8", errors="replace")
    damaged = text.count(UNREADABLE) - data.count(UNREADABLE.encode())
    beyond_ascii = len(text) - len(text.encode("ascii", errors="ignore"))
    certain = max(text.replace(UNREADABLE, ""), default="") >= LONG
    if beyond_ascii < 2 * damaged and not certain:
        return None
    where = ", ".join(place for _, place in _places(data)) + (", …" if damaged > PLACES_NAMED else "")
    repair = f"damaged UTF-8; {damaged} of its characters could not be read and became {UNREADABLE} ({where})"
    return DecodedText(text.removeprefix(MARK), data.decode("latin-1"), "latin-1", (repair,))


def _places(data: bytes) -> Iterator[tuple[int, str]]:
    """The first places that are not UTF-8: their byte, from 0, and `line 3, column 17`."""
    start = 0
    for _ in range(PLACES_NAMED):
        try:
            data[start:].decode()
        except UnicodeDecodeError as error:
            before = data[: start + error.start].decode(errors="replace")
            place = f"line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}"
            yield start + error.start, place
            start += error.end


def _in_legacy_encoding(data: bytes) -> DecodedText:
    """What an old Windows program wrote; Latin-1 reads anything."""
    encoding = next(each for each in _LEGACY if _text_in(each, data) is not None)
    text = data.decode(encoding)
    byte, place = next(_places(data))
    why = f"not UTF-8 (byte {byte}, {place}); read as {encoding}. If letters look wrong, save it as UTF-8"
    return DecodedText(text, text, encoding, (why,))
