"""Several stores and several processes on one file."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from earwitness.errors import StorageFull
from earwitness.loading.resources import Resources
from earwitness.records.memory import Memory
from earwitness_plugins.sqlite import Database
from earwitness_plugins.stores.sqlite import SqliteStore

pytestmark = pytest.mark.anyio
Remember = Callable[..., Memory]

ANOTHER_PROCESS = """
import asyncio, sys
from earwitness.loading.resources import Resources
from earwitness.records.memory import Memory
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.stores.sqlite import SqliteStore

async def main(path):
    store = SqliteStore(path=path, embedder=StaticEmbedder(), resources=Resources())
    await store.open()
    for line in sys.stdin:
        word, count = line.split()
        ids = [f"{word}{number}" for number in range(int(count))]
        await store.put([Memory(id=id, container="s1-alice", content=f"a {id}", metadata={}) for id in ids])
        hits = await store.search("s1-alice", "a sword", limit=1)
        print(hits[0].memory.id, await store.count("s1-alice"), flush=True)
    await store.close()

asyncio.run(main(sys.argv[1]))
"""


class Other:
    """Another process that writes what it is told to."""

    def __init__(self, path: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", ANOTHER_PROCESS, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def put(self, word: str, count: int) -> tuple[str, int]:
        """What it finds for `a sword` after writing, and how many memories it counts."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{word} {count}\n")
        self._process.stdin.flush()
        id, total = self._process.stdout.readline().split()
        return id, int(total)

    def close(self) -> None:
        self._process.communicate(timeout=30)
        assert self._process.returncode == 0


async def best(store: SqliteStore, query: str = "a sword") -> str:
    return (await store.search("s1-alice", query, limit=1))[0].memory.id


async def test_what_another_process_wrote_is_found_at_once(store: SqliteStore, path: Path, memory: Remember) -> None:
    other = Other(path)
    await store.put([memory("soup", "a soup")])
    assert await best(store) == "soup"
    assert other.put("shield", 3) == (await best(store), 4)
    await store.put([memory("sword", "a sword")])
    assert other.put("helmet", 600) == ("sword", 605)
    assert await best(store, "helmet599") == "helmet599"
    await store.remove({"s1-alice": ["sword"]})
    assert other.put("dagger", 1)[0] == await best(store) != "sword"
    assert await store.count("s1-alice") == 605
    other.close()


async def test_a_container_that_somebody_dropped_and_filled_again_is_read_anew(
    store: SqliteStore, path: Path, store_at: Callable[..., SqliteStore], memory: Remember
) -> None:
    await store.put([memory("old", "a sword")])
    assert await best(store) == "old"
    other = store_at(path)
    await other.open()
    await other.drop("s1-alice")
    await other.put([memory("new", "a sword")])
    await other.close()
    assert await best(store) == "new"


async def test_two_stores_of_one_instance_share_one_database(
    path: Path, store_at: Callable[..., SqliteStore], memory: Remember
) -> None:
    resources = Resources()
    stores = [store_at(path, resources=resources) for _ in range(2)]
    for store in stores:
        await store.open()
    await stores[0].put([memory("a", "a sword")])
    await stores[0].close()
    assert await best(stores[1]) == "a"
    assert Database.at(str(path), resources) is stores[1]._database
    await stores[1].close()


@pytest.mark.usefixtures("small_segments")
async def test_containers_that_need_too_much_room_are_forgotten_and_read_again(
    path: Path, store_at: Callable[..., SqliteStore], memory: Remember
) -> None:
    store = store_at(path, cache_mb=0)
    await store.open()
    names = [f"s1-{number}" for number in range(5)]
    for day in range(3):
        await store.put([memory(f"m{day}", f"a sword of day {day}", container=name) for name in names])
        for name in names:
            assert len(await store.search(name, "sword")) == day + 1
    assert store._cache is not None
    assert len(store._cache._entries) == 1
    await store.close()


async def test_a_search_that_fails_on_the_way_leaves_nothing_half_loaded(
    store: SqliteStore, memory: Remember, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.put([memory("a", "a sword")])
    await best(store)
    await store.put([memory("b", "a sword, a sword")])
    with monkeypatch.context() as patched:
        patched.setattr("earwitness_plugins.stores.sqlite.loader._load_gone", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            await best(store)
    assert len(await store.search("s1-alice", "a sword")) == 2


ONE_TURN_AFTER_ANOTHER = """
import asyncio, itertools, sys
from earwitness.loading.resources import Resources
from earwitness.records.memory import Memory
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.stores.sqlite import SqliteStore

async def main(path, start):
    store = SqliteStore(path=path, embedder=StaticEmbedder(), resources=Resources())
    await store.open()
    for turn in itertools.count(int(start)):
        await store.put([
            Memory(id=f"t{turn}-{part}", container=f"s1-{name}", content=f"turn {turn}", metadata={})
            for name in ("alice", "bob", "world") for part in range(4)
        ])
        print(turn, flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


def killed_after(turns: int, path: Path, *, start: int) -> int:
    """Play turns in another process, kill it, and return the last turn that was acknowledged."""
    command = [sys.executable, "-c", ONE_TURN_AFTER_ANOTHER, str(path), str(start)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        seen = [process.stdout.readline() for _ in range(turns)]
        process.kill()
        return int([*seen, *process.stdout.read().split()][-1])


async def test_a_killed_process_loses_no_turn_and_leaves_none_in_part(
    path: Path, store_at: Callable[..., SqliteStore]
) -> None:
    acknowledged = -1
    for kill in range(3):
        acknowledged = killed_after(60 * (kill + 1), path, start=acknowledged + 1)
    store = store_at(path)
    await store.open()
    turns = await store.count("s1-world") / 4
    assert acknowledged < turns <= acknowledged + 2
    for name in ("alice", "bob"):
        assert await store.count(f"s1-{name}") == turns * 4
    assert len(await store.search("s1-bob", "turn", limit=2000)) == turns * 4
    assert (await store.health()).ok
    await store.close()


async def test_a_full_disk_is_an_error_and_what_was_there_stays(store: SqliteStore, memory: Remember) -> None:
    await store.put([memory("a", "a sword")])
    database = store._database
    pages = await database.read(lambda connection: int(connection.pragma("page_count")))
    await database.write(lambda connection: connection.pragma("max_page_count", pages + 4))
    with pytest.raises(StorageFull, match="try again"):
        await store.put([memory(f"b{number}", "a shield " * 99) for number in range(300)])
    assert [hit.memory.id for hit in await store.search("s1-alice", "sword")] == ["a"]
    await database.write(lambda connection: connection.pragma("max_page_count", 2**30))
    await store.put([memory("b", "a shield")])
    assert await store.count("s1-alice") == 2
