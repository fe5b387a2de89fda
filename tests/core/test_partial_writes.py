"""A store that has written a part of a batch is asked for exactly the rest, in order."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import pytest

from earwitness import Session
from earwitness.errors import NotYetApplied, PartialWrite
from earwitness.records.memory import Memory
from earwitness.testing.reference import MemoryLedger, MemoryStore

Begin = Callable[..., Awaitable[Session]]
Place = tuple[str, str]


class Halting(MemoryStore):
    """Takes `room` memories or removals, then says what it has taken. Knows what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.room = 10_000
        self.asked: list[list[Place]] = []
        self.taken: list[Place] = []
        self.says = True

    async def put(self, memories: Sequence[Memory]) -> None:
        self.asked.append([(each.container, each.id) for each in memories])
        taken = memories[: self.room]
        await super().put(taken)
        self._take([(each.container, each.id) for each in taken], len(memories))

    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        places = [(container, id) for container, of in ids.items() for id in of]
        self.asked.append(places)
        for container, id in places[: self.room]:
            await super().remove({container: [id]})
        self._take(places[: self.room], len(places))

    def _take(self, taken: Sequence[Place], wanted: int) -> None:
        self.room -= len(taken)
        self.taken += taken
        if len(taken) < wanted:
            written: dict[str, list[str]] = {}
            for container, id in taken:
                written.setdefault(container, []).append(id)
            raise PartialWrite("the service is full", written) if self.says else ConnectionError("away")


@pytest.fixture
def store() -> Halting:
    return Halting()


def flat(asked: Sequence[Sequence[Place]]) -> list[Place]:
    return [place for places in asked for place in places]


async def failing(story: Session) -> None:
    with pytest.raises(NotYetApplied, match="the service is full"):
        await story.delivered()


@pytest.mark.parametrize("room", range(4))
async def test_what_was_written_is_acknowledged_and_exactly_the_rest_is_put(
    begin: Begin, store: Halting, room: int
) -> None:
    ledger = MemoryLedger()
    story = await begin(store=store, ledger=ledger)
    store.room = room
    await (await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob", "charlie"])).decided()
    await failing(story)
    applied = await ledger.deliveries("s1", status="applied")
    written = {name: await store.count(name) for name in ("s1-alice", "s1-bob", "s1-charlie", "s1-world")}
    assert sum(written.values()) == room == len(applied)
    assert {each.container for each in applied} == {name for name, count in written.items() if count}
    first = store.asked[0]
    store.asked.clear()
    store.room = 10_000
    await story.delivered()
    assert flat(store.asked) == first[room:]
    assert await ledger.deliveries("s1", status="pending") == []


async def test_the_next_attempt_goes_on_where_a_long_message_stopped(begin: Begin, store: Halting) -> None:
    crowd = [f"guest{number}" for number in range(200)]
    story = await begin(store=store, cast=["alice", *crowd])
    store.room = 70
    await (await story.say("alice", "Welcome, all of you.", key="m1", audience=crowd)).decided()
    await failing(story)
    store.room = 70
    await failing(story)
    store.room = 10_000
    await story.delivered()
    assert [await store.count(f"s1-{id}") for id in ("alice", *crowd)] == [1] * 201
    assert len(store.taken) == len(set(store.taken)) == 202


async def test_of_messages_that_piled_up_each_is_written_once_and_in_order(begin: Begin, store: Halting) -> None:
    story = await begin(store=store)
    store.room = 0
    for number in range(30):
        await (await story.say("alice", f"Message {number}.", key=f"m{number}", audience=["bob"])).decided()
    while len(store.taken) < 80:
        store.room = 7
        await failing(story)
    store.room = 10_000
    await story.delivered()
    assert len(store.taken) == len(set(store.taken)) == 90
    held = await store.list("s1-bob")
    assert [each.message_keys for each in held] == [(f"m{number}",) for number in range(30)]


async def test_exactly_the_rest_is_removed(begin: Begin, store: Halting) -> None:
    story = await begin(store=store)
    await (await story.say("alice", "Forget this.", key="m1", audience=["bob", "charlie"])).settled()
    await story.delivered()
    store.asked.clear()
    store.room = 2
    await (await story.retract("m1")).decided()
    await failing(story)
    (first,) = {tuple(each) for each in store.asked[:1]}
    store.asked.clear()
    store.room = 10_000
    await story.delivered()
    assert flat(store.asked) == list(first[2:])
    assert [await store.count(f"s1-{id}") for id in ("alice", "bob", "charlie", "world")] == [0] * 4


async def test_what_changes_between_two_attempts_is_written_anew(begin: Begin, store: Halting) -> None:
    story = await begin(store=store)
    store.room = 2
    await (await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])).decided()
    await failing(story)
    await (await story.edit("m1", "The sword is in the lake.")).decided()
    store.room = 10_000
    await story.delivered()
    held = [each for name in ("s1-alice", "s1-bob", "s1-world") for each in await store.list(name)]
    assert ["lake" in each.content for each in held] == [True] * 3


async def test_a_character_who_is_forgotten_between_two_attempts_leaves_nothing(begin: Begin, store: Halting) -> None:
    story = await begin(store=store)
    store.room = 2
    await (await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])).decided()
    await failing(story)
    await story.forget("bob")
    store.room = 10_000
    await story.delivered()
    assert await store.count("s1-bob") == 0
    assert await store.count("s1-alice") == 1


async def test_a_store_that_does_not_say_what_it_wrote_gets_all_of_the_batch_again(
    begin: Begin, store: Halting
) -> None:
    story = await begin(store=store, strict=False)
    store.room, store.says = 2, False
    await (await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])).decided()
    with pytest.raises(NotYetApplied, match="ConnectionError"):
        await story.delivered()
    store.room = 10_000
    await story.delivered()
    assert store.asked[0] == store.asked[-1]


async def test_what_a_store_says_of_other_memories_counts_for_nothing(begin: Begin) -> None:
    class Confused(MemoryStore):
        away: Any = True

        async def put(self, memories: Sequence[Memory]) -> None:
            if self.away:
                raise PartialWrite("away", {"s2-bob": [each.id for each in memories], "s1-bob": ["another"]})
            await super().put(memories)

    store = Confused()
    story = await begin(store=store)
    await (await story.say("alice", "The sword is in the cave.", audience=["bob"])).decided()
    with pytest.raises(NotYetApplied, match="away"):
        await story.delivered()
    store.away = False
    await story.delivered()
    assert await store.count("s1-bob") == 1
