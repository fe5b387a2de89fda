"""News of the world: told once, in order, to whom it concerns, to the absent when they return; secrets never."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from earwitness import (
    Knowledge,
)
from earwitness.events import WorldAgentEvent, WorldAnswer
from earwitness.testing.reference import MemoryLedger, MemoryStore

from .news_stories import Begin, Memories, Story, teller_story, told


@pytest.fixture
def story(begin: Begin, teller: Callable[..., Any]) -> Story:
    """Begins a story whose World Agent tells everybody's news."""
    return teller_story(begin, teller)


async def test_news_stands_in_the_section_of_the_next_memory_to_the_letter(story: Story, memories: Memories) -> None:
    s1 = await story(state={"current_scene": "tavern", "game_day": 6})
    await s1.change(current_scene="dragon_lair", description="The party moved from the tavern to the Dragon's Lair.")
    await s1.say("alice", "How dark it is.", audience=["bob"])
    for id in ("alice", "bob"):
        (memory,) = await memories(s1, id)
        assert memory.content == (
            "###Current time###\n"
            "Game Day: 6\n"
            "\n"
            "###Message###\n"
            "Message: Alice: How dark it is. GameDay: 6\n"
            "\n"
            "###Newly discovered world knowledge###\n"
            "The party moved from the tavern to the Dragon's Lair. GameDay: 6"
        )
    (update, _) = await memories(s1, "world")
    assert update.content == "The party moved from the tavern to the Dragon's Lair. GameDay: 6"
    found = {key: update.metadata[key] for key in ("type", "updateType", "location", "previousLocation", "gameDay")}
    assert found == {
        "type": "world_state_update",
        "updateType": "location_changed",
        "location": "dragon_lair",
        "previousLocation": "tavern",
        "gameDay": 6,
    }


async def test_what_became_of_a_character_is_a_character_update(story: Story, memories: Memories) -> None:
    s1 = await story(state={"game_day": 7, "current_scene": "lair"})
    await s1.update(
        "Alice acquired the Sacred Sword", character="Alice", type="item_acquired", item_name="Sacred Sword"
    )
    (update,) = await memories(s1, "world")
    assert update.content == "Alice acquired the Sacred Sword. GameDay: 7"
    assert {key: value for key, value in update.metadata.items() if key not in {"timestamp", "learnedDay"}} == {
        "type": "character_update",
        "updateType": "item_acquired",
        "characterId": "alice",
        "itemName": "Sacred Sword",
        "location": "lair",
        "gameDay": 7,
        "audience": ["alice", "bob"],
    }


async def test_news_is_told_once(story: Story) -> None:
    s1 = await story()
    await s1.update("A bell rang")
    assert await told(s1) == {"alice": ["A bell rang"], "bob": ["A bell rang"]}
    assert await told(s1) == {}
    assert await told(s1, by="bob", audience=["alice"]) == {}


async def test_news_is_told_in_the_order_it_happened(story: Story) -> None:
    s1 = await story()
    for words in ("A bell rang", "A door fell shut", "The wind rose"):
        await s1.update(words)
    assert (await told(s1))["bob"] == ["A bell rang", "A door fell shut", "The wind rose"]


async def test_each_is_told_when_it_is_her_turn_to_hear(story: Story) -> None:
    s1 = await story()
    await s1.update("A bell rang")
    assert await told(s1, audience=[]) == {"alice": ["A bell rang"]}
    await s1.update("A door fell shut")
    assert await told(s1) == {"alice": ["A door fell shut"], "bob": ["A bell rang", "A door fell shut"]}


async def test_an_agent_that_tells_less_at_a_time_loses_nothing(story: Story) -> None:
    s1 = await story(most=2)
    for n in range(5):
        await s1.update(f"Bell {n} rang")
    heard = [(await told(s1)).get("bob", []) for _ in range(4)]
    assert heard == [["Bell 0 rang", "Bell 1 rang"], ["Bell 2 rang", "Bell 3 rang"], ["Bell 4 rang"], []]


