"""An index in memory answers as the embedded store does, whatever was put, replaced and removed before."""

from collections.abc import Sequence

import anyio
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from earwitness.filters import EVERYTHING, Compare, Filter, Not, equals, matches
from earwitness.loading.resources import Resources
from earwitness.records.memory import Hit, Memory
from earwitness.testing.samples import memory
from earwitness.words import plain, terms
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.ranking import RankingMethod
from earwitness_plugins.ranking.memory_index import IndexedMemory, MemoryIndex
from earwitness_plugins.stores.sqlite import SqliteStore

EMBEDDER = StaticEmbedder()
METHOD = RankingMethod(reranker=EMBEDDER)
WORDS = ("sword", "dragon", "tavern", "crown", "Bob baked bread", "it rained on the market")
QUERIES = ("the sword", "bread", "a dragon in the tavern", "weather", "")
FILTERS: Sequence[Filter] = (EVERYTHING, Compare("game_day", "<=", 2), Not(equals("game_day", 1)))


def indexed(each: Memory, position: int) -> IndexedMemory:
    text = plain(each.content)
    vector = EMBEDDER.embed([text])[0].astype(np.float16)  # as the file keeps it
    return IndexedMemory(each, position, terms(text), vector.astype(np.float32))


def searched(index: MemoryIndex, query: str, filter: Filter, limit: int = 10) -> Sequence[Hit]:
    return index.search(query, EMBEDDER.embed([query])[0], filter, limit, METHOD)


def said(hits: Sequence[Hit]) -> list[tuple[str, str, float]]:
    return [(hit.memory.id, hit.memory.content, round(hit.score, 3)) for hit in hits]


steps = st.tuples(st.integers(0, 4), st.integers(0, 11), st.integers(0, 99))


@given(st.lists(steps, max_size=30))
@settings(max_examples=25, deadline=None)
def test_it_ranks_as_the_embedded_store(taken: Sequence[tuple[int, int, int]]) -> None:
    async def alike() -> None:
        store = SqliteStore(path=":memory:", embedder=EMBEDDER, resources=Resources())
        index, positions = MemoryIndex(EMBEDDER.identity.dimension), dict[str, int]()
        await store.open()
        for kind, number, other in taken:
            id = f"m{number}"
            if kind == 0:
                positions.pop(id, None)
                index.remove([id])
                await store.remove({"c": [id]})
                continue
            new = memory("c", id, f"{WORDS[other % 6]} {WORDS[kind]} {number % 3}", gameDay=other % 4)
            index.put([indexed(new, positions.setdefault(id, max(positions.values(), default=0) + 1))])
            await store.put([new])
        assert index.list() == list(await store.list("c"))
        for filter in FILTERS:
            assert index.list(filter, 3, 1) == list(await store.list("c", filter=filter, limit=3, offset=1))
            for query in QUERIES:
                assert said(searched(index, query, filter)) == said(await store.search("c", query, filter=filter))
        held, expected = index.holders(["sword", "nothing"]), await store.holders("c", ["sword", "nothing"])
        assert (held.count, {term: set(ids) for term, ids in held.ids.items()}) == (
            expected.count,
            {term: set(ids) for term, ids in expected.ids.items()},
        )
        await store.close()

    anyio.run(alike)


def test_what_is_replaced_again_and_again_takes_no_more_room() -> None:
    index = MemoryIndex(EMBEDDER.identity.dimension)
    index.put([indexed(memory("c", "m0", "the first"), 0)])
    once = indexed(memory("c", "m1", "the sword"), 1)
    for _ in range(40):
        index.put([once] * 60)
    assert index.nbytes < 5_000_000
    assert [each.id for each in index.list()] == ["m0", "m1"]
    assert [hit.memory.id for hit in searched(index, "the sword", EVERYTHING, 1)] == ["m1"]
    assert len(index) == 2


def test_a_field_that_is_asked_for_late_is_known_of_all_rows() -> None:
    index = MemoryIndex(1)
    rows = [{"a": 1}, {"b": "x"}, {"a": "1"}, {"a": ["1"]}, {}]
    for n, row in enumerate(rows):
        each = memory("c", f"m{n}").model_copy(update={"metadata": row})
        index.put([IndexedMemory(each, n, ["word"], np.zeros(1, np.float32))])
        for filter in (equals("a", "1"), Compare("a", ">=", 1), equals("b", "x")):
            assert [found.id for found in index.list(filter)] == [
                f"m{place}" for place, each_row in enumerate(rows[: n + 1]) if matches(filter, each_row)
            ]


def test_in_slices_it_takes_in_the_same() -> None:
    new = [indexed(memory("c", f"m{n % 90}", f"{WORDS[n % 6]} {n}", gameDay=n % 4), n) for n in range(120)]
    at_once, in_slices = (MemoryIndex(EMBEDDER.identity.dimension) for _ in range(2))
    at_once.put(new)
    anyio.run(in_slices.put_in_slices, new)
    for query in QUERIES:
        assert said(searched(in_slices, query, EVERYTHING)) == said(searched(at_once, query, EVERYTHING))
    assert in_slices.list() == at_once.list()
