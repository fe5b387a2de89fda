"""What one character told another by hand follows an edit of the message."""

from __future__ import annotations

from typing import Any

import pytest

from earwitness.testing.scripted import ByScript

from .branched_stories import exported
from .derived_stories import Begin, Memories


async def lines(memories: Memories, story: Any, who: str) -> list[tuple[str, object, float | None]]:
    found = await memories(story, who)
    return [(each.text.rpartition("Message: ")[2], each.metadata.get("sharedFrom"), each.learned_day) for each in found]


async def begun(begin: Begin) -> Any:
    story = await begin(detector=ByScript(), present=["alice"], state={"game_day": 1})
    await story.say("alice", "The vulture is here.", key="k")
    await story.change(game_day=2)
    await story.tell("alice", "bob", "k", key="t")
    await story.tell("bob", "charlie", "k", day=4)
    await story.change(game_day=3)
    return story


@pytest.mark.parametrize("change", ["edit", "reroll"])
async def test_it_is_told_anew_in_the_new_words_on_the_same_day(begin: Begin, memories: Memories, change: str) -> None:
    story = await begun(begin)
    for words in ("The eagle is here.", "The hawk is here."):
        await (story.edit("k", words) if change == "edit" else story.reroll(words, key="k"))
        assert await lines(memories, story, "bob") == [(f"Alice: {words} GameDay: 1", "alice", 2)]
        assert await lines(memories, story, "charlie") == []
    assert not (await story.tell("alice", "bob", "k", key="t")).created
    await story.change(game_day=4)
    assert await lines(memories, story, "charlie") == [("Alice: The hawk is here. GameDay: 1", "bob", 4)]


async def test_it_goes_with_what_told_it_first(begin: Begin, memories: Memories) -> None:
    story = await begun(begin)
    await story.edit("k", "The eagle is here.")
    await story.edit("k", "The hawk is here.")
    await story.change(game_day=4)
    await story.retract("t")
    assert (await lines(memories, story, "bob"), await lines(memories, story, "charlie")) == ([], [])
    await story.edit("k", "The owl is here.")
    assert (await lines(memories, story, "bob"), await lines(memories, story, "charlie")) == ([], [])
    assert not (await story.retract("t")).created


async def test_words_of_the_tellers_own_are_not_told_anew(begin: Begin, memories: Memories) -> None:
    story = await begin(detector=ByScript(), present=["alice"])
    await story.say("alice", "The vulture is here.", key="k")
    await story.tell("alice", "bob", "k", content="Something flies.")
    await story.edit("k", "The eagle is here.")
    assert await lines(memories, story, "bob") == []


async def test_a_branch_and_an_imported_story_have_it_in_the_new_words(
    begin: Begin, memories: Memories, open_app: Any
) -> None:
    story = await begun(begin)
    await story.edit("k", "The eagle is here.")
    expected = [("Alice: The eagle is here. GameDay: 1", "alice", 2)]
    assert await lines(memories, await story.fork("branch"), "bob") == expected
    assert await lines(memories, story, "bob") == expected
    copy = await (await open_app()).import_session(await exported(story), id="copy")
    assert await lines(memories, copy, "bob") == expected
    await copy.retract("t")
    assert await lines(memories, copy, "bob") == []
