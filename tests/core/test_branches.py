"""Branches share the past and go their own way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from earwitness import (
    Earwitness,
    Session,
)
from earwitness.background import Background
from earwitness.end.applier import Applier
from earwitness.errors import ContainerCollision, InvalidId, UnknownName
from earwitness.live import Live
from earwitness.records.plan import Plan
from earwitness.testing.reference import MemoryLedger, MemoryStore

from .branched_stories import (
    Begin,
    Counter,
    Directions,
    Gossip,
    Memories,
    OpenApp,
    a_rich_story,
    exported,
    keys,
    shelves,
    three_messages,
)


@pytest.mark.parametrize(
    ("at", "shared"), [("m1", ["m1"]), (3, ["m1", "m2"]), ("#begin", []), (None, ["m1", "m2", "m3"])]
)
async def test_a_branch_shares_the_past_up_to_a_key_a_sequence_number_or_now(
    begin: Begin, memories: Memories, at: str | int | None, shared: list[str]
) -> None:
    story = await three_messages(begin)
    branch = await story.fork("s2", at=at)
    for owner in ("alice", "bob", "world"):
        assert await keys(memories, branch, owner) == shared
    assert branch.cast == story.cast


async def test_a_branch_goes_its_own_way(begin: Begin, memories: Memories) -> None:
    story = await three_messages(begin)
    branch = await story.fork("s2", at="m2")
    await branch.say("bob", "Otherwise.", key="m3", audience=["charlie"])
    await branch.change(game_day=9)
    await branch.retract("m1")
    await branch.settled()
    assert await keys(memories, branch, "bob") == ["m2", "m3"]
    assert await keys(memories, branch, "charlie") == ["m3"]
    assert await keys(memories, story, "bob") == ["m1", "m2", "m3"]
    assert await keys(memories, story, "charlie") == []
    assert (story.state.game_day, branch.state.game_day) == (1, 9)


async def test_what_happens_to_the_trunk_later_does_not_reach_the_branch(begin: Begin, memories: Memories) -> None:
    story = await three_messages(begin)
    branch = await story.fork("s2")
    await story.edit("m1", "Another word.")
    await story.retract("m2")
    await story.say("alice", "More.", key="m4", audience=["bob"])
    assert await keys(memories, branch, "bob") == ["m1", "m2", "m3"]
    assert (await memories(branch, "bob"))[0].content.endswith("Word 1. GameDay: 1")


async def test_a_branch_takes_the_state_and_the_texts_as_they_were_at_that_point(
    begin: Begin, memories: Memories
) -> None:
    story = await begin(state={"current_scene": "tavern"}, present=["alice", "bob"])
    await story.say("alice", "Blue.", key="m1", audience=["bob"])
    edited = await story.edit("m1", "Red.")
    await story.change(current_scene="cave", game_day=4)
    before, after = await story.fork("before", at="m1"), await story.fork("after", at=edited.sequence)
    assert (await memories(before, "bob"))[0].content.endswith("Message: Alice: Blue. GameDay: 1")
    assert (await memories(after, "bob"))[0].content.endswith("Message: Alice: Red. GameDay: 1")
    assert (after.state.current_scene, after.state.game_day, after.state.here) == ("tavern", 1, ("alice", "bob"))


async def test_forking_asks_nobody(begin: Begin, directions: Directions) -> None:
    story = await three_messages(begin, detector=directions)
    await story.settled()
    asked = len(directions.moments)
    await (await story.fork("s2", at="m2")).settled()
    assert len(directions.moments) == asked


async def test_a_rich_past_is_the_same_in_the_branch(
    begin: Begin, memories: Memories, teller: Callable[..., Any]
) -> None:
    store = MemoryStore()
    story = await a_rich_story(begin, teller, store=store)
    branch = await story.fork("s2")
    assert await shelves(memories, branch) == await shelves(memories, story)
    assert branch.state == story.state
    assert await store.count("s2-eve") == 0
    overview = await branch.backstage().overview()
    assert (overview.parent, overview.decided) == ("s1", (await story.backstage().overview()).decided)


async def test_what_is_due_later_arrives_in_the_branch_too(
    begin: Begin, memories: Memories, teller: Callable[..., Any]
) -> None:
    story = await a_rich_story(begin, teller)
    branch = await story.fork("s2")
    assert await keys(memories, branch, "charlie") == []
    await branch.change(game_day=5)
    assert await keys(memories, branch, "charlie") == ["m1", "m6"]
    assert await keys(memories, story, "charlie") == []


async def test_a_day_that_came_and_went_brings_nothing_planned_since(begin: Begin, memories: Memories) -> None:
    """The plans of a branch are applied together: what is due on day 5 waits, though day 9 was before it."""
    story = await begin(sharing_rules=[Gossip()])
    await story.change(game_day=9)
    await story.change(game_day=1)
    await story.say("alice", "A secret.", key="m1", audience=["bob"])
    branch = await story.fork("s2")
    assert await keys(memories, branch, "charlie") == await keys(memories, story, "charlie") == []
    await branch.change(game_day=5)
    assert await keys(memories, branch, "charlie") == ["m1"]


async def test_what_rests_on_something_rests_on_it_in_the_branch(
    begin: Begin, memories: Memories, teller: Callable[..., Any]
) -> None:
    story = await a_rich_story(begin, teller)
    branch = await story.fork("s2")
    await branch.retract("u1")
    assert "A bell rang" not in "".join(memory.content for memory in await memories(branch, "alice"))
    assert "A bell rang" in "".join(memory.content for memory in await memories(story, "alice"))


async def test_a_branch_tells_no_news_twice(begin: Begin, memories: Memories, teller: Callable[..., Any]) -> None:
    story = await a_rich_story(begin, teller)
    branch = await story.fork("s2")
    await branch.say("alice", "Well.", key="m9", audience=["bob", "dana"])
    every = "\n".join(memory.content for memory in await memories(branch, "alice"))
    assert every.count("A bell rang") == 1
    assert every.count("They went to the cave") == 1


async def test_each_branch_counts_on_from_the_same_plugin_data(begin: Begin) -> None:
    ledger = MemoryLedger()
    story = await three_messages(begin, plugins=[Counter()], ledger=ledger)
    branch = await story.fork("s2", at="m2")
    await branch.say("alice", "Otherwise.")
    await branch.settled()
    assert (await ledger.data("s1", "counter"), await ledger.data("s2", "counter")) == ({"count": 3}, {"count": 3})


async def test_the_same_key_may_stand_for_another_text_in_another_branch(begin: Begin) -> None:
    story = await three_messages(begin)
    branch = await story.fork("s2", at="m2")
    assert (await branch.say("bob", "Otherwise.", key="m3")).created
    assert not (await branch.say("alice", "Word 1.", key="m1")).created


async def test_a_branch_may_be_forked_in_turn(begin: Begin, memories: Memories) -> None:
    story = await three_messages(begin)
    branch = await story.fork("s2", at="m2")
    await branch.say("bob", "Otherwise.", key="b3", audience=["alice"])
    twig = await branch.fork("s3", at="b3")
    assert await keys(memories, twig, "alice") == ["m1", "m2", "b3"]


async def test_forking_to_the_same_id_at_the_same_point_returns_that_branch(begin: Begin, memories: Memories) -> None:
    story = await three_messages(begin)
    branch = await story.fork("s2", at="m2")
    await branch.say("bob", "Otherwise.", key="b3")
    await story.say("alice", "More.", key="m4")
    again = await story.fork("s2", at="m2")
    assert again is branch
    assert await keys(memories, again, "bob") == ["m1", "m2", "b3"]


async def test_forking_to_the_same_id_without_a_point_returns_that_branch_too(begin: Begin) -> None:
    story = await three_messages(begin)
    branch = await story.fork("s2")
    await story.say("alice", "More.", key="m4")
    assert await story.fork("s2") is branch


async def test_a_branch_cannot_take_the_id_of_another_story_or_point(open_app: OpenApp, memories: Memories) -> None:
    ew = await open_app()
    story, other = await ew.session("s1", cast=["alice"]), await ew.session("other", cast=["zoe"])
    await story.say("alice", "Hello.", key="m1")
    await story.fork("s2", at="m1")
    for id, at in (("other", None), ("s2", "#begin")):
        with pytest.raises(ContainerCollision, match=f"session '{id}' exists and is not the branch of 's1'"):
            await story.fork(id, at=at)
    with pytest.raises(ContainerCollision, match="a branch needs an id of its own: 's1' is the session"):
        await story.fork("s1")
    assert other.cast.ids == ("zoe",)
    assert await keys(memories, story, "alice") == ["m1"]


async def test_a_branch_whose_containers_would_be_another_s_is_refused_and_nothing_is_begun(open_app: OpenApp) -> None:
    ew = await open_app()
    story = await ew.session("s1", cast=["x-alice"])
    await ew.session("s2-x", cast=["alice"])
    with pytest.raises(ContainerCollision, match="'s2-x-alice'"):
        await story.fork("s2")
    assert await ew.sessions() == ("s1", "s2-x")


@pytest.mark.parametrize("at", ["m9", 99, 0])
async def test_a_branch_needs_a_point_there_is(begin: Begin, at: str | int) -> None:
    story = await three_messages(begin)
    with pytest.raises(UnknownName, match=f"session 's1' has no entry with the .* {at!r}: `inspect`"):
        await story.fork("s2", at=at)


async def test_a_branch_needs_an_id_that_is_none_of_ours(begin: Begin) -> None:
    story = await begin()
    with pytest.raises(InvalidId, match="'pantheon-1' starts with 'pantheon-'"):
        await story.fork("pantheon-1")


async def forgotten_and_back(begin: Begin, **given: Any) -> Session:
    """Charlie is forgotten and joins again; he hears something before and after."""
    story = await begin(**given)
    await story.prepare(lore=[{"text": "Dragons fear iron.", "key": "dragons"}])
    await story.say("alice", "Before.", key="m1", audience=["charlie"])
    await story.forget("charlie")
    await story.join("charlie")
    await story.say("alice", "After.", key="m2", audience=["charlie"])
    await story.settled()
    return story


async def test_who_was_forgotten_and_joined_again_keeps_in_a_branch_what_was_heard_since(
    begin: Begin, memories: Memories
) -> None:
    story = await forgotten_and_back(begin)
    branch = await story.fork("s2")
    assert await keys(memories, story, "charlie") == ["m2"]
    assert await shelves(memories, branch) == await shelves(memories, story)
    await branch.say("alice", "Later.", key="m3", audience=["charlie"])
    assert await keys(memories, branch, "charlie") == ["m2", "m3"]


async def test_who_was_forgotten_and_joined_again_keeps_in_an_import_what_was_heard_since(
    begin: Begin, open_app: OpenApp, memories: Memories
) -> None:
    story = await forgotten_and_back(begin)
    copy = await (await open_app()).import_session(await exported(story))
    assert await shelves(memories, copy) == await shelves(memories, story)


async def apply_late(app: Earwitness, plan: Plan) -> None:
    """Apply a plan once more, as a process does that has decided it and was held up since."""
    background = Background()
    async with background:
        applier = Applier(app.engine, await Live.load(app.engine, plan.session), background)
        applier.take(plan)
        await applier.delivered()


async def test_forgetting_that_another_process_is_late_with_takes_nothing_heard_since(
    open_app: OpenApp, memories: Memories
) -> None:
    app = await open_app()
    story = await forgotten_and_back(app.session, id="s1", cast=["alice", "bob", "charlie"])
    before = await shelves(memories, story)
    (late,) = [plan for plan in await app.engine.ledger.plans("s1") if plan.forgotten]
    other = await open_app(ledger=app.engine.ledger, store=app.engine.store)
    await apply_late(other, late)
    assert await shelves(memories, story) == before
    assert "charlie" in {held.owner for held in await app.engine.ledger.containers("s1")}


async def test_a_branch_holds_the_container_of_who_joined_again_and_not_of_who_stayed_forgotten(
    open_app: OpenApp,
) -> None:
    ledger = MemoryLedger()
    story = await (await open_app(ledger=ledger)).session("s1", cast=["alice", "bob", "charlie"])
    for name in ("bob", "charlie"):
        await story.forget(name)
    await story.join("charlie")
    await (await story.fork("s2")).settled()
    for session in ("s1", "s2"):
        assert {held.owner for held in await ledger.containers(session)} == {"world", "alice", "charlie"}
