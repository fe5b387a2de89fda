"""What is said in a room, by its channel or its place, is heard by those in it, wherever its speaker was before."""

from __future__ import annotations

from typing import Any

import pytest

from earwitness import (
    Channel,
    Character,
    Participant,
    Session,
    WorldAgentEvent,
    WorldAnswer,
)

from .present_stories import DIRECT, FOUR, Begin, heard

ROOM, GARDEN = Channel(channel_id="hall"), Channel(channel_id="garden")


SAID = "I poisoned the wine."


WORDS = ({"channel": ROOM}, {"place": "hall"})


FIVE = (*FOUR, "eve", Character("narrator", kind="narrator"))


async def rooms(begin: Begin, scene: str = "hall", place: str = "hall", **more: Any) -> Session:
    """Alice and Bob are members of the hall's channel; Alice went on to the garden's, where Eve is."""
    given = {"cast": FIVE, "detector": "rules", "state": {"current_scene": scene}, **more}
    story = await begin(**given)
    await story.channel(ROOM, ["alice", "bob"], place=place)
    await story.channel(GARDEN, ["alice", "eve"], place="garden")
    return story


@pytest.mark.parametrize("detector", ["rules", "presence", "places"])
@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize(("scene", "place"), [("hall", "hall"), ("yard", "hall"), ("castle/hall", "hall")])
async def test_what_is_said_in_a_room_is_heard_in_it_and_not_where_its_speaker_was(
    begin: Begin, scene: str, place: str, word: dict[str, Any], detector: str
) -> None:
    story = await rooms(begin, scene, place, detector=detector)
    assert await heard(story, "alice", SAID, **word) == {"bob"}
    assert story.state.whereabouts["alice"].place == ("castle/hall" if "/" in scene else "hall")
    assert await heard(story, "bob", "So it was you.") == {"alice"}
    assert await heard(story, "eve", "Is anybody there?", channel=GARDEN) == set()


@pytest.mark.parametrize("elsewhere", ["left", "asleep", "unplaced", "direct", "present"])
@pytest.mark.parametrize("scene", ["hall", "yard"])
async def test_wherever_a_speaker_was_before(begin: Begin, scene: str, elsewhere: str) -> None:
    story = await rooms(begin, scene)
    match elsewhere:
        case "left":
            await heard(story, "alice", "*leaves the garden*")
        case "asleep":
            await heard(story, "alice", "*falls asleep*")
        case "unplaced":
            await story.forget("alice")
            await story.join("alice")
        case "direct":
            await heard(story, "alice", "Eve?", channel=DIRECT, present=["eve"])
        case "present":
            assert await heard(story, "alice", SAID, channel=ROOM, present=["kenji"]) == {"kenji"}
            await heard(story, "alice", "*joins them*", channel=GARDEN)
            assert await heard(story, "alice", SAID, channel=ROOM) == {"kenji"}
            return
    assert await heard(story, "alice", SAID, channel=ROOM) == {"bob"}


async def test_it_stays_so_when_the_message_is_previewed_corrected_or_judged_again(begin: Begin) -> None:
    story = await rooms(begin)
    backstage = story.backstage()
    for word in WORDS:
        assert set((await backstage.preview("alice", SAID, **word)).participants) == {"alice", "bob"}
    await heard(story, "alice", SAID, key="m1", channel=ROOM)
    await story.channel(ROOM, ["kenji"], place="kitchen")
    await story.change(current_scene="kitchen")
    for again in (story.edit("m1", "I did it."), story.reroll("I never did.", key="m1")):
        assert set((await (await again).settled()).participants) == {"alice", "bob"}
    assert set((await backstage.replan("m1")).now) == {"alice", "bob"}


async def test_a_narrator_in_a_room_tells_those_in_it_whoever_the_tale_names(begin: Begin) -> None:
    story = await rooms(begin)
    for word in WORDS:
        assert await heard(story, "narrator", "Eve smiles in the garden.", **word) == {"bob"}


async def test_whoever_is_on_a_call_and_speaks_in_a_room_is_heard_in_it(begin: Begin) -> None:
    story = await rooms(begin, present=["charlie"])
    await heard(story, "narrator", "Kenji's voice comes over the radio.")
    assert story.state.whereabouts["kenji"].condition == "on_call"
    assert await heard(story, "kenji", SAID, channel=GARDEN) == {"alice", "eve"}
    assert await heard(story, "kenji", SAID, channel=ROOM) == {"bob", "charlie"}


async def test_a_world_agent_names_nobody_in_another_place(begin: Begin) -> None:
    class Everywhere:
        async def propose(self, event: WorldAgentEvent) -> WorldAnswer:
            everybody = Participant(role="present", confidence=1)
            return WorldAnswer(participants=dict.fromkeys(("alice", "bob", "eve"), everybody))

    story = await rooms(begin, world_agent=Everywhere())
    assert await heard(story, "alice", SAID, channel=GARDEN) == {"eve"}
    assert await heard(story, "alice", SAID, channel=ROOM) == {"bob"}
