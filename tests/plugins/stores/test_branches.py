"""A container under another name shares what it can with the first, and is its own from there on."""

from collections.abc import Callable, Sequence

import apsw
import pytest

from earwitness.records.memory import Memory
from earwitness_plugins.stores.sqlite import SqliteStore

MANY = 1300
"""Two segments, and a tail."""


def told(memory: Callable[..., Memory], number: int) -> Memory:
    return memory(f"m{number}", f"the sword number {number} of house {number % 7}", gameDay=number % 5)


async def filled(store: SqliteStore, memory: Callable[..., Memory], count: int = MANY) -> None:
    for begin in range(0, count, 100):
        await store.put([told(memory, number) for number in range(begin, min(begin + 100, count))])


async def seen(store: SqliteStore, container: str) -> list[object]:
    """What a container holds and finds, by id, content and metadata."""
    held = [(each.id, each.content, dict(each.metadata)) for each in await store.list(container)]
    hits = [(hit.memory.id, hit.score) for hit in await store.search(container, "sword of house 3", limit=30)]
    return [held, hits, await store.count(container)]


async def rows(store: SqliteStore, table: str) -> int:
    def count(connection: apsw.Connection) -> int:
        return int(connection.execute(f"SELECT count(*) FROM {table}").get)

    return await store.database.read(count)


async def test_it_holds_and_finds_the_same(store: SqliteStore, memory: Callable[..., Memory]) -> None:
    await filled(store, memory)
    await store.remove({"s1-alice": [f"m{number}" for number in range(0, 60, 3)]})
    await store.put([memory("m7", "the shield")])
    before = await seen(store, "s1-alice")
    await store.branch({"s1-alice": "b1-alice", "s1-nobody": "b1-nobody"}, {})
    assert await seen(store, "b1-alice") == before == await seen(store, "s1-alice")
    assert await store.count("b1-nobody") == 0


@pytest.mark.parametrize("left", [range(1290, MANY), range(1000, MANY), range(500, MANY), range(3, MANY), range(700)])
async def test_without_some_memories_it_is_as_if_they_had_never_been_there(
    store: SqliteStore, memory: Callable[..., Memory], left: Sequence[int]
) -> None:
    await filled(store, memory)
    await store.branch({"s1-alice": "b1-alice"}, {"s1-alice": [f"m{number}" for number in left]})
    expected = [told(memory, number) for number in range(MANY) if number not in left]
    await store.put([each.model_copy(update={"container": "alike"}) for each in expected])
    assert await seen(store, "b1-alice") == await seen(store, "alike")
    again = [told(memory, number).model_copy(update={"container": "b1-alice"}) for number in left]
    await store.put(again)
    assert await store.count("b1-alice") == MANY
    assert {each.id for each in await store.list("b1-alice")} == {f"m{number}" for number in range(MANY)}


async def test_neither_changes_with_the_other(store: SqliteStore, memory: Callable[..., Memory]) -> None:
    await filled(store, memory)
    await store.branch({"s1-alice": "b1-alice"}, {})
    before = await seen(store, "s1-alice")
    await store.remove({"b1-alice": [f"m{number}" for number in range(900)]})
    await store.put([memory("m1000", "the lance").model_copy(update={"container": "b1-alice"})])
    assert await seen(store, "s1-alice") == before
    ours = await seen(store, "b1-alice")
    await store.branch({"b1-alice": "b2-alice"}, {})
    await store.remove({"s1-alice": [f"m{number}" for number in range(400, MANY)]})
    await store.drop("s1-alice")
    assert await seen(store, "b1-alice") == ours == await seen(store, "b2-alice")


async def test_what_is_shared_goes_with_the_last_that_holds_it(
    store: SqliteStore, memory: Callable[..., Memory]
) -> None:
    await filled(store, memory)
    await store.branch({"s1-alice": "b1-alice"}, {"s1-alice": ["m1"]})
    assert await rows(store, "store_segment") == 2
    for container in ("s1-alice", "b1-alice"):
        await store.drop(container)
    for table in (
        "store_text",
        "store_words",
        "store_vectors",
        "store_segment",
        "store_memory",
        "store_posting",
        "store_gone",
    ):
        assert await rows(store, table) == 0, table


async def test_a_second_time_it_is_made_again(store: SqliteStore, memory: Callable[..., Memory]) -> None:
    await filled(store, memory, 20)
    await store.branch({"s1-alice": "b1-alice"}, {"s1-alice": ["m1"]})
    await store.branch({"s1-alice": "b1-alice"}, {"s1-alice": ["m2"]})
    assert {each.id for each in await store.list("b1-alice")} == {f"m{n}" for n in range(20) if n != 2}
