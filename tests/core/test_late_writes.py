"""A store may carry out a request later than it was given up. What was taken back meanwhile does not stay in it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from earwitness import Earwitness
from earwitness.end import doubtful_writes
from earwitness.records.memory import Memory
from earwitness.testing.reference import MemoryStore

WORD, OTHER = "xyzzy", "plugh"


class Late(MemoryStore):
    """Where it is told to, it lets go of a request, and carries it out when `catch_up` is called."""

    def __init__(self, other: Late | None = None) -> None:
        super().__init__()
        self._containers = other._containers if other else self._containers
        self.lets_go = self.refuses_to_remove = False
        self.put_count = 0
        self._late: list[Callable[[], None]] = []

    async def put(self, memories: Sequence[Memory]) -> None:
        self.put_count += any(WORD in each.content for each in memories)
        self._ask(lambda: self._write(memories))

    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        if self.refuses_to_remove:
            raise ConnectionError("refused")
        self._ask(lambda: self._take(ids))

    def catch_up(self) -> None:
        self.lets_go = False
        for request in self._late:
            request()
        self._late.clear()

    def _ask(self, request: Callable[[], None]) -> None:
        if self.lets_go:
            self._late.append(request)
            raise TimeoutError("no answer")
        request()

    def _write(self, memories: Sequence[Memory]) -> None:
        for each in memories:
            self._containers.setdefault(each.container, {})[each.id] = each

    def _take(self, ids: Mapping[str, Sequence[str]]) -> None:
        for container, of in ids.items():
            for id in of:
                self._containers.get(container, {}).pop(id, None)

    async def holds(self, word: str) -> bool:
        there = [*await self.list("s1-alice"), *await self.list("s1-bob")]
        return any(word in each.content for each in there)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doubtful_writes, "LOOKS", (0.1, 0.2))


def opened(folder: Path, store: Late) -> Earwitness:
    return Earwitness.open(str(folder / "story.db"), store=store, strict=False)


async def became(store: Late, word: str, there: bool) -> None:
    async with asyncio.timeout(5):
        while await store.holds(word) != there:  # noqa: ASYNC110 - the store says nothing
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("how", ["retract", "edit"])
async def test_what_was_taken_back_does_not_come_back(tmp_path: Path, how: str) -> None:
    store = Late()
    async with opened(tmp_path, store) as ew:
        story = await ew.session("s1", cast=["alice", "bob"])
        await story.delivered()
        store.lets_go = True
        await (await story.say("alice", f"The word is {WORD}.", key="m", audience=["bob"])).decided()
        await asyncio.sleep(0.01)
        gone = await (story.retract("m") if how == "retract" else story.edit("m", f"It is {OTHER}."))
        await gone.decided()
        store.lets_go = False
        await story.delivered(5)
        assert not await store.holds(WORD)
        store.catch_up()
        assert await store.holds(WORD)
        found = await story.turn("bob", query=WORD, in_prompt=())
        assert not [each for each in found.memories if WORD in each.memory.content]
        await became(store, WORD, there=False)
        assert await store.holds(OTHER) is (how == "edit")


class Hanging(Late):
    """Where it is told to, it answers no request, and carries it out when `catch_up` is called."""

    def __init__(self) -> None:
        super().__init__()
        self.hangs, self.answers = False, asyncio.Event()

    async def put(self, memories: Sequence[Memory]) -> None:
        if self.hangs:
            self._late.append(lambda: self._write(memories))
            await self.answers.wait()
        else:
            await super().put(memories)


async def test_what_a_process_was_writing_when_it_was_killed_does_not_come_back(tmp_path: Path) -> None:
    store = Hanging()
    (tmp_path / "killed").mkdir()
    async with opened(tmp_path / "killed", store) as killed:
        story = await killed.session("s1", cast=["alice", "bob"])
        await story.delivered()
        store.hangs = True
        await (await story.say("alice", f"The word is {WORD}.", key="m", audience=["bob"])).decided()
        async with asyncio.timeout(5):
            while not store._late:  # noqa: ASYNC110 - the store says nothing
                await asyncio.sleep(0.01)
        shutil.copytree(tmp_path / "killed", tmp_path / "next")  # as a kill leaves it
        async with opened(tmp_path / "next", Late(store)) as ew:
            story = await ew.session("s1")
            await story.delivered()
            assert await store.holds(WORD)
            await story.retract("m")
            await story.delivered()
            assert not await store.holds(WORD)
            store.catch_up()
            assert await store.holds(WORD)
            await became(store, WORD, there=False)
        store.hangs = False
        store.answers.set()


async def test_what_was_restored_is_not_removed(tmp_path: Path) -> None:
    store = Late()
    async with opened(tmp_path, store) as ew:
        story = await ew.session("s1", cast=["alice", "bob"])
        await story.say("alice", f"The word is {WORD}.", key="m", audience=["bob"])
        await story.delivered()
        store.lets_go = True
        await (await story.archive("m")).decided()
        await asyncio.sleep(0.01)
        await (await story.restore("m")).decided()
        store.lets_go = False
        await story.delivered(5)
        store.catch_up()
        assert not await store.holds(WORD)
        await became(store, WORD, there=True)


async def test_the_next_start_looks_at_it_and_so_does_a_replay(tmp_path: Path) -> None:
    store = Late()
    async with opened(tmp_path, store) as ew:
        story = await ew.session("s1", cast=["alice", "bob"])
        await story.delivered()
        store.lets_go = True
        await (await story.say("alice", f"The word is {WORD}.", key="m", audience=["bob"])).decided()
        await asyncio.sleep(0.01)
        await (await story.retract("m")).decided()
        store.lets_go = False
        await story.delivered(5)
    store.catch_up()
    assert await store.holds(WORD)
    async with opened(tmp_path, store) as ew:
        assert not await ew.spool.replay()
        assert not await store.holds(WORD)


async def test_what_another_process_was_writing_when_it_was_killed(tmp_path: Path) -> None:
    store = Late()
    other = Late(store)
    async with opened(tmp_path, store) as here:
        story = await here.session("s1", cast=["alice", "bob"])
        await story.delivered()
        async with opened(tmp_path, other) as there:
            again = await there.open_session("s1")
            other.lets_go = True
            await (await again.say("alice", f"The word is {WORD}.", key="m", audience=["bob"])).decided()
            await asyncio.sleep(0.01)
        await (await story.retract("m")).decided()
        await story.delivered(5)
        other.catch_up()
        assert await store.holds(WORD)
        await became(store, WORD, there=False)


async def test_what_another_process_has_taken_back_is_written_once_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It learns of it after its write, and cannot remove it at first. Whoever opens the story meanwhile reads none."""
    monkeypatch.setattr(doubtful_writes, "LOOKS", (60.0, 60.0))
    store = Late()
    other = Late(store)
    async with opened(tmp_path, store) as here, opened(tmp_path, other) as there:
        story, again = await here.session("s1", cast=["alice", "bob"]), await there.open_session("s1")
        await story.delivered()
        other.lets_go = True
        await (await again.say("alice", f"The word is {WORD}.", key="m", audience=["bob"])).decided()
        await asyncio.sleep(0.01)
        await (await story.retract("m")).decided()
        await story.delivered(5)
        other.lets_go, other.refuses_to_remove, other.put_count = False, True, 0
        await became(store, WORD, there=True)
        await asyncio.sleep(0.5)
        assert other.put_count == 1
        async with opened(tmp_path, store) as later:
            turn = await (await later.open_session("s1")).turn("bob", query=WORD, in_prompt=())
            assert not [each for each in turn.memories if WORD in each.memory.content]
        other.refuses_to_remove = False
        await again.delivered(5)
        await became(store, WORD, there=False)
