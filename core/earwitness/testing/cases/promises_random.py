"""All promises together: random stories, in any order, concurrently and twice, end as a simple oracle says."""

# ruff: noqa: S101
from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING

import anyio

from ...app import Earwitness
from ...ids import WORLD
from ..scripted import Gossip
from ..suite import case
from .promises_base import PromiseCases, Stage

if TYPE_CHECKING:
    from ..scripts import Call, Draw, ExpectedBook


class RandomStories(PromiseCases):
    """Random interleavings of say, edit, reroll, retract, change, enter, leave and fork over several stories."""

    @case
    async def test_every_container_holds_exactly_what_its_owner_perceived(self, stage: Stage) -> None:
        """Each message is there in its current revision unless retracted, and nothing of other stories.

        The world holds all of it.
        """
        from ..scripts import CAST, Script, draws

        run = count()

        async def as_the_oracle_says(drawn: Sequence[Draw]) -> None:
            script, prefix = Script(drawn), f"run{next(run)}-"
            async with stage.open() as ew:
                for call in script.calls:
                    await call.on(ew, prefix)
                for name, book in script.books.items():
                    story = await ew.session(prefix + name, cast=CAST, present=CAST[:2])
                    assert set(story.state.here) == book.here, name
                    for owner in (*CAST, WORLD):
                        await self.holds_exactly(ew, story.id, owner, book)
                    for owner in CAST:
                        await self.recalls_only(ew, story.id, owner, book)

        await self.for_all(as_the_oracle_says, draws)

    @case
    async def test_a_script_played_again_changes_nothing(self, stage: Stage) -> None:
        """Gossip is under way. The next program replays the script, if written data survives."""
        from ..scripts import Script, draws

        run = count()

        async def the_same_twice(drawn: Sequence[Draw]) -> None:
            script, prefix = Script(drawn), f"run{next(run)}-"
            rules = [Gossip({"bob": ["carol"], "carol": ["alice"]}, delay=1)]
            async with stage.open(sharing_rules=rules) as ew:
                for call in script.calls:
                    await call.on(ew, prefix)
                before = await self.everything(ew, prefix)
                if self.persistent is not True:
                    await self.plays_again(ew, script.calls, prefix, before)
            if self.persistent is True:
                async with stage.open(sharing_rules=rules) as ew:
                    await self.plays_again(ew, script.calls, prefix, before)

        await self.for_all(the_same_twice, draws)

    @case
    async def test_stories_told_side_by_side_are_as_if_told_one_by_one(self, stage: Stage) -> None:
        """Each story runs in its own task, and none waits for another."""
        from ..scripts import CAST, STORIES, Script, draws

        run = count()

        async def side_by_side(drawn: Sequence[Draw]) -> None:
            script, prefix = Script(drawn), f"run{next(run)}-"

            async def tell(root: str) -> None:
                for call in script.calls:
                    if call.root == root:
                        await call.on(ew, prefix)

            async with stage.open() as ew:
                async with anyio.create_task_group() as group:
                    for root in STORIES:
                        group.start_soon(tell, root)
                for name, book in script.books.items():
                    for owner in (*CAST, WORLD):
                        await self.holds_exactly(ew, prefix + name, owner, book)

        await self.for_all(side_by_side, draws)

    async def plays_again(self, ew: Earwitness, calls: Sequence[Call], prefix: str, before: object) -> None:
        """Make the same calls once more and assert that nothing changes."""
        for call in calls:
            await call.on(ew, prefix)
        assert await self.everything(ew, prefix) == before

    async def holds_exactly(self, ew: Earwitness, id: str, owner: str, book: ExpectedBook) -> None:
        """Compare by id and by words. Whispers and news are only where they may be, and news at most once."""
        story = await ew.session(id, cast=("alice", "bob", "carol"), present=("alice", "bob"))
        held = await self.held(story, owner)
        expected = book.ids(await self.ids(ew, id), owner)
        assert sorted(memory.id for memory in held) == sorted(expected), (id, owner)
        assert all(expected[memory.id] in memory.content for memory in held), (id, owner)
        everything = "\n".join(memory.content for memory in held)
        assert not [words for words in book.hidden(owner) if words in everything], (id, owner)
        assert not [words for words in book.whispers(owner) if words not in everything], (id, owner)
        repeated = [key for key in book.news if everything.count(f"news {key}.") > 1]
        assert repeated == [], (id, owner)

    async def recalls_only(self, ew: Earwitness, id: str, owner: str, book: ExpectedBook) -> None:
        """Assert that recalls stay within the book, whatever the query."""
        story = await ew.open_session(id)
        await self.until_searchable(story)
        expected = book.ids(await self.ids(ew, id), owner)
        turn = await story.turn(owner, query="some words and the news", in_prompt=(), memories=100, token_budget=None)
        assert {each.memory.id for each in turn.memories} <= expected.keys(), (id, owner)
