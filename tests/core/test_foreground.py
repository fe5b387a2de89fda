"""What runs in the background gives way to what hosts wait for."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from earwitness import foreground as module
from earwitness import slices
from earwitness.foreground import Foreground
from earwitness.slices import MANY, between_steps, giving_way, in_slices


async def test_work_in_the_background_waits_until_no_recall_or_decision_is_going_on() -> None:
    foreground, steps = Foreground(), list[str]()

    async def background() -> None:
        await foreground.over(60)
        steps.append("background")

    with foreground.going_on():
        with foreground.going_on():
            waiting = asyncio.create_task(background())
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        steps.append("turn")
    await waiting
    assert steps == ["turn", "background"]


async def test_what_begins_as_another_ends_is_waited_for_too() -> None:
    foreground, steps = Foreground(), list[str]()

    async def turns() -> None:
        for number in range(3):
            with foreground.going_on():
                await asyncio.sleep(0)
                steps.append(f"turn {number}")

    telling = asyncio.create_task(turns())
    await asyncio.sleep(0)
    await foreground.over(60)
    steps.append("background")
    await telling
    assert steps == ["turn 0", "turn 1", "turn 2", "background"]


async def test_it_does_not_wait_for_ever_nor_at_all_where_nothing_goes_on() -> None:
    foreground = Foreground()
    async with asyncio.timeout(30):
        await foreground.over(60)
        with foreground.going_on():
            await foreground.over(0.001)
            await foreground.over(0)


async def test_work_that_is_needed_does_not_wait() -> None:
    foreground, needed = Foreground(), asyncio.Event()
    with foreground.going_on():
        async with asyncio.timeout(30):
            pausing = asyncio.create_task(foreground.over(60, needed.is_set))
            await asyncio.sleep(0)
            needed.set()
            foreground.look_again()
            await pausing
            await foreground.pause(60, needed.is_set)


async def test_it_is_not_quiet_yet_when_a_recall_has_just_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUIET", 60)
    foreground = Foreground()
    assert await foreground.over(0.001)
    with foreground.going_on():
        assert not await foreground.over(0.001)
    assert not await foreground.over(0.001)
    monkeypatch.setattr(module, "QUIET", 0.01)
    async with asyncio.timeout(30):
        assert await foreground.over(60)


async def test_slices_wait_for_a_recall_that_has_begun() -> None:
    foreground, steps = Foreground(), list[str]()

    async def deciding() -> None:
        with giving_way(foreground.recalls_first(60)):
            await between_steps(MANY + 1)
            steps.append("decision")

    with foreground.recalling():
        waiting = asyncio.create_task(deciding())
        for _ in range(9):
            await asyncio.sleep(0)
        steps.append("recall")
    await waiting
    assert steps == ["recall", "decision"]


async def test_a_decision_waits_for_recalls_no_longer_than_it_is_given_in_all() -> None:
    foreground = Foreground()
    async with asyncio.timeout(30):
        with foreground.recalling(), giving_way(foreground.recalls_first(0.01)):
            for _ in range(3):
                await between_steps(MANY + 1)


async def test_slices_in_the_background_leave_the_loop_idle_while_a_recall_or_a_decision_is_going_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    foreground, needed, slept, sleep = Foreground(), False, list[float](), asyncio.sleep

    async def noted(seconds: float) -> None:
        slept.append(seconds)
        await sleep(seconds)

    monkeypatch.setattr(asyncio, "sleep", noted)
    with giving_way(foreground.idle_moments(lambda: needed)):
        await between_steps(MANY + 1)
        with foreground.going_on():
            await between_steps(MANY + 1)
            needed = True
            await between_steps(MANY + 1)
    assert slept == [0, 0, module.MOMENT, 0]


async def test_the_collector_rests_while_thousands_of_records_are_made_and_is_left_alone_where_a_host_has_none() -> (
    None
):
    async def seen() -> set[bool]:
        return set(await in_slices(gc.isenabled() for _ in range(3)))

    assert gc.isenabled()
    assert (await seen(), gc.isenabled()) == ({False}, True)
    gc.disable()
    try:
        assert (await seen(), gc.isenabled()) == ({False}, False)
    finally:
        gc.enable()


async def test_the_collector_rests_until_whoever_waits_for_a_crowd_is_served_and_a_second_at_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(slices, "_AFTERWARDS", 0.01)
    tasks = list[asyncio.Task[None]]()

    def start(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        tasks.append(asyncio.create_task(work()))

    with slices.collected_later(MANY, start):
        assert not tasks
    with slices.collected_later(MANY + 1, start):
        await asyncio.sleep(0)
        assert not gc.isenabled()
        await in_slices(range(3))
        assert not gc.isenabled()
    assert not gc.isenabled()
    await tasks[0]
    assert gc.isenabled()
    monkeypatch.setattr(slices, "_LONGEST", 0.01)
    with slices.collected_later(MANY + 1, start):
        await tasks[-1]
        assert gc.isenabled()
        with slices.collected_later(MANY + 1, start):
            await asyncio.sleep(0)
            tasks[-1].cancel()
            await asyncio.wait(tasks)
            assert gc.isenabled()


async def test_a_decision_about_a_crowd_begins_after_the_recall_that_does_not_wait_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "WAY", 60)
    foreground, steps = Foreground(), list[str]()

    async def decision() -> None:
        await foreground.before_a_crowd()
        steps.append("decision")

    deciding = asyncio.create_task(decision())
    await asyncio.sleep(0)
    with foreground.recalling():
        await asyncio.sleep(2 * module.QUIET)
        steps.append("recall")
    async with asyncio.timeout(30):
        await deciding
    assert steps == ["recall", "decision"]


async def test_a_decision_about_a_crowd_begins_at_once_if_somebody_waits_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "WAY", 60)
    monkeypatch.setattr(module, "QUIET", 60)
    foreground = Foreground()
    async with asyncio.timeout(30):
        with foreground.awaiting():
            await foreground.before_a_crowd()
        waiting = asyncio.create_task(foreground.before_a_crowd())
        await asyncio.sleep(0)
        assert not waiting.done()
        with foreground.awaiting():
            await waiting


async def test_a_decision_about_a_crowd_is_put_off_for_a_moment_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAY", 0.01)
    foreground = Foreground()
    with foreground.recalling():
        async with asyncio.timeout(30):
            await foreground.before_a_crowd()
