"""What another process on the same ledger takes back is recalled no more, whatever this process still has at hand."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from earwitness import Earwitness, Moment, Perceived, Presence, Session, Turn
from earwitness.errors import MemoriesRefused
from earwitness.records.memory import Memory
from earwitness.testing.reference import MemoryLedger, MemoryStore

WORD = "xyzzy"


class Door(MemoryStore):
    """One process's way to a store that several share. It may be shut for writing, and may refuse texts."""

    def __init__(self, other: Door | None = None) -> None:
        super().__init__()
        self._containers = other._containers if other else self._containers
        self.is_shut, self.refuses = False, ""

    async def put(self, memories: Sequence[Memory]) -> None:
        if self.is_shut:
            raise ConnectionError("shut")
        bad = [each for each in memories if self.refuses and self.refuses in each.content]
        if bad:
            raise MemoriesRefused({each.container: {each.id: "422"} for each in bad})
        await super().put(memories)


class Slow:
    """A detector that takes its time where it is told to."""

    def __init__(self) -> None:
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def detect(self, moment: Moment) -> Presence:
        await self.may_answer.wait()
        return Presence(characters={id: Perceived(probability=1, role="present") for id in moment.cast.ids})


def opened(folder: Path, store: Door, **settings: object) -> Earwitness:
    return Earwitness.open(str(folder / "story.db"), store=store, strict=False, **settings)


def says(turn: Turn, word: str) -> bool:
    texts = [*(each.memory.content for each in turn.memories), *(each.text for each in turn.messages)]
    return any(word in each for each in texts)


async def told(story: Session, *texts: str, first: int = 0) -> None:
    for number, content in enumerate(texts, first):
        await (await story.say("alice", content, key=f"m{number}", audience=["bob"])).decided()


@pytest.mark.parametrize("is_shut_there", [False, True])
async def test_what_this_process_could_not_write_yet(tmp_path: Path, is_shut_there: bool) -> None:
    store = Door()
    other = Door(store)
    async with opened(tmp_path, store) as here, opened(tmp_path, other) as there:
        story = await here.session("s1", cast=["alice", "bob"])
        store.is_shut = True
        await told(story, "One.", f"The word is {WORD}.", "Two.", "Three.", "Four.", "Five.")
        assert says(await story.turn("bob", query=WORD, in_prompt=()), WORD)
        again = await there.open_session("s1")
        await again.delivered()
        other.is_shut = is_shut_there
        await (await again.retract("m1")).decided()
        if not is_shut_there:
            await again.delivered()
        assert not says(await story.turn("bob", query=WORD, in_prompt=()), WORD)
        assert not says(await story.turn("bob", query=WORD), WORD)
        store.is_shut = other.is_shut = False
        await story.delivered(10)
        await again.delivered(10)
        assert sorted(each.message_keys[0] for each in await store.list("s1-bob")) == ["m0", "m2", "m3", "m4", "m5"]


@pytest.mark.parametrize("how", ["retract", "edit"])
async def test_what_this_process_reads_late(tmp_path: Path, how: str) -> None:
    """It reads the message after that was taken back. The store is away from here then, and gets all in one go."""
    store = Door()
    async with opened(tmp_path, store) as here, opened(tmp_path, Door(store)) as there:
        story = await here.session("s1", cast=["alice", "bob"])
        again = await there.open_session("s1")
        await told(again, f"The word is {WORD}.")
        await (await (again.retract("m0") if how == "retract" else again.edit("m0", "The word is plugh."))).decided()
        await again.delivered()
        store.is_shut = True
        await told(story, "One.", "Two.", first=1)
        store.is_shut = False
        await story.delivered(10)
        assert not [each for each in await store.list("s1-bob") if WORD in each.content]
        assert {"m1", "m2"} <= {each.message_keys[0] for each in await store.list("s1-bob")}


async def test_while_something_slow_is_decided_here(tmp_path: Path) -> None:
    store, slow = Door(), Slow()
    async with opened(tmp_path, store, detector=slow) as here, opened(tmp_path, Door(store)) as there:
        story = await here.session("s1", cast=["alice", "bob"])
        store.is_shut = True
        await told(story, "One.", f"The word is {WORD}.")
        slow.may_answer.clear()
        await story.say("alice", "Two.", key="m2")
        assert says(await story.turn("bob", query=WORD, in_prompt=(), wait=0.05), WORD)
        again = await there.open_session("s1")
        await again.delivered()
        await (await again.retract("m1")).decided()
        await again.delivered()
        assert not says(await story.turn("bob", query=WORD, in_prompt=(), wait=0.05), WORD)
        assert not says(await story.turn("bob", query=WORD, wait=0.05), WORD)
        slow.may_answer.set()
        store.is_shut = False
        await story.delivered(10)
        assert sorted(each.message_keys[0] for each in await store.list("s1-alice")) == ["m0", "m2"]
        assert not says(await story.turn("bob", query=WORD), WORD)


@pytest.mark.parametrize("how", ["retract", "edit"])
@pytest.mark.parametrize("by", ["here", "there"])
async def test_a_write_that_arrives_late(tmp_path: Path, how: str, by: str) -> None:
    """Another process was writing the memory when it was taken back, and has not noticed yet."""
    store = Door()
    async with opened(tmp_path, store) as here, opened(tmp_path, Door(store)) as there:
        story = await here.session("s1", cast=["alice", "bob"])
        await told(story, "One.", "Two.", f"The word is {WORD}.")
        await story.delivered()
        written = await store.list("s1-bob")
        again = story if by == "here" else await there.open_session("s1")
        await (await (again.retract("m2") if how == "retract" else again.edit("m2", "The word is plugh."))).decided()
        await again.delivered()
        await store.put(written)
        assert not says(await story.turn("bob", query=WORD, in_prompt=()), WORD)
        assert says(await story.turn("bob", query=WORD, in_prompt=()), "One.")


