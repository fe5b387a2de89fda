"""Connections to a story file. A file that is not a story file is refused before anything touches it."""

from __future__ import annotations

import time
from pathlib import Path
from random import uniform

import apsw

from earwitness.errors import StorageCorrupt

APPLICATION_ID = 0x45415257  # "EARW" in the header of the file: offset 68 of the SQLite file format
_MAGIC = b"SQLite format 3\0"
_HEADER = 100
_EXISTING = apsw.SQLITE_OPEN_READWRITE


class _Patience:
    """A busy handler with short naps: SQLite's own grow to 100 ms, while a write takes about one."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = 0.0

    def __call__(self, naps: int) -> bool:
        now = time.monotonic()
        if not naps:
            self._until = now + self._seconds
        if now >= self._until:
            return False
        time.sleep(uniform(0.2, min(1 + naps, 2)) / 1000)  # noqa: S311 - random, so that two processes do not wake in step
        return True


def connect_writer(path: str, busy_timeout: float) -> apsw.Connection:
    """The writing connection; creates the file. Raises `StorageCorrupt` for a foreign file, and SQLite's errors."""
    _refuse_foreign(path)
    connection = apsw.Connection(path, flags=_EXISTING | apsw.SQLITE_OPEN_CREATE)
    _set_up(connection, busy_timeout)
    _claim(connection)
    _use_wal(connection, busy_timeout)
    connection.execute("PRAGMA journal_size_limit = 67108864")
    return connection


def connect_reader(path: str, busy_timeout: float) -> apsw.Connection:
    """A connection that can only read, to a file that a writer has opened before."""
    connection = apsw.Connection(path, flags=_EXISTING)
    _set_up(connection, busy_timeout)
    connection.execute("PRAGMA query_only = ON")
    return connection


def connect_checkpoints(path: str, busy_timeout: float) -> apsw.Connection:
    """A connection that only moves the log, to a file that a writer has opened before. It looks at no header itself:
    whoever closes the file otherwise than through SQLite loses all locks that this process has on it."""
    connection = apsw.Connection(path, flags=_EXISTING)
    _set_up(connection, busy_timeout)
    return connection


def _set_up(connection: apsw.Connection, busy_timeout: float) -> None:
    connection.set_busy_handler(_Patience(busy_timeout))
    connection.execute("PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY")


def _refuse_foreign(path: str) -> None:
    """Check the bytes of the header, so that a foreign file gets no lock, no journal and no file beside it.

    SQLite could only do that with `immutable`, and would then call a file malformed while another process moves its
    log into it.
    """
    if not Path(path).is_file() or not Path(path).stat().st_size:
        return
    with Path(path).open("rb") as file:
        header = file.read(_HEADER)
    found = int.from_bytes(header[68:72]) if header.startswith(_MAGIC) else None
    if found != APPLICATION_ID:
        what = "it is not a SQLite file" if found is None else f"its application id is {found}, not {APPLICATION_ID}"
        raise StorageCorrupt(
            f"{path!r} is not an Earwitness store ({what}). It was left untouched; choose another path."
        )


def _claim(connection: apsw.Connection) -> None:
    """Mark a new file as an Earwitness store, before WAL is on, so that the mark is in the file itself."""
    if connection.pragma("application_id") == APPLICATION_ID:
        return
    connection.execute("BEGIN EXCLUSIVE")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("CREATE TABLE IF NOT EXISTS schema (component TEXT PRIMARY KEY, version INTEGER NOT NULL)")
    connection.execute("COMMIT")


def _use_wal(connection: apsw.Connection, busy_timeout: float) -> None:
    """Turn on WAL, waiting for other processes: SQLite does not wait when it changes the journal mode."""
    until = time.monotonic() + busy_timeout
    while True:
        try:
            connection.pragma("journal_mode", "wal")
        except apsw.BusyError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return
