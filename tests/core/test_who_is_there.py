"""The host's word has two parts: `present` says who is there, `audience` who perceives a message, all of it."""

from __future__ import annotations

import pytest

from earwitness import (
    Character,
    MessageAnswer,
    MessageEvent,
    Moment,
    Perceived,
    Plugin,
    Presence,
    Session,
)
from earwitness.errors import InputError, UnknownName

from .present_stories import FOUR, Begin, Memories, heard, words

POISON = '"Welcome." [I poisoned his wine.]'


@pytest.fixture
async def story(begin: Begin) -> Session:
    """A story that is judged by the rules; nobody is placed yet."""
    return await begin(cast=FOUR, detector="rules", state={"current_scene": "tavern"})


async def test_who_is_present_hears_what_is_said_and_not_what_is_thought(story: Session, memories: Memories) -> None:
    assert await heard(story, "alice", POISON, present=["bob"]) == {"bob"}
    assert await words(memories, story, "bob") == ['Alice: "Welcome."']
    assert await words(memories, story, "alice") == [f"Alice: {POISON}"]


@pytest.mark.parametrize(
    ("content", "listeners"),
    [
        ('*whispers to Bob* "Trust nobody."', {"bob"}),
        ("[Bob must not know.]", set()),
        ("((back in five minutes))", set()),
        ("Good evening to you all.", {"bob", "charlie"}),
        ("I have not seen Kenji all day.", {"bob", "charlie"}),
        ("Kenji, hear my prayer!", {"bob", "charlie"}),
    ],
)
async def test_what_a_message_is_decides_who_of_those_present_perceives_it(
    story: Session, content: str, listeners: set[str]
) -> None:
    assert await heard(story, "alice", content, present=["bob", "charlie"]) == listeners


async def test_a_detector_that_does_not_read_who_is_here_does_not_keep_open_speech_from_those_present(
    begin: Begin,
) -> None:
    for detector in ("recent_speakers", "mentions", "places", "vote", "presence", "addressees", "everyone"):
        story = await begin(cast=FOUR, detector=detector)
        assert await heard(story, "alice", "It rains again.", present=["bob", "kenji"]) == {"bob", "kenji"}, detector


async def test_without_a_detector_nobody_can_say_what_is_a_thought(begin: Begin) -> None:
    story = await begin(cast=FOUR, detector="none")
    assert await heard(story, "alice", POISON, present=["bob"]) == set()
    assert await heard(story, "alice", POISON, audience=["bob"]) == {"bob"}


async def test_who_is_left_out_is_absent_until_somebody_says_otherwise(story: Session) -> None:
    await heard(story, "alice", "Sit down, Bob.", present=["bob"])
    assert await heard(story, "alice", "Charlie, hear my prayer!") == {"bob"}
    assert await heard(story, "bob", "Charlie would laugh at us.") == {"alice"}
    await story.enter("charlie")
    assert await heard(story, "alice", "There you are.") == {"bob", "charlie"}
    assert await heard(story, "alice", "Well?", present=["bob"]) == {"bob"}
    assert await heard(story, "bob", "*Charlie comes in* Look who is here.") >= {"alice"}
    assert await heard(story, "alice", "Welcome.") == {"bob", "charlie"}


async def test_who_is_left_out_of_one_place_stays_at_another(story: Session) -> None:
    await story.move("kenji", "market")
    await heard(story, "alice", "Sit down, Bob.", present=["bob"])
    assert story.state.whereabouts["kenji"].place == "market"
    assert await heard(story, "alice", "HELP!", present=["bob"]) == {"bob"}


async def test_those_present_who_sleep_sleep_on(story: Session) -> None:
    await heard(story, "alice", "Good night, Bob.", present=["bob", "charlie"])
    await heard(story, "bob", "*falls asleep*", present=["alice", "charlie"])
    assert await heard(story, "alice", "Now he cannot hear us.", present=["bob", "charlie"]) == {"charlie"}
    await story.enter("bob")
    assert await heard(story, "alice", "Oh.", present=["bob", "charlie"]) == {"bob", "charlie"}


async def test_plugins_withhold_from_those_present_and_add_to_them(begin: Begin) -> None:
    class Glass(Plugin):
        """Bob is deaf, and Kenji sees everything in a crystal ball."""

        def on_message(self, event: MessageEvent) -> MessageAnswer:
            return MessageAnswer(withhold={"bob": "deaf"}, add={"kenji": "sees it in a crystal ball"})

    story = await begin(cast=FOUR, detector="rules", plugins=[Glass()])
    assert await heard(story, "alice", "Hello.", present=["bob", "charlie"]) == {"charlie", "kenji"}
    assert await heard(story, "alice", "Hello.", audience=["bob"]) == {"bob"}


