"""A store to try, and an oracle: the same ranking worked out the slow way, from the memories themselves."""

import asyncio
import math
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from earwitness.filters import EVERYTHING, Filter, matches
from earwitness.loading.resources import Resources
from earwitness.records.memory import Hit, Memory
from earwitness.records.memory_types import MetaValue
from earwitness.words import plain, query_words, terms
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.stores.sqlite import SqliteStore, segments, writes

from .two_stores import Service, Shared

Remember = Callable[..., Memory]
OpenStore = Callable[..., SqliteStore]


def remember(id: str, content: str = "nothing much", *, container: str = "s1-alice", **metadata: MetaValue) -> Memory:
    return Memory(id=id, container=container, content=content, metadata=metadata)


@dataclass(frozen=True)
class Oracle:
    """Brute force in plain Python over what a container holds, in the order it was first written."""

    embedder: StaticEmbedder

    def scores(
        self,
        memories: Sequence[Memory],
        query: str,
        *,
        filter: Filter = EVERYTHING,
        limit: int = 10,
        rerank: bool = True,
    ) -> dict[str, float]:
        """The score of each memory that may be found."""
        words = self.words(memories, query)
        meaning = self.meaning(memories, query)
        found = [
            place
            for place, memory in enumerate(memories)
            if matches(filter, memory.metadata) and (words[place] > 0 or meaning[place] > 0)
        ]
        depth = max(limit, 100)
        fused = _weighed(_normalised([words[i] for i in found], depth), _normalised([meaning[i] for i in found], depth))
        scores = dict(zip((memories[place].id for place in found), fused, strict=True))
        said = [
            memory.id
            for memory in memories
            if matches(filter, memory.metadata) and memory.metadata.get("type") == "message"
        ]
        if rerank and self.tokens(memories, query):
            scores = self._reranked(memories, query, _in_context(said, scores))
        return _in_context(said, scores)

    def says_nothing(self, query: str) -> bool:
        """No words, and no meaning either: then the newest are found, which is no matter of scores."""
        return not query_words(plain(query)) and not self.embedder.embed([plain(query)]).any()

    def words(self, memories: Sequence[Memory], query: str) -> list[float]:
        """BM25 with k1 = 1.2 and b = 0.75."""
        tallies = [Counter(terms(plain(memory.content))) for memory in memories]
        lengths = [sum(tally.values()) for tally in tallies]
        average = max(sum(lengths) / len(lengths), 1)
        scores = [0.0] * len(memories)
        for term in query_words(plain(query)).values():
            weight = self.idf(tallies, term)
            for place, tally in enumerate(tallies):
                norm = 1.2 * (0.25 + 0.75 * lengths[place] / average)
                scores[place] += weight * tally[term] * 2.2 / (tally[term] + norm)
        return scores

    def meaning(self, memories: Sequence[Memory], query: str) -> list[float]:
        """Cosines with vectors as they are kept, in float16."""
        vectors = self.embedder.embed([plain(memory.content) for memory in memories]).astype(np.float16)
        asked = self.embedder.embed([plain(query)])[0].tolist()
        return [math.fsum(a * b for a, b in zip(asked, vector, strict=True)) for vector in vectors.tolist()]

    def tokens(self, memories: Sequence[Memory], query: str) -> dict[int, float]:
        """Tokens of the question's words, and what each weighs."""
        tallies = [Counter(terms(plain(memory.content))) for memory in memories]
        weights: dict[int, float] = {}
        for word, term in query_words(plain(query)).items():
            for token in self.embedder.token_ids(word).tolist():
                weights[token] = max(weights.get(token, 0), self.idf(tallies, term))
        sif = self.embedder.sif(np.array(list(weights), np.int32))
        return {token: weight * float(sif[place]) for place, (token, weight) in enumerate(weights.items())}

    @staticmethod
    def idf(tallies: Sequence[Counter[str]], term: str) -> float:
        having = sum(term in tally for tally in tallies)
        return math.log(1 + (len(tallies) - having + 0.5) / (having + 0.5))

    def _reranked(self, memories: Sequence[Memory], query: str, scores: dict[str, float]) -> dict[str, float]:
        weights = self.tokens(memories, query)
        asked, heavy = np.array(list(weights), np.int32), np.array(list(weights.values()), np.float32)
        contents = {memory.id: plain(memory.content) for memory in memories}
        first = sorted(scores, key=lambda id: (-round(scores[id], 6), id))[:50]
        fits = {
            id: float(self.embedder.maxsim(asked, [self.embedder.token_ids(contents[id])], heavy)[0]) for id in first
        }
        highest = max(fits.values(), default=0)
        if highest <= 0:
            return {id: score * 0.6 for id, score in scores.items()}
        return {id: score * 0.6 + max(fits.get(id, 0), 0) / highest * 0.4 for id, score in scores.items()}


