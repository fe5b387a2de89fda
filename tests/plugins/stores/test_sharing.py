"""What copies of one memory have in common is stored once, and goes with the last of them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from pydantic_core import to_json

from earwitness.copies import long_lists
from earwitness.filters import Compare, In, Not, equals
from earwitness.loading.resources import Resources
from earwitness.records.memory import Memory
from earwitness_plugins.sqlite import Database
from earwitness_plugins.stores.sqlite import SqliteStore, schema

Remember = Callable[..., Memory]
CROWD = [f"listener-{number:04}" for number in range(2_000)]


def rows(path: Path) -> dict[str, int]:
    """Rows by table of what is shared."""
    connection = apsw.Connection(str(path))
    names = ("store_text", "store_list", "store_words")
    found = {name: int(connection.execute(f"SELECT count(*) FROM {name}").get) for name in names}
    connection.close()
    return found


def copies(memory: Remember, number: int, names: list[str], who: list[str] = CROWD) -> list[Memory]:
    return [
        memory(f"m{number}", f"The sword, day {number}.", container=name, participants=who, gameDay=number)
        for name in names
    ]


async def test_a_list_of_thousands_is_stored_once_and_shown_whole_in_every_copy(
    store: SqliteStore, path: Path, memory: Remember
) -> None:
    names = [f"s1-{name}" for name in CROWD[:300]]
    told = copies(memory, 1, names)
    await store.put(told)
    for kept in (told[0], told[-1]):
        assert await store.get(kept.container, ["m1"]) == [kept]
        assert await store.list(kept.container) == [kept]
        assert [hit.memory for hit in await store.search(kept.container, "sword")] == [kept]
    assert rows(path) == {"store_text": 1, "store_list": 1, "store_words": 1}
    assert (await store.health()).details["bytes"] < 700_000


async def test_the_same_list_in_another_message_is_the_same_row(
    store: SqliteStore, path: Path, memory: Remember
) -> None:
    for day in (1, 2, 3):
        await store.put(copies(memory, day, ["s1-alice", "s1-bob"], list(CROWD)))
    await store.put(copies(memory, 4, ["s1-alice"], CROWD[1:]))
    assert rows(path) == {"store_text": 4, "store_list": 2, "store_words": 4}


async def test_a_list_that_many_batches_share_becomes_text_once(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, memory: Remember
) -> None:
    made: list[object] = []

    def counted(value: object) -> bytes:
        made.append(value)
        return to_json(value)

    monkeypatch.setattr(long_lists, "to_json", counted)
    for name in ("alice", "bob", "charlie"):
        await store.put(copies(memory, 1, [f"s1-{name}"]))
    assert len(made) == 1


async def test_a_list_that_was_changed_since_the_last_batch_is_stored_as_it_is_now(
    store: SqliteStore, memory: Remember
) -> None:
    who = [*CROWD]
    await store.put(copies(memory, 1, ["s1-alice"], who))
    who[0] = "a newcomer"
    await store.put(copies(memory, 2, ["s1-bob"], who))
    found = [(await store.list(f"s1-{name}"))[0].metadata["participants"] for name in ("alice", "bob")]
    assert found == [CROWD, ["a newcomer", *CROWD[1:]]]


async def test_a_filter_sees_a_long_list_in_the_tail_in_segments_and_after_reopening(
    small_segments: int, path: Path, store_at: Callable[..., SqliteStore], memory: Remember
) -> None:
    store = store_at(path)
    await store.open()
    for day in range(1, 8):
        await store.put(copies(memory, day, ["s1-alice", "s1-bob"], CROWD if day % 2 else CROWD[1:]))
        assert await days(store, equals("participants", "listener-0000")) == [*range(1, day + 1, 2)]
    await store.close()
    again = store_at(path)
    await again.open()
    assert await days(again, equals("participants", "listener-0000")) == [1, 3, 5, 7]
    assert await days(again, Compare("participants", "!=", "listener-0000")) == [2, 4, 6]
    assert await days(again, Not(In("participants", ("listener-0000", "nobody")))) == [2, 4, 6]
    assert await days(again, In("participants", ("listener-1999",))) == [*range(1, 8)]
    await again.close()


async def days(store: SqliteStore, filter: Any) -> list[Any]:
    return [kept.metadata["gameDay"] for kept in await store.list("s1-alice", filter=filter)]


@pytest.mark.parametrize("way", ["remove", "drop", "replace"])
async def test_what_is_shared_goes_with_its_last_copy(
    way: str, store: SqliteStore, path: Path, memory: Remember
) -> None:
    await store.put(copies(memory, 1, ["s1-alice", "s1-bob"]))
    for left, name in ((1, "s1-alice"), (0, "s1-bob")):
        match way:
            case "remove":
                await store.remove({name: ["m1"]})
            case "drop":
                await store.drop(name)
            case _:
                await store.put([memory("m1", "Another text.", container=name)])
        connection = apsw.Connection(str(path))
        for table, column in (("store_text", "content"), ("store_words", "words")):
            texts = [str(text).lower() for (text,) in connection.execute(f"SELECT {column} FROM {table}")]
            assert sum("sword" in text for text in texts) == left
        assert connection.execute("SELECT count(*) FROM store_list").get == left
        connection.close()


async def test_putting_the_same_copies_again_changes_nothing(store: SqliteStore, path: Path, memory: Remember) -> None:
    told = copies(memory, 1, ["s1-alice", "s1-bob"])
    await store.put(told)
    before = await store._database.read(_everything)
    await store.put(told)
    await store.put([*told, memory("m2", "More.")])
    await store.remove({"s1-alice": ["m2"]})
    after = await store._database.read(_everything)
    assert before == after


def _everything(connection: apsw.Connection) -> list[Any]:
    tables = ("store_memory", "store_tail", "store_text", "store_words", "store_list")
    return [connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables]


async def test_memories_of_the_first_version_are_moved_over_and_share_what_they_can(
    path: Path, store_at: Callable[..., SqliteStore], memory: Remember
) -> None:
    told = [kept for day in (1, 2) for kept in copies(memory, day, ["s1-alice", "s1-bob"])]
    await write_as_first_version(path, told)
    store = store_at(path)
    await store.open()
    assert await store.list("s1-alice") == told[::2]
    best, *_ = await store.search("s1-bob", "day 2")
    assert best.memory.id == "m2"
    assert rows(path) == {"store_text": 2, "store_list": 1, "store_words": 2}
    await store.drop("s1-alice")
    await store.drop("s1-bob")
    assert rows(path) == {"store_text": 0, "store_list": 0, "store_words": 0}
    await store.close()


async def write_as_first_version(path: Path, memories: list[Memory]) -> None:
    database = Database.at(str(path), Resources())
    await database.open(schema.COMPONENT, schema.MIGRATIONS[:1])

    def write(connection: apsw.Connection) -> None:
        for number, name in enumerate(dict.fromkeys(kept.container for kept in memories), 1):
            own = [kept for kept in memories if kept.container == name]
            connection.execute(
                "INSERT INTO store_container (name, version, slots, tail, live) VALUES (?, 1, ?, ?, ?)",
                (name, *[len(own)] * 3),
            )
            for slot, kept in enumerate(own, 1):
                key = number << 32 | slot
                words = f"the sword dai {slot}"
                connection.execute(
                    "INSERT INTO store_memory VALUES (?, ?, ?, ?, ?)",
                    (key, kept.id, slot, kept.content, json.dumps(kept.metadata)),
                )
                connection.execute("INSERT INTO store_tail VALUES (?, ?, ?, ?)", (key, slot, words, bytes(512)))

    await database.write(write)
    await database.close()
