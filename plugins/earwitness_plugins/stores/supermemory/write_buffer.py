"""What was written here and is not found by the service's searches yet.

Kept in a table of the store's file beside the memories' service, so that a new start finds it again. Reads look here as
well, until the service shows a memory as it was last written. Of what was edited or removed, id and version stay for
good: nobody knows for how long a search still gives what was there before.

Several instances may share the file: each looks whether another has written to it before it reads.

The file may be older or newer than the ledger's, as after a restore; then the ledger gives ids to new messages that the
service knows already. So it also keeps which ids were ever sent: only what has another one is surely not there. Where
the ledger is in the same file, both are of one state, and only the ids are kept that others have sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from time import time
from typing import NamedTuple

import apsw

from earwitness.loading.resources import Resources
from earwitness.records.memory import Memory
from earwitness_plugins.sqlite import Database

from .documents import Stamp

COMPONENT = "supermemory"
MIGRATIONS = (
    """
    CREATE TABLE supermemory_written (
        container TEXT NOT NULL,
        id TEXT NOT NULL,
        first_written INTEGER NOT NULL,
        version INTEGER NOT NULL,
        memory TEXT,
        PRIMARY KEY (container, id)
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE supermemory_written ADD COLUMN outdated INTEGER NOT NULL DEFAULT 0;
    UPDATE supermemory_written SET outdated = version - (memory IS NOT NULL);
    """,
    """
    ALTER TABLE supermemory_written ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX supermemory_written_changed ON supermemory_written (changed);
    CREATE TABLE supermemory_changes (number INTEGER NOT NULL);
    INSERT INTO supermemory_changes VALUES (0);
    """,
    """
    CREATE TABLE supermemory_sent (
        container TEXT NOT NULL PRIMARY KEY,
        version INTEGER
    ) WITHOUT ROWID;
    """,
    """
    CREATE TABLE supermemory_ids (
        container TEXT NOT NULL,
        id BLOB NOT NULL,
        PRIMARY KEY (container, id)
    ) WITHOUT ROWID;
    CREATE TABLE supermemory_layout (in_ledger_file INTEGER NOT NULL);
    DELETE FROM supermemory_sent;
    """,
)
_LEDGER = "ledger"
"""The component of the ledger `sqlite`."""
MICROSECONDS = 1_000_000
_PUT = """
    INSERT INTO supermemory_written (container, id, first_written, version, memory, outdated, changed)
    VALUES (?, ?, ?, ?, ?, ?, (SELECT number FROM supermemory_changes))
    ON CONFLICT (container, id) DO UPDATE SET
        first_written = excluded.first_written, version = excluded.version, memory = excluded.memory,
        outdated = excluded.outdated, changed = excluded.changed
    WHERE excluded.version >= version
"""
_SENT = "SELECT version FROM supermemory_sent WHERE container = ?"
_NOTE_SENT = """
    INSERT INTO supermemory_sent VALUES (?, ?) ON CONFLICT (container) DO UPDATE SET version = excluded.version
    WHERE excluded.version > version
"""
_IS_SENT = "SELECT 1 FROM supermemory_ids WHERE container = ? AND id = ?"
_NOTE_ID = "INSERT OR IGNORE INTO supermemory_ids VALUES (?, ?)"
_FORGET = "DELETE FROM supermemory_written WHERE container = ? AND id = ? AND version = ?"
_DROP = (
    "DELETE FROM supermemory_sent WHERE container = ?",
    "DELETE FROM supermemory_ids WHERE container = ?",
    "DELETE FROM supermemory_written WHERE container = ?",
)
_NOTE_OTHERS = "INSERT OR REPLACE INTO supermemory_sent VALUES (?, NULL)"
_CHANGED = "SELECT container, id, first_written, version, memory, outdated FROM supermemory_written WHERE changed > ?"


class WrittenMemory(NamedTuple):
    """A memory as it was last written here."""

    stamp: Stamp
    memory: Memory | None
    """`None` = it was removed, or the service shows it as it was written."""
    outdated: int = 0
    """What has this version or an older one is replaced or removed; 0 = nothing was there before."""

    @property
    def is_removed(self) -> bool:
        """Whether it was removed, and not only edited."""
        return self.memory is None and self.outdated >= self.stamp.version

    @property
    def known(self) -> int:
        """What the service shows of this version or an older one is known here, or outdated."""
        return self.stamp.version if self.memory is not None else self.outdated


class SentDocuments(NamedTuple):
    """What the file knows of what was sent to a container."""

    version: int | None
    """Up to which one what was sent is known; 0 = nothing is, `None` = too much was sent of which nothing is known."""
    ids: frozenset[str] = frozenset()
    """Those that were asked for and have been sent, for whichever ledger."""


class SentVersion(NamedTuple):
    """What may have been sent to a container."""

    version: int
    """The newest of it."""
    ids: Sequence[str]
    """Of the memories."""
    by_others: bool = False
    """Whether this file did not know of it."""


class WriteBuffer:
    """What was written and is not shown yet, by container and id."""

    def __init__(self, path: str, resources: Resources) -> None:
        self._database = Database.at(path, resources)
        self._written: dict[str, dict[str, WrittenMemory]] = {}
        self._dropped: dict[str, int] = {}
        self._last = 0
        self._seen = -1
        """The number of the last change of the file that is known here."""
        self._in_ledger_file: bool | None = None
        """Whether the ledger of this instance is in the same file; `None` until something is put."""

    async def open(self) -> None:
        """Read what an earlier start has left. Raises `StorageError`."""
        await self._database.open(COMPONENT, MIGRATIONS)
        await self._read_changes()

    async def _read_changes(self) -> None:
        """Read what has changed in the file, also by another instance. The newer version counts."""
        seen = self._seen
        number, rows = await self._database.read(lambda connection: _changes(connection, seen))
        for container, id, first, version, text, outdated in rows:
            held = self._written.setdefault(container, {})
            if id not in held or held[id].stamp.version < version:
                memory = None if text is None else Memory.model_validate_json(text)
                held[id] = WrittenMemory(Stamp(first, version), memory, outdated)
        self._seen = max(self._seen, number)

    async def close(self) -> None:
        """Release the file; what is in it stays."""
        self._written, self._seen, self._in_ledger_file = {}, -1, None
        await self._database.close()

    def waiting(self) -> Sequence[str]:
        """The containers of which something is not shown yet, those that wait longest first."""
        since = {
            name: min((each.stamp.version for each in written.values() if each.memory), default=0)
            for name, written in self._written.items()
        }
        return sorted((name for name in since if since[name]), key=lambda name: since[name])

    async def of(self, container: str) -> Mapping[str, WrittenMemory]:
        """What is remembered of a container, as it is now. Raises `StorageError`."""
        if await self._database.read_inline(_number) != self._seen:
            await self._read_changes()
        return self.held(container)

    def held(self, container: str) -> Mapping[str, WrittenMemory]:
        """What is remembered of a container, as it was when the file was last looked at."""
        return dict(self._written.get(container, {}))

    def stamp(self) -> int:
        """Now, in microseconds since 1970, later than any stamp before."""
        self._last = max(int(time() * MICROSECONDS), self._last + 1)
        return self._last

    async def put(self, container: str, written: Mapping[str, WrittenMemory]) -> None:
        """Remember what was written, or removed."""
        self.note(container, written)
        await self.keep({container: written}, {})

    def note(self, container: str, written: Mapping[str, WrittenMemory]) -> None:
        """Remember it in this instance; `keep` follows. What another instance has written since stays."""
        held = self._written.setdefault(container, {}) if written else {}
        held |= {
            id: each for id, each in written.items() if id not in held or held[id].stamp.version <= each.stamp.version
        }

    async def keep(self, written: Mapping[str, Mapping[str, WrittenMemory]], sent: Mapping[str, SentVersion]) -> None:
        """Keep in the file what was noted and what was sent, by container."""
        rows = [
            (container, id, *each.stamp, each.memory and each.memory.model_dump_json(), each.outdated)
            for container, its in written.items()
            for id, each in its.items()
            if each.stamp.version > self.dropped(container)
        ]
        left = {container: each for container, each in sent.items() if each.version > self.dropped(container)}
        marks = [(container, each.version) for container, each in left.items()]
        traced = {name: each for name, each in left.items() if each.by_others or not self._in_ledger_file}
        ids = [(container, _key(id)) for container, each in traced.items() for id in each.ids]
        if rows or marks:
            await self._change((_PUT, rows), (_NOTE_SENT, marks), (_NOTE_ID, ids))

    async def forget(self, container: str, shown: Mapping[str, WrittenMemory]) -> None:
        """Forget what the service shows now, unless it was written again meanwhile; what is outdated stays."""
        held = self._written.get(container, {})
        gone = {id: each for id, each in shown.items() if held.get(id) == each}
        await self.put(container, {id: each._replace(memory=None) for id, each in gone.items() if each.outdated})
        rows = [(container, id, held.pop(id).stamp.version) for id, each in gone.items() if not each.outdated]
        if rows:
            await self._change((_FORGET, rows))

    async def sent(self, ids: Mapping[str, Iterable[str]]) -> Mapping[str, SentDocuments]:
        """What is known of containers, and of some ids in each. Looks at the file; raises `StorageError`."""
        if self._in_ledger_file is None:
            self._in_ledger_file = self._database.serves(_LEDGER)
            await self._database.write(partial(_note_layout, self._in_ledger_file), durable=False)
        number, found = await self._database.read_inline(partial(_sent, ids))
        if number != self._seen:
            await self._read_changes()
        return found

    async def note_others(self, container: str) -> None:
        """Keep that a container may hold documents that this file does not know of, from now on."""
        await self._database.write(partial(_execute, _NOTE_OTHERS, [(container,)]), durable=False)

    def dropped(self, container: str) -> int:
        """What has this version or an older one was dropped with the container; 0 = it was not dropped since `open`."""
        return self._dropped.get(container, 0)

    async def drop(self, container: str) -> None:
        """Forget everything of a container."""
        self._dropped[container] = self.stamp()
        self._written.pop(container, None)
        await self._change(*((statement, [(container,)]) for statement in _DROP))

    async def _change(self, *statements: tuple[str, Sequence[tuple[object, ...]]]) -> None:
        """Run each statement for its rows, in one transaction."""

        def operation(connection: apsw.Connection) -> int:
            connection.execute("UPDATE supermemory_changes SET number = number + 1")
            for statement, rows in statements:
                connection.executemany(statement, rows)
            return _number(connection)

        number = await self._database.write(operation, durable=False)
        if number == self._seen + 1:  # no other instance has written meanwhile
            self._seen = number


def _execute(statement: str, rows: Sequence[tuple[object, ...]], connection: apsw.Connection) -> None:
    connection.executemany(statement, rows)


def _note_layout(in_ledger_file: bool, connection: apsw.Connection) -> None:
    """Keep where the ledger is. If it was elsewhere, nothing is known of what was sent: other ids were kept then."""
    if list(connection.execute("SELECT in_ledger_file FROM supermemory_layout")) != [(in_ledger_file,)]:
        connection.execute("DELETE FROM supermemory_layout")
        connection.execute("INSERT INTO supermemory_layout VALUES (?)", (in_ledger_file,))
        connection.execute("DELETE FROM supermemory_sent")


def _sent(ids: Mapping[str, Iterable[str]], connection: apsw.Connection) -> tuple[int, Mapping[str, SentDocuments]]:
    """The number of the last change, and what was sent to these containers."""
    found = {}
    for container, its in ids.items():
        rows = list(connection.execute(_SENT, (container,)))
        known = [id for id in its if rows and list(connection.execute(_IS_SENT, (container, _key(id))))]
        found[container] = SentDocuments(rows[0][0] if rows else 0, frozenset(known))
    return _number(connection), found


def _key(id: str) -> bytes:
    """An id as it is kept: eight bytes of its digest. Two ids that share them are looked up without need."""
    return sha256(id.encode(errors="surrogatepass")).digest()[:8]


def _number(connection: apsw.Connection) -> int:
    """The number of the last change of the file."""
    return int(next(connection.execute("SELECT number FROM supermemory_changes"))[0])


def _changes(
    connection: apsw.Connection, since: int
) -> tuple[int, Sequence[tuple[str, str, int, int, str | None, int]]]:
    """The number of the last change, and the rows that were written after another one."""
    rows = connection.execute(_CHANGED, (since,))
    return _number(connection), list(rows)
