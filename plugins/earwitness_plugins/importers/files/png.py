"""Text chunks of PNG pictures (PNG Specification, third edition, W3C 2025, sections 5.3 and 11.3.3).

Pixels are skipped, not read. Chunk types are accepted in any letter case, since some tools write them so.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from earwitness.errors import StoryError

from .limits import MAX_TEXT, inflated, refuse_larger

SIGNATURE = b"\x89PNG\r\n\x1a\n"
BASE64 = 4 / 3
_COMPRESSED = 1


@dataclass(frozen=True, slots=True)
class PngText:
    """One text chunk."""

    keyword: str
    """As written."""
    value: bytes
    """Unpacked, if it was packed."""


def texts(file: BinaryIO, place: str, repairs: list[str]) -> Iterator[PngText]:
    """The text chunks, in order. Damaged ones are left out and reported in `repairs`."""
    for kind, data in _chunks(file, place, repairs):
        try:
            yield _READERS[kind](place, data)
        except (StoryError, IndexError, ValueError) as error:
            repairs.append(f"{place}: a damaged text chunk was left out ({error})")


def _chunks(file: BinaryIO, place: str, repairs: list[str]) -> Iterator[tuple[bytes, bytes]]:
    """Type (in lower case) and data of each text chunk."""
    file.seek(len(SIGNATURE))
    while len(header := file.read(8)) == 8:
        size, kind = int.from_bytes(header[:4], "big"), header[4:].lower()
        if kind == b"iend":
            return
        if kind not in _READERS:
            file.seek(size + 4, 1)
            continue
        refuse_larger(f"{place}: a text chunk (or its length is damaged)", size, round(MAX_TEXT * BASE64))
        data, check = file.read(size), file.read(4)
        if len(data) == size:
            if check != zlib.crc32(header[4:] + data).to_bytes(4, "big"):
                repairs.append(f"{place}: the checksum of a text chunk is wrong; the chunk was read anyway")
            yield kind, data
    repairs.append(f"{place}: the picture is cut off; everything before that was read")


def _plain(_: str, data: bytes) -> PngText:
    keyword, value = _split(data)
    return PngText(keyword, value)


def _packed(place: str, data: bytes) -> PngText:
    keyword, rest = _split(data)
    return PngText(keyword, inflated(place, rest[1:]))


def _international(place: str, data: bytes) -> PngText:
    keyword, rest = _split(data)
    packed = rest[0] == _COMPRESSED
    value = rest[2:].split(b"\0", 2)[2]
    return PngText(keyword, inflated(place, value) if packed else value)


def _split(data: bytes) -> tuple[str, bytes]:
    keyword, _, rest = data.partition(b"\0")
    return keyword.decode("latin-1").strip(), rest


_READERS = {b"text": _plain, b"ztxt": _packed, b"itxt": _international}
