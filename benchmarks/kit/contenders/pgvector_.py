"""PostgreSQL with pgvector, written by hand: one table, words and meaning fused by rank in one statement."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
from pgvector.psycopg import register_vector

from earwitness_plugins.testing.postgres import PostgresServer

from ..made import Question, Row
from .backends_ import postmaster

_TABLE = (
    "CREATE EXTENSION IF NOT EXISTS vector",
    (
        "CREATE TABLE memory (container text, id text, content text, metadata jsonb, day float, vector vector(256),"
        " words tsvector, PRIMARY KEY (container, id))"
    ),
    "CREATE INDEX ON memory USING gin (words)",
)
_INSERT = (
    "INSERT INTO memory VALUES (%s, %s, %s, %s, %s, %s, to_tsvector('english', %s)) ON CONFLICT (container, id) DO"
    " UPDATE SET content = excluded.content, metadata = excluded.metadata, day = excluded.day,"
    " vector = excluded.vector, words = excluded.words"
)
_SEARCH = """
    WITH seen AS NOT MATERIALIZED (SELECT * FROM memory WHERE container = %(container)s AND day >= 0),
    meaning AS (SELECT id, row_number() OVER (ORDER BY vector <=> %(vector)s) AS place FROM seen
        ORDER BY vector <=> %(vector)s LIMIT 100),
    words AS (SELECT id, row_number() OVER (ORDER BY ts_rank(words, query) DESC) AS place
        FROM seen, to_tsquery('english', %(words)s) AS query WHERE words @@ query
        ORDER BY ts_rank(words, query) DESC LIMIT 100)
    SELECT memory.id, content, metadata FROM (SELECT id, sum(1.0 / (60 + place)) AS score
        FROM (SELECT * FROM meaning UNION ALL SELECT * FROM words) AS each GROUP BY id) AS fused
    JOIN memory ON memory.container = %(container)s AND memory.id = fused.id ORDER BY score DESC LIMIT %(limit)s
"""


class PgvectorByHand:
    """A server of its own, whose commits are on the disk."""

    async def open(self, folder: Path) -> None:
        """Start the server, and make the table."""
        self._around = ExitStack()
        server = self._around.enter_context(PostgresServer.running(durable=True))
        self._server = postmaster(server)
        self._connection: Any = self._around.enter_context(psycopg.connect(server.dsn, autocommit=True))
        for statement in _TABLE:
            self._connection.execute(statement)
        register_vector(self._connection)

    def servers(self) -> Sequence[int]:
        """PostgreSQL."""
        return [self._server]

    async def fill(self, rows: Sequence[Row]) -> None:
        """As in `turn`, more at once."""
        await self.turn(rows)

    async def ready(self) -> None:
        """Tell the planner what is there."""
        self._connection.execute("VACUUM ANALYZE memory")

    async def turn(self, rows: Sequence[Row]) -> None:
        """One transaction."""
        with self._connection.transaction(), self._connection.cursor() as cursor:
            cursor.executemany(
                _INSERT,
                [
                    (row.container, row.id, row.text, json.dumps(row.metadata), row.day, row.vector, row.words)
                    for row in rows
                ],
            )

    async def search(self, container: str, question: Question, limit: int) -> int:
        """One statement."""
        words = " | ".join(word for word in question.text.strip("?").split()[2:] if word.isalnum())
        found = self._connection.execute(
            _SEARCH, {"container": container, "vector": question.vector, "words": words, "limit": limit}
        )
        return len(found.fetchall())

    async def close(self) -> None:
        """Stop the server."""
        self._around.close()
