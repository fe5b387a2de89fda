"""A memory that one character passes on to another: `story.tell`."""

from __future__ import annotations

import pytest

from earwitness.errors import InputError, KeyConflict, UnknownName
from earwitness.testing.scripted import ByScript

from .derived_stories import Begin, Memories, derived, one


async def test_one_character_tells_another_what_she_remembers(begin: Begin, memories: Memories) -> None:
    story = await begin(detector=ByScript(), present=["alice"], state={"game_day": 2})
    await story.say("alice", "The key is under the mat.", key="k")
    await story.change(game_day=5)
    hers = await one(memories, story, "alice")
    await story.tell("alice", "bob", hers)
    await story.tell("bob", "charlie", "k")
    his = await one(memories, story, "charlie")
    assert his.content == hers.content.replace("Game Day: 2", "Game Day: 5", 1)
    assert (his.metadata["interactionType"], his.metadata["sharedFrom"]) == ("shared", "bob")
    assert (his.game_day, his.learned_day, his.metadata["isSpeaker"]) == (2, 5, False)
    explained = str(await story.backstage().explain(his.id))
    assert "was told by bob on day 5" in explained
    assert "was told by alice on day 5" in explained
    assert "said it on day 2" in explained


async def test_it_is_told_in_other_words_and_keeps_its_format(begin: Begin, memories: Memories) -> None:
    story = await begin(detector=ByScript(), present=["alice"])
    await story.say("alice", "The key is under the mat.", key="k")
    await story.remember("alice", "Bob steals.", key="note")
    await story.tell("alice", "bob", "k", content="It is near the door.")
    await story.tell("alice", "charlie", "note", content="Beware of Bob.")
    assert (
        "###Message###\nMessage: Alice: It is near the door. GameDay: 1" in (await one(memories, story, "bob")).content
    )
    assert await derived(memories, story, "charlie") == ["Beware of Bob."]


async def test_what_is_told_on_a_later_day_arrives_then(begin: Begin, memories: Memories) -> None:
    story = await begin(detector=ByScript(), present=["alice"])
    await story.say("alice", "The key is under the mat.", key="k")
    await story.tell("alice", "bob", "k", day=3)
    await story.change(game_day=2)
    assert await memories(story, "bob") == ()
    await story.change(game_day=3)
    assert (await one(memories, story, "bob")).learned_day == 3


async def test_nobody_tells_what_they_do_not_know_by_then(begin: Begin, memories: Memories) -> None:
    story = await begin(detector=ByScript(), present=["alice"], state={"game_day": 3})
    await story.say("alice", "The key is under the mat.", key="k")
    hers = await one(memories, story, "alice")
    await story.tell("alice", "charlie", hers, day=6)
    for teller, memory, day, why in (
        ("bob", "k", None, "'bob' has no such memory"),
        ("bob", hers.id, None, "'bob' has no such memory"),
        ("alice", "nothing", None, "'alice' has no such memory"),
        ("alice", "k", 2, "'alice' learns it on day 3"),
        ("charlie", "k", 5, "'charlie' learns it on day 6"),
    ):
        with pytest.raises(InputError, match=why):
            await story.tell(
                teller, "dora" if teller == "dora" else ("alice" if teller != "alice" else "bob"), memory, day=day
            )
    with pytest.raises(InputError, match="cannot tell themselves"):
        await story.tell("alice", "Alice", "k")
    with pytest.raises(UnknownName):
        await story.tell("world", "alice", "k")
    await story.retract(hers.id)
    with pytest.raises(InputError, match="has no such memory"):
        await story.tell("alice", "bob", hers)
    assert await memories(story, "bob") == ()


async def test_what_was_told_falls_with_the_tellers_memory_and_by_its_own_key(begin: Begin, memories: Memories) -> None:
    story = await begin(detector=ByScript(), present=["alice"])
    await story.remember("alice", "Tea is hot.", key="note")
    await story.tell("alice", "bob", "note", key="t1")
    await story.tell("bob", "charlie", "note", key="t2")
    await story.retract("t2")
    assert [len(await memories(story, id)) for id in ("alice", "bob", "charlie")] == [1, 1, 0]
    assert not (await story.retract("t2")).created
    await story.tell("bob", "charlie", "note", key="t3")
    await story.retract((await one(memories, story, "alice", "note")).id)
    assert [len(await memories(story, id)) for id in ("alice", "bob", "charlie")] == [0, 0, 0]


async def test_what_was_there_before_the_story_is_news_to_whoever_is_told(begin: Begin, memories: Memories) -> None:
    story = await begin(state={"game_day": 4})
    await story.prepare(lore=[{"text": "The well is cursed.", "known_by": ["alice"], "words": ["well"]}])
    lore = await one(memories, story, "alice", "lore")
    await story.tell("alice", "bob", lore, day=6)
    await story.change(game_day=6)
    his = await one(memories, story, "bob", "lore")
    assert (his.permanent, his.learned_day, str(his.learned)) == (False, 6, "was told by alice")
    assert his.text == "The well is cursed."


async def test_telling_again_under_its_key_changes_nothing(begin: Begin, memories: Memories) -> None:
    story = await begin(detector=ByScript(), present=["alice"])
    await story.say("alice", "The key is under the mat.", key="k")
    await story.tell("alice", "bob", "k", key="t")
    await story.retract("k")
    assert not (await story.tell("alice", "bob", "k", key="t")).created
    with pytest.raises(KeyConflict):
        await story.tell("alice", "charlie", "k", key="t")
    assert await memories(story, "bob") == ()
