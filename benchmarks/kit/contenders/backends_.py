"""Every store of ours, through its public interface, as a contender beside what it is built on."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from earwitness.loading.resources import Resources

from ..made import Row
from .ours import Given, Plain, memories
from .qdrant_local import unsynced

if TYPE_CHECKING:
    from earwitness_plugins.testing.postgres import PostgresServer


class Backend(Plain):
    """Words and meaning, the best ranked again: as shipped."""

    async def open(self, folder: Path) -> None:
        """A store in this folder, or on a server of its own."""
        self.given = Given()
        self._around = AsyncExitStack()
        self._store = self.made(folder)
        await self._store.open()

    def made(self, folder: Path) -> Any:
        """The store, not opened yet."""
        raise NotImplementedError

    async def close(self) -> None:
        """Close the store, and stop its server."""
        await super().close()
        await self._around.aclose()


class Sqlite(Backend):
    """One file."""

    def made(self, folder: Path) -> Any:
        """The default."""
        from earwitness_plugins.stores.sqlite import SqliteStore

        return SqliteStore(path=str(folder / "story.db"), embedder=self.given, resources=Resources())


class FilledUnsynced(Backend):
    """In Qdrant's local mode."""

    async def fill(self, rows: Sequence[Row]) -> None:
        """As in `turn`, more at once."""
        with unsynced():
            await self.turn(rows)


class Qdrant(FilledUnsynced):
    """Qdrant in a folder."""

    def made(self, folder: Path) -> Any:
        """In local mode."""
        from earwitness_plugins.stores.qdrant import QdrantStore

        return QdrantStore(path=str(folder / "qdrant"), embedder=self.given)


class Mem0Records(FilledUnsynced):
    """mem0's own store in a folder."""

    def made(self, folder: Path) -> Any:
        """As mem0 comes."""
        from earwitness_plugins.stores.mem0 import Mem0Store

        return Mem0Store(path=str(folder / "mem0"), embedder=self.given)


class Markdown(Backend):
    """Files that people edit."""

    def made(self, folder: Path) -> Any:
        """With its history."""
        from earwitness_plugins.stores.markdown import MarkdownStore

        return MarkdownStore(path=str(folder / "memories"), embedder=self.given)


class Postgres(Backend):
    """A PostgreSQL server of its own, whose commits are on the disk."""

    def made(self, folder: Path) -> Any:
        """In a new database."""
        from pydantic import SecretStr

        from earwitness_plugins.stores.postgres import PostgresStore
        from earwitness_plugins.testing.postgres import PostgresServer

        server = self._around.enter_context(PostgresServer.running(durable=True))
        self._server = postmaster(server)
        return PostgresStore(dsn=SecretStr(server.dsn), embedder=self.given, resources=Resources())

    def servers(self) -> Sequence[int]:
        """PostgreSQL."""
        return [self._server]


def postmaster(server: PostgresServer) -> int:
    """The process that has started all others of a server."""
    asked = "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::integer"
    return int(server.execute(asked)[0][0])


class Fallback(Backend):
    """Two files."""

    def made(self, folder: Path) -> Any:
        """Both embedded, so that what is added by keeping two is seen."""
        from earwitness_plugins.stores.fallback import FallbackStore

        return FallbackStore(primary=_sqlite(self, folder, "primary"), fallback=_sqlite(self, folder, "fallback"))


class SqliteTwice(Backend):
    """Two files by hand."""

    def made(self, folder: Path) -> Any:
        """The one that is asked."""
        self._second = _sqlite(self, folder, "fallback")
        return _sqlite(self, folder, "primary")

    async def open(self, folder: Path) -> None:
        """Both."""
        await super().open(folder)
        await self._second.open()

    async def turn(self, rows: Sequence[Row]) -> None:
        """Into both."""
        await super().turn(rows)
        await self._second.put(memories(rows))

    async def close(self) -> None:
        """Both."""
        await self._second.close()
        await super().close()


def _sqlite(backend: Backend, folder: Path, name: str) -> Any:
    from earwitness_plugins.stores.sqlite import SqliteStore

    return SqliteStore(path=str(folder / f"{name}.db"), embedder=backend.given, resources=Resources())
