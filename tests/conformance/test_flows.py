"""The three flows the product was asked for, word for word, on nothing but what is installed by default."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from earwitness import Character, Earwitness, Memory, Session

pytestmark = pytest.mark.anyio

AGREED = "Bob and I agreed to find the Sacred Sword!"
MOVED = "The party moved from the tavern to the Dragon's Lair. GameDay: 6"
ACQUIRED = "Alice acquired the Sacred Sword. GameDay: 7"


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[Session]:
    """Alice and Bob are in the tavern on the fifth day; Charlie is elsewhere."""
    async with Earwitness.open(tmp_path / "story.db", strict=True) as ew:
        yield await ew.session(
            "s1",
            cast=[Character("alice"), Character("bob", aliases=["Robert"]), Character("charlie")],
            state={"current_scene": "tavern", "game_day": 5, "place_names": {"dragon_lair": "the Dragon's Lair"}},
            present=["alice", "bob"],
        )


# ── 1: a message ────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_world_has_the_message_raw_and_those_there_have_it_enriched(story: Session) -> None:
    await story.update("A map of the mountains hangs on Alice's wall", audience=["alice"])
    await story.update("A stranger asked Bob about swords", audience=["bob"])
    settled = await (await story.say("alice", AGREED)).settled()

    assert list(settled.participants) == ["alice", "bob"]
    assert settled.participants["alice"].role == "speaker"
    assert await contents(story, "world", "message") == [f"Message: Alice: {AGREED} GameDay: 5"]
    enriched = f"###Current time###\nGame Day: 5\n\n###Message###\nMessage: Alice: {AGREED} GameDay: 5\n\n"
    assert await contents(story, "alice") == [
        f"{enriched}###Newly discovered world knowledge###\nA map of the mountains hangs on Alice's wall. GameDay: 5"
    ]
    assert await contents(story, "bob") == [
        f"{enriched}###Newly discovered world knowledge###\nA stranger asked Bob about swords. GameDay: 5"
    ]
    assert await contents(story, "charlie") == []


async def test_without_news_there_is_no_section_for_it(story: Session) -> None:
    await (await story.say("alice", AGREED)).settled()
    for id in ("alice", "bob"):
        assert await contents(story, id) == [
            f"###Current time###\nGame Day: 5\n\n###Message###\nMessage: Alice: {AGREED} GameDay: 5"
        ]


async def test_a_message_carries_who_said_it_to_whom_where_and_when(story: Session) -> None:
    await (await story.say("alice", AGREED, key="m1")).settled()
    for owner, is_speaker in (("alice", True), ("bob", False), ("world", None)):
        (memory,) = await held(story, owner)
        shown = {
            name: memory.metadata.get(name)
            for name in ("type", "speaker", "participants", "isSpeaker", "location", "gameDay", "messageIds")
        }
        assert shown == {
            "type": "message",
            "speaker": "alice",
            "participants": ["alice", "bob"],
            "isSpeaker": is_speaker,
            "location": "tavern",
            "gameDay": 5,
            "messageIds": ["m1"],
        }
        assert isinstance(memory.metadata["timestamp"], str)


async def test_whoever_recalls_it_was_there(story: Session) -> None:
    await (await story.say("alice", AGREED)).settled()
    found = {}
    for id in story.cast.ids:
        turn = await story.turn(id, query="Who wants to find the Sacred Sword?", in_prompt=())
        found[id] = [each.memory.container for each in turn.memories]
    assert found == {"alice": ["s1-alice"], "bob": ["s1-bob"], "charlie": []}


async def test_the_recall_query_is_as_agreed(story: Session) -> None:
    await (await story.say("alice", AGREED)).settled()
    assert (await story.turn("bob")).query == (
        "###Current time###\nGame Day: 5\n\n"
        f"###Recent messages###\nMessage: Alice: {AGREED} GameDay: 5\n\n"
        "What are the relevant memories that are not in the recent three messages to construct Bob's message?"
    )


# ── 2: the place changes ────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_change_of_place_is_a_world_update(story: Session) -> None:
    await (await story.change(game_day=6, current_scene="dragon_lair")).settled()
    (update,) = await held(story, "world")
    assert update.content == MOVED
    shown = {
        name: update.metadata.get(name)
        for name in ("type", "updateType", "location", "previousLocation", "gameDay", "audience")
    }
    assert shown == {
        "type": "world_state_update",
        "updateType": "location_changed",
        "location": "dragon_lair",
        "previousLocation": "tavern",
        "gameDay": 6,
        "audience": ["alice", "bob"],
    }
    assert [await contents(story, id) for id in story.cast.ids] == [[], [], []]


async def test_a_change_of_place_is_told_on_the_next_turn_to_whom_it_concerns(story: Session) -> None:
    await (await story.change(game_day=6, current_scene="dragon_lair")).settled()
    await (await story.enter("charlie")).settled()
    settled = await (await story.say("bob", "So this is where it lives.")).settled()
    assert set(settled.participants) == {"alice", "bob", "charlie"}
    assert settled.knowledge == {"alice": (MOVED,), "bob": (MOVED,)}
    body = "###Current time###\nGame Day: 6\n\n###Message###\nMessage: Bob: So this is where it lives. GameDay: 6"
    for id in ("alice", "bob"):
        assert await contents(story, id) == [f"{body}\n\n###Newly discovered world knowledge###\n{MOVED}"]
    assert await contents(story, "charlie") == [body]
    told_again = await (await story.say("alice", "Quiet, it sleeps.")).settled()
    assert told_again.knowledge == {}


# ── 3: somebody acquires something ──────────────────────────────────────────────────────────────────────────────────


async def test_what_somebody_acquires_is_a_character_update(story: Session) -> None:
    await story.change(game_day=7)
    await (await story.update("Alice acquired the Sacred Sword", character="alice", type="item_acquired")).settled()
    (update,) = await held(story, "world")
    assert update.content == ACQUIRED
    shown = {
        name: update.metadata.get(name)
        for name in ("type", "updateType", "characterId", "gameDay", "location", "audience")
    }
    assert shown == {
        "type": "character_update",
        "updateType": "item_acquired",
        "characterId": "alice",
        "gameDay": 7,
        "location": "tavern",
        "audience": ["alice", "bob"],
    }


async def test_what_somebody_acquires_is_told_likewise(story: Session) -> None:
    await story.change(game_day=7)
    await story.update("Alice acquired the Sacred Sword", character="alice", type="item_acquired")
    settled = await (await story.say("alice", "It is lighter than I thought.")).settled()
    assert settled.knowledge == {"alice": (ACQUIRED,), "bob": (ACQUIRED,)}
    (memory,) = await contents(story, "bob")
    assert memory == (
        "###Current time###\nGame Day: 7\n\n"
        "###Message###\nMessage: Alice: It is lighter than I thought. GameDay: 7\n\n"
        f"###Newly discovered world knowledge###\n{ACQUIRED}"
    )
    assert await contents(story, "charlie") == []


async def test_all_three_after_one_another_are_one_story(story: Session) -> None:
    await story.say("alice", AGREED)
    await story.change(game_day=6, current_scene="dragon_lair")
    await story.say("bob", "So this is where it lives.")
    await story.change(game_day=7)
    await story.update("Alice acquired the Sacred Sword", character="alice", type="item_acquired")
    await story.say("alice", "It is lighter than I thought.")
    await story.settled()
    assert await contents(story, "world") == [
        f"Message: Alice: {AGREED} GameDay: 5",
        MOVED,
        "Message: Bob: So this is where it lives. GameDay: 6",
        ACQUIRED,
        "Message: Alice: It is lighter than I thought. GameDay: 7",
    ]
    knows = (await story.backstage().who_knows("Alice acquired the Sacred Sword")).knowers
    assert [str(knows[id]) for id in ("alice", "bob", "charlie")] == [
        "alice: did it on day 7",
        "bob: learned it as news of alice on day 7",
        "charlie: nothing found",
    ]
    assert await contents(story, "charlie") == []


async def held(story: Session, owner: str) -> Sequence[Memory]:
    """Everything in a container."""
    return (await story.backstage().inspect(owner)).memories


async def contents(story: Session, owner: str, type: str | None = None) -> list[str]:
    """What stands there, of one type if given."""
    return [memory.content for memory in await held(story, owner) if type in {None, memory.type}]
