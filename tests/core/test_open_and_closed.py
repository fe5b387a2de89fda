"""An instance is opened and closed once, in one task or in two."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Earwitness, Settings
from earwitness.errors import (
    InputError,
    NotOpen,
    StorageError,
)
from earwitness.testing.reference import MemoryLedger, MemoryStore

from .session_stories import Memories, keys

BARE = Settings.of(plugins=(), detector="none", world_agent="none", embedder="none", strict=True)


def an_instance(**given: Any) -> Earwitness:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": MemoryStore()} | given
    return Earwitness.open(settings=BARE, **kept)


async def test_an_instance_that_is_not_open_says_how_to_open_it() -> None:
    ew = an_instance()
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: ew.session("s1"),
        lambda: ew.open_session("s1"),
        ew.sessions,
        lambda: ew.forget("s1"),
        lambda: ew.import_session([]),
    ]
    for call in calls:
        with pytest.raises(NotOpen, match=r"`async with Earwitness.open\(…\)`, or between `await ew.start\(\)`"):
            await call()


async def test_an_instance_may_be_started_in_one_task_and_closed_in_another(memories: Memories) -> None:
    ew = await asyncio.create_task(an_instance().start())
    story = await ew.session("s1", cast=["alice"])
    await asyncio.create_task(story.say("alice", "Hello."))
    await asyncio.create_task(ew.close())
    with pytest.raises(NotOpen):
        await story.say("alice", "Is anybody there?")
    await ew.close()
    await ew.start()
    assert keys(await memories(await ew.open_session("s1"), "alice")) == ["#2"]
    await ew.close()


async def test_an_instance_is_started_once_and_what_cannot_be_opened_says_so() -> None:
    class Away(MemoryLedger):
        async def open(self) -> None:
            raise StorageError("away")

    ew = await an_instance().start()
    with pytest.raises(InputError, match="open already"):
        await ew.start()
    await ew.sessions()
    await ew.close()
    away = an_instance(ledger=Away())
    for _ in range(2):
        with pytest.raises(StorageError, match="away"):
            await away.start()


async def test_whoever_gives_up_waiting_for_the_start_leaves_nothing_open() -> None:
    closed: list[str] = []

    class Slow(MemoryStore):
        async def open(self) -> None:
            await asyncio.sleep(0.05)

        async def close(self) -> None:
            closed.append("store")

    ew = an_instance(store=Slow())
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(ew.start(), 0.01)
    assert closed == ["store"]
    with pytest.raises(NotOpen):
        await ew.sessions()
