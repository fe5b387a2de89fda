"""What very many heard, and the store does not hold yet, is there for all that reads a container without a search."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import pytest

from earwitness import Memory, Session
from earwitness.testing.reference import MemoryStore

Begin = Callable[..., Awaitable[Session]]
CROWD = [f"listener-{number:03}" for number in range(200)]


class Slow(MemoryStore):
    """A store that takes nothing any more, and does not fail either."""

    def __init__(self) -> None:
        super().__init__()
        self.takes = asyncio.Event()
        self.takes.set()

    async def put(self, memories: Sequence[Memory]) -> None:
        await self.takes.wait()
        await super().put(memories)


@pytest.fixture
def store() -> Slow:
    return Slow()


@pytest.fixture
async def crowd(begin: Begin, store: Slow, teller: Callable[..., Any]) -> AsyncIterator[Session]:
    """A story whose last message, to everybody, is decided, and of which nobody has a memory in the store."""
    given = {"embedder": "none", "detector": "recent_speakers", "world_agent": teller()}
    story = await begin(store=store, cast=CROWD, **given)
    await (await story.update("The bridge is down", audience="public")).decided()
    await story.delivered()
    store.takes.clear()
    await (await story.say("listener-000", "The bells ring.", audience=CROWD, key="m1")).decided()
    yield story
    store.takes.set()


async def test_the_memories_of_one_of_very_many_are_listed(crowd: Session, store: Slow) -> None:
    listed = await crowd.memories("listener-150")
    assert [each.memory.message_keys for each in listed.memories] == [("m1",)]
    store.takes.set()
    await crowd.delivered()
    assert (await crowd.memories("listener-150")).memories == listed.memories


async def test_news_told_with_a_message_in_the_prompt_is_recalled(crowd: Session) -> None:
    turn = await crowd.turn("listener-150", wait=30)
    (news,) = [each.memory.content for each in turn.memories if each.parts == {"news": 1.0}]
    assert "The bridge is down. GameDay: 1" in news


async def test_a_field_of_a_filter_that_no_memory_has_is_reported(crowd: Session) -> None:
    turn = await crowd.turn("listener-150", filter="mood = 'grim'", in_prompt=[])
    assert turn.failures == ("filter: no memory here has 'mood'.",)
