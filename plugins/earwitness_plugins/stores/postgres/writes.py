"""Writing into containers: each function is part of one transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from earwitness.words import plain
from earwitness_plugins.embedders.fingerprint import Fingerprint
from earwitness_plugins.postgres import Connection

from .fingerprint import FACTS, of
from .text import KeptMetadata, given, kept, kept_terms
from .vectors import text_array

EXACT = 10_000
"""The vectors of so many memories of a container are all compared. Those of what comes later are in the HNSW index."""
_FIND = """
SELECT name, number FROM earwitness.memory_container WHERE name = ANY(%s) ORDER BY name FOR NO KEY UPDATE
"""
_LOCK = (
    f"SELECT name, number, memories, {FACTS} FROM earwitness.memory_container"  # noqa: S608 - our own words
    " WHERE name = ANY(%s) ORDER BY name FOR NO KEY UPDATE"
)
_ADD = f"""
INSERT INTO earwitness.memory_container AS c (name) SELECT unnest(%s::text[])
ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING c.name, c.number, c.memories, {FACTS}
"""
_MEMORIES = """
WITH before AS MATERIALIZED (
    SELECT last_value AS number FROM earwitness.memory_number
), text AS MATERIALIZED (
    SELECT * FROM unnest(%(contents)s::text[], %(vectors)s::halfvec[], %(words)s::integer[])
        WITH ORDINALITY AS t (content, embedding, words, place)
), given AS MATERIALIZED (
    SELECT * FROM ROWS FROM (
        unnest(%(containers)s::integer[], %(ids)s::text[], %(exact)s::json[], %(texts)s::bigint[],
            %(indexed)s::boolean[]),
        jsonb_array_elements(%(metadata)s::jsonb)
    ) WITH ORDINALITY AS g (container, id, exact, text, indexed, metadata, place)
), written AS (
    INSERT INTO earwitness.memory AS m
        (container, id, number, content, metadata, exact_metadata, embedding, words, indexed)
    SELECT g.container, g.id, coalesce(p.number, nextval('earwitness.memory_number')), t.content, g.metadata, g.exact,
        t.embedding, t.words, g.indexed
    FROM before, given g JOIN text t ON t.place = g.text
    LEFT JOIN earwitness.memory_place p ON %(back)s AND p.container = g.container AND p.id = g.id
    ORDER BY g.place
    ON CONFLICT (container, id) DO UPDATE SET content = excluded.content, metadata = excluded.metadata,
        exact_metadata = excluded.exact_metadata, embedding = excluded.embedding, words = excluded.words
    WHERE (m.content, m.metadata, m.exact_metadata::text) IS DISTINCT FROM
        (excluded.content, excluded.metadata, excluded.exact_metadata::text)
    RETURNING m.container, m.id, m.number, m.words, m.number <= (SELECT number FROM before) AS replaced
), worded AS (
    INSERT INTO earwitness.memory_word (container, number, term, times, words)
    SELECT w.container, w.number, h.term, h.times, w.words
    FROM written w JOIN given g ON (g.container, g.id) = (w.container, w.id)
    JOIN unnest(%(holders)s::bigint[], %(terms)s::text[], %(times)s::integer[]) AS h (text, term, times)
        ON h.text = g.text
    WHERE NOT w.replaced ORDER BY w.container
), counted AS (
    UPDATE earwitness.memory_container AS c SET memories = c.memories + n.memories, words = c.words + n.words
    FROM (
        SELECT container, count(*) AS memories, sum(words) AS words FROM written WHERE NOT replaced GROUP BY container
    ) n WHERE c.number = n.container
)
SELECT w.container, w.id, w.number, coalesce(m.content, '') FROM written w
LEFT JOIN earwitness.memory m ON m.container = w.container AND m.id = w.id WHERE w.replaced
"""
"""A text that several memories have is sent once, with its words. What was there before has words to be removed: those
of the content that the statement still sees. What came back to its place has none.

`before` is joined so that it is read before the first new number is taken."""
_OLD_WORDS = """
DELETE FROM earwitness.memory_word AS w USING
    unnest(%s::integer[], %s::bigint[], %s::text[]) AS g (container, number, term)
WHERE w.container = g.container AND w.term = g.term AND w.number = g.number
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
_REMOVE = """
DELETE FROM earwitness.memory AS m USING unnest(%s::integer[], %s::text[]) AS g (container, id)
WHERE m.container = g.container AND m.id = g.id RETURNING m.container, m.id, m.number, m.content
"""
_LEAVE_PLACE = """
INSERT INTO earwitness.memory_place (container, id, number)
SELECT * FROM unnest(%s::integer[], %s::text[], %s::bigint[])
ON CONFLICT (container, id) DO UPDATE SET number = excluded.number
"""
_FORGET_READERS = b"DELETE FROM earwitness.reader WHERE container = %s"
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
    vector: bytes | None
    """As `as_halves` makes it; `None` for a text without meaning."""


class LockedContainers(NamedTuple):
    """Containers that no other transaction writes to until this one ends."""

    numbers: Mapping[str, int]
    """By name."""
    held: Mapping[int, int]
    """By number: how many memories each holds."""
    made_with: Fingerprint | None
    """What the tables are filled with, read at the same time."""