async def test_what_is_left_over_stays_before_what_happens_meanwhile(story: Story) -> None:
    s1 = await story(most=1)
    await s1.update("A bell rang")
    await s1.update("A door fell shut")
    heard = [(await told(s1))["bob"]]
    await s1.update("The wind rose")
    heard += [(await told(s1))["bob"], (await told(s1))["bob"]]
    assert heard == [["A bell rang"], ["A door fell shut"], ["The wind rose"]]


async def test_an_agent_that_picks_what_it_tells_is_offered_the_rest_again(begin: Begin) -> None:
    class Newest:
        async def propose(self, event: WorldAgentEvent) -> WorldAnswer:
            news = (await event.world.news("bob"))[-1:]
            return WorldAnswer(
                knowledge={"bob": tuple(Knowledge(text=each.body, cites=(each.memory_id,)) for each in news)}
            )

    s1 = await begin(world_agent=Newest(), present=["alice", "bob"])
    for n in range(3):
        await s1.update(f"Bell {n} rang")
    assert [(await told(s1)).get("bob") for _ in range(4)] == [["Bell 2 rang"], ["Bell 1 rang"], ["Bell 0 rang"], None]


async def test_an_agent_can_ask_at_once_for_whom_there_is_news(begin: Begin) -> None:
    asked: list[list[str]] = []

    class Asking:
        async def propose(self, event: WorldAgentEvent) -> WorldAnswer:
            having = list(await event.world.with_news(event.cast.ids))
            news = {id: await event.world.news(id) for id in event.cast.ids}
            assert having == [id for id in news if news[id]]
            asked.append(having)
            told = having[:1]
            return WorldAnswer(
                knowledge={id: tuple(Knowledge(text=e.body, cites=(e.memory_id,)) for e in news[id]) for id in told}
            )

    s1 = await begin(world_agent=Asking(), present=["alice", "bob"])
    await told(s1)
    await s1.update("A bell rang", audience=["bob"])
    await s1.update("A door fell shut", audience=["alice", "bob"])
    for _ in range(3):
        await told(s1)
    assert asked == [[], ["alice", "bob"], ["bob"], []]


async def test_news_after_a_restart_goes_on_where_it_was(begin: Begin, teller: Callable[..., Any]) -> None:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": MemoryStore(), "world_agent": teller(1)}
    s1 = await begin(present=["alice", "bob"], **kept)
    await s1.update("A bell rang")
    await s1.update("A door fell shut")
    assert (await told(s1))["bob"] == ["A bell rang"]
    again = await begin(**kept)
    assert (await told(again))["bob"] == ["A door fell shut"]


async def test_who_does_not_perceive_a_message_is_told_nothing_with_it(story: Story) -> None:
    s1 = await story()
    await s1.update("The king is dead", audience="public")
    assert "charlie" not in await told(s1)


async def test_without_a_world_agent_no_news_is_told_and_none_is_lost(begin: Begin, teller: Callable[..., Any]) -> None:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": MemoryStore()}
    s1 = await begin(present=["alice", "bob"], **kept)
    await s1.update("A bell rang")
    assert await told(s1) == {}
    again = await begin(world_agent=teller(), **kept)
    assert (await told(again))["bob"] == ["A bell rang"]


async def test_news_told_with_a_message_that_is_in_the_prompt_comes_to_mind_without_the_message(story: Story) -> None:
    s1 = await story()
    await s1.update("The king is dead")
    await (await s1.say("alice", "Well, well.", audience=["bob"])).settled()
    turn = await s1.turn("bob")
    assert "Well, well." in turn.query
    (news,) = turn.memories
    assert "The king is dead" in news.text
    assert "Well, well." not in news.text
    assert news.why == "news 1.00"


async def test_news_in_the_prompt_is_guarded_like_everything_else(story: Story) -> None:
    s1 = await story()
    await s1.change(game_day=5)
    await s1.update("The king is dead")
    await (await s1.say("alice", "Well, well.", audience=["bob"])).settled()
    await s1.change(game_day=4)
    assert (await s1.turn("bob")).memories == ()
