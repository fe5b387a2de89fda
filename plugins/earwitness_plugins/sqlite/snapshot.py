"""A copy of a file that is open, as one moment sees it."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from pathlib import Path
from uuid import uuid4

import apsw

from earwitness.errors import InputError


def write_snapshot(path: str, target: str, busy_timeout: float) -> None:
    """Copy what is committed to a new file, compacted, durable and whole or not at all; writers go on meanwhile.

    Raises `InputError` for a target that exists, and SQLite's and the system's errors.
    """
    whole = Path(target).expanduser().resolve()
    if whole.exists():
        raise _taken(whole)
    part = whole.with_name(f".{whole.name}.{uuid4().hex[:8]}.part")
    try:
        with closing(apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)) as connection:
            connection.set_busy_timeout(int(busy_timeout * 1000))
            connection.execute("VACUUM INTO ?", (str(part),))
        _sync(part)
        _name(part, whole)
        _sync(whole.parent)
    finally:
        with suppress(OSError):
            part.unlink()


def _name(part: Path, whole: Path) -> None:
    """Give the finished copy its name, unless somebody has taken that."""
    try:
        os.link(part, whole)
    except FileExistsError as error:
        raise _taken(whole) from error
    except OSError:  # a file system without links
        part.rename(whole)


def _taken(whole: Path) -> InputError:
    return InputError(f"{str(whole)!r} already exists. A copy is written to a new file only: choose another name.")


def _sync(path: Path) -> None:
    with suppress(OSError):  # not every system syncs folders
        file = os.open(path, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
