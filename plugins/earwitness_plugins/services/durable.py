"""Files that survive a crash, and a lock between processes."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

from earwitness.errors import StorageError, StorageFull, StorageLocked

_PAUSE = 0.01
"""Seconds between two attempts to get the lock."""
_FULL = (errno.ENOSPC, errno.EDQUOT)

if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

    def sync_folder(path: Path) -> None:
        """Nothing: Windows needs none."""

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def sync_folder(path: Path) -> None:
        """Make durable which files a folder has."""
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextmanager
def locked(path: Path, seconds: float) -> Iterator[None]:
    """Hold the lock, which ends with the process. Raises `StorageLocked` when another has it for so many seconds."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        until = monotonic() + seconds
        while not _is_locked(file):
            if monotonic() > until:
                raise StorageLocked(
                    f"{str(path)!r} was locked by another process for more than {seconds:g} seconds. "
                    "Close the other program and try again: nothing was written."
                )
            sleep(_PAUSE)
        yield
    finally:
        os.close(file)


def _is_locked(file: int) -> bool:
    try:
        _lock(file)
    except OSError:
        return False
    return True


def refuse_file(folder: Path, what: str) -> None:
    """Raise `StorageError` if a folder cannot be made because a file has its place, or that of a folder above it.

    `what` says who needs the folder, and which setting names it.
    """
    for path in (folder, *folder.parents):
        if path.exists() and not path.is_dir():
            raise StorageError(f"{str(path)!r} is a file, and {what}. Name another place.")


@contextmanager
def about_files(folder: Path) -> Iterator[None]:
    """Raise what the system says as a `StorageError`."""
    try:
        yield
    except OSError as error:
        path = str(error.filename or folder)
        if error.errno in _FULL:
            raise StorageFull(f"no space left for {path!r}. Free some and try again.") from error
        raise StorageError(f"{path!r} cannot be read or written: {error.strerror or error}.") from error


def replaced(path: Path, text: str | bytes, still: Callable[[], bool]) -> bool:
    """Write a file so that it is the old one or the new one, whatever happens. Only one may do so at a time.

    False, and nothing is changed, if at the end the old one is not `still` what it was.
    """
    new = path.with_name(f".{path.name}.new")
    with new.open("wb") as file:
        file.write(text.encode() if isinstance(text, str) else text)
        file.flush()
        os.fsync(file.fileno())
    if not still():
        return False
    new.replace(path)
    sync_folder(path.parent)
    return True


def append(path: Path, text: str) -> None:
    """Add lines to the end of a file. After an unfinished line they begin a new one."""
    is_new = not path.exists()
    with path.open("a+b") as file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            text = text if file.read(1) == b"\n" else f"\n{text}"
        file.write(text.encode("utf-8", "replace"))
        file.flush()
        os.fsync(file.fileno())
    if is_new:
        sync_folder(path.parent)


def make_folder(path: Path) -> None:
    """Make a folder and those it is in."""
    if not path.is_dir():
        path.mkdir(parents=True, exist_ok=True)
        sync_folder(path.parent)
