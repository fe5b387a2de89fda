"""What is remembered here of an assistant's conversations: by rules, by a consolidator of one's own, by a model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from earwitness import Earwitness
from earwitness.wrapper import innermost
from earwitness_plugins.consolidation import Consolidation, ConsolidationTask
from earwitness_plugins.stores.sqlite import SqliteStore
from earwitness_plugins.testing.model import ScriptedModel

ANSWER = {"history_entry": "The user spoke of a cat.", "memory_update": ["The user's cat is called Mio."]}


def opened(folder: Path, *, memory_window: int = 4, **more: Any) -> Earwitness:
    """A store on this machine."""
    table = {"api_key": "", "memory_window": memory_window}
    return Earwitness.open(settings={"path": str(folder / "bot.db"), "supermemory": table, **more})


async def talked(ew: Earwitness, number: int = 3) -> Any:
    conversation = ew.conversation("telegram:42")
    for each in range(number):
        await conversation.add("user", f"My cat is called Mio, and this is message {each}.")
        await conversation.add("assistant", "Noted.")
    return conversation


async def until(holds: Callable[[], bool]) -> None:
    for _ in range(500):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError


class Counts:
    async def consolidate(self, task: ConsolidationTask) -> Consolidation:
        said = len(task.remembered)
        return Consolidation(history_entry=f"They spoke {said} times.", memory_update=(f"{said} messages",))


class Fails:
    def consolidate(self, task: ConsolidationTask) -> Consolidation:
        raise ValueError("no idea")


class Odd:
    def consolidate(self, task: ConsolidationTask) -> Any:
        return ["a line"]


async def test_beyond_the_window_all_but_the_newest_half_is_consolidated_at_once(tmp_path: Path) -> None:
    stretches: list[list[str]] = []

    class Notes:
        def consolidate(self, task: ConsolidationTask) -> Consolidation:
            stretches.append([each.text for each in task.remembered])
            return Consolidation(history_entry=f"They spoke {len(task.remembered)} times.")

    async with opened(tmp_path, memory_window=6) as ew:
        conversation = ew.conversation("k", consolidator=Notes())
        for number in range(1, 12):
            await conversation.add("user", str(number))
            await until(lambda number=number: len(stretches) == (number >= 7) + (number >= 11))
        assert stretches == [list("1234"), list("5678")]
        assert len(await conversation.messages()) == 11
        assert (await conversation.close()).cleared
    assert stretches[2:] == [["9", "10", "11"]]


class Waits:
    """Is asked, and answers once it may."""

    def __init__(self) -> None:
        self.asked, self.answers = asyncio.Event(), asyncio.Event()
        self.seen: list[str] = []

    async def consolidate(self, task: ConsolidationTask) -> Consolidation:
        self.seen += [each.text for each in task.remembered]
        self.asked.set()
        await self.answers.wait()
        return Consolidation(history_entry="They spoke of Mio.", memory_update=("Mio is a cat.",))


async def test_what_is_forgotten_during_a_consolidation_is_not_remembered_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        waits = Waits()
        conversation = ew.conversation("telegram:42", consolidator=waits)
        await talked(ew)
        await waits.asked.wait()
        await conversation.forget()
        waits.answers.set()
        async with conversation._long_term.alone():
            assert (await conversation.facts(), await conversation.history()) == ((), ())


async def test_closing_during_a_consolidation_consolidates_nothing_twice(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        waits = Waits()
        conversation = ew.conversation("telegram:42", consolidator=waits)
        await talked(ew)
        await waits.asked.wait()
        closing = asyncio.create_task(conversation.close())
        await asyncio.sleep(0.05)
        waits.answers.set()
        assert (await closing).cleared
        assert len(waits.seen) == len(set(waits.seen)) + 2  # "Noted." was said three times


async def test_what_is_older_than_the_window_is_consolidated(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        assert isinstance(innermost(ew.engine.store), SqliteStore)
        conversation = await talked(ew, 6)
        assert len(await conversation.messages()) == 12
        assert any("Mio" in each for each in await conversation.facts())
        assert any("Mio" in each for each in (await conversation.context("Mio")).memories)


async def test_another_consolidator_is_asked_and_one_that_fails_clears_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path, memory_window=50) as ew:
        await talked(ew)
        failed = await ew.conversation("telegram:42", consolidator=Fails()).close()
        assert (failed.uploaded, failed.cleared, failed.missing) == (True, False, 0)
        assert failed.failure == "ValueError: no idea"
        assert await ew.conversation("telegram:42").is_pending()
        failed = await ew.conversation("telegram:42", consolidator=Odd()).close()
        assert "answered list, expected Consolidation" in str(failed.failure)
        assert len(await ew.conversation("telegram:42").messages()) == 6
        conversation = ew.conversation("telegram:42", consolidator=Counts())
        assert (await conversation.close()).cleared
        assert await conversation.facts() == ("6 messages",)
        assert await conversation.history() == ("They spoke 6 times.",)
        assert (await conversation.close()).uploaded
        assert await conversation.history() == ("They spoke 6 times.",)


async def test_a_model_writes_history_and_memory_in_the_background_and_takes_nothing_away(tmp_path: Path) -> None:
    chosen = {"strategy": "language_model", "write": "auto"}
    with ScriptedModel([ANSWER, {"history_entry": "They went on.", "memory_update": []}]) as model:
        async with opened(tmp_path, consolidation=chosen, model=model.settings(retries=0)) as ew:
            conversation = await talked(ew, 3)
            for _ in range(1_000):
                if await conversation.history():
                    break
                await asyncio.sleep(0.02)
            assert await conversation.facts() == tuple(ANSWER["memory_update"])
            assert (await conversation.close()).cleared
            assert await conversation.history() == (ANSWER["history_entry"], "They went on.")
            assert await conversation.facts() == tuple(ANSWER["memory_update"])
    assert "My cat is called Mio" in model.requests[0].text
    assert "is called Mio." in model.requests[1].text
