"""A story read back, and a turn as before a message: for hosts that show, swipe and branch."""

# ruff: noqa: S101
from __future__ import annotations

from ...app import Earwitness
from ...session import Session
from ..suite import case
from .promises_base import PromiseCases, Stage


class ReadingBack(PromiseCases):
    """Nothing that followed is in a turn of the past, and the transcript reads as the story now does."""

    @case
    async def test_a_turn_as_before_a_message_holds_nothing_that_followed(self, stage: Stage) -> None:
        """Neither the message itself nor what came after, wherever it reached; and what was edited reads so."""
        async with stage.open() as ew:
            story = await self._played(ew)
            assert await self._recalled_before(story, "m3", "bob") == ["one", "two"]
            assert await self._recalled_before(story, "m3", "carol") == []
            assert await self._recalled_before(story, "m1", "bob") == []
            turn = await story.turn("bob", before="m3")
            assert "message two" in turn.query
            assert "message three" not in turn.query
            await story.edit("m1", "message won")
            await story.retract("m2")
            assert await self._recalled_before(story, "m3", "bob") == ["won"]

    @case
    async def test_the_past_is_the_same_after_a_restart_and_in_a_branch(self, stage: Stage) -> None:
        """The recorded plans say what was; nobody is asked again."""
        self.needs("persistent")
        async with stage.open() as ew:
            await (await self._played(ew)).delivered()
        async with stage.open() as ew:
            story = await self.tavern(ew)
            for each in (story, await story.fork("s2")):
                assert await self._recalled_before(each, "m3", "bob") == ["one", "two"]

    @case
    async def test_a_story_is_read_back_as_it_now_reads(self, stage: Stage) -> None:
        """Its messages, page by page and by who heard them; its keys; and what became of each."""
        self.needs("persistent")
        async with stage.open() as ew:
            story = await self._played(ew)
            first = await (await story.outcome("m1")).settled()
            await story.edit("m1", "message won")
            await story.retract("m2")
        async with stage.open() as ew:
            story = await self.tavern(ew)
            assert [(each.key, each.content) for each in await story.messages()] == [
                ("m1", "message won"),
                ("m3", "message three"),
                ("m4", "message four"),
            ]
            assert [each.key for each in await story.messages(after="m1", limit=1)] == ["m3"]
            assert [each.key for each in await story.messages(before="m4", limit=1)] == ["m3"]
            assert [each.key for each in await story.messages(heard_by="carol")] == ["m4"]
            assert [each.retracted for each in await story.messages(retracted=True)] == [False, True, False, False]
            assert [await story.has(key) for key in ("m1", "m2", "m9")] == [True, True, False]
            assert (await (await story.outcome("m1")).settled()).participants == first.participants

    async def _played(self, ew: Earwitness) -> Session:
        """Four messages; Carol hears of the second from Bob, and the fourth herself."""
        story = await self.tavern(ew)
        for key, text in (("m1", "one"), ("m2", "two"), ("m3", "three")):
            await self.tell(story, "alice", f"message {text}", key=key, audience=("alice", "bob"))
        await story.tell("bob", "carol", "m2")
        await self.tell(story, "bob", "message four", key="m4", audience=("bob", "carol"))
        return story

    async def _recalled_before(self, story: Session, key: str, character: str) -> list[str]:
        found = await self.recalled(story, character, "message", before=key)
        return sorted(text.rpartition(" GameDay")[0].rsplit(maxsplit=1)[-1] for text in found)
