"""The store `supermemory`: what only a service can do to it."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from pydantic import SecretStr
from supermemory import AsyncSupermemory

from earwitness.errors import PartialWrite, StorageError
from earwitness.filters import Compare, In, Not, equals
from earwitness.loading.resources import Resources
from earwitness.protocols import Store
from earwitness.testing.samples import memory
from earwitness_plugins.stores.sqlite import SqliteStore
from earwitness_plugins.stores.supermemory import supermemory
from earwitness_plugins.testing.supermemory import Emulator, Faults

from .conftest import KEY, Opened

LIVE = os.environ.get("SUPERMEMORY_API_KEY") or os.environ.get("SUPERMEMORY_BASE_URL")
SEARCH = r"POST .*/search"


async def contents(store: Store, query: str, **more: Any) -> list[str]:
    return [hit.memory.content for hit in await store.search("c", query, **more)]


@pytest.mark.parametrize("key", ["", "  "])
def test_an_empty_key_means_the_embedded_store(key: str, tmp_path: Path) -> None:
    made = supermemory(path=str(tmp_path / "s.db"), embedder=None, resources=Resources(), api_key=SecretStr(key))
    assert isinstance(made, SqliteStore)


def test_without_a_key_in_the_environment_it_is_the_embedded_store(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SUPERMEMORY_API_KEY", raising=False)
    given: dict[str, Any] = {"path": str(tmp_path / "s.db"), "embedder": None, "resources": Resources()}
    assert isinstance(supermemory(**given), SqliteStore)
    monkeypatch.setenv("SUPERMEMORY_API_KEY", KEY)
    assert not isinstance(supermemory(**given), SqliteStore)


async def test_what_was_written_is_found_before_the_service_finds_it_also_after_a_restart(
    service: Emulator, opened: Opened
) -> None:
    service.pipeline = service.pipeline._replace(lag=1_000)
    async with opened() as store:
        await store.put([memory("c", "m", "the sword", gameDay=1)])
        assert await contents(store, "the sword") == ["the sword"]
    async with opened() as store:
        assert await contents(store, "the sword") == ["the sword"]
        assert [each.content for each in await store.list("c")] == ["the sword"]
        await store.put([memory("c", "m", "the crown", gameDay=2)])
        assert await contents(store, "the sword or the crown") == ["the crown"]
        assert await contents(store, "the crown", filter=equals("game_day", 1)) == []
        await store.remove({"c": ["m"]})
        assert await contents(store, "the crown") == []


async def test_what_one_instance_has_written_another_one_on_its_file_finds_at_once(
    service: Emulator, opened: Opened
) -> None:
    service.pipeline = service.pipeline._replace(lag=1_000)
    async with opened() as store, opened() as other:
        for word in ("sword", "crown"):
            await store.put([memory("c", "m", f"the {word}")])
            assert await contents(other, "the sword or the crown") == [f"the {word}"]
            assert [each.content for each in await other.list("c")] == [f"the {word}"]
        await other.put([memory("c", "m", "the lance")])
        assert await contents(store, "the lance") == ["the lance"]
        await other.remove({"c": ["m"]})
        assert await contents(store, "the lance") == []
        assert await store.list("c") == []
        await store.put([memory("c", "n", "the ring")])
        await store.drop("c")
        assert await contents(other, "the ring") == []


async def test_once_the_service_finds_it_nothing_is_kept_here(service: Emulator, opened: Opened) -> None:
    async with opened() as store:
        await store.put([memory("c", "m", "the sword")])
        assert store._buffer.waiting() == ["c"]
        assert await contents(store, "the sword") == ["the sword"]
        assert store._buffer.waiting() == []
        assert await contents(store, "the sword") == ["the sword"]


async def test_health_says_what_the_service_does_not_find_yet_also_where_nobody_searches(
    service: Emulator, opened: Opened
) -> None:
    now = service.pipeline
    service.pipeline = now._replace(lag=3600.0)
    async with opened() as store:
        await store.put([memory("c", "m", "the sword"), memory("d", "m", "the crown")])
        details = (await store.health()).details
        assert details["not_searchable_yet"] == 2
        assert 0 <= details["oldest_not_searchable_seconds"] < 3600
        service.pipeline = now
        details = (await store.health()).details
        assert (details["not_searchable_yet"], details["oldest_not_searchable_seconds"]) == (0, 0.0)


async def test_what_another_program_has_changed_or_removed_is_not_found_any_more(
    opened: Opened, tmp_path: Path
) -> None:
    async with opened() as store, opened(path=str(tmp_path / "other.db")) as other:
        await store.put([memory("c", "a", "the sword"), memory("c", "b", "the crown")])
        await other.put([memory("c", "a", "the lance")])
        assert set(await contents(store, "the sword, lance or crown")) == {"the lance", "the crown"}


@pytest.mark.parametrize(
    "text", ["https://example.org/a", "example.org", "json:1", " padded ", "a\r\nb", "", "\x00", "🗡️", "x" * 5_000]
)
async def test_texts_that_the_service_would_change_come_back_as_they_were(opened: Opened, text: str) -> None:
    async with opened(largest_text=1_000) as store:
        await store.put([memory("c", "m", text), memory("c", "other", "words")])
        assert [each.content for each in await store.list("c")] == [text, "words"]
        assert await store.count("c") == 2


async def test_a_long_text_is_kept_in_several_documents_and_found_whole(service: Emulator, opened: Opened) -> None:
    long = "dragon " * 900 + "the password is xyzzy " + "tavern " * 900
    async with opened(largest_text=6_000) as store:
        await store.put([memory("c", "m", long)])
        assert len(service.content(KEY)["c"]) > 5
        assert await contents(store, "xyzzy") == [long]
        await store.put([memory("c", "m", "short")])
        assert len(service.content(KEY)["c"]) == 1
        await store.put([memory("c", "m", long)])
        await store.remove({"c": ["m"]})
        assert service.content(KEY)["c"] == {}


async def test_documents_that_are_not_ours_are_neither_read_nor_dropped(
    service: Emulator, opened: Opened, client: AsyncSupermemory
) -> None:
    await client.add("c", content="the sword of somebody else", id="theirs", task_type="superrag")
    await client.add("c", content="a forged one", id="forged", metadata={"earwitnessContainer": "c"})
    async with opened() as store:
        await store.put([memory("c", "m", "the sword")])
        assert await contents(store, "the sword") == ["the sword"]
        assert len(await store.list("c")) == 1
        await store.drop("c")
    assert set(service.content(KEY)["c"]) == {"theirs", "forged"}


async def test_a_document_of_another_container_is_not_shown(
    service: Emulator, opened: Opened, client: AsyncSupermemory
) -> None:
    async with opened() as store:
        await store.put([memory("secret", "m", "the sword is in the cave")])
        ((id, found),) = service.content(KEY)["secret"].items()
        await client.add("c", content=found.content, id=id, metadata=found.metadata, task_type="superrag")
        assert await contents(store, "the sword") == []
        assert list(await store.list("c")) == []
        assert list(await store.get("c", ["m"])) == []


async def test_filters_are_handed_to_the_service(service: Emulator, opened: Opened) -> None:
    filter = Not(In("message_ids", ("k1", "k2")))
    async with opened(candidates=5) as store:
        await store.put([memory("c", f"m{n:02}", "the sword", messageIds=[f"k{n}"]) for n in range(40)])
        before = len(service.requests)
        found = await store.search("c", "the sword", filter=filter, limit=5)
        assert {hit.memory.id for hit in found}.isdisjoint({"m01", "m02"})
        await store.search("c", "the sword", filter=Compare("game_day", "<=", 3), limit=5)
        assert not [name for name in service.requests[before:] if name.endswith("/list/documents")][3:]


async def test_extracted_memories_are_found_by_choice_and_listed_is_the_text(opened: Opened) -> None:
    text = "Bob found the sword. Carol baked bread."
    async with opened(task_type="memory", search_mode="memories") as store:
        await store.put([memory("c", "m", text, gameDay=3)])
        await contents(store, "anything")  # what was written is shown as it is until the service is done with it
        (hit,) = await store.search("c", "who has the sword?", limit=1)
        assert (hit.memory.id, hit.memory.content) == ("m", "Bob found the sword.")
        assert hit.memory.metadata["gameDay"] == 3
        assert hit.parts["extracted"] == 1
        assert await contents(store, "the sword", filter=Compare("game_day", "<", 3)) == []
        assert [each.content for each in await store.list("c")] == [text]


async def test_a_service_that_hangs_costs_a_recall_no_more_than_its_time_and_is_then_left_alone(
    service: Emulator, opened: Opened
) -> None:
    """One recall, however many other failures there may be."""
    async with opened(search_timeout=0.2, failures=100, pause=60) as store:
        await store.put([memory("c", "m", "the sword")])
        service.faults = Faults(rate=1, kinds=("hang",), pattern=SEARCH)
        with pytest.raises(StorageError, match=r"no answer within 0\.2 s"):
            await contents(store, "the sword")
        asked = len(service.requests)
        with pytest.raises(StorageError, match="asked again in"):
            await contents(store, "the sword")
        assert len(service.requests) == asked
        service.faults = Faults()
        await store.put([memory("c", "n", "the crown")])
        assert set(await contents(store, "the sword or the crown")) == {"the sword", "the crown"}


async def test_the_first_search_after_the_pause_is_answered_also_while_something_is_not_shown_yet(
    service: Emulator, opened: Opened
) -> None:
    service.pipeline = service.pipeline._replace(lag=1_000)
    async with opened(failures=2, pause=0.05) as store:
        await store.put([memory("c", "m", "the sword")])
        service.faults = Faults(rate=1, kinds=("error",))
        for _ in range(2):
            with pytest.raises(StorageError):
                await contents(store, "the sword")
        service.faults = Faults()
        await asyncio.sleep(0.3)
        assert await contents(store, "the sword") == ["the sword"]


@pytest.mark.parametrize("kind", ["conflict", "rate_limit", "error", "drop", "garbage"])
async def test_each_fault_is_one_error_of_ours_and_nothing_is_asked_twice(
    service: Emulator, opened: Opened, kind: Any
) -> None:
    async with opened() as store:
        service.faults = Faults(rate=1, kinds=(kind,), pattern=SEARCH)
        with pytest.raises(StorageError, match="Supermemory at"):
            await contents(store, "the sword")
        assert [name for name in service.requests if name.endswith("/search")] == ["POST /ns/c/search"]


@pytest.mark.parametrize("seed", range(8))
async def test_what_is_no_answer_is_one_error_of_ours(service: Emulator, opened: Opened, seed: int) -> None:
    calls: list[Callable[[Store], Any]] = [
        lambda store: store.search("c", "the sword"),
        lambda store: store.list("c"),
        lambda store: store.count("c"),
        lambda store: store.put([memory("c", "m")]),
        lambda store: store.remove({"c": ["m"]}),
    ]
    async with opened(failures=1_000) as store:
        service.faults = Faults(rate=1, kinds=("garbage",), seed=seed)
        for call in calls:
            with pytest.raises(StorageError, match="Supermemory at"):
                await call(store)


async def test_a_service_that_leaks_past_its_filters_leaks_nothing_here(
    service: Emulator, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(candidates=3) as store:
        await store.put([memory("c", f"m{n}", "the sword", gameDay=n) for n in range(9)])
        await store.search("c", "the sword")
        for room in ("search", "routes"):
            monkeypatch.setattr(f"earwitness_plugins.testing.supermemory.{room}.check", lambda _: lambda _: True)
        found = await store.search("c", "the sword", filter=Compare("game_day", "<=", 1), limit=5)
        assert {hit.memory.id for hit in found} == {"m0", "m1"}
        assert [each.id for each in await store.list("c", filter=equals("game_day", 8))] == ["m8"]


async def test_a_write_whose_answer_is_lost_is_not_written_twice(service: Emulator, opened: Opened) -> None:
    batch = [memory("c", f"m{n}", f"sword number {n}") for n in range(3)]
    async with opened() as store:
        service.faults = Faults(rate=1, kinds=("drop",), pattern="/document/batch", seed=1)
        for _ in range(6):
            with suppress(StorageError):
                await store.put(batch)
        assert service.accidents["drop"] > 0
        service.faults = Faults()
        await store.put(batch)
        assert list(await store.list("c")) == batch
        assert len(service.content(KEY)["c"]) == 3


async def test_what_was_written_of_a_batch_is_named(service: Emulator, opened: Opened) -> None:
    async with opened() as store:
        service.faults = Faults(rate=1, kinds=("error",), pattern="/ns/d/document/batch")
        with pytest.raises(PartialWrite) as raised:
            await store.put([memory("c", "m"), memory("d", "n")])
        assert raised.value.written == {"c": frozenset({"m"})}


async def test_a_bad_key_says_so_and_shows_it_nowhere(service: Emulator, opened: Opened) -> None:
    async with opened(api_key=SecretStr("very-secret"), base_url=f"{service.url}/elsewhere") as store:
        health = await store.health()
        assert not health.ok
        assert "404" in str(health.details["problem"])
        assert "very-secret" not in str(health)


async def test_a_service_that_is_away_is_said_so(service: Emulator, opened: Opened) -> None:
    async with opened() as store:
        service.away = True
        health = await store.health()
    assert not health.ok
    assert service.url in str(health.details["problem"])


async def test_names_that_no_path_can_hold_reach_nothing_else(service: Emulator, opened: Opened) -> None:
    names = ["a/../b", "a?moveTo=x", "x" * 300, "🗡️", "a\nb", "..", "ew:abc", "ew-abc", "b", "x"]
    async with opened() as store:
        await store.put([memory(name, name, f"memory {n}") for n, name in enumerate(names)])
        for n, name in enumerate(names):
            assert [(each.id, each.content) for each in await store.list(name)] == [(name, f"memory {n}")]
        for n, name in enumerate(names):
            await store.drop(name)
            assert len(service.content(KEY)) == len(names) - n - 1


@pytest.mark.skipif(not LIVE, reason="a real service is asked where SUPERMEMORY_API_KEY or SUPERMEMORY_BASE_URL is set")
async def test_a_real_service_keeps_the_essentials(tmp_path: Path) -> None:
    """It writes into a namespace `earwitness-live-…` and deletes that."""
    name = f"earwitness-live-{uuid4().hex[:12]}"
    key = SecretStr(os.environ.get("SUPERMEMORY_API_KEY") or "local")
    path = str(tmp_path / "live.db")
    store = supermemory(path=path, embedder=None, resources=Resources(), api_key=key, search_timeout=30, timeout=60)
    await store.open()
    try:
        written = [memory(name, "a", "the sword is in the cave", gameDay=2.0), memory(name, "b", "bread", none=[])]
        await store.put(written)
        assert list(await store.list(name)) == written
        assert [hit.memory.id for hit in await store.search(name, "the sword", limit=1)] == ["a"]
        await store.put([memory(name, "a", "the crown", gameDay=3)])
        assert [each.content for each in await store.get(name, ["a"])] == ["the crown"]
        await store.remove({name: ["b"]})
        assert await store.count(name) == 1
    finally:
        await store.drop(name)
        await store.close()


FIRST_SEARCH = """
import asyncio, sys
from pydantic import SecretStr
from earwitness.loading.resources import Resources
from earwitness_plugins.stores.supermemory import supermemory

async def main(url, path):
    given = {"base_url": url, "path": path, "api_key": SecretStr("key"), "embedder": None}
    store = supermemory(resources=Resources(), search_timeout=20, **given)
    await store.open()
    before = set(sys.modules)
    await store.search("c", "the sword")
    print(*[each for each in set(sys.modules) - before if each.startswith(("anyio", "httpx", "supermemory.resources"))])
    await store.close()

asyncio.run(main(*sys.argv[1:]))
"""


def test_the_first_search_of_a_process_need_not_import_the_client(service: Emulator, tmp_path: Path) -> None:
    command = [sys.executable, "-c", FIRST_SEARCH, service.url, str(tmp_path / "s.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.split() == []
