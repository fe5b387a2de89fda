"""The members of a channel perceive what is said in it, until the host says otherwise; direct messages move nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from earwitness import (
    Channel,
    Earwitness,
    Session,
)
from earwitness.errors import InputError, UnknownName

from .present_stories import DEN, DIRECT, FOUR, HALL, Begin, Memories, heard, words


@pytest.fixture
async def story(begin: Begin) -> Session:
    """A story that is judged by the rules; nobody is placed yet."""
    return await begin(cast=FOUR, detector="rules", state={"current_scene": "tavern"})


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


@pytest.mark.parametrize("channel", [Channel(context="dm"), DEN])
@pytest.mark.parametrize(
    "called", ["At the market.", "MARKET - NIGHT\nHere.", "Alice! Come here!", "I am here, Alice."]
)
async def test_what_is_said_next_to_a_private_channel_stays_beside_whoever_says_it(
    story: Session, channel: Channel, called: str
) -> None:
    await story.channel(DEN, ["alice", "kenji"])
    await heard(story, "alice", "Sit down, Bob.", present=["bob"])
    await (await story.move("kenji", "market")).settled()
    await heard(story, "alice", "Kenji, where are you?", channel=channel)
    assert await heard(story, "kenji", called, channel=channel) == {"alice"}
    assert await heard(story, "alice", "Very well, then.") == {"bob"}
    assert await heard(story, "bob", "What is?") == {"alice"}


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
