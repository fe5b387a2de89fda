"""What backstage, branches and exports make of memories that are not messages."""

from __future__ import annotations

from typing import Any

from earwitness import (
    Session,
)
from earwitness.records.derived import Derivation
from earwitness.testing.scripted import ByScript

from .derived_stories import Begin, Memories, Notes, derived, one

# ── backstage ─────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_derived_memory_is_explained_by_what_it_rests_on(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice", "bob"], detector="everyone")
    await story.say("alice", "The key is under the mat.", key="k")
    await story.remember("bob", "There is a key.", type="summary", rests_on=["k"], key="sum")
    await story.tell("bob", "charlie", "sum")
    theirs = await one(memories, story, "charlie", "summary")
    assert str(await story.backstage().explain(theirs.id)).splitlines() == [
        "charlie remembers the summary 'There is a key.'",
        "  was told by bob on day 1: the host said so",
        "    bob remembers the summary 'There is a key.'",
        "      noted it on day 1: written by hand",
        "      because bob remembers what alice said on day 1 (message 2, key 'k')",
        "        heard it from alice on day 1: everyone perceives everything",
        "  In short: charlie was told by bob on day 1 (the host said so), who noted it on day 1.",
    ]
    his = await one(memories, story, "bob")
    await story.archive(his)
    assert str(await story.backstage().explain(his.id)).splitlines() == [
        "bob remembers what alice said on day 1 (message 2, key 'k') (archived)",
        "  heard it from alice on day 1: everyone perceives everything [archived]",
    ]
    await story.retract("k")
    assert "no more" in str(await story.backstage().explain(theirs.id))


async def test_who_knows_finds_what_was_derived_though_the_world_never_heard_of_it(begin: Begin) -> None:
    story = await begin(present=["alice", "bob"], detector="everyone", state={"game_day": 2})
    await story.say("alice", "Let us drink tea by the river.", key="k", audience=["bob"])
    await story.remember("alice", "The dragon sleeps at noon.", type="fact", key="fact")
    await story.tell("alice", "bob", "fact", day=3)
    ask = "Does the dragon sleep at noon?"
    assert str(await story.backstage().who_knows(ask)).splitlines() == [
        "alice: noted it on day 2",
        "bob: nothing found",
        "charlie: nothing found",
    ]
    await story.change(game_day=3)
    assert str((await story.backstage().who_knows(ask)).knowers["bob"]) == "bob: was told by alice on day 3"
    assert not (await story.backstage().who_knows("Who drinks tea by the river?")).knowers["charlie"].knows
    await story.retract("fact")
    assert not any(each.knows for each in (await story.backstage().who_knows(ask)).knowers.values())


# ── elsewhere ─────────────────────────────────────────────────────────────────────────────────────────────────────────


async def full(story: Session) -> None:
    """Something of everything."""
    await story.say("alice", "The key is under the mat.", key="k")
    await story.say("alice", "Wine!", key="w")
    await story.remember("alice", "There is a key.", rests_on=["k"], key="note")
    await story.tell("alice", "bob", "note", key="t1")
    await story.tell("alice", "charlie", "k", day=5, key="t2")
    await story.settled()
    found = await story._engine.ledger.deliveries("s1", container="s1-alice", sources=["w", "note"])
    wine, note = sorted(found, key=lambda each: each.sequence)
    await story.archive(wine.memory_id, key="a1")
    await story.archive(note.memory_id, key="a2")
    await story.restore(note.memory_id, key="r")


async def test_branches_and_imports_carry_all_of_it(open_app: Any, memories: Memories) -> None:
    ew = await open_app(detector=ByScript())
    story = await ew.session("s1", cast=["alice", "bob", "charlie"], present=["alice"])
    await full(story)
    lines = [line async for line in story.backstage().export()]
    branch = await story.fork("b1")
    copy = await ew.import_session(lines, id="i1")
    assert (await ew.import_session(lines, id="i1")).id == "i1"
    for each in (branch, copy):
        for owner in ("alice", "bob", "charlie", "world"):
            theirs, ours = await memories(each, owner), await memories(story, owner)
            assert [m.content for m in theirs] == [m.content for m in ours], owner
            for memory in theirs:
                explained = await each.backstage().explain(memory.id)
                assert explained.alive
        note = await one(memories, each, "alice", "note")
        assert note.metadata["restsOn"] == [(await one(memories, each, "alice")).id]
        (entry,) = [e for e in await each.backstage().journal() if e.key == "a2"]
        assert entry.body.memories == (note.id,)  # type: ignore[union-attr]
        await each.change(game_day=5)
        assert len(await memories(each, "charlie")) == 1
        (wine,) = await each._engine.ledger.deliveries(each.id, container=f"{each.id}-alice", status="archived")
        await each.restore(wine.memory_id)
        assert len(await memories(each, "alice")) == 3
        await each.retract("k")
        assert [len(await memories(each, id)) for id in ("alice", "bob", "charlie")] == [1, 0, 0]
    assert [len(await memories(story, id)) for id in ("alice", "bob", "charlie")] == [2, 1, 0]


async def test_a_branch_that_ends_between_a_message_and_its_proposals_makes_them_itself(
    begin: Begin, memories: Memories
) -> None:
    story = await begin(plugins=[Notes("alice", "Noted.")], present=["alice"])
    await story.say("alice", "Tea!", key="k")
    await story.settled()
    branch = await story.fork("b1", at="k")
    await branch.settled()
    assert await derived(memories, branch, "alice") == ["Noted."]
    assert [each.key for each in await branch.backstage().journal()] == ["#begin", "k", "#derived-2-0"]


def test_what_was_recorded_with_its_content_under_an_earlier_name_is_read() -> None:
    found = Derivation.model_validate_json('{"text": "Noted.", "owner": "alice"}')
    assert found.content == "Noted."
    assert "text" not in found.model_dump()