def _normalised(scores: Sequence[float], depth: int) -> list[float]:
    best = max([0.0, *scores])
    floor = max(sorted(scores, reverse=True)[depth - 1], 0.0) if len(scores) > depth else 0.0
    if best <= floor:
        return [float(score >= best > 0) for score in scores]
    return [min(max((score - floor) / (best - floor), 0.0), 1.0) for score in scores]


def _weighed(words: Sequence[float], meaning: Sequence[float]) -> list[float]:
    share = 0.7 if any(words) and any(meaning) else float(any(words))
    return [share * word + (1 - share) * meant for word, meant in zip(words, meaning, strict=True)]


def _in_context(said: Sequence[str], scores: dict[str, float]) -> dict[str, float]:
    """Each message 0.6 of the way to a better one just before it, and a quarter of it to a better one after it."""
    lifted = dict(scores)
    for earlier, later in pairwise(said):
        if later in scores:
            lifted[later] += max(scores.get(earlier, 0.0) - scores[later], 0.0) * 0.6
        if earlier in scores:
            lifted[earlier] += max(scores.get(later, 0.0) - scores[earlier], 0.0) / 4
    return lifted


def agrees(hits: Sequence[Hit], scores: dict[str, float], limit: int) -> None:
    """Assert that these are the best of the scores, in their order, each within 1e-4; ties by id."""
    assert len(hits) == min(limit, len(scores))
    assert [hit.memory.id for hit in hits] == [
        hit.memory.id for hit in sorted(hits, key=lambda hit: (-hit.score, hit.memory.id))
    ]
    for hit in hits:
        assert hit.score == pytest.approx(scores[hit.memory.id], abs=1e-4)
    found = {hit.memory.id for hit in hits}
    missed = max((score for id, score in scores.items() if id not in found), default=0.0)
    assert not hits or missed <= hits[-1].score + 1e-4


@pytest.fixture(scope="session")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


@pytest.fixture(scope="session")
def oracle(embedder: StaticEmbedder) -> Oracle:
    return Oracle(embedder)


@pytest.fixture(scope="session")
def memory() -> Remember:
    """Make a memory: `memory("m1", "text", container="s1-alice", gameDay=3)`."""
    return remember


@pytest.fixture(scope="session")
def compare() -> Callable[[Sequence[Hit], dict[str, float], int], None]:
    """Assert that hits are what the oracle's scores say."""
    return agrees


@pytest.fixture(scope="session")
def store_at(embedder: StaticEmbedder) -> OpenStore:
    """A store, not yet opened, on a file; with resources of its own, as another process would have."""

    def make(path: object, **settings: object) -> SqliteStore:
        return SqliteStore(**{"path": str(path), "embedder": embedder, "resources": Resources(), **settings})  # type: ignore[arg-type]

    return make


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "story.db"


@pytest.fixture
async def store(path: Path, store_at: OpenStore) -> AsyncIterator[SqliteStore]:
    store = store_at(path)
    await store.open()
    yield store
    await store.close()


@pytest.fixture(scope="session")
def run(store_at: OpenStore) -> Callable[..., None]:
    """Play a coroutine function with a new store, or several on one file, from a test that hypothesis calls."""

    def play(scene: Callable[..., Awaitable[None]], *, stores: int = 1, **settings: object) -> None:
        async def with_stores() -> None:
            with TemporaryDirectory() as folder:
                opened = [store_at(Path(folder) / "story.db", **settings) for _ in range(stores)]
                for store in opened:
                    await store.open()
                try:
                    await scene(*opened)
                finally:
                    for store in opened:
                        await store.close()

        asyncio.run(with_stores())

    return play


@pytest.fixture
def small_segments(monkeypatch: pytest.MonkeyPatch) -> int:
    """Fold every few memories, so that a handful of them shows what thousands would."""
    few = 4
    monkeypatch.setattr(segments, "FOLD", few)
    monkeypatch.setattr(writes, "FOLD", few)
    return few


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture(params=["one file", "apart"])
def shared(tmp_path: Path, request: pytest.FixtureRequest) -> Shared:
    return Shared(tmp_path, one_file=request.param == "one file")
