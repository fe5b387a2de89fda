"""Calls that are not messages happen in a channel, too: `update`, `change`, `unmask`, `remember` and `tell`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Channel, Session
from earwitness.errors import InputError, SettingsError

Begin = Callable[..., Awaitable[Session]]
DM = Channel(context="dm", channel_id="d1")
OTHER = Channel(context="dm", channel_id="d2")
SQUARE = Channel(context="public_channel", channel_id="square")


@pytest.fixture
async def story(begin: Begin) -> Session:
    """Alice and Bob are in a direct message; Alice and Charlie are in the tavern. Privacy applies."""
    story = await begin(detector="rules", world_agent={"name": "rules"}, relationships={})
    await story.channel(DM, ["alice", "bob"])
    await story.enter("alice", "charlie")
    return story


async def known(story: Session, character: str, channel: Channel) -> str:
    """What a character knows of the ring where they are about to speak."""
    return (await story.turn(character, query="Where is the ring?", in_prompt=[], channel=channel)).text()


@pytest.mark.parametrize("call", ["update", "change"])
async def test_what_happens_in_a_direct_message_is_told_to_its_members_there(story: Session, call: str) -> None:
    if call == "update":
        await story.update("Alice found the ring", channel=DM)
    else:
        await story.change(flags={"ring": True}, description="Alice found the ring", channel=DM)
    for channel in (SQUARE, OTHER):
        outcome = await (await story.say("charlie", "Hm.", channel=channel, audience=["alice", "bob"])).settled()
        assert not outcome.knowledge.get("bob")
        assert not outcome.knowledge.get("alice")
    outcome = await (await story.say("alice", "Look!", channel=DM)).settled()
    assert outcome.knowledge["bob"] == ("Alice found the ring. GameDay: 1",)


async def test_without_a_channel_it_is_told_anywhere(story: Session) -> None:
    await story.update("Alice found the ring")
    outcome = await (await story.say("charlie", "Hm.", channel=SQUARE, audience=["alice"])).settled()
    assert outcome.knowledge["charlie"] == ("Alice found the ring. GameDay: 1",)


async def test_who_is_at_the_place_of_a_channel_sees_what_happens_in_it(story: Session) -> None:
    cellar = Channel(channel_id="cellar")
    await story.channel(cellar, ["alice", "bob"], place="cellar")
    await story.move("alice", "market")
    await (await story.update("A ring fell into the cellar", channel=cellar)).settled()
    (update,) = (await story.backstage().inspect("world", filter='type = "world_state_update"')).memories
    assert update.metadata["audience"] == ["bob"]
    assert update.metadata["channelId"] == "cellar"


async def test_an_unmasking_in_a_direct_message_is_seen_by_its_members(story: Session) -> None:
    await story.say("alice", "I have the ring.", speak_as="the Fox", channel=SQUARE, audience=["bob", "charlie"])
    await story.unmask("alice", channel=DM, description="The Fox is Alice, who has the ring")
    assert "who has the ring" in await known(story, "bob", DM)
    assert "who has the ring" not in await known(story, "bob", SQUARE)
    assert "who has the ring" not in await known(story, "charlie", DM)


async def test_a_memory_by_hand_is_recalled_where_it_was_learned(story: Session) -> None:
    await story.remember("bob", "The ring is in the well.", channel=DM)
    assert "in the well" in await known(story, "bob", DM)
    for elsewhere in (OTHER, SQUARE, Channel()):
        assert "in the well" not in await known(story, "bob", elsewhere)


async def test_what_it_rests_on_may_make_it_more_private(story: Session) -> None:
    await story.say("alice", "I have the ring.", key="m1", channel=DM)
    await story.remember("bob", "Alice has the ring on her left hand.", rests_on=["m1"], channel=SQUARE)
    await story.remember("bob", "Alice hides the ring under her bed.", rests_on=["m1"], channel=OTHER)
    assert "left hand" in await known(story, "bob", DM)
    assert "left hand" not in await known(story, "bob", SQUARE)
    for channel in (DM, OTHER, SQUARE):  # of two direct messages, it is read in neither
        assert "under her bed" not in await known(story, "bob", channel)


@pytest.mark.parametrize(("learned", "told"), [(SQUARE, DM), (DM, SQUARE), (DM, None)])
async def test_what_is_told_is_as_private_as_the_stricter_of_the_two(
    story: Session, learned: Channel, told: Channel | None
) -> None:
    await story.say("alice", "I have the ring.", key="m1", channel=learned, audience=["bob"])
    await story.tell("bob", "charlie", "m1", channel=told)
    assert "I have the ring" in await known(story, "charlie", DM)
    assert "I have the ring" not in await known(story, "charlie", SQUARE)


async def test_a_host_reads_back_what_a_character_may_recall_in_a_channel(story: Session) -> None:
    await story.say("alice", "In confidence.", channel=DM)
    await story.say("charlie", "Good evening, all.", channel=SQUARE, audience=["alice", "bob"])
    heard: dict[str, Any] = {"heard_by": "bob"}
    assert [each.content for each in await story.messages(**heard)] == ["In confidence.", "Good evening, all."]
    assert [each.content for each in await story.messages(**heard, channel=SQUARE)] == ["Good evening, all."]
    assert [each.content for each in await story.messages(**heard, channel=OTHER, limit=5)] == ["Good evening, all."]
    assert "In confidence." in [each.content for each in await story.messages(**heard, channel=DM)]
    with pytest.raises(InputError, match="give heard_by="):
        await story.messages(channel=SQUARE)


@pytest.mark.parametrize("call", ["update", "change", "turn"])
async def test_a_misspelt_channel_is_named(story: Session, call: str) -> None:
    given: dict[str, Any] = {"chanel": "dm"}
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "update": lambda: story.update("Alice found the ring", **given),
        "change": lambda: story.change(**given),
        "turn": lambda: story.turn("alice", **given),
    }
    with pytest.raises(SettingsError if call == "turn" else InputError, match=f"{call}.*'chanel'.*'channel'"):
        await calls[call]()


@pytest.mark.parametrize("call", ["update", "change"])
async def test_a_context_alone_is_refused_where_it_would_be_told_everywhere(story: Session, call: str) -> None:
    given: dict[str, Any] = {"context": "dm"}
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "update": lambda: story.update("Alice found the ring", **given),
        "change": lambda: story.change(game_day=2, **given),
    }
    with pytest.raises(InputError, match=rf"{call}\(\) takes no context='dm'. Write channel=Channel\(context='dm'\)"):
        await calls[call]()
    await story.change(context="of a dream")  # a key of the host's own


@pytest.mark.parametrize("call", ["update", "change", "unmask", "remember", "tell"])
async def test_a_channel_must_be_one(story: Session, call: str) -> None:
    await story.say("alice", "I have the ring.", key="m1", speak_as="the Fox")
    calls: dict[str, Callable[[Any], Awaitable[object]]] = {
        "update": lambda channel: story.update("Alice found the ring", channel=channel),
        "change": lambda channel: story.change(game_day=2, channel=channel),
        "unmask": lambda channel: story.unmask("alice", channel=channel),
        "remember": lambda channel: story.remember("alice", "A ring.", channel=channel),
        "tell": lambda channel: story.tell("alice", "bob", "m1", channel=channel),
    }
    with pytest.raises(InputError, match=r"channel 'dm' must be a Channel\("):
        await calls[call]("dm")
