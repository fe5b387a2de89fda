"""The first search of a container that is in no memory yet: other tasks run meanwhile."""

import asyncio
import gc
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from earwitness.protocols import Store
from earwitness.testing.samples import memory
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.stores.markdown import MarkdownStore
from earwitness_plugins.stores.mem0 import Mem0Store
from earwitness_plugins.stores.qdrant import QdrantStore

pytestmark = pytest.mark.anyio
EMBEDDER = StaticEmbedder()
MEMORIES = 900
A_TURN = 0.0003
"""Seconds: what takes less is the other task itself."""
WORDS = ("sword", "crown", "lantern", "map", "ring", "shield", "flute", "mirror", "cloak", "key", "cave", "tavern")
STORES: dict[str, Callable[[Path], Store]] = {
    "markdown": lambda folder: MarkdownStore(path=str(folder / "story.db"), embedder=EMBEDDER),
    "qdrant_client": lambda folder: QdrantStore(path=str(folder / "qdrant"), embedder=EMBEDDER),
    "mem0": lambda folder: Mem0Store(path=str(folder / "mem0"), embedder=EMBEDDER),
}


@pytest.fixture(params=STORES)
def make(request: pytest.FixtureRequest) -> Callable[[Path], Store]:
    if request.param != "markdown" and find_spec(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    return STORES[request.param]


@pytest.fixture(autouse=True)
def no_garbage_collector() -> Iterator[None]:
    """It would hold the loop for the garbage of other tests."""
    gc.disable()
    yield
    gc.enable()


def said(number: int) -> str:
    return " ".join(WORDS[(number * step + step) % len(WORDS)] + str(number % (7 * step)) for step in range(1, 15))


async def holds(work: Any) -> list[float]:
    """Seconds of the loop's own time between two turns of another task, while the work goes on."""
    found, task = [], asyncio.create_task(work)
    before = time.thread_time()
    while not task.done():
        await asyncio.sleep(0)
        held = time.thread_time() - before
        if held > A_TURN:
            found.append(held)
        before = time.thread_time()
    await task
    return found


async def test_a_first_search_holds_the_loop_for_a_small_part_of_its_work(
    make: Callable[[Path], Store], tmp_path: Path
) -> None:
    store = make(tmp_path)
    await store.open()
    await store.put([memory("c", f"m{number}", said(number)) for number in range(MEMORIES)])
    shares = []
    for _ in range(3):
        await store.close()
        store = make(tmp_path)
        await store.open()
        await store.search("d", "the sword")  # whatever is only once a process
        found = await holds(store.search("c", "the sword3 in the tavern"))
        shares.append(max(found) / sum(found))
        if shares[-1] < 0.4:
            break
    else:
        pytest.fail(f"one hold took these shares of the loop's time: {shares}")
    await store.close()
