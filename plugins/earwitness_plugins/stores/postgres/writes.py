"""Writing into containers: each function is part of one transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from earwitness_plugins.postgres import Connection

from .text import KeptMetadata, kept

EXACT = 10_000
"""The vectors of so many memories of a container are all compared. Those of what comes later are in the HNSW index."""
_CONTAINERS = """
INSERT INTO earwitness.memory_container AS c (name) SELECT unnest(%s::text[])
ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING c.name, c.number, c.memories
"""
_FIND = "SELECT name, number FROM earwitness.memory_container WHERE name = ANY(%s) ORDER BY name FOR UPDATE"
_MEMORIES = """
WITH before AS MATERIALIZED (SELECT last_value AS number FROM earwitness.memory_number)
INSERT INTO earwitness.memory AS m
    (container, id, number, content, metadata, exact_metadata, embedding, words, indexed)
SELECT g.container, g.id, coalesce(p.number, nextval('earwitness.memory_number')), g.content, g.metadata, g.exact,
    g.embedding, g.words, g.indexed
FROM before, unnest(%(containers)s::integer[], %(ids)s::text[], %(contents)s::text[], %(metadata)s::jsonb[],
    %(exact)s::json[], %(vectors)s::halfvec[], %(words)s::integer[], %(indexed)s::boolean[])
    WITH ORDINALITY AS g (container, id, content, metadata, exact, embedding, words, indexed, place)
LEFT JOIN earwitness.memory_place p ON %(back)s AND p.container = g.container AND p.id = g.id
ORDER BY g.place
ON CONFLICT (container, id) DO UPDATE SET content = excluded.content, metadata = excluded.metadata,
    exact_metadata = excluded.exact_metadata, embedding = excluded.embedding, words = excluded.words
WHERE (m.content, m.metadata, m.exact_metadata::text) IS DISTINCT FROM
    (excluded.content, excluded.metadata, excluded.exact_metadata::text)
