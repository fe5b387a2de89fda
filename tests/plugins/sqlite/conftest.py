"""A database with one table to write words to; no word may stand there twice."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from earwitness.loading.resources import Resources
from earwitness_plugins.sqlite import Database


class Words:
    """A component with one table, on a database of its own `Resources`."""

    migrations = ("CREATE TABLE words (word TEXT NOT NULL UNIQUE)",)

    def __init__(self, path: object, busy_timeout: float = 0.3) -> None:
        self.path = str(path)
        self.database = Database.at(self.path, Resources(), busy_timeout=busy_timeout)

    async def open(self) -> "Words":
        await self.database.open("words", self.migrations)
        return self

    async def close(self) -> None:
        await self.database.close()

    async def add(self, word: str, *, durable: bool = True) -> str:
        return await self.database.write(lambda connection: self.insert(connection, word), durable=durable)

    async def add_all(self, *words: str) -> list[Any]:
        """At the same time; what each came to: the word, or the error."""
        return await asyncio.gather(*map(self.add, words), return_exceptions=True)

    async def all(self) -> list[str]:
        return await self.database.read(self.select)

    @staticmethod
    def insert(connection: apsw.Connection, word: str) -> str:
        connection.execute("INSERT INTO words VALUES (?)", (word,))
        return word

    @staticmethod
    def select(connection: apsw.Connection) -> list[str]:
        return [str(word) for (word,) in connection.execute("SELECT word FROM words ORDER BY rowid")]


@pytest.fixture
def words_at() -> type[Words]:
    """To open a file yourself: `await words_at(path).open()`."""
    return Words


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "story.db"


@pytest.fixture
async def words(path: Path) -> AsyncIterator[Words]:
    opened = await Words(path).open()
    yield opened
    await opened.close()
