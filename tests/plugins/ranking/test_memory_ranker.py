"""Memories that no store ranks are ranked as the embedded store ranks them."""

from collections.abc import Sequence

import anyio
import pytest

from earwitness.errors import UnknownName
from earwitness.filters import Compare, Filter
from earwitness.loading.resources import Resources
from earwitness.protocols import Embedder
from earwitness.records.memory import Hit, Memory
from earwitness.testing.cases.store_ranking import TALE
from earwitness.testing.samples import memory
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.ranking import MemoryRanker
from earwitness_plugins.stores.sqlite import SqliteStore

EMBEDDER = StaticEmbedder()
EARLY = Compare("game_day", "<=", 3)
MEMORIES = [memory("c", f"m{9 - n}", text, gameDay=n) for n, text in enumerate((*TALE, *TALE[:2]))]


def said(hits: Sequence[Hit]) -> list[tuple[Memory, float]]:
    return [(hit.memory, round(hit.score, 3)) for hit in hits]


@pytest.mark.parametrize("embedder", [EMBEDDER, None], ids=["static", "none"])
@pytest.mark.parametrize("rerank", [True, False])
def test_it_ranks_as_the_embedded_store(embedder: Embedder | None, rerank: bool) -> None:
    async def alike() -> None:
        ranker = MemoryRanker(embedder, rerank=rerank)
        store = SqliteStore(path=":memory:", embedder=embedder, resources=Resources(), rerank=rerank)
        await store.open()
        await store.put(MEMORIES)
        asked: list[tuple[str, Filter]] = [(text, EARLY) for text in ("a blade", "bread at dawn", "", "silver dragon")]
        for query, filter in asked:
            expected = said(await store.search("c", query, filter=filter, limit=3))
            assert said(await ranker.ranked(MEMORIES, query, filter=filter, limit=3)) == expected
        await store.close()

    anyio.run(alike)


def test_copies_of_one_text_are_embedded_once() -> None:
    class Counting(StaticEmbedder):
        seen = 0

        def embed(self, texts: Sequence[str]):  # type: ignore[no-untyped-def]
            self.seen += len(texts)
            return super().embed(texts)

    embedder = Counting()
    copies = [memory(f"c{n}", "m", "the same words") for n in range(5)]
    assert len(anyio.run(MemoryRanker(embedder).indexed, copies, range(5))) == 5
    assert embedder.seen == 1


def test_an_unknown_fusion_is_refused() -> None:
    with pytest.raises(UnknownName, match="unknown fusion 'sum'"):
        MemoryRanker(None, fusion="sum")  # type: ignore[arg-type]
