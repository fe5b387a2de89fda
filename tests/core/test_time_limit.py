"""A time limit round work that has time limits, cancel scopes and task groups of its own, as clients of servers do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import anyio
import numpy as np
import pytest
from numpy.typing import NDArray

from earwitness import Earwitness
from earwitness.loading.settings import Settings
from earwitness.records.backends import EmbedderIdentity
from earwitness.time_limit import LimitReached, within

LIMIT = 30.0
"""Never reached here."""


async def _timeout() -> str:
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(LIMIT)
    except TimeoutError:
        return "went on"
    return "waited"


async def _cancel_scope() -> str:
    with anyio.move_on_after(0.01):
        await anyio.sleep(LIMIT)
    return "went on"


async def _group_cancelled_by_a_child() -> str:
    async with anyio.create_task_group() as group:

        async def first() -> None:
            await asyncio.sleep(0.01)
            group.cancel_scope.cancel()

        group.start_soon(first)
        await asyncio.sleep(LIMIT)
    return "went on"


async def _group_that_waits_for_a_cancelled_child() -> str:
    async with anyio.create_task_group() as group:

        async def first() -> None:
            group.cancel_scope.cancel()
            await asyncio.sleep(LIMIT)

        group.start_soon(first)
    return "went on"


async def _group_with_a_failing_child() -> str:
    async def failing() -> None:
        await asyncio.sleep(0.01)
        raise ValueError("no")

    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(failing())
            await asyncio.sleep(LIMIT)
    except* ValueError:
        pass
    return "went on"


OWN = (
    _timeout,
    _cancel_scope,
    _group_cancelled_by_a_child,
    _group_that_waits_for_a_cancelled_child,
    _group_with_a_failing_child,
)


@pytest.mark.parametrize("work", OWN)
async def test_what_the_work_cancels_by_itself_is_its_own_affair(work: Callable[[], Awaitable[str]]) -> None:
    assert await within(LIMIT, work()) == "went on"
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


@pytest.mark.parametrize("work", OWN)
async def test_afterwards_the_limit_holds_as_before(work: Callable[[], Awaitable[str]]) -> None:
    async def more() -> None:
        await work()
        await asyncio.sleep(LIMIT)

    with pytest.raises(LimitReached):
        await within(0.3, more())


@pytest.mark.parametrize("work", OWN)
async def test_a_caller_who_is_cancelled_is_cancelled(work: Callable[[], Awaitable[str]]) -> None:
    async def more() -> None:
        await work()
        await asyncio.sleep(LIMIT)

    async def caller() -> None:
        await within(LIMIT, more())

    task = asyncio.create_task(caller())
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_scope_of_the_caller_ends_the_work() -> None:
    ended = []

    async def work() -> None:
        try:
            await asyncio.sleep(LIMIT)
        finally:
            ended.append("work")

    with anyio.move_on_after(0.05) as scope:
        await within(LIMIT, work())
    assert scope.cancelled_caught
    assert ended == ["work"]


class _Cleaning:
    """An embedder somewhere else, whose client cleans up for longer than anybody waits."""

    remote = True
    identity = EmbedderIdentity(name="cleaning", digest="1", dimension=8)

    def __init__(self) -> None:
        self.hangs = 0

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.hangs:
            self.hangs -= 1
            async with anyio.create_task_group() as group:
                group.start_soon(self._clean_up)
                await anyio.sleep(LIMIT)
        return np.ones((len(texts), 8), np.float32)

    async def _clean_up(self) -> None:
        with anyio.CancelScope(shield=True):
            await anyio.sleep(0.8)


async def test_what_a_client_leaves_behind_strikes_neither_the_host_nor_what_is_applied(tmp_path: Path) -> None:
    settings = Settings.of(path=str(tmp_path / "story.db"), end={"store_timeout": 0.2}, recall={"timeout": 0.2})
    embedder = _Cleaning()
    async with Earwitness.open(settings=settings, embedder=embedder) as ew:
        story = await ew.session("tavern", cast=["alice", "bob"], present=["alice", "bob"])
        await (await story.say("alice", "The sword is under the stairs.")).settled()
        embedder.hangs = 1
        turn = await story.turn("bob", query="Where is the sword?", in_prompt=())
        assert "no answer within 0.2 s" in turn.failures[0]
        embedder.hangs = 1
        outcome = await story.say("bob", "Which stairs?")
        assert [*(await outcome.decided()).participants] == ["bob", "alice"]
        await asyncio.sleep(1.5)  # whatever is left behind ends meanwhile
        await story.delivered()