async def locked(connection: Connection, names: Iterable[str]) -> LockedContainers:
    """The containers of these names, made where they are missing."""
    wanted = sorted({*names})
    rows = await (await connection.execute(_LOCK.encode(), (wanted,))).fetchall()
    if missing := sorted({*wanted} - {row[0] for row in rows}):
        rows += await (await connection.execute(_ADD.encode(), (missing,))).fetchall()
    return LockedContainers({row[0]: row[1] for row in rows}, {row[1]: row[2] for row in rows}, of(rows[0][3]))


async def put(
    connection: Connection, memories: Sequence[PreparedRow], containers: LockedContainers, *, back: bool = False
) -> None:
    """Write or replace by (container, id). A memory that is there with the same text stays as it is.

    With `back`, what was removed takes the place it had.
    """
    numbers, held, _ = containers
    by_key = {(numbers[each.container], each.id): each for each in memories}
    found = await connection.execute(_MEMORIES.encode(), _columns(by_key, held, back=back))
    replaced = await found.fetchall()
    if not replaced:
        return
    await _forget_words(connection, [(container, number, content) for container, _, number, content in replaced])
    rows = [_WrittenRow(container, number, by_key[container, id].terms) for container, id, number, _ in replaced]
    await connection.execute(_WORDS.encode(), _transposed([word for row in rows for word in row.words()], 5))
    await connection.execute(_COUNT.encode(), ([*{row.container for row in rows}],))


async def remove(connection: Connection, ids: Mapping[str, Sequence[str]]) -> None:
    """Remove by container name → ids."""
    found = await connection.execute(_FIND.encode(), ([kept(name) for name in ids],))
    numbers: dict[str, int] = dict(await found.fetchall())
    wanted = [(numbers[kept(name)], kept(id)) for name, its in ids.items() if kept(name) in numbers for id in its]
    gone = await (await connection.execute(_REMOVE.encode(), _transposed(wanted, 2))).fetchall()
    if gone:
        await connection.execute(_LEAVE_PLACE.encode(), _transposed([row[:3] for row in gone], 3))
        await _forget_words(connection, [(container, number, content) for container, _, number, content in gone])
        await connection.execute(_COUNT.encode(), ([*{row[0] for row in gone}],))


async def drop(connection: Connection, name: str) -> None:
    """Remove a container, everything in it, and who may read it by hand. Its number is not used again."""
    await connection.execute(_FORGET_READERS, (kept(name),))
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
    new = (await locked(connection, [kept(new_name)])).numbers[kept(new_name)]
    for statement in _BRANCH:
        given = {"old": found[1], "new": new, "without": [kept(id) for id in without]}
        await connection.execute(statement.encode(), given)
    await connection.execute(_COUNT.encode(), ([new],))


async def _forget_words(connection: Connection, gone: Iterable[tuple[int, int, str]]) -> None:
    """Remove the words of contents: container, number, content. They are cut as they were when they were written."""
    words = [
        (container, number, term)
        for container, number, content in gone
        for term in dict.fromkeys(kept_terms(plain(given(content))))
    ]
    await connection.execute(_OLD_WORDS.encode(), _transposed(words, 3))


class _WrittenRow(NamedTuple):
    """A memory that was written."""

    container: int
    number: int
    terms: Sequence[str]

    def words(self) -> Iterable[tuple[int, int, str, int, int]]:
        """Rows of `memory_word`."""
        size = len(self.terms)
        return [(self.container, self.number, term, times, size) for term, times in Counter(self.terms).items()]


def _columns(
    by_key: Mapping[tuple[int, str], PreparedRow], held: Mapping[int, int], *, back: bool
) -> dict[str, object]:
    memories, containers = list(by_key.values()), [container for container, _ in by_key]
    texts = {each.content: each for each in memories}
    place_of = {content: place for place, content in enumerate(texts, 1)}
    words = [(place, *word) for place, each in enumerate(texts.values(), 1) for word in Counter(each.terms).items()]
    holders, terms, times = _transposed(words, 3)
    return {
        "containers": containers,
        "ids": [each.id for each in memories],
        "metadata": f"[{','.join([each.metadata.text for each in memories])}]",
        "exact": [each.metadata.exact for each in memories],
        "texts": [place_of[each.content] for each in memories],
        "indexed": [place >= EXACT for place in _places(containers, held)],
        "contents": list(texts),
        "vectors": text_array(each.vector for each in texts.values()),
        "words": [len(each.terms) for each in texts.values()],
        "holders": holders,
        "terms": terms,
        "times": times,
        "back": back,
    }


def _places(containers: Iterable[int], held: Mapping[int, int]) -> Iterator[int]:
    """How many memories each container holds before each of these."""
    counts = dict(held)
    for container in containers:
        yield counts[container]
        counts[container] += 1


def _transposed(rows: Sequence[tuple[object, ...]], width: int) -> list[list[object]]:
    """Rows as columns, also if there are none."""
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(width)]
