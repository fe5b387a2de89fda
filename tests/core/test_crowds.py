"""A message that very many hear: the turns of one listener, and other tasks, do not wait for all the others."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from earwitness import (
    Earwitness,
    Moment,
    Plugin,
    Presence,
    RecallEvent,
    Session,
    foreground,
    ranked_by_words,
    slices,
    words,
)
from earwitness.clock import now
from earwitness.errors import StorageError
from earwitness.records.journal import Entry, NewEntry, Said
from earwitness.records.memory import Memory
from earwitness.records.plan import Delivery
from earwitness.slices import Pace, in_slices
from earwitness.testing.reference import MemoryLedger, MemoryStore

Begin = Callable[..., Awaitable[Session]]
CROWD = [f"listener-{number:03}" for number in range(200)]


class Gated(MemoryStore):
    """A store whose puts wait to be let in, one by one."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Semaphore(0)
        self.puts: list[list[str]] = []
        self.is_broken = False

    async def put(self, memories: Sequence[Memory]) -> None:
        await self.gate.acquire()
        if self.is_broken:
            raise StorageError("the store is away")
        await super().put(memories)
        self.puts.append([each.container for each in memories])

    def let_all_in(self) -> None:
        for _ in range(1_000):
            self.gate.release()


@pytest.fixture
async def store() -> Gated:
    return Gated()


async def crowd(begin: Begin, store: Gated) -> Session:
    """A story whose first message, to everybody, is decided, and of which nobody has a memory yet."""
    story = await begin(store=store, cast=CROWD, embedder="none", detector="recent_speakers")
    told = await story.say("listener-000", "The bells ring at midnight.", audience=CROWD, key="m1")
    await told.decided()
    return story


async def until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not done():  # noqa: ASYNC110 - no event tells it
            await asyncio.sleep(0.001)


async def test_a_turn_recalls_what_everybody_heard_before_anybody_has_been_served(begin: Begin, store: Gated) -> None:
    story = await crowd(begin, store)
    turn = await story.turn("listener-199", query="bells", in_prompt=[], wait=30)
    assert store.puts == []
    assert [each.memory.message_keys for each in turn.memories] == [("m1",)]
    assert (turn.pending, turn.failures) == ((), ())
    store.let_all_in()
    await story.delivered()
    written = [container for containers in store.puts for container in containers]
    assert sorted(written) == sorted(["s1-world", *(f"s1-{id}" for id in CROWD)])


async def test_what_was_said_since_is_recalled_while_the_others_are_still_served(begin: Begin, store: Gated) -> None:
    story = await crowd(begin, store)
    store.gate.release()
    await until(lambda: len(store.puts) == 1)
    await (await story.say("listener-001", "Who rings the bells?", audience=["listener-002"], key="m2")).decided()
    turn = await story.turn("listener-002", query="Who rings the bells?", in_prompt=[])
    assert {each.memory.message_keys for each in turn.memories} == {("m1",), ("m2",)}
    assert (turn.pending, len(store.puts)) == ((), 1)
    store.let_all_in()
    await story.delivered()
    again = await story.turn("listener-002", query="Who rings the bells?", in_prompt=[])
    assert {each.memory.id for each in again.memories} == {each.memory.id for each in turn.memories}


