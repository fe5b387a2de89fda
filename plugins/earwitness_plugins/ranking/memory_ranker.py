"""Ranks memories that somebody else keeps, as the embedded store does: for stores without a ranking of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from earwitness.errors import unknown
from earwitness.filters import EVERYTHING, Filter
from earwitness.long_texts import aside
from earwitness.protocols import Embedder
from earwitness.records.memory import Hit, Memory
from earwitness.slices import in_slices
from earwitness.words import plain, terms

from .arrays import Floats
from .fusion import FUSIONS, Fusion
from .memory_index import IndexedMemory, MemoryIndex
from .ranker import RankingMethod
from .rerank import Reranker
from .vectors import embedded, work_on


class MemoryRanker:
    """Makes indexes of containers and searches them. One is enough for all containers of a store.

    Args:
        embedder: makes the vectors; `None` ranks by words only.
        fusion: how scores by words and by meaning become one; see `RankingMethod`. Raises `UnknownName`.
        rerank: whether to compare the best hits once more, if the embedder can.
    """

    def __init__(self, embedder: Embedder | None, *, fusion: Fusion = "score", rerank: bool = True) -> None:
        if fusion not in FUSIONS:
            raise unknown("fusion", fusion, FUSIONS)
        self._embedder = embedder
        self._method = RankingMethod(fusion, embedder if rerank and isinstance(embedder, Reranker) else None)

    def new_index(self) -> MemoryIndex:
        """An empty index, for one container."""
        return MemoryIndex(self._embedder.identity.dimension if self._embedder else 1)

    async def indexed(self, memories: Iterable[Memory], positions: Iterable[int]) -> list[IndexedMemory]:
        """What `MemoryIndex.put` takes in: memories, with the numbers by which they are listed. Nobody may change them.

        Each text is embedded once, however many memories have it. Raises what the embedder raises.
        """
        memories = list(memories)
        contents = list(dict.fromkeys(memory.content for memory in memories))
        plains, words = await aside(work_on(contents), _read, contents)
        texts = list(words)
        rounded = (await self._vectors(texts)).astype(np.float16).astype(np.float32)  # as the embedded store keeps them
        vectors = dict(zip(texts, rounded, strict=True))
        return await in_slices(
            IndexedMemory(memory, position, words[plains[memory.content]], vectors[plains[memory.content]])
            for memory, position in zip(memories, positions, strict=True)
        )

    async def search(
        self, index: MemoryIndex, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        """The best hits of an index, best first; ties by id. See `MemoryIndex.search`."""
        text = plain(query)
        return index.search(text, (await self._vectors([text]))[0], filter, limit, self._method)

    async def ranked(
        self, memories: Iterable[Memory], query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        """The best of a few memories of one container, in the order they were first written. Only they are counted."""
        index = self.new_index()
        memories = list(memories)
        await index.put_in_slices(await self.indexed(memories, range(len(memories))))
        return await self.search(index, query, filter=filter, limit=limit)

    async def _vectors(self, texts: Sequence[str]) -> Floats:
        """A vector for each text, shape (n, dimension)."""
        return (
            np.zeros((len(texts), 1), np.float32) if self._embedder is None else await embedded(self._embedder, texts)
        )


def _read(contents: Sequence[str]) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Content → its plain text, and plain text → its terms."""
    plains = {content: plain(content) for content in contents}
    return plains, {text: terms(text) for text in dict.fromkeys(plains.values())}
