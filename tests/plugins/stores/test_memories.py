"""Writing, replacing, removing and reading memories."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness.errors import StorageError, UnknownName
from earwitness.filters import Compare
from earwitness.protocols import Store
from earwitness.records.memory import Memory
from earwitness_plugins.stores.sqlite import SqliteStore

pytestmark = pytest.mark.anyio
Remember = Callable[..., Memory]


async def ids(store: SqliteStore, container: str = "s1-alice", **how: Any) -> list[str]:
    return [memory.id for memory in await store.list(container, **how)]


async def test_it_is_a_store(store: SqliteStore) -> None:
    assert isinstance(store, Store)


async def test_a_memory_comes_back_as_it_was_put(store: SqliteStore, memory: Remember) -> None:
    kept = memory("m1", "A sword! ⚔️ 'quoted'\n\x00", gameDay=2.5, turn=3, isSpeaker=True, participants=["bob", "eve"])
    await store.put([kept])
    [found] = await store.get("s1-alice", ["m1"])
    assert found == kept
    assert [type(value) for value in found.metadata.values()] == [float, int, bool, list]


async def test_memories_are_listed_as_they_were_first_written(store: SqliteStore, memory: Remember) -> None:
    await store.put([memory(id) for id in "cab"])
    await store.put([memory("a", "something else"), memory("d")])
    assert await ids(store) == ["c", "a", "b", "d"]
    assert await ids(store, limit=2, offset=1) == ["a", "b"]
    assert await ids(store, limit=0) == []
    assert await store.count("s1-alice") == 4


async def test_writing_again_replaces_text_and_metadata(store: SqliteStore, memory: Remember) -> None:
    await store.put([memory("m", "The dragon sleeps.", gameDay=1)])
    await store.put([memory("m", "The dragon is awake.", gameDay=2)])
    assert (await store.get("s1-alice", ["m"]))[0].content == "The dragon is awake."
    assert [hit.memory.content for hit in await store.search("s1-alice", "sleeping dragon")] == ["The dragon is awake."]
    assert await ids(store, filter=Compare("gameDay", "==", 1)) == []
    assert await store.count("s1-alice") == 1


async def test_of_one_id_twice_in_one_put_the_last_counts(store: SqliteStore, memory: Remember) -> None:
    await store.put([memory("a", "first"), memory("b"), memory("a", "last")])
    assert [found.content for found in await store.list("s1-alice")] == ["last", "nothing much"]


async def test_the_same_id_in_two_containers_is_two_memories(store: SqliteStore, memory: Remember) -> None:
    await store.put([memory("m", "hers"), memory("m", "his", container="s1-bob")])
    await store.remove({"s1-alice": ["m"]})
    assert await store.get("s1-alice", ["m"]) == []
    assert [found.content for found in await store.get("s1-bob", ["m"])] == ["his"]


async def test_getting_follows_the_order_asked_and_leaves_out_what_is_not_there(
    store: SqliteStore, memory: Remember
) -> None:
    await store.put([memory(id) for id in "abc"])
    assert [found.id for found in await store.get("s1-alice", ["c", "nobody", "a"])] == ["c", "a"]


async def test_what_was_removed_is_found_by_nothing(store: SqliteStore, memory: Remember) -> None:
    await store.put([memory("a", "the sacred sword"), memory("b", "a rusty sword")])
    await store.remove({"s1-alice": ["a", "never there"], "s9-nobody": ["a"]})
    assert await ids(store) == ["b"]
    assert [hit.memory.id for hit in await store.search("s1-alice", "sword")] == ["b"]
    assert await store.count("s1-alice") == 1


async def test_a_dropped_container_is_empty_and_may_be_filled_again(store: SqliteStore, memory: Remember) -> None:
    await store.put([memory("a", "the sacred sword"), memory("b", container="s1-bob")])
    await store.search("s1-alice", "sword")
    await store.drop("s1-alice")
    await store.drop("s9-nobody")
    assert await store.search("s1-alice", "sword") == []
    assert await store.count("s1-alice") == 0
    await store.put([memory("c", "a wooden sword")])
    assert [hit.memory.id for hit in await store.search("s1-alice", "sword")] == ["c"]
    assert await store.count("s1-bob") == 1


async def test_an_unknown_container_is_empty(store: SqliteStore) -> None:
    assert await store.list("s9-nobody") == []
    assert await store.list("s9-nobody", filter=Compare("gameDay", ">", 0)) == []
    assert await store.get("s9-nobody", ["a"]) == []
    assert await store.search("s9-nobody", "sword") == []
    assert await store.count("s9-nobody") == 0


@pytest.mark.parametrize("name", ["s1-a'lice", 's1-"; DROP TABLE memory; --', "s1/../s2", "s1-%", "s1-é\n", "s1-"])
async def test_names_and_keys_are_only_text(store: SqliteStore, memory: Remember, name: str) -> None:
    await store.put([memory(name, "a sword", container=name, **{name: "yes"}), memory("m", "a sword")])
    assert [hit.memory.id for hit in await store.search(name, "sword", filter=Compare(name, "==", "yes"))] == [name]
    assert await ids(store) == ["m"]
    await store.drop(name)
    assert await ids(store) == ["m"]


async def test_a_put_that_fails_leaves_nothing_behind(store: SqliteStore, memory: Remember) -> None:
    broken = memory("b", container="s1-bob").model_copy(update={"content": None})
    with pytest.raises(Exception, match=r"."):
        await store.put([memory("a"), broken])
    assert await store.count("s1-alice") == 0


async def test_many_puts_at_once_all_arrive(store: SqliteStore, memory: Remember) -> None:
    await asyncio.gather(*(store.put([memory(f"m{number}"), memory("same", f"{number}")]) for number in range(40)))
    assert await store.count("s1-alice") == 41


async def test_what_was_put_is_there_after_closing_and_opening(
    path: Path, store_at: Callable[..., SqliteStore], memory: Remember
) -> None:
    first = store_at(path)
    await first.open()
    await first.put([memory("a", "the sacred sword")])
    await first.close()
    await first.close()
    again = store_at(path)
    await again.open()
    await again.open()
    assert [hit.memory.id for hit in await again.search("s1-alice", "sword")] == ["a"]
    await again.close()


async def test_a_store_that_is_not_open_says_so(
    path: Path, store_at: Callable[..., SqliteStore], memory: Remember
) -> None:
    store = store_at(path)
    for use in (store.put([memory("a")]), store.search("s1-alice", "sword"), store.count("s1-alice")):
        with pytest.raises(StorageError, match="not open"):
            await use


async def test_an_unknown_fusion_is_refused_with_the_known_ones(store_at: Callable[..., SqliteStore]) -> None:
    with pytest.raises(UnknownName, match=r"'scores'\. Known: rrf, score\. Did you mean 'score'"):
        store_at(":memory:", fusion="scores")


async def test_health_tells_versions_counts_and_integrity(store: SqliteStore, memory: Remember) -> None:
    await store.put([memory("a"), memory("b"), memory("c", container="s1-bob")])
    health = await store.health()
    assert health.ok
    assert health.details["integrity"] == "ok"
    assert (health.details["containers"], health.details["memories"]) == (2, 3)
    assert str(health.details["embedder"]).startswith("static ")
