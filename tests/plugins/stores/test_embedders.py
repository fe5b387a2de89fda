"""Vectors of two embedders are never mixed in one file."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from earwitness.errors import EmbedderMismatch, StrategyError
from earwitness.records.backends import EmbedderIdentity
from earwitness.records.memory import Memory
from earwitness_plugins.embedders import fingerprint
from earwitness_plugins.stores.sqlite import SqliteStore, segments

pytestmark = pytest.mark.anyio
OpenStore = Callable[..., SqliteStore]
Remember = Callable[..., Memory]


class Letters:
    """How often each of a few letters stands in a text; has no `maxsim`."""

    def __init__(self, letters: str = "aeiou", name: str = "letters") -> None:
        self.letters = letters
        self.identity = EmbedderIdentity(name=name, digest=letters, dimension=len(letters))
        self.seen: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.seen += texts
        rows = np.array([[text.count(letter) for letter in self.letters] for text in texts], np.float32)
        lengths: NDArray[np.float32] = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(lengths == 0, 1, lengths)


class Remote(Letters):
    """Answers later, as a service would."""

    def embed(self, texts: Sequence[str]) -> Any:
        async def later() -> NDArray[np.float32]:
            return Letters.embed(self, texts)

        return later()


async def opened(store: SqliteStore) -> SqliteStore:
    await store.open()
    return store


async def filled(path: Path, store_at: OpenStore, memory: Remember, embedder: object, count: int = 3) -> None:
    store = await opened(store_at(path, embedder=embedder))
    await store.put([memory(f"m{number}", f"{'u' * number} memory") for number in range(count)])
    await store.close()


async def test_any_embedder_will_do(store_at: OpenStore, memory: Remember) -> None:
    store = await opened(store_at(":memory:", embedder=Letters()))
    await store.put([memory("a", "aaaa"), memory("u", "uuuu")])
    [hit] = await store.search("s1-alice", "bunu")
    assert (hit.memory.id, hit.parts) == ("u", {"words": 0, "meaning": 1})
    await store.close()


async def test_an_embedder_may_answer_later(store_at: OpenStore, memory: Remember) -> None:
    store = await opened(store_at(":memory:", embedder=Remote()))
    await store.put([memory(f"m{number}", f"{'a' * number} e") for number in range(80)])
    assert (await store.search("s1-alice", "e"))[0].parts["meaning"] == 1
    await store.close()


async def test_a_text_for_several_containers_is_embedded_once(store_at: OpenStore, memory: Remember) -> None:
    embedder = Letters()
    store = await opened(store_at(":memory:", embedder=embedder))
    await store.put([memory("m", "the same", container=f"s1-{name}") for name in ("alice", "bob", "eve")])
    assert embedder.seen == ["the same"]
    await store.close()


@pytest.mark.parametrize("answer", [np.zeros((1, 4)), np.zeros(5), np.full((1, 5), np.nan), np.full((1, 5), np.inf)])
async def test_an_embedder_that_answers_nonsense_is_named(
    store_at: OpenStore, memory: Remember, answer: NDArray[np.float64]
) -> None:
    embedder = Letters()
    embedder.embed = lambda texts: answer  # type: ignore[method-assign, assignment, return-value]
    store = await opened(store_at(":memory:", embedder=embedder))
    with pytest.raises(StrategyError, match=r"'letters' returned .* must return finite numbers of shape \(1, 5\)"):
        await store.put([memory("m")])
    assert await store.count("s1-alice") == 0
    await store.close()


async def test_another_embedder_is_refused_with_both_names_and_what_to_do(
    path: Path, store_at: OpenStore, memory: Remember
) -> None:
    await filled(path, store_at, memory, Letters())
    with pytest.raises(EmbedderMismatch, match=r"'letters' .*'static' .*reembed"):
        await store_at(path).open()
    with pytest.raises(EmbedderMismatch, match=r"'letters'.*'vowels'"):
        await store_at(path, embedder=Letters(name="vowels")).open()
    store = await opened(store_at(path, embedder=Letters()))
    assert await store.count("s1-alice") == 3
    await store.close()


async def test_a_file_without_memories_takes_any_embedder(path: Path, store_at: OpenStore) -> None:
    for embedder in (Letters(), Letters("xyz")):
        store = await opened(store_at(path, embedder=embedder))
        await store.close()


@pytest.mark.usefixtures("small_segments")
async def test_reembedding_changes_every_vector_and_nothing_else(
    path: Path, store_at: OpenStore, memory: Remember, oracle: Any, compare: Callable[..., None]
) -> None:
    first = await opened(store_at(path, embedder=Letters()))
    memories = [memory(f"m{number}", f"sword number {number}" * (number % 3)) for number in range(30)]
    await first.put(memories)
    await first.put([memory("m3", "the dragon")])
    await first.remove({"s1-alice": ["m4"]})
    before = list(await first.list("s1-alice"))
    await first.close()

    store = store_at(path)
    assert await store.reembed() == 29
    await store.open()
    assert list(await store.list("s1-alice")) == before
    compare(await store.search("s1-alice", "dragon sword"), oracle.scores(before, "dragon sword"), 10)
    await store.close()


async def test_whoever_still_has_the_old_embedder_is_refused_from_then_on(
    path: Path, store_at: OpenStore, memory: Remember
) -> None:
    old = await opened(store_at(path, embedder=Letters()))
    await old.put([memory("a", "a sword")])
    await old.search("s1-alice", "sword")
    await store_at(path).reembed()
    for use in (old.put([memory("b")]), old.search("s1-alice", "sword")):
        with pytest.raises(EmbedderMismatch, match=r"'static'.*'letters'"):
            await use
    await old.close()


async def test_reembedding_that_was_interrupted_is_taken_up_where_it_stopped(
    path: Path, store_at: OpenStore, memory: Remember
) -> None:
    class Failing(Letters):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if self.seen:
                raise ConnectionError("away")
            return super().embed(texts)

    await filled(path, store_at, memory, Letters(), count=700)
    with pytest.raises(ConnectionError):
        await store_at(path, embedder=Failing("xyz")).reembed()
    store = await opened(store_at(path, embedder=Letters()))
    await store.put([memory("m0", "written meanwhile")])
    await store.close()

    second = Letters("xyz")
    assert await store_at(path, embedder=second).reembed() == 700
    assert 1 < len(second.seen) < 700
    store = await opened(store_at(path, embedder=second))
    assert await store.count("s1-alice") == 700
    await store.close()


async def test_words_that_were_cut_in_another_way_are_cut_anew(
    path: Path, store_at: OpenStore, memory: Remember, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(path, store_at, memory, Letters(), count=600)
    monkeypatch.setattr(fingerprint, "VERSION", 99)
    monkeypatch.setattr(segments, "terms", lambda text: ["mark"] if text.startswith("uuu ") else text.split())
    store = await opened(store_at(path, embedder=Letters()))
    [first, *_] = await store.search("s1-alice", "the mark")
    assert (first.memory.id, first.parts["words"]) == ("m3", 1)
    await store.close()
