"""Which searches are done on the caller's own thread: short ones, of small containers that are in memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import get_ident

import numpy as np
import pytest
from numpy.typing import NDArray

from earwitness.filters import equals
from earwitness.loading.resources import Resources
from earwitness.records.memory import Memory
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.ranking import TokenIds
from earwitness_plugins.stores.sqlite import SqliteStore, index_cache

Floats = NDArray[np.float32]


class Watching(StaticEmbedder):
    """Notes on which thread hits are ranked again."""

    def __init__(self) -> None:
        super().__init__()
        self.threads: list[int] = []

    def maxsim(self, query_ids: TokenIds, documents: Sequence[TokenIds], weights: Floats) -> Floats:
        self.threads.append(get_ident())
        return super().maxsim(query_ids, documents, weights)


def some(count: int, *, begin: int = 0, container: str = "s1-alice") -> list[Memory]:
    return [
        Memory(id=f"m{number}", container=container, content=f"the sword number {number}", metadata={"type": "message"})
        for number in range(begin, begin + count)
    ]


@pytest.fixture
async def watching() -> Watching:
    return Watching()


async def at_hand(store: SqliteStore, watching: Watching, query: str = "sword", limit: int = 5) -> bool:
    """Whether the search was done here; what it finds is found either way."""
    watching.threads.clear()
    assert await store.search("s1-alice", query, limit=limit)
    return watching.threads == [get_ident()]


async def test_a_short_search_of_a_small_container_in_memory_is_done_at_hand(
    tmp_path: Path, watching: Watching
) -> None:
    store = SqliteStore(path=str(tmp_path / "story.db"), embedder=watching, resources=Resources())
    await store.open()
    await store.put(some(20))
    assert not await at_hand(store, watching)  # it is not in memory yet
    assert await at_hand(store, watching)
    await store.put(some(3, begin=20))
    assert await at_hand(store, watching)
    assert {hit.memory.id for hit in await store.search("s1-alice", "sword 22")} >= {"m22"}
    assert not await at_hand(store, watching, limit=1_000)
    assert not await at_hand(store, watching, query="where is the sword? " * 40)
    await store.close()


async def test_what_has_much_to_load_first_is_done_on_a_thread(tmp_path: Path, watching: Watching) -> None:
    store = SqliteStore(path=str(tmp_path / "story.db"), embedder=watching, resources=Resources())
    await store.open()
    await store.put(some(10))
    await at_hand(store, watching)
    await store.put(some(2_000, begin=10))  # one write
    assert not await at_hand(store, watching)
    assert await at_hand(store, watching)
    await store.drop("s1-alice")
    await store.put(some(10))
    assert not await at_hand(store, watching)  # another container of that name
    await store.close()


async def test_a_large_container_is_searched_on_a_thread(
    tmp_path: Path, watching: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_cache, "SMALL", 30)
    store = SqliteStore(path=str(tmp_path / "story.db"), embedder=watching, resources=Resources())
    await store.open()
    await store.put(some(30))
    await at_hand(store, watching)
    assert await at_hand(store, watching)
    await store.put(some(1, begin=30))
    await at_hand(store, watching)
    assert not await at_hand(store, watching)
    assert len(await store.list("s1-alice", filter=equals("type", "message"))) == 31
    await store.close()


async def test_a_branch_from_long_before_is_searched_at_hand_as_its_parent_is(
    tmp_path: Path, watching: Watching
) -> None:
    store = SqliteStore(path=str(tmp_path / "story.db"), embedder=watching, resources=Resources())
    await store.open()
    await store.put(some(2_000, container="s1-parent"))
    later = [f"m{number}" for number in range(700, 2_000)]
    await store.branch({"s1-parent": "s1-alice"}, {"s1-parent": later})
    assert not await at_hand(store, watching)  # it is not in memory yet
    assert await at_hand(store, watching)
    assert await at_hand(store, watching, query="the number")  # one that was not asked before
    assert await store.count("s1-alice") == 700
    await store.put(some(3, begin=5_000))
    assert await at_hand(store, watching)
    await store.close()
