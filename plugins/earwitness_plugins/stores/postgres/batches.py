"""A batch of memories in one statement, which is how most are written. `writes` does what this leaves alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from earwitness_plugins.embedders.fingerprint import Fingerprint
from earwitness_plugins.postgres import Connection

from . import writes
from .vectors import BinaryArray, take_binary
from .writes import PreparedRow

_WRITE = b"""
SELECT earwitness.write_memories(
    %(made_by)s, %(cut_by)s, %(names)s::text[], %(added)s::integer[], %(added_words)s::integer[],
    %(owners)s::integer[], %(nth)s::integer[], %(ids)s::text[], %(metadata)s::jsonb, %(exact)s::json[],
    %(texts)s::integer[], %(contents)s::text[], %(vectors)s::halfvec[], %(words)s::integer[],
    %(holders)s::integer[], string_to_array(%(terms)s, ' '), %(times)s::integer[], %(compared)s::integer
)
"""


async def write_new(
    connection: Connection, memories: Sequence[PreparedRow], made_with: Fingerprint, vector_type: int
) -> bool:
    """Write memories, no two with one id. False, and nothing is written, if one of them is there already, or if a
    container or the fingerprint is not there. `vector_type` is the number of pgvector's type in this database.

    It is a transaction of its own, unless one has begun; then no other writer has the containers until that ends.
    """
    take_binary(connection)
    found = await connection.execute(_WRITE, _given(memories, made_with, vector_type))
    row = await found.fetchone()
    return row is not None and bool(row[0])


def _given(memories: Sequence[PreparedRow], made_with: Fingerprint, vector_type: int) -> dict[str, object]:
    """The function's arguments. A text that several memories have is sent once, with its words.

    Numbers are sent as the text of an array: the driver turns a list into that item by item, and slowly.
    """
    names = sorted({each.container for each in memories})
    owner_of = {name: place for place, name in enumerate(names, 1)}
    texts = {each.content: each for each in memories}
    text_of = {content: place for place, content in enumerate(texts, 1)}
    counts = [Counter(each.terms) for each in texts.values()]
    added, added_words, nth = [0] * len(names), [0] * len(names), []
    for each in memories:
        owner = owner_of[each.container] - 1
        nth.append(added[owner])
        added[owner] += 1
        added_words[owner] += len(each.terms)
    return {
        "made_by": made_with.embedder,
        "cut_by": made_with.words,
        "names": names,
        "added": _array(added),
        "added_words": _array(added_words),
        "owners": _array(owner_of[each.container] for each in memories),
        "nth": _array(nth),
        "ids": [each.id for each in memories],
        "metadata": f"[{','.join([each.metadata.text for each in memories])}]",
        "exact": [each.metadata.exact for each in memories],
        "texts": _array(text_of[each.content] for each in memories),
        "contents": list(texts),
        "vectors": BinaryArray.of([each.vector for each in texts.values()], vector_type),
        "words": _array(len(each.terms) for each in texts.values()),
        "holders": _array(place for place, its in enumerate(counts, 1) for _ in its),
        "terms": " ".join([term for its in counts for term in its]),
        "times": _array(times for its in counts for times in its.values()),
        "compared": writes.EXACT,
    }


def _array(numbers: Iterable[int]) -> str:
    return "{" + ",".join(map(str, numbers)) + "}"