async def test_a_detector_sees_everybody_where_the_host_says(begin: Begin) -> None:
    seen: list[Moment] = []

    class Eyes:
        def detect(self, moment: Moment) -> Presence:
            seen.append(moment)
            return Presence(characters={id: Perceived(probability=0.9, role="present") for id in moment.state.here})

    story = await begin(cast=FOUR, detector=Eyes(), present=["charlie"])
    assert await heard(story, "alice", "Hello.", present=["bob"]) == {"bob"}
    assert set(seen[0].state.here) == {"alice", "bob"}
    assert (seen[0].message.present, seen[0].message.audience) == (None, None)
    assert set(story.state.here) == {"alice", "bob"}


async def test_the_audience_perceives_all_of_it_and_goes_nowhere(story: Session, memories: Memories) -> None:
    assert await heard(story, "alice", POISON, audience=["kenji"]) == {"kenji"}
    assert await words(memories, story, "kenji") == [f"Alice: {POISON}"]
    assert "kenji" not in story.state.whereabouts


async def test_given_both_each_has_its_own_say(story: Session) -> None:
    assert await heard(story, "alice", "Hush.", audience=["kenji"], present=["bob"]) == {"kenji"}
    assert set(story.state.here) == {"alice", "bob"}
    assert await heard(story, "alice", "Well?") == {"bob"}


async def test_an_edit_corrects_one_part_of_it_and_keeps_the_other(story: Session) -> None:
    await heard(story, "alice", "Hush.", key="m1", audience=["kenji"], present=["bob"])
    assert set((await (await story.edit("m1", "Hush!")).settled()).participants) == {"alice", "kenji"}
    assert set((await (await story.edit("m1", "Hush?", audience=["bob"])).settled()).participants) == {"alice", "bob"}
    await story.edit("m1", "Hush.", present=["charlie"])
    await story.settled()
    assert set(story.state.here) == {"alice", "charlie"}


async def test_an_edit_with_present_tells_anew_who_hears_what(story: Session, memories: Memories) -> None:
    await heard(story, "alice", "Welcome.", key="m1", present=["bob"])
    await (await story.edit("m1", POISON, present=["charlie"])).settled()
    assert (await words(memories, story, "bob"), await words(memories, story, "charlie")) == ([], ['Alice: "Welcome."'])


async def test_say_all_and_preview_take_both(story: Session) -> None:
    told = {"speaker": "alice", "content": POISON, "present": ["bob"]}
    one, two = await story.say_all([told, {**told, "audience": ["kenji"], "place": "cellar"}])
    assert set((await one.settled()).participants) == {"alice", "bob"}
    assert set((await two.settled()).participants) == {"alice", "kenji"}
    backstage = story.backstage()
    assert set((await backstage.preview("alice", "Hello.", present=["charlie"])).participants) == {"alice", "charlie"}
    found = await backstage.preview("alice", "Hello.", present=["charlie"], audience=["bob"], place="attic")
    assert (set(found.participants), found.message.scene) == ({"alice", "bob"}, "attic")


async def test_strangers_are_unknown_in_both(story: Session) -> None:
    for word in ("present", "audience"):
        with pytest.raises(UnknownName, match="zoltan"):
            await story.say("alice", "Hello.", **{word: ["zoltan"]})


async def test_what_is_said_at_a_place_is_heard_there(story: Session, memories: Memories) -> None:
    await heard(story, "alice", "Sit down, Bob.", present=["bob"])
    await story.move("charlie", "market")
    assert await heard(story, "kenji", "Fresh fish!", place="market") == {"charlie"}
    assert await heard(story, "alice", "It is late.") == {"bob"}
    assert await heard(story, "kenji", "More fish!") == {"charlie"}
    assert (await memories(story, "charlie"))[0].metadata["location"] == "market"
    assert await heard(story, "kenji", "And bread!", place="market", present=["bob"]) == {"bob"}
    assert await heard(story, "alice", "Where is Bob?") == set()


async def test_a_narrator_tells_of_a_place_and_goes_nowhere(begin: Begin) -> None:
    cast = [*FOUR, Character("narrator", kind="narrator")]
    story = await begin(cast=cast, detector="rules", present=["alice", "bob"])
    await story.move("kenji", "market")
    assert await heard(story, "narrator", "It begins to rain.", place="market") == {"kenji"}
    assert await heard(story, "narrator", "A log cracks in the fire.") == {"alice", "bob"}
    assert "narrator" not in story.state.whereabouts


async def test_a_direct_message_is_said_at_no_place(story: Session) -> None:
    with pytest.raises(InputError, match="has no place"):
        await story.say("alice", "Hello.", place="market", context="dm")
