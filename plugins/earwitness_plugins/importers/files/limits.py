"""Limits on the size of a file: none fills the memory, not even one that unpacks to a thousand times its size."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from earwitness.errors import StoryError

MIB = 1 << 20
MAX_TEXT = 32 * MIB
"""Bytes of a text, such as a JSON document or a transcript."""
MAX_FILE = 1024 * MIB
"""Bytes of a picture or archive that holds one; only the text is read into memory."""
MAX_RATIO = 200
"""How many times its packed size a text of more than `SMALL` bytes may have."""
SMALL = MIB


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """The file, opened for reading. Raises `StoryError` when it does not exist, cannot be read, or is too large."""
    try:
        with Path(path).open("rb") as file:
            refuse_larger(path, file.seek(0, 2), MAX_FILE)
            file.seek(0)
            yield file
    except FileNotFoundError as error:
        raise StoryError(f"{path}: there is no such file.") from error
    except OSError as error:
        raise StoryError(f"{path}: cannot be read: {error.strerror or error}.") from error


def read_bytes(path: str) -> bytes:
    """The whole content of a text file. Raises `StoryError` as `opened` does, and for more than `MAX_TEXT` bytes."""
    with opened(path) as file:
        data = file.read(MAX_TEXT + 1)
    refuse_larger(path, len(data), MAX_TEXT)
    return data


def refuse_larger(place: str, size: int, most: int) -> None:
    """Raise `StoryError` for more bytes than `most`."""
    if size > most:
        raise StoryError(f"{place}: larger than {most // MIB} MiB, the limit for an import.")


def refuse_bomb(place: str, packed: int, size: int) -> None:
    """Raise `StoryError` for a text that is suspiciously larger than its packed size."""
    refuse_larger(place, size, MAX_TEXT)
    if size > SMALL and size > packed * MAX_RATIO:
        raise StoryError(f"{place}: unpacks to more than {MAX_RATIO} times its size, which no ordinary text does.")


def inflated(place: str, data: bytes) -> bytes:
    """A zlib stream, unpacked. Raises `StoryError` for a damaged stream, or one that unpacks to too much."""
    stream = zlib.decompressobj()
    try:
        text = stream.decompress(data, MAX_TEXT + 1)
    except zlib.error as error:
        raise StoryError(f"{place}: cannot be unpacked: {error}.") from error
    refuse_bomb(place, len(data), len(text))
    if not stream.eof:
        raise StoryError(f"{place}: cannot be unpacked: it is cut off.")
    return text