RETURNING m.container, m.id, m.number, m.number <= (SELECT number FROM before)
"""
_OLD_WORDS = """
DELETE FROM earwitness.memory_word AS w USING unnest(%s::integer[], %s::bigint[]) AS g (container, number)
WHERE w.container = g.container AND w.number = g.number
"""
_WORDS = """
INSERT INTO earwitness.memory_word (container, number, term, times, words)
SELECT * FROM unnest(%s::integer[], %s::bigint[], %s::text[], %s::integer[], %s::integer[])
"""
_COUNT = """
UPDATE earwitness.memory_container AS c SET memories = its.memories, words = its.words
FROM unnest(%s::integer[]) AS g (number), LATERAL (
    SELECT count(*) AS memories, coalesce(sum(m.words), 0) AS words FROM earwitness.memory m
    WHERE m.container = g.number
) AS its WHERE c.number = g.number
"""
_ADD = """
UPDATE earwitness.memory_container AS c SET memories = c.memories + g.memories, words = c.words + g.words
FROM unnest(%s::integer[], %s::bigint[], %s::bigint[]) AS g (number, memories, words) WHERE c.number = g.number
"""
_REMOVE = """
DELETE FROM earwitness.memory AS m USING unnest(%s::integer[], %s::text[]) AS g (container, id)
WHERE m.container = g.container AND m.id = g.id RETURNING m.container, m.id, m.number
"""
_LEAVE_PLACE = """
INSERT INTO earwitness.memory_place (container, id, number)
SELECT * FROM unnest(%s::integer[], %s::text[], %s::bigint[])
ON CONFLICT (container, id) DO UPDATE SET number = excluded.number
"""
_DROP = tuple(
    f"DELETE FROM earwitness.{table} WHERE {column} = %s".encode()  # noqa: S608 - our own words
    for table, column in (
        ("memory_word", "container"),
        ("memory", "container"),
        ("memory_place", "container"),
        ("memory_container", "number"),
    )
)
_BRANCH = (
    """INSERT INTO earwitness.memory
        (container, id, number, content, metadata, exact_metadata, embedding, words, indexed)
    SELECT %(new)s, id, number, content, metadata, exact_metadata, embedding, words, indexed
    FROM earwitness.memory WHERE container = %(old)s AND id <> ALL(%(without)s)""",
    """INSERT INTO earwitness.memory_word (container, number, term, times, words)
    SELECT %(new)s, w.number, w.term, w.times, w.words FROM earwitness.memory_word w
    WHERE w.container = %(old)s AND w.number IN (SELECT number FROM earwitness.memory WHERE container = %(new)s)""",
    """INSERT INTO earwitness.memory_place (container, id, number)
    SELECT %(new)s, id, number FROM earwitness.memory_place WHERE container = %(old)s
    UNION ALL SELECT %(new)s, id, number FROM earwitness.memory WHERE container = %(old)s AND id = ANY(%(without)s)
    ON CONFLICT DO NOTHING""",
)


class PreparedRow(NamedTuple):
    """A memory with all that can be worked out outside the transaction."""

    container: str
    id: str
    content: str
    metadata: KeptMetadata
    terms: Sequence[str]
    vector: str | None
    """As pgvector reads it; `None` for a text without meaning."""


async def put(connection: Connection, memories: Sequence[PreparedRow], *, back: bool = False) -> None:
    """Write or replace by (container, id). A memory that is there with the same text stays as it is.

    With `back`, what was removed takes the place it had.
    """
    numbers, held = await _containers(connection, sorted({each.container for each in memories}))
    by_key = {(numbers[each.container], each.id): each for each in memories}
    found = await connection.execute(_MEMORIES.encode(), _columns(by_key, held, back=back))
    written = await found.fetchall()
    if not written:
        return
    changed = [(container, number) for container, _, number, replaced in written if replaced]
    if changed:
        await connection.execute(_OLD_WORDS.encode(), _transposed(changed, 2))
    rows = [_WrittenRow(container, number, by_key[container, id].terms) for container, id, number, _ in written]
    await connection.execute(_WORDS.encode(), _transposed([word for row in rows for word in row.words()], 5))
    if changed:
        await connection.execute(_COUNT.encode(), ([*{row.container for row in rows}],))
    else:
        await connection.execute(_ADD.encode(), _transposed(_added(rows), 3))


async def remove(connection: Connection, ids: Mapping[str, Sequence[str]]) -> None:
    """Remove by container name → ids."""
    found = await connection.execute(_FIND.encode(), ([kept(name) for name in ids],))
    numbers: dict[str, int] = dict(await found.fetchall())
    wanted = [(numbers[kept(name)], kept(id)) for name, its in ids.items() if kept(name) in numbers for id in its]
    gone = await (await connection.execute(_REMOVE.encode(), _transposed(wanted, 2))).fetchall()
    if gone:
        await connection.execute(_LEAVE_PLACE.encode(), _transposed(gone, 3))
        await connection.execute(_OLD_WORDS.encode(), _transposed([(row[0], row[2]) for row in gone], 2))
        await connection.execute(_COUNT.encode(), ([*{row[0] for row in gone}],))


async def drop(connection: Connection, name: str) -> None:
    """Remove a container and everything in it. Its number is not used again."""
    found = await (await connection.execute(_FIND.encode(), ([kept(name)],))).fetchone()
    if found is not None:
        for statement in _DROP:
            await connection.execute(statement, (found[1],))


async def branch(connection: Connection, name: str, new_name: str, without: Sequence[str]) -> None:
    """Make a container that holds what another holds, without some memories."""
    await drop(connection, new_name)
    found = await (await connection.execute(_FIND.encode(), ([kept(name)],))).fetchone()
    if found is None:
        return
    numbers, _ = await _containers(connection, [kept(new_name)])
    new = numbers[kept(new_name)]
    for statement in _BRANCH:
        given = {"old": found[1], "new": new, "without": [kept(id) for id in without]}
        await connection.execute(statement.encode(), given)
    await connection.execute(_COUNT.encode(), ([new],))


class _WrittenRow(NamedTuple):
    """A memory that was written."""

    container: int
    number: int
    terms: Sequence[str]

    def words(self) -> Iterable[tuple[int, int, str, int, int]]:
        """Rows of `memory_word`."""
        size = len(self.terms)
        return [(self.container, self.number, term, times, size) for term, times in Counter(self.terms).items()]


async def _containers(connection: Connection, names: Sequence[str]) -> tuple[dict[str, int], dict[int, int]]:
    """Name → number, and number → how many memories it holds. No other transaction writes to them until this ends."""
    found = await (await connection.execute(_CONTAINERS.encode(), (list(names),))).fetchall()
    return {name: number for name, number, _ in found}, {number: held for _, number, held in found}


def _columns(
    by_key: Mapping[tuple[int, str], PreparedRow], held: Mapping[int, int], *, back: bool
) -> dict[str, object]:
    memories, containers = list(by_key.values()), [container for container, _ in by_key]
    return {
        "containers": containers,
        "ids": [each.id for each in memories],
        "contents": [each.content for each in memories],
        "metadata": [each.metadata.text for each in memories],
        "exact": [each.metadata.exact for each in memories],
        "vectors": [each.vector for each in memories],
        "words": [len(each.terms) for each in memories],
        "indexed": [place >= EXACT for place in _places(containers, held)],
        "back": back,
    }


def _places(containers: Iterable[int], held: Mapping[int, int]) -> Iterator[int]:
    """How many memories each container holds before each of these."""
    counts = dict(held)
    for container in containers:
        yield counts[container]
        counts[container] += 1


def _added(rows: Iterable[_WrittenRow]) -> list[tuple[int, int, int]]:
    """Container, and how many memories and words it has more."""
    memories, words = Counter[int](), Counter[int]()
    for row in rows:
        memories[row.container] += 1
        words[row.container] += len(row.terms)
    return [(container, count, words[container]) for container, count in memories.items()]


def _transposed(rows: Sequence[tuple[object, ...]], width: int) -> list[list[object]]:
    """Rows as columns, also if there are none."""
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(width)]