class Counting(MemoryLedger):
    """A ledger that knows what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    async def deliveries(self, session: str, **asked: Any) -> Sequence[Delivery]:
        self.asked.append("deliveries")
        return await super().deliveries(session, **asked)

    async def entries(self, session: str, **asked: Any) -> Sequence[Entry]:
        if asked.get("unapplied"):
            self.asked.append("unapplied entries")
        return await super().entries(session, **asked)


async def test_what_everybody_heard_is_not_read_again_for_a_turn_while_the_others_are_served(
    begin: Begin, store: Gated
) -> None:
    ledger = Counting()
    story = await begin(store=store, ledger=ledger, cast=CROWD, embedder="none", detector="recent_speakers")
    await (await story.say("listener-000", "The bells ring at midnight.", audience=CROWD, key="m1")).decided()
    await (await story.say("listener-001", "Who rings the bells?", audience=["listener-002"], key="m2")).decided()
    store.gate.release()
    await until(lambda: len(store.puts) == 1)
    ledger.asked.clear()
    turn = await story.turn("listener-002", query="Who rings the bells?", in_prompt=[])
    assert {each.memory.message_keys for each in turn.memories} == {("m1",), ("m2",)}
    assert ledger.asked == []
    store.let_all_in()
    await story.delivered()


async def test_what_is_at_hand_is_cut_into_words_once_however_many_turns_look_at_it(
    begin: Begin, store: Gated, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = await crowd(begin, store)
    store.gate.release()
    await until(lambda: len(store.puts) == 1)
    await (await story.say("listener-001", "Fifty-one bells, counted twice.", audience=["listener-002"])).decided()
    cut: list[str] = []

    def counted(text: str) -> list[str]:
        cut.append(text)
        return words.terms(text)

    monkeypatch.setattr(ranked_by_words, "terms", counted)
    for _ in range(3):
        assert len((await story.turn("listener-002", query="Who counted?", in_prompt=[])).memories) == 2
    assert "Listener-001: Fifty-one bells, counted twice" in cut
    assert len(cut) == len(set(cut))
    store.let_all_in()
    await story.delivered()


async def test_what_few_heard_passes_what_everybody_hears_and_each_container_keeps_its_order(
    begin: Begin, store: Gated
) -> None:
    story = await crowd(begin, store)
    for number in range(2):
        told = await story.say("listener-150", f"Who rings? {number}", audience=["listener-199"], key=f"few{number}")
        await told.decided()
    for _ in range(2):
        store.gate.release()
    await until(lambda: len(store.puts) == 2)
    assert {"s1-listener-150", "s1-listener-199", "s1-world"} <= set(store.puts[1])
    for name in ("listener-150", "listener-199", "world"):
        kept = [each.message_keys for each in await store.list(f"s1-{name}")]
        assert kept == [("m1",), ("few0",), ("few1",)]
    turn = await story.turn("listener-199", query="Who rings the bells?", in_prompt=[])
    assert {each.memory.message_keys for each in turn.memories} == {("m1",), ("few0",), ("few1",)}
    assert (turn.pending, len(store.puts)) == ((), 2)
    store.let_all_in()
    await story.delivered()
    written = [container for containers in store.puts for container in containers]
    assert sorted(set(written)) == sorted(["s1-world", *(f"s1-{id}" for id in CROWD)])
    assert len(written) == len(CROWD) + 1 + 2 * 3


async def test_nothing_passes_what_takes_something_back(begin: Begin, store: Gated) -> None:
    story = await crowd(begin, store)
    await (await story.say("listener-001", "Nobody knows.", audience=["listener-002"], key="m2")).decided()
    await story.backstage().retract("m2")
    await (await story.say("listener-001", "Who rings?", audience=["listener-002"], key="m3")).decided()
    store.let_all_in()
    await story.delivered()
    assert [each.message_keys for each in await store.list("s1-listener-002")] == [("m1",), ("m3",)]


async def test_after_a_crash_what_few_heard_stays_and_the_crowd_is_served_to_the_end(store: Gated) -> None:
    ledger = MemoryLedger()
    given: dict[str, Any] = {"store": store, "ledger": ledger, "embedder": "none", "detector": "recent_speakers"}
    async with Earwitness.open(**given) as ew:
        story = await ew.session("s1", cast=CROWD)
        await (await story.say("listener-000", "The bells ring at midnight.", audience=CROWD, key="m1")).decided()
        await (await story.say("listener-150", "Who rings?", audience=["listener-199"], key="m2")).decided()
        for _ in range(2):
            store.gate.release()
        await until(lambda: len(store.puts) == 2)
        async with asyncio.timeout(20):
            while len(await ledger.entries("s1", unapplied=True)) > 1:  # noqa: ASYNC110 - no event tells it
                await asyncio.sleep(0.001)
        store.is_broken = True
        store.let_all_in()
    store.is_broken = False
    before = len(store.puts)
    async with Earwitness.open(**given) as ew:
        story = await ew.session("s1")
        await story.delivered()
    assert [each.message_keys for each in await store.list("s1-listener-199")] == [("m1",), ("m2",)]
    assert len(store.puts) > before
    for name in CROWD:
        assert ("m1",) in [each.message_keys for each in await store.list(f"s1-{name}")]


async def test_what_is_at_hand_is_held_to_the_filter_and_to_the_number_asked_for(begin: Begin, store: Gated) -> None:
    story = await crowd(begin, store)
    store.gate.release()
    await until(lambda: len(store.puts) == 1)
    for number in range(5):
        told = await story.say("listener-001", f"Bell {number} rings.", audience=["listener-002"], key=f"b{number}")
        await told.decided()
    turn = await story.turn("listener-002", query="Bell 0 rings", in_prompt=["b0"], memories=2)
    assert len(turn.memories) == 2
    assert {each.memory.message_keys for each in turn.memories} < {(f"b{number}",) for number in range(1, 5)}
    turn = await story.turn("listener-002", query="Bell 0 rings", in_prompt=[], filter='speaker = "listener-000"')
    assert [each.memory.message_keys for each in turn.memories] == [("m1",)]
    store.let_all_in()
    await story.delivered()


async def test_batches_are_small_while_the_hosts_turns_follow_each_other(
    begin: Begin, store: Gated, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreground, "GIVING_WAY", 0.0)
    plugin = Lingering()
    story = await begin(store=store, cast=CROWD, detector="recent_speakers", plugins=[plugin])
    await (await story.say("listener-000", "The bells ring at midnight.", audience=CROWD)).decided()
    store.gate.release()
    going_on = asyncio.create_task(story.turn("listener-000"))
    await plugin.begun.wait()
    for _ in range(3):
        store.gate.release()
    await until(lambda: len(store.puts) == 4)
    assert [len(each) for each in store.puts[2:]] == [16, 16]  # the second may have begun before
    plugin.over.set()
    await going_on
    store.let_all_in()
    await story.delivered()


async def test_who_did_not_hear_a_message_waits_for_nobody(begin: Begin, store: Gated) -> None:
    story = await begin(store=store, cast=["alice", "bob", "charlie"], embedder="none", detector="recent_speakers")
    await (await story.say("alice", "Hello, Bob.", audience=["bob"])).decided()
    turn = await story.turn("charlie", wait=20)
    assert (turn.pending, turn.memories, store.puts) == ((), (), [])
    store.let_all_in()


async def test_long_work_gives_way_and_loses_nothing() -> None:
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0)
            beats += 1

    beating = asyncio.create_task(beat())
    assert await in_slices(range(200_000)) == list(range(200_000))
    pace, before = Pace(), beats
    for _ in range(20_000):
        await pace.kept()
    beating.cancel()
    assert before > 3
    assert beats > before


class Lingering(Plugin):
    """A plugin that keeps the recalls of one listener waiting."""

    def __init__(self) -> None:
        self.begun, self.over = asyncio.Event(), asyncio.Event()

    async def on_recall(self, event: RecallEvent) -> None:
        if event.character == "listener-000":
            self.begun.set()
            await self.over.wait()


async def test_while_a_turn_is_going_on_a_crowd_is_not_served_unless_somebody_waits_for_it(
    begin: Begin, store: Gated, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreground, "GIVING_WAY", 1e9)
    plugin = Lingering()
    story = await begin(store=store, cast=CROWD, detector="recent_speakers", plugins=[plugin])
    await (await story.say("listener-000", "The bells ring at midnight.", audience=CROWD)).decided()
    store.gate.release()
    going_on = asyncio.create_task(story.turn("listener-000"))
    await plugin.begun.wait()
    store.let_all_in()
    await until(lambda: len(store.puts) > 0)
    await asyncio.sleep(0.05)
    served = len(store.puts)
    assert served <= 2  # the second may have begun before
    assert (await story.turn("listener-199", wait=30)).pending == ()
    await asyncio.sleep(0.05)
    assert len(store.puts) == served
    await story.delivered(timeout=20)
    plugin.over.set()
    await going_on


@pytest.mark.parametrize(("size", "others_run"), [(slices.MANY, 0), (slices.MANY + 1, 1)])
async def test_between_steps_that_look_at_very_many_others_run(size: int, others_run: int) -> None:
    ran: list[int] = []
    asyncio.get_running_loop().call_soon(ran.append, size)
    await slices.between_steps(size)
    assert len(ran) == others_run


class Slow:
    """A detector that answers once it may."""

    def __init__(self) -> None:
        self.may = asyncio.Event()

    async def detect(self, moment: Moment) -> Presence:
        await self.may.wait()
        return Presence.only(moment.message.speaker)


class Reading(MemoryLedger):
    """A ledger that knows which entries were read from it."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    async def entries(self, session: str, **asked: Any) -> Sequence[Entry]:
        found = await super().entries(session, **asked)
        self.read += [each.key for each in found]
        return found


