"""What was written here and is not found by the service's searches yet.

Kept in a table of the store's file beside the memories' service, so that a new start finds it again. Reads look here as
well, until the service shows a memory as it was last written. Of what was edited or removed, id and version stay for
good: nobody knows for how long a search still gives what was there before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
)
_MICROSECONDS = 1_000_000


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


class WriteBuffer:
    """What was written and is not shown yet, by container and id."""

    def __init__(self, path: str, resources: Resources) -> None:
        self._database = Database.at(path, resources)
        self._written: dict[str, dict[str, WrittenMemory]] = {}
        self._dropped: dict[str, int] = {}
        self._last = 0

    async def open(self) -> None:
        """Read what an earlier start has left. Raises `StorageError`."""
        await self._database.open(COMPONENT, MIGRATIONS)
        for container, id, first, version, text, outdated in await self._database.read(_rows):
            memory = None if text is None else Memory.model_validate_json(text)
            self._written.setdefault(container, {})[id] = WrittenMemory(Stamp(first, version), memory, outdated)

    async def close(self) -> None:
        """Release the file; what is in it stays."""
        self._written = {}
        await self._database.close()

    def __len__(self) -> int:
        return sum(each.memory is not None for written in self._written.values() for each in written.values())

    @property
    def oldest(self) -> float:
        """How many seconds ago the oldest of them was written; 0 = there is none."""
        versions = [
            each.stamp.version for written in self._written.values() for each in written.values() if each.memory
        ]
        return time() - min(versions) / _MICROSECONDS if versions else 0.0

    def of(self, container: str) -> Mapping[str, WrittenMemory]:
        """What is remembered of a container, as it is now."""
        return dict(self._written.get(container, {}))

    def stamp(self) -> int:
        """Now, in microseconds since 1970, later than any stamp before."""
        self._last = max(int(time() * _MICROSECONDS), self._last + 1)
        return self._last

    async def put(self, container: str, written: Mapping[str, WrittenMemory]) -> None:
        """Remember what was written, or removed."""
        if not written:
            return
        self._written.setdefault(container, {}).update(written)
        rows = [
            (container, id, *each.stamp, each.memory and each.memory.model_dump_json(), each.outdated)
            for id, each in written.items()
        ]
        await self._change("INSERT OR REPLACE INTO supermemory_written VALUES (?, ?, ?, ?, ?, ?)", rows)

    async def forget(self, container: str, shown: Mapping[str, WrittenMemory]) -> None:
        """Forget what the service shows now, unless it was written again meanwhile; what is outdated stays."""
        held = self._written.get(container, {})
        gone = {id: each for id, each in shown.items() if held.get(id) == each}
        await self.put(container, {id: each._replace(memory=None) for id, each in gone.items() if each.outdated})
        rows = [(container, id, held.pop(id).stamp.version) for id, each in gone.items() if not each.outdated]
        if rows:
            await self._change("DELETE FROM supermemory_written WHERE container = ? AND id = ? AND version = ?", rows)

    def dropped(self, container: str) -> int:
        """What has this version or an older one was dropped with the container; 0 = it was not dropped since `open`."""
        return self._dropped.get(container, 0)

    async def drop(self, container: str) -> None:
        """Forget everything of a container."""
        self._dropped[container] = self.stamp()
        if self._written.pop(container, None):
            await self._change("DELETE FROM supermemory_written WHERE container = ?", [(container,)])

    async def _change(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
        given = list(rows)

        def operation(connection: apsw.Connection) -> None:
            connection.executemany(statement, given)

        await self._database.write(operation, durable=False)


def _rows(connection: apsw.Connection) -> Sequence[tuple[str, str, int, int, str | None, int]]:
    return list(
        connection.execute("SELECT container, id, first_written, version, memory, outdated FROM supermemory_written")
    )
