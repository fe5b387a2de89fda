"""Jobs are done in the background, one step after another; nothing waits for them, and what failed is tried again."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, Session
from earwitness.plugin_data import PluginData


class Reader:
    """Reads one message a step, and keeps how far it is."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self.fails = False
        self.blocks: asyncio.Event | None = None

    async def run(self, story: Session, data: PluginData) -> bool:
        if self.fails:
            raise OSError("no route to host")
        if self.blocks is not None:
            await self.blocks.wait()
        done = data.get("read", 0)
        assert isinstance(done, int)
        messages = await story.messages()
        if done < len(messages):
            self.read.append(messages[done].content)
            data["read"] = done + 1
        return done + 1 < len(messages)


async def test_it_is_done_after_each_message_and_nothing_is_read_twice(open_app: Any) -> None:
    job = Reader()
    story = await (await open_app(jobs=[job])).session("s1", cast=["alice"])
    for text in ("One.", "Two.", "Three."):
        await story.say("alice", text)
    assert await story.jobs.done()
    assert job.read == ["One.", "Two.", "Three."]
    assert await story.jobs.done(limit=5)
    assert len(job.read) == 3


async def test_neither_a_message_nor_a_turn_nor_closing_waits_for_it(open_app: Any) -> None:
    job = Reader()
    job.blocks = asyncio.Event()
    ew = await open_app(jobs=[job])
    story = await ew.session("s1", cast=["alice", "bob"])
    async with asyncio.timeout(5):
        await (await story.say("alice", "One.")).settled()
        await story.turn("alice")
        assert not await story.jobs.done(limit=0.05)
        await ew.close()
    assert job.read == []


async def test_what_fails_is_named_and_tried_again(open_app: Any, caplog: pytest.LogCaptureFixture) -> None:
    job = Reader()
    job.fails = True
    story = await (await open_app(jobs=[job])).session("s1", cast=["alice"])
    await story.say("alice", "One.")
    assert await story.jobs.done()
    assert story.jobs.failures == ("job:reader: OSError: no route to host",)
    assert "no route to host" in caplog.text
    job.fails = False
    await story.change(game_day=2)
    assert await story.jobs.done()
    assert (job.read, story.jobs.failures) == (["One."], ())


async def test_it_goes_on_where_it_was_once_the_story_is_opened_again(tmp_path: Path) -> None:
    given: Any = {"embedder": "none", "detector": "none", "world_agent": "none", "plugins": ()}
    async with Earwitness.open(tmp_path / "s.db", jobs=[Reader()], **given) as ew:
        story = await ew.session("s1", cast=["alice"])
        await story.say("alice", "One.")
        await story.jobs.done()
    job = Reader()
    async with Earwitness.open(tmp_path / "s.db", jobs=[job], **given) as ew:
        story = await ew.session("s1")
        await story.say("alice", "Two.")
        await story.jobs.done()
    assert job.read == ["Two."]


async def test_without_jobs_there_is_nothing_to_wait_for(begin: Any) -> None:
    story = await begin()
    await story.say("alice", "One.")
    assert await story.jobs.done(limit=0)