async def test_a_turn_that_waits_for_no_decision_names_what_is_pending_without_reading_it_again(begin: Begin) -> None:
    detector, ledger = Slow(), Reading()
    story = await begin(detector=detector, ledger=ledger, cast=CROWD, embedder="none")
    await story.say("listener-000", "The bells ring.", present=CROWD, key="m1")
    await story.say("listener-001", "Who rings?", present=CROWD, key="m2")
    ledger.read.clear()
    turn = await story.turn("listener-002", wait=0.0)
    assert turn.pending == ("m1", "m2")
    assert "m1" not in ledger.read  # the last entry is, to see whether the id is still this story's
    detector.may.set()
    await story.delivered()
    assert (await story.turn("listener-002", wait=0.0)).pending == ()


async def test_what_another_handle_reported_is_pending_too(begin: Begin) -> None:
    detector, ledger = Slow(), Reading()
    story = await begin(detector=detector, ledger=ledger, cast=CROWD, embedder="none")
    await story.say("listener-000", "The bells ring.", key="m1")
    elsewhere = NewEntry(body=Said(speaker="listener-001", content="Who rings?"), key="m2", timestamp=now())
    await ledger.append_all("s1", [elsewhere])
    await story.say("listener-000", "Nobody.", key="m3")
    turn = await story.turn("listener-002", wait=0.0)
    assert turn.pending == ("m1", "m2", "m3")
    detector.may.set()
    await story.delivered()
