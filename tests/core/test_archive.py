"""Archived memories are out of recall until they are restored."""

from __future__ import annotations

from typing import Any

import pytest

from earwitness.errors import InputError, UnknownName
from earwitness.testing.scripted import ByScript

from .derived_stories import Begin, Memories, one


async def test_an_archived_memory_is_out_of_recall_until_it_is_restored(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice", "bob"], detector="everyone", state={"game_day": 2})
    await story.say("alice", "The key is under the mat.", key="k")
    await story.remember("bob", "There is a key.", rests_on=["k"])
    before = await memories(story, "bob")
    his = await one(memories, story, "bob")
    await story.archive(his)
    assert [each.type for each in await memories(story, "bob")] == ["note"]
    explained = await story.backstage().explain(his.id)
    assert ([hop.status for hop in explained.supports], explained.alive) == (["archived"], False)
    assert len(await memories(story, "alice")) == 1
    with pytest.raises(InputError, match="has no such memory"):
        await story.tell("bob", "charlie", his)
    await story.restore(his.id)
    assert sorted(await memories(story, "bob"), key=lambda each: each.id) == sorted(before, key=lambda each: each.id)
    assert (await story.backstage().explain(his.id)).alive


async def test_who_has_an_archived_memory_alone_knows_it_no_more_and_backstage_says_so(
    begin: Begin, memories: Memories
) -> None:
    story = await begin(present=["alice", "bob"], detector="everyone", state={"game_day": 2})
    await story.say("alice", "The silver key is under the mat.", key="k")
    his = await one(memories, story, "bob")
    await story.archive(his)
    asked = "the silver key under the mat"
    bob = (await story.backstage().who_knows(asked)).knowers["bob"]
    assert (bob.knows, bob.memory_id) == (False, None)
    assert bob.forgotten is not None
    assert bob.forgotten.memory_id == his.id
    assert str(bob) == "bob: recalls it no more: heard it from alice on day 2 (archived)"
    found = (await story.backstage().who_knows(asked)).knowers
    assert (found["alice"].forgotten, found["charlie"].forgotten) == (None, None)
    await story.restore(his.id)
    bob = (await story.backstage().who_knows(asked)).knowers["bob"]
    assert (bob.knows, bob.forgotten) == (True, None)
    await story.archive(his.id, key="again")
    await story.retract("k")
    assert (await story.backstage().who_knows(asked)).knowers["bob"].forgotten is None


async def test_a_retraction_reaches_what_is_archived_and_restoring_revives_nothing(
    begin: Begin, memories: Memories
) -> None:
    story = await begin(present=["alice", "bob"], detector="everyone")
    await story.say("alice", "The key is under the mat.", key="k")
    await story.remember("bob", "There is a key.", rests_on=["k"], key="note")
    his, note = await memories(story, "bob")
    await story.archive(his, note, key="away")
    await story.restore(note)
    await story.archive(note)
    await story.retract("k")
    for each in (his, note):
        with pytest.raises(InputError, match="was retracted or never delivered: it cannot be restored"):
            await story.restore(each)
        with pytest.raises(InputError, match="cannot be archived"):
            await story.archive(each)
    with pytest.raises(InputError, match="'k' was retracted or never delivered: it cannot be archived"):
        await story.archive("k")
    with pytest.raises(InputError, match=r"'away' cannot be retracted: call restore\(\)"):
        await story.retract("away")
    assert not (await story.archive(his, note, key="away")).created
    assert await memories(story, "bob") == ()


@pytest.mark.parametrize("change", ["edit", "reroll"])
async def test_what_is_archived_stays_so_when_its_message_gets_other_words(
    open_app: Any, memories: Memories, change: str
) -> None:
    ew = await open_app(detector="everyone")
    story = await ew.session("s1", cast=["alice", "bob"], present=["alice", "bob"])
    await story.say("alice", "The key is under the mat.", key="k")
    his = await one(memories, story, "bob")
    await story.archive(his)
    if change == "edit":
        await story.edit("k", "The key is in the well.")
    else:
        await story.reroll("The key is in the well.", key="k")
    assert await memories(story, "bob") == ()
    assert "in the well" in (await one(memories, story, "alice")).content
    branch = await story.fork("b1")
    assert await memories(branch, "bob") == ()
    await story.restore(his)
    restored = await one(memories, story, "bob")
    assert "in the well" in restored.content
    await story.archive(his.id)
    assert await memories(story, "bob") == ()
    await story.restore(restored)
    await story.edit("k", "There is no key.")
    assert "no key" in (await one(memories, story, "bob")).content


async def test_what_is_due_later_is_archived_and_restored_as_well(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice"], detector=ByScript())
    await story.say("alice", "The key is under the mat.", key="k")
    await story.tell("alice", "bob", "k", day=3)
    await story.settled()
    (due,) = await story._engine.ledger.deliveries("s1", container="s1-bob")
    await story.settled()
    (due,) = await story._engine.ledger.deliveries("s1", container="s1-bob")
    await story.archive(due.memory_id)
    await story.change(game_day=4)
    assert await memories(story, "bob") == ()
    await story.restore(due.memory_id)
    assert len(await memories(story, "bob")) == 1


async def test_a_key_means_everybodys_memory_of_its_message_as_it_now_reads(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice", "bob"], detector="everyone")
    await story.say("alice", "The key is under the mat.", key="k")
    await story.remember("bob", "There is a key.", rests_on=["k"], key="note")
    await story.edit("k", "The key is in the well.")
    await story.remember("bob", "It is in the well.", rests_on=["k"], key="note-2")
    await story.archive("k", "note-2", key="away")
    for id in ("alice", "bob"):
        assert await memories(story, id) == ()
    assert not (await story.archive("k", "note-2", key="away")).created
    branch = await story.fork("b1")
    assert await memories(branch, "bob") == ()
    await branch.restore("k")
    assert [each.type for each in await memories(branch, "bob")] == ["message"]
    await story.restore("k")
    assert "in the well" in (await one(memories, story, "alice")).content
    assert await story._engine.store.list("s1-world") != ()


async def test_what_cannot_be_archived_is_quoted(begin: Begin) -> None:
    story = await begin(present=["alice", "bob"], detector="everyone")
    await story.say("alice", "The key is under the mat.", key="k")
    with pytest.raises(UnknownName, match="'the mat' is neither a memory id nor a key of what anybody remembers"):
        await story.archive("k", "the mat")
    await story.retract("k")
    with pytest.raises(InputError, match="'k' was retracted or never delivered: it cannot be restored"):
        await story.restore("k")
