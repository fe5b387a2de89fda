"""Promise 1: walls hold in time too, and what is withheld or retracted comes in by no other way."""

# ruff: noqa: S101
from __future__ import annotations

from ...events import ReadEvent, WorldAnswer
from ...filters import Filter, Not, equals
from ...records.channel import Channel, Context
from ...records.update import Knowledge
from ..scripted import Only, ScriptedStrategy, breaks
from ..suite import case
from .promises_base import PromiseCases, Stage

SECRET = "The crown lies under the third flagstone."  # noqa: S105


class InItsOwnContext(Only):
    """A guard: what was learned in one kind of channel is recalled there alone."""

    def filter(self, event: ReadEvent) -> Filter:
        """What was learned in such a channel."""
        return equals("contextType", event.channel.context)


class Withheld(PromiseCases):
    """News of later days, the query of a recall, and memories that were retracted."""

    @case
    async def test_news_of_a_later_day_is_told_when_that_day_comes(self, stage: Stage) -> None:
        """When a story goes back, nobody is told what has not happened yet, whoever cites it."""
        cited: list[str] = []

        def cites(*asked: object) -> WorldAnswer:
            return WorldAnswer(knowledge={"bob": tuple(Knowledge(text=SECRET, cites=(id,)) for id in cited)})

        async with stage.open() as ew:
            story = await self.tavern(ew, state={"game_day": 9})
            await self.tell(story, "alice", "The market burned down.", key="burned")
            await story.update("The crown was found", audience="public")
            await story.change(game_day=3)
            for character in ("alice", "bob"):
                turn = await story.turn(character)
                assert "burned" not in turn.query
            await self.tell(story, "alice", "Good morning.", key="early")
            for memory in await self.held(story, "bob", equals("learnedDay", 3)):
                assert "crown" not in memory.content
            await story.change(game_day=10)
            await self.tell(story, "alice", "Good evening.", key="late")
            (late,) = await self.held(story, "bob", equals("learnedDay", 10))
            assert late.content.count("The crown was found") == 1
            assert "burned" in (await story.turn("bob")).query
            cited += [memory.id for memory in await self.held(story, "world", equals("gameDay", 9))]
            assert len(cited) == 2
        async with stage.open(world_agent=ScriptedStrategy(cites)) as ew:
            story = await ew.open_session("s1")
            await story.change(game_day=4)
            settled = await self.tell(story, "alice", "Good morning again.")
            assert not settled.knowledge.get("bob")

    @case
    async def test_news_that_guards_let_nobody_recall_here_waits(self, stage: Stage) -> None:
        """It is told where it may be recalled, once; what happened in no channel is told everywhere."""
        market, cellar = Channel(context="public_channel", channel_id="1"), Channel(channel_id="2")
        async with stage.open(guards=[InItsOwnContext()]) as ew:
            story = await self.tavern(ew)
            await story.update(SECRET, audience="public", channel=market)
            await story.update("It rains", audience="public")
            settled = await self.tell(story, "alice", "Good evening.", channel=cellar)
            assert settled.knowledge == dict.fromkeys(("alice", "bob"), ("It rains. GameDay: 1",))
            for told in ({"alice", "bob"}, set()):
                settled = await self.tell(story, "alice", "Good day.", channel=market)
                assert {
                    id for id, lines in settled.knowledge.items() if any(SECRET[:-1] in each for each in lines)
                } == told

    @case
    async def test_news_of_a_private_channel_waits_there(self, stage: Stage) -> None:
        """It is told with the next message in that channel, once, and nowhere else, however much is said meanwhile."""
        private = [
            Channel(context="dm", channel_id="1"),
            Channel(channel_id="1"),
            Channel(context="dm", persona_id="p"),
        ]
        async with stage.open() as ew:
            story = await self.tavern(ew)
            for number, channel in enumerate(private):
                await story.update(f"News {number}", audience=["bob"], channel=channel)
            for channel in (Channel(), Channel(context="public_channel", channel_id="1")):
                settled = await self.tell(story, "alice", "Good evening.", channel=channel, audience=["bob"])
                assert not settled.knowledge.get("bob"), channel
            for number, channel in enumerate(private):
                answers = [
                    (await self.tell(story, "alice", "Well?", channel=channel, audience=["bob"])).knowledge.get("bob")
                    for _ in range(2)
                ]
                assert [lines or () for lines in answers] == [(f"News {number}. GameDay: 1",), ()], channel

    @case
    async def test_a_query_holds_no_message_that_is_withheld_or_taken_back(self, stage: Stage) -> None:
        """Neither what a guard withholds, nor anything under a guard that fails, nor what she no longer remembers."""
        async with stage.open(guards=[Only(Not(equals("contextType", "dm")))]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", SECRET, key="secret", context="dm")
            await self.tell(story, "alice", "What a fine day.", key="fine")
            contexts: tuple[Context | None, ...] = (None, "dm")
            for context in contexts:
                turn = await story.turn("bob", context=context)
                assert SECRET not in turn.query
                assert "What a fine day." in turn.query
        async with stage.open(guards=[ScriptedStrategy(breaks)], settings={"strict": False}) as ew:
            turn = await (await ew.open_session("s1")).turn("bob")
            assert not any(text in turn.query for text in (SECRET, "What a fine day."))
            assert turn.failures
        misspelt = Only(Not(equals("contextTyp", "dm")))
        async with stage.open(guards=[misspelt], settings={"strict": False}) as ew:
            turn = await (await ew.open_session("s1")).turn("bob")
            assert not any(text in turn.query for text in (SECRET, "What a fine day."))
            assert not turn.memories
            assert "Did you mean 'contextType'" in turn.failures[0]
        async with stage.open() as ew:
            story = await ew.open_session("s1")
            (his,) = await self.held(story, "bob", equals("messageIds", "secret"))
            assert SECRET in (await story.turn("bob")).query
            await (await story.retract(his.id)).settled()
            assert SECRET not in (await story.turn("bob")).query
            assert SECRET in (await story.turn("alice")).query
        async with stage.open() as ew:
            story = await ew.open_session("s1")
            assert SECRET not in (await story.turn("bob")).query
            assert SECRET in (await story.turn("alice")).query

    @case
    async def test_what_one_character_no_longer_remembers_is_not_told_again(self, stage: Stage) -> None:
        """A World Agent may cite the world's copy of it for the others, not for that character."""
        cited: list[str] = []

        def cites(*asked: object) -> WorldAnswer:
            lines = tuple(Knowledge(text=SECRET, cites=(id,)) for id in cited)
            return WorldAnswer(knowledge={"alice": lines, "bob": lines})

        async with stage.open(world_agent=ScriptedStrategy(cites)) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", SECRET, key="secret")
            cited += [memory.id for memory in await self.held(story, "world")]
            (his,) = await self.held(story, "bob")
            await (await story.retract(his.id)).settled()
            settled = await self.tell(story, "alice", "What a fine day.")
            assert settled.knowledge["alice"]
            assert not settled.knowledge.get("bob")
            assert not any(SECRET in memory.content for memory in await self.held(story, "bob"))
