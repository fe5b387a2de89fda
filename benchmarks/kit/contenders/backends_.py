"""Every store of ours, through its public interface, as a contender beside what it is built on."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from earwitness.loading.resources import Resources

from .ours import Given, Plain


class Backend(Plain):
    """Words and meaning, the best ranked again: as shipped."""

    async def open(self, folder: Path) -> None:
        """A store in this folder, or on a server of its own."""
        self._given = Given()
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

        return SqliteStore(path=str(folder / "story.db"), embedder=self._given, resources=Resources())


class Qdrant(Backend):
    """Qdrant in a folder."""

    def made(self, folder: Path) -> Any:
        """In local mode."""
        from earwitness_plugins.stores.qdrant import QdrantStore

        return QdrantStore(path=str(folder / "qdrant"), embedder=self._given)


class Mem0Records(Backend):
    """mem0's own store in a folder."""

    def made(self, folder: Path) -> Any:
        """As mem0 comes."""
        from earwitness_plugins.stores.mem0 import Mem0Store

        return Mem0Store(path=str(folder / "mem0"), embedder=self._given)


class Markdown(Backend):
    """Files that people edit."""

    def made(self, folder: Path) -> Any:
        """With its history."""
        from earwitness_plugins.stores.markdown import MarkdownStore

        return MarkdownStore(path=str(folder / "memories"), embedder=self._given)


class Postgres(Backend):
    """A PostgreSQL server of its own, whose commits are on the disk."""

    def made(self, folder: Path) -> Any:
        """In a new database."""
        from pydantic import SecretStr

        from earwitness_plugins.stores.postgres import PostgresStore
        from earwitness_plugins.testing.postgres import PostgresServer

        server = self._around.enter_context(PostgresServer.running(durable=True))
        return PostgresStore(dsn=SecretStr(server.dsn), embedder=self._given, resources=Resources())