@pytest.mark.parametrize("how", ["retract", "edit", "reroll"])
async def test_in_a_turn_that_waits_for_nothing(tmp_path: Path, how: str) -> None:
    store = Door()
    async with opened(tmp_path, store) as here, opened(tmp_path, Door(store)) as there:
        story = await here.session("s1", cast=["alice", "bob"])
        await told(story, "One.", "Two.", f"The word is {WORD}.")
        await story.delivered()
        again = await there.open_session("s1")
        if how == "retract":
            outcome = await again.retract("m2")
        else:
            outcome = await getattr(again, how)(key="m2", content="The word is plugh.")
        await outcome.decided()
        turn = await story.turn("bob", query="the word", wait=0)
        assert not says(turn, WORD)
        assert says(turn, "plugh") == (how != "retract")


async def test_in_a_turn_that_waits_for_nothing_while_something_is_said_here(tmp_path: Path) -> None:
    store, slow = Door(), Slow()
    async with opened(tmp_path, store, detector=slow) as here, opened(tmp_path, Door(store)) as there:
        story = await here.session("s1", cast=["alice", "bob"])
        await told(story, "One.", f"The word is {WORD}.")
        again = await there.open_session("s1")
        await (await again.edit("m1", "The word is plugh.")).decided()
        slow.may_answer.clear()
        await story.say("alice", "Three.", key="m3")
        turn = await story.turn("bob", query="the word", wait=0)
        assert says(turn, "plugh")
        assert not says(turn, WORD)
        slow.may_answer.set()


async def test_what_another_process_delivers_is_not_taken_for_an_older_wording(tmp_path: Path) -> None:
    store = Door()
    store.refuses = WORD
    async with opened(tmp_path, store) as here, opened(tmp_path, Door(store)) as there:
        story = await here.session("s1", cast=["alice", "bob"])
        await told(story, "One.", f"The word is {WORD}.")
        await story.delivered()
        again = await there.open_session("s1")
        await again.delivered()
        await told(again, "Two.", first=2)
        store.refuses = ""
        await story.delivered(10)
        assert sorted(each.message_keys[0] for each in await store.list("s1-bob")) == ["m0", "m1", "m2"]
        assert not here.engine.refusals.has("s1-bob")


async def test_what_waits_reworded_and_is_retracted_cannot_be_dropped(tmp_path: Path) -> None:
    store = Door()
    async with opened(tmp_path, store) as ew:
        story = await ew.session("s1", cast=["alice", "bob"])
        await told(story, "One.", "Two.")
        await story.delivered()
        store.refuses = WORD
        await (await story.edit("m0", f"One {WORD}.")).decided()
        await story.delivered()
        assert {id for each in await ew.spool.waiting() for id in each.refused}
        store.is_shut = True
        await (await story.retract("m0")).decided()
        assert not {id for each in await ew.spool.waiting() for id in each.refused}
        assert await ew.spool.drop("s1") == 0
        store.is_shut = False


async def test_news_that_were_told_with_a_message_at_hand(tmp_path: Path) -> None:
    store = Door()
    async with opened(tmp_path, store) as ew:
        story = await ew.session("s1", cast=["alice", "bob"], present=["alice", "bob"])
        await story.say("alice", "*picks up the XSWORD*", key="sword")
        store.is_shut = True
        await (await story.say("alice", "The word is plugh.", key="m0")).decided()
        turn = await story.turn("bob", query="the word plugh", in_prompt=())
        assert says(turn, "Alice picked up the XSWORD")
        await (await story.backstage().retract("sword")).decided()
        turn = await story.turn("bob", query="the word plugh", in_prompt=())
        assert says(turn, "plugh")
        assert not says(turn, "XSWORD")


async def test_what_another_process_delivers_is_there_once(tmp_path: Path) -> None:
    store = Door()
    store.refuses = WORD
    async with opened(tmp_path, store) as here, opened(tmp_path, Door(store)) as there:
        story = await here.session("s1", cast=["alice", "bob"])
        await told(story, "One.", f"The word is {WORD}.")
        await story.delivered()
        await (await there.open_session("s1")).delivered()
        found = await here.engine.reading.list("s1-bob")
        assert [each.message_keys[0] for each in found] == ["m0", "m1"]
        assert len(await here.engine.reading.search("s1-bob", WORD)) == len(found)
        assert await here.engine.reading.count("s1-bob") == 2
        assert await here.spool.waiting() == ()


async def test_a_container_that_several_stories_write_to(tmp_path: Path) -> None:
    """The reader's story need not know of the other one."""
    store = Door()
    store.refuses = WORD
    async with opened(tmp_path, store) as here, opened(tmp_path, Door(store)) as there:
        story = await here.session("s1", cast=["alice", "bob"])
        await told(story, f"The word is {WORD}.")
        await story.delivered()
        assert [each.message_keys for each in await here.engine.reading.list("s1-bob")] == [("m0",)]
        again = await there.open_session("s1")
        await (await again.retract("m0")).decided()
        await again.delivered()
        assert await here.engine.reading.list("s1-bob") == []
        assert await here.engine.reading.search("s1-bob", WORD) == []


async def test_nothing_is_asked_where_nothing_waits(tmp_path: Path) -> None:
    ledger, store = MemoryLedger(), Door()
    async with Earwitness.open(ledger=ledger, store=store) as ew:
        await told(await ew.session("s1", cast=["alice", "bob"]), "One.")
        assert ew.engine.reading is ew.engine.store
