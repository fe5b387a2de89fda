"""Whether the file and its log are still those that were opened.

Somebody may delete or replace the file. And as closing a file drops all POSIX locks of its process, a host that reads
the file with another SQLite library (Python's `sqlite3`) lets whoever closes it next take the live log for a
forgotten one, and delete it. What SQLite then commits goes into a log that nobody will ever find.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Literal

from earwitness.errors import StorageReplaced

Lost = Literal["file", "log"]
_Identity = tuple[int, int]


class Watch:
    """One file and its log, by device and inode. Looking takes a few microseconds."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._log = f"{path}-wal"
        self._known: tuple[_Identity | None, _Identity | None] | None = None

    @property
    def is_set(self) -> bool:
        """Whether it is known which file and which log was opened."""
        return self._known is not None

    def set(self) -> None:
        """Take the file and the log that are there now for those that were opened."""
        self._known = (_identity(self._path), _identity(self._log))

    def unset(self) -> None:
        """Nothing is open any more."""
        self._known = None

    def lost(self) -> Lost | None:
        """What is no longer there, if anything."""
        if self._known is None:
            return None
        file, log = self._known
        if file is None or _identity(self._path) != file:
            return "file"
        return "log" if log is None or _identity(self._log) != log else None

    def discard_log(self) -> None:
        """Delete the log of a file that is gone, so that it is not applied to a file that takes its place."""
        if self._known is not None and _identity(self._log) == self._known[1] is not None:
            for name in (self._log, f"{self._path}-shm"):
                with suppress(OSError):
                    Path(name).unlink()

    def error(self, lost: Lost) -> StorageReplaced:
        """The one error for what was lost."""
        if lost == "file":
            return StorageReplaced(
                f"{self._path!r} was deleted or replaced while it was open. Nothing more is written or acknowledged. "
                "Close, and open again what is there now. To copy a story while it is open, use `ew.snapshot(path)` or "
                "`earwitness backup`."
            )
        return StorageReplaced(
            f"the log of {self._path!r} was deleted while it was open, and another program has opened the file since. "
            "This call was not acknowledged; all before it is kept. Close, and open again. Another SQLite library, "
            "such as Python's sqlite3, must not read the file in this process: read a copy by `ew.snapshot(path)`."
        )


def _identity(path: str) -> _Identity | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - for every write, and a `Path` takes as long again
    except OSError:
        return None
    return found.st_dev, found.st_ino
