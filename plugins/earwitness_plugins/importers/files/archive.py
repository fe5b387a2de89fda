"""A text in a zip archive, which may follow a picture in the same file (a JPEG with a zip appended, a CHARX)."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from earwitness.errors import StoryError

from .limits import MAX_TEXT, refuse_bomb

MAX_ENTRIES = 100_000
# The other methods cannot be limited in how much they unpack.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, RuntimeError)


def unzipped(file: BinaryIO, place: str, name: str) -> bytes | None:
    """The file of this name (in any letter case, nearest the root), or `None` when there is no archive or no such file.

    Raises `StoryError` for a damaged or encrypted file, and for one that unpacks to too much.
    """
    with _damage_named(place):
        if not zipfile.is_zipfile(file):
            return None
        with zipfile.ZipFile(file) as archive:
            found = _find(archive, place, name)
            return None if found is None else _read(archive, found, f"{place}: {found.filename}")


@contextmanager
def _damage_named(place: str) -> Iterator[None]:
    try:
        yield
    except StoryError:
        raise
    except _DAMAGE as error:
        raise StoryError(f"{place}: its archive is damaged: {error}.") from error


def _find(archive: zipfile.ZipFile, place: str, name: str) -> zipfile.ZipInfo | None:
    entries = archive.infolist()
    if len(entries) > MAX_ENTRIES:
        raise StoryError(f"{place}: an archive of {len(entries):,} files; the limit is {MAX_ENTRIES:,}.")
    named = [each for each in entries if each.filename.rpartition("/")[2].casefold() == name]
    return min(named, key=lambda each: each.filename.count("/"), default=None)


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, place: str) -> bytes:
    if entry.compress_type not in _METHODS:
        raise StoryError(f"{place}: packed by method {entry.compress_type}. Pack it again, stored or deflated.")
    refuse_bomb(place, entry.compress_size, entry.file_size)
    with archive.open(entry) as packed:
        data = packed.read(MAX_TEXT + 1)
    refuse_bomb(place, entry.compress_size, len(data))
    return data
