"""The host's word has two parts: `present` says who is there, `audience` who perceives a message, all of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from earwitness import (
    Channel,
    Character,
    Earwitness,
    Memory,
    MessageAnswer,
    MessageEvent,
    Moment,
    Participant,
    Perceived,
    Plugin,
    Presence,
    Session,
    WorldAgentEvent,
    WorldAnswer,
)
from earwitness.errors import InputError, UnknownName

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]
FOUR = ("alice", "bob", "charlie", "kenji")
DIRECT = Channel(context="dm", channel_id="d1")
DEN = Channel(channel_id="den")
HALL = Channel(context="public_channel", channel_id="hall", guild_id="g7")
POISON = '"Welcome." [I poisoned his wine.]'


@pytest.fixture
async def story(begin: Begin) -> Session:
    """A story that is judged by the rules; nobody is placed yet."""
    return await begin(cast=FOUR, detector="rules", state={"current_scene": "tavern"})


async def heard(story: Session, speaker: str, content: str, **more: Any) -> set[str]:
    """Who perceives the message, besides its speaker."""
    settled = await (await story.say(speaker, content, **more)).settled()
    return {*settled.participants} - {speaker}


async def words(memories: Memories, story: Session, character: str) -> list[str]:
    """What a character remembers of each message."""
    return [
        each.content.partition("Message: ")[2].partition(" GameDay:")[0] for each in await memories(story, character)
    ]


# ── present ─────────────────────────────────────────────────────────────────────────────────────────────────────────


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


# ── audience ────────────────────────────────────────────────────────────────────────────────────────────────────────


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


# ── place ───────────────────────────────────────────────────────────────────────────────────────────────────────────


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


# ── the room that the story is at is a place like any other ──────────────────────────────────────────────────────────

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


# ── direct messages ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("word", ["present", "move", "nothing"])
async def test_a_direct_message_moves_nobody(story: Session, word: str) -> None:
    await heard(story, "alice", "Sit down, Bob.", present=["bob"])
    if word == "move":
        await (await story.move("kenji", "market")).settled()
    before = story.state.whereabouts.get("kenji")
    given = {"present": ["kenji"]} if word == "present" else {}
    assert await heard(story, "alice", "Kenji, where are you?", context="dm", **given) == {"kenji"}
    assert await heard(story, "kenji", "At the market. *leaves the tavern*", context="dm") == {"alice"}
    assert story.state.whereabouts.get("kenji") == before
    assert await heard(story, "alice", "He is at the market.") == {"bob"}
    assert await heard(story, "bob", "As always.") == {"alice"}


async def test_a_direct_message_needs_no_name_once_the_host_has_said_whose_it_is(story: Session) -> None:
    first = Channel(context="dm", channel_id="d1")
    assert await heard(story, "alice", "Are you there?", channel=first, present=["kenji"]) == {"kenji"}
    assert await heard(story, "alice", "Hello?", channel=first) == {"kenji"}
    assert await heard(story, "alice", "And you?", channel=Channel(context="dm", channel_id="d2")) == set()
    assert await heard(story, "alice", "Bob, you too?", channel=Channel(context="dm", channel_id="d2")) == {"bob"}
    assert await heard(story, "alice", "Hello??", channel=first) == {"kenji"}
    assert await heard(story, "kenji", "Yes. [What does she want?]", channel=first) == {"alice"}


@pytest.mark.parametrize("context", ["dm", "private_channel"])
@pytest.mark.parametrize(
    ("text", "between_two", "among_three"),
    [
        ('*whispers to Kenji* "Five."', {"kenji"}, {"kenji"}),
        ("(to Kenji) Five.", {"kenji"}, {"kenji"}),
        ('*whispers* "Five."', {"kenji"}, set()),
        ('*whispers to him* "Five."', {"kenji"}, set()),
        ("(whispers) Five.", {"kenji"}, set()),
        ('*whispers to Eve* "Five."', set(), set()),
        ("[Five, I think.]", set(), set()),
    ],
)
async def test_a_whisper_reaches_the_member_it_is_meant_for(
    story: Session, context: str, text: str, between_two: set[str], among_three: set[str]
) -> None:
    await story.move("kenji", "market")
    for members, expected in ((["alice", "kenji"], between_two), (["alice", "kenji", "bob"], among_three)):
        channel = Channel(context=context, channel_id=str(len(members)))
        await story.channel(channel, members)
        assert await heard(story, "alice", text, channel=channel) == expected


# ── channels with standing members ──────────────────────────────────────────────────────────────────────────────────


async def test_the_members_of_a_channel_hear_what_is_said_in_it_and_nobody_moves(
    story: Session, memories: Memories
) -> None:
    await story.channel(DIRECT, ["alice", "kenji"])
    await story.channel(DEN, ["bob", "Charlie"])
    assert await heard(story, "alice", "Are you there?", channel=DIRECT) == {"kenji"}
    assert await heard(story, "bob", "*leaves* Hush. [I hate him.]", channel=DEN) == {"charlie"}
    assert await words(memories, story, "charlie") == ["Bob: *leaves* Hush."]
    assert await heard(story, "charlie", "Alice is not here.", channel=DEN) == {"bob"}
    assert await heard(story, "bob", '*whispers to Charlie* "Later."', channel=DEN) == {"charlie"}
    assert story.state.whereabouts == {}
    assert story.state.channels["den"].members == ("bob", "charlie")


async def test_what_a_message_says_of_who_is_there_counts_for_more_than_its_channel(story: Session) -> None:
    await story.channel(DEN, ["bob", "charlie"])
    assert await heard(story, "alice", "Hello.", channel=DEN, present=["kenji"]) == {"kenji"}
    assert await heard(story, "alice", "Hello.", channel=DEN, audience=["kenji"]) == {"kenji"}
    assert story.state.whereabouts == {}


async def test_a_late_joiner_hears_from_then_on(story: Session, memories: Memories) -> None:
    await story.channel(DEN, ["alice", "bob"])
    await heard(story, "alice", "One.", channel=DEN)
    await story.join("dora")
    assert await heard(story, "alice", "Two, Dora.", channel=DEN) == {"bob"}
    await story.channel(DEN, ["alice", "bob", "dora"])
    assert await heard(story, "alice", "Three.", channel=DEN) == {"bob", "dora"}
    assert await words(memories, story, "dora") == ["Alice: Three."]


async def test_a_channel_at_a_place_follows_the_story(story: Session) -> None:
    await story.channel(HALL, ["alice", "bob"], place="hall")
    await story.enter("kenji")
    assert story.state.channels["public/g7/hall"].place == "hall"
    assert await heard(story, "alice", "Welcome to the hall.", channel=HALL) == {"bob"}
    assert await heard(story, "bob", "Goodbye. *leaves the hall*", channel=HALL) == {"alice"}
    assert await heard(story, "alice", "He is gone.", channel=HALL) == set()
    await story.channel(HALL, ["alice", "charlie"], place="hall")
    assert await heard(story, "alice", "Sit down.", channel=HALL) == {"charlie"}
    await story.channel(HALL, ["charlie"], place="hall")
    assert story.state.whereabouts["alice"].place is None


async def test_standing_members_are_replayed_forked_exported_and_taken_back(story: Session, tmp_path: Path) -> None:
    await story.channel(DEN, ["alice", "bob"], key="c1")
    branch = await story.fork("branch")
    await story.channel(DEN, ["alice", "kenji"], key="c2")
    assert not (await story.channel(DEN, ["alice", "kenji"], key="c2")).created
    assert await heard(story, "alice", "Hello.", channel=DEN) == {"kenji"}
    assert await heard(branch, "alice", "Hello.", channel=DEN) == {"bob"}
    async with Earwitness.open(tmp_path / "other.db", embedder="none") as ew:
        copy = await ew.import_session([line async for line in story.backstage().export()])
        assert copy.state.channels["den"].members == ("alice", "kenji")
        assert await heard(copy, "alice", "Hello again.", channel=DEN) == {"kenji"}
    await (await story.retract("c2")).settled()
    assert await heard(story, "alice", "Hello.", channel=DEN) == {"bob"}
    await (await story.retract("c1")).settled()
    assert story.state.channels == {}


async def test_a_channel_without_members_has_none_any_more(story: Session) -> None:
    await story.channel(DEN, ["alice", "bob"])
    await story.channel(DEN, [])
    assert story.state.channels == {}


async def test_whoever_is_forgotten_is_a_member_no_more(story: Session) -> None:
    await story.channel(DEN, ["alice", "bob"])
    await story.forget("bob")
    await story.join("bob")
    assert await heard(story, "alice", "Hello.", channel=DEN) == set()


async def test_the_world_hears_nothing_of_channels(story: Session, memories: Memories) -> None:
    await (await story.channel(DEN, ["alice", "bob"])).settled()
    assert not await memories(story, "world")


async def test_channels_that_cannot_be_used_are_refused(story: Session) -> None:
    with pytest.raises(InputError, match="has no channel_id"):
        await story.channel(Channel(context="dm"), ["alice"])
    with pytest.raises(InputError, match="has no place"):
        await story.channel(DIRECT, ["alice"], place="market")
    with pytest.raises(UnknownName, match="zoltan"):
        await story.channel(DEN, ["zoltan"])
