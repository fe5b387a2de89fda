"""A store that holds nothing of what was delivered: a recall says so, and so does whoever asks what it lacks."""

from pathlib import Path

import pytest

from earwitness import Earwitness

pytestmark = pytest.mark.anyio
CAST = ("alice", "bob")
NOTHING = "store: the store holds nothing of 's1-alice', although memories were delivered there"


async def told(path: Path, store: str = "sqlite") -> None:
    async with Earwitness.open(path, store=store) as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        await story.say("bob", "The sword is in the cave.", key="m1")
        await story.delivered()


async def test_a_recall_says_that_another_store_than_before_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "story.db"
    await told(path)
    async with Earwitness.open(path, store="markdown") as ew:
        story = await ew.open_session("s1")
        for _ in range(2):
            turn = await story.turn("alice", query="the sword", in_prompt=())
            assert turn.memories == ()
            assert [each for each in turn.failures if each.startswith(NOTHING)]
        lacking = await ew.spool.lacking()
        assert lacking == {f"s1-{owner}": (0, 1) for owner in (*CAST, "world")}
        await story.say("bob", "The crown is in the lake.", key="m2")
        await story.delivered()
        turn = await story.turn("alice", query="the crown", in_prompt=())
        assert (len(turn.memories), turn.failures) == (1, ())
    async with Earwitness.open(path) as ew:
        assert (await (await ew.open_session("s1")).turn("alice", query="the sword", in_prompt=())).failures == ()


async def test_who_rightly_remembers_nothing_is_no_failure(tmp_path: Path) -> None:
    path = tmp_path / "story.db"
    async with Earwitness.open(path) as ew:
        story = await ew.session("s1", cast=(*CAST, "carol"), present=CAST)
        assert (await story.turn("alice", query="the sword")).failures == ()
    await told(path)
    async with Earwitness.open(path) as ew:
        story = await ew.open_session("s1")
        assert (await story.turn("carol", query="the sword")).failures == ()
        await story.archive("m1")
        await story.delivered()
        assert await ew.spool.lacking() == {}
    async with Earwitness.open(path) as ew:
        turn = await (await ew.open_session("s1")).turn("alice", query="the sword", in_prompt=())
        assert (turn.memories, turn.failures) == ((), ())


async def test_what_was_not_written_yet_is_nothing_that_the_store_lacks(tmp_path: Path) -> None:
    async with Earwitness.open(tmp_path / "story.db") as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        await story.say("bob", "The sword is in the cave.", key="m1")
        turn = await story.turn("alice", query="the sword", in_prompt=())
        assert (len(turn.memories), turn.failures) == (1, ())
