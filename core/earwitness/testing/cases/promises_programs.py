"""Promises 1 and 3 with several programs on one story: each sees what the others did, and nothing of another story."""

# ruff: noqa: S101
from __future__ import annotations

from typing import Any

import anyio

from ...errors import UnknownName
from ...records.memory import Memory
from ...records.moment import Moment, Presence
from ..scripted import ByScript, Faulty, ScriptedStrategy
from ..suite import case
from .promises_base import PromiseCases, Stage, refused

LONG = 0.2
"""Seconds after which a program looks again whether a story is still the one it holds."""


class SeveralPrograms(PromiseCases):
    """One program tells, retracts or forgets while another holds the same story open."""

    @case
    async def test_two_programs_on_one_story_lose_nothing_and_see_each_other(self, stage: Stage) -> None:
        """Both have the same day, each recalls at once what the other says, and neither delivers it twice."""
        self.needs("shared")
        async with stage.open() as here, stage.open() as there:
            mine, yours = await self.tavern(here), await self.tavern(there)
            await self.tell(mine, "alice", "message 0")
            await (await mine.change(game_day=6)).settled()
            await self.tell(mine, "alice", "message 1")
            turn = await yours.turn("bob", query="message", in_prompt=())
            assert len(turn.memories) == 2
            assert yours.state.game_day == 6
            async with anyio.create_task_group() as group:
                for number in range(2, 12):
                    story = (mine, yours)[number % 2]
                    group.start_soon(story.say, "alice", f"message {number}")
            for story in (mine, yours):
                assert sorted(await self.contents(story, "bob"), key=_number) == [f"message {n}" for n in range(12)]
                assert len(await self.held(story, "world")) == 12
            sequences = [each.sequence for each in await here.engine.ledger.entries("s1")]
            assert sequences == list(range(1, len(sequences) + 1))

    @case
    async def test_what_another_program_forgot_is_refused_not_lost(self, stage: Stage) -> None:
        """Messages of a forgotten speaker or to a forgotten story are refused, even if another program forgot them."""
        self.needs("shared")
        async with stage.open() as here, stage.open() as there:
            mine, yours = await self.tavern(here), await self.tavern(there)
            await yours.forget("bob")
            with refused(UnknownName) as refusal:
                await mine.say("bob", "message 0")
            assert "'bob'" in refusal.why
            await self.tell(mine, "alice", "message 1")
            await there.forget("s1")
            for call in (lambda: mine.say("alice", "message 2"), lambda: mine.turn("alice"), mine.settled):
                with refused(UnknownName) as refusal:
                    await call()
                assert "was forgotten" in refusal.why
            assert await self.held(await self.tavern(here), "alice") == []

    @case
    async def test_a_story_begun_anew_by_another_program_is_not_the_one_this_handle_holds(self, stage: Stage) -> None:
        """With as many entries as before, it is refused to the old handle, and opens with what is its own alone."""
        self.needs("shared")
        async with stage.open() as here, stage.open() as there:
            mine = await self.tavern(here)
            await self.tell(mine, "alice", "The old sword is in the well.", key="m1")
            again = await mine.say("alice", "The old sword is in the well.", key="m1")
            assert await self.recalled(mine, "bob", "Where is the sword?")
            await there.forget("s1")
            await self.tell(await self.tavern(there), "alice", "The new sword is in the lake.", key="m1")
            for call in (lambda: mine.turn("bob"), lambda: mine.turn("bob", wait=0), mine.settled, again.settled):
                with refused(UnknownName):
                    await call()
            story = await here.session("s1")
            assert story is not mine
            (memory,) = await self.recalled(story, "bob", "Where is the sword?")
            assert "The new sword is in the lake." in memory

    @case
    async def test_what_is_still_being_decided_of_a_forgotten_story_gets_into_no_other(self, stage: Stage) -> None:
        """A detector thinks for long; meanwhile another program begins the story anew, and tells it as many entries."""
        self.needs("shared")
        asked, answers, late = anyio.Event(), anyio.Event(), anyio.Event()

        async def thinks(moment: Moment) -> Presence:
            asked.set()
            await (answers if "old" in moment.message.content else late).wait()
            return ByScript().detect(moment)

        patient: dict[str, Any] = {"detector": ScriptedStrategy(thinks), "settings": {"end": {"detector_timeout": 5}}}
        async with stage.open(**patient) as here, stage.open(**patient) as there:
            mine = await self.tavern(here)
            await mine.say("alice", "The old sword.", key="m1")
            await asked.wait()
            await anyio.sleep(LONG)
            await there.forget("s1")
            yours = await self.tavern(there)
            outcome = await yours.say("alice", "The new sword.", key="m1")
            answers.set()
            with refused(UnknownName):
                await mine.settled()
            late.set()
            await outcome.settled()
            assert await self.contents(yours, "bob") == ["The new sword."]

    @case
    async def test_what_is_still_being_written_of_a_forgotten_story_gets_into_no_other(self, stage: Stage) -> None:
        """A write takes long; meanwhile another program forgets the story and begins it anew."""
        self.needs("shared")
        async with stage.open() as there:
            writing, forgotten = anyio.Event(), anyio.Event()

            def slow(store: Any) -> Faulty:
                async def put(memories: list[Memory]) -> None:
                    writing.set()
                    await forgotten.wait()
                    await store.put(memories)

                return Faulty(store, put=put)

            async with stage.open(store=slow) as here:
                mine = await self.tavern(here)
                for key in ("m1", "m2"):
                    await mine.say("alice", f"The old {key}.", key=key)
                await writing.wait()
                await anyio.sleep(LONG)
                await there.forget("s1")
                yours = await self.tavern(there)
                await self.tell(yours, "alice", "The new m1.", key="m1")
                forgotten.set()
                with refused(UnknownName):
                    await mine.delivered()
            assert await self.contents(yours, "bob") == ["The new m1."]

    @case
    async def test_a_story_that_another_program_took_back_to_an_older_export_opens(self, stage: Stage) -> None:
        """Whatever this program knows of what came after, the story is the one that was imported."""
        self.needs("shared")
        async with stage.open() as here, stage.open() as there:
            mine = await self.tavern(here)
            await self.tell(mine, "alice", "message 0")
            older = [line async for line in mine.backstage().export()]
            yours = await self.tavern(there)
            for number in (1, 2):
                await self.tell(yours, "alice", f"message {number}")
            await mine.settled()
            assert await self.contents(mine, "bob") == ["message 0", "message 1", "message 2"]
            await there.forget("s1")
            await self.tell(await there.import_session(older), "alice", "message 3")
            with refused(UnknownName):
                await mine.turn("bob")
            story = await here.session("s1")
            assert await self.contents(story, "bob") == ["message 0", "message 3"]
            assert len(await self.recalled(story, "bob", "message")) == 2

    @case
    async def test_what_another_program_retracts_does_not_come_back(self, stage: Stage) -> None:
        """One program is slow to write a message. Meanwhile the other applies and retracts it."""
        self.needs("shared")
        async with stage.open() as there:
            yours = await self.tavern(there)

            def slow(store: Any) -> Faulty:
                async def put(memories: list[Memory]) -> None:
                    if any("message 0" in memory.content for memory in memories):
                        await (await yours.retract("k0")).settled()
                    await store.put(memories)

                return Faulty(store, put=put)

            async with stage.open(store=slow) as here:
                mine = await self.tavern(here)
                await self.tell(mine, "alice", "message 0", key="k0")
                await mine.settled()
                assert await self.contents(mine, "bob") == []
                assert await self.held(mine, "world") == []


def _number(text: str) -> int:
    return int(text.rsplit(maxsplit=1)[-1])
