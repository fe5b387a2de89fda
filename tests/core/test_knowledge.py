"""News of the world: told once, in order, to whom it concerns, to the absent when they return; secrets never."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from earwitness import (
    Knowledge,
    Memory,
    MessageAnswer,
    MessageEvent,
    Plugin,
    Session,
    StateChangeAnswer,
    StateChangeEvent,
    Update,
)
from earwitness.errors import InputError, UnknownName
from earwitness.events import WorldAgentEvent, WorldAnswer
from earwitness.testing.reference import MemoryLedger, MemoryStore

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]


@pytest.fixture
def story(begin: Begin, teller: Callable[..., Any]) -> Callable[..., Awaitable[Session]]:
    """Begins a story whose World Agent tells everybody's news; Alice and Bob are here, Charlie is not."""

    async def story(most: int | None = None, **given: Any) -> Session:
        return await begin(**{"world_agent": teller(most), "present": ["alice", "bob"], **given})

    return story


Story = Callable[..., Awaitable[Session]]


async def told(story: Session, words: str = "Well.", *, by: str = "alice", audience: Any = ("bob",)) -> dict[str, Any]:
    """What each participant is told along with the next message, without the day."""
    settled = await (await story.say(by, words, audience=audience)).settled()
    return {
        id: [line.removesuffix(". GameDay: 1") for line in lines] for id, lines in sorted(settled.knowledge.items())
    }


# ── once, in order, to the letter ───────────────────────────────────────────────────────────────────────────────────


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


# ── to whom it concerns ─────────────────────────────────────────────────────────────────────────────────────────────


async def everybody_hears(story: Session) -> dict[str, Any]:
    return await told(story, audience=["alice", "bob", "charlie"])


async def test_by_default_news_is_for_those_who_were_there(story: Story) -> None:
    s1 = await story()
    await s1.update("A bell rang")
    assert await everybody_hears(s1) == {"alice": ["A bell rang"], "bob": ["A bell rang"]}


async def test_public_news_is_for_everybody(story: Story) -> None:
    s1 = await story()
    await s1.update("The king is dead", audience="public")
    assert await everybody_hears(s1) == {
        "alice": ["The king is dead"],
        "bob": ["The king is dead"],
        "charlie": ["The king is dead"],
    }


async def test_news_for_some_is_for_exactly_these_by_id_or_name(story: Story) -> None:
    s1 = await story()
    await s1.update("A letter came", audience=["Charlie"])
    await s1.change(quest="the sword", description="The quest began", audience=["bob"])
    assert await everybody_hears(s1) == {"bob": ["The quest began"], "charlie": ["A letter came"]}


async def test_news_for_nobody_stays_with_the_world(story: Story, memories: Memories) -> None:
    s1 = await story()
    await s1.update("A tree fell", audience=[])
    assert await everybody_hears(s1) == {}
    assert (await memories(s1, "world"))[0].content == "A tree fell. GameDay: 1"


async def test_a_change_of_place_is_for_those_who_left_and_those_who_came(story: Story) -> None:
    s1 = await story(state={"current_scene": "tavern"})
    await s1.move("charlie", "cave")
    await s1.leave("bob")
    await s1.change(current_scene="cave", description="They moved")
    assert await everybody_hears(s1) == {"alice": ["They moved"], "charlie": ["They moved"]}


async def test_who_is_absent_is_told_when_she_returns_if_she_may_know(story: Story) -> None:
    s1 = await story()
    await s1.leave("bob")
    await s1.update("The king is dead", audience="public")
    await s1.update("A mouse ran by")
    assert await told(s1, audience=[]) == {"alice": ["The king is dead", "A mouse ran by"]}
    await s1.enter("bob")
    assert await told(s1) == {"bob": ["The king is dead"]}


async def test_news_of_a_message_is_for_those_who_perceived_it(begin: Begin, teller: Callable[..., Any]) -> None:
    class Doors(Plugin):
        def on_message(self, event: MessageEvent) -> MessageAnswer | None:
            if "door" not in event.moment.message.content:
                return None
            return MessageAnswer(updates=(Update(description="The door is open", update_type="door"),))

    s1 = await begin(world_agent=teller(), plugins=[Doors()], present=["alice", "bob"])
    await s1.say("alice", "*opens the door*", audience=["charlie"])
    assert await everybody_hears(s1) == {"alice": ["The door is open"], "charlie": ["The door is open"]}


async def test_a_plugin_s_words_for_a_change_are_for_whom_the_host_said(
    begin: Begin, teller: Callable[..., Any]
) -> None:
    class Scribe(Plugin):
        def on_state_change(self, event: StateChangeEvent) -> StateChangeAnswer:
            own = Update(description="Only Bob saw it", audience=("bob",))
            return StateChangeAnswer(updates=(Update(description="It is day 1 still"), own))

    s1 = await begin(world_agent=teller(), plugins=[Scribe()], present=["alice", "bob"])
    await s1.change(time_of_day="night", audience=["charlie"])
    assert await everybody_hears(s1) == {"bob": ["Only Bob saw it"], "charlie": ["It is day 1 still"]}


async def test_somebody_unknown_in_an_audience_is_refused(story: Story) -> None:
    s1 = await story()
    for call in (s1.update("A bell rang", audience=["zoe"]), s1.change(quest="x", audience=["zoe"])):
        with pytest.raises(UnknownName, match="unknown character 'zoe'"):
            await call


async def test_news_of_nobody_in_the_cast_is_refused(story: Story) -> None:
    with pytest.raises(UnknownName, match="unknown character 'zoe'"):
        await (await story()).update("Zoe fell ill", character="zoe")


async def test_news_that_cannot_be_kept_is_refused(story: Story) -> None:
    with pytest.raises(InputError):
        await (await story()).update("A bell rang", when=object())


async def test_a_newcomer_is_told_what_is_public_and_nothing_else_from_before(story: Story) -> None:
    s1 = await story()
    await s1.update("The king is dead", audience="public")
    await s1.update("A mouse ran by")
    await s1.join("dana")
    assert (await told(s1, audience=["dana"]))["dana"] == ["The king is dead"]


# ── secrets, never ──────────────────────────────────────────────────────────────────────────────────────────────────


class Indiscreet:
    """A World Agent that tells everybody everything it finds in the world, and something it made up."""

    async def propose(self, event: WorldAgentEvent) -> WorldAnswer:
        found = await event.world.search("secret bell poison", limit=50)
        lines = tuple(Knowledge(text=hit.memory.content, cites=(hit.memory.id,)) for hit in found)
        both = (Knowledge(text="All of it", cites=tuple(hit.memory.id for hit in found)),) if found else ()
        made_up = (Knowledge(text="Made up", cites=()), Knowledge(text="Unfounded", cites=("no such memory",)))
        return WorldAnswer(knowledge=dict.fromkeys(event.moment.cast.ids, (*lines, *both, *made_up)))


async def test_what_a_character_may_not_know_is_struck_and_reported(begin: Begin) -> None:
    s1 = await begin(world_agent=Indiscreet(), present=["alice"])
    await s1.update("A secret bell rang", audience=["alice"])
    await s1.say("alice", "The poison is my secret.", key="m1", audience=[])
    await s1.settled()
    settled = await (await s1.say("alice", "Well.", audience=["bob"])).settled()
    assert set(settled.knowledge["alice"]) == {
        "A secret bell rang. GameDay: 1",
        "Message: Alice: The poison is my secret. GameDay: 1",
        "All of it",
    }
    assert "bob" not in settled.knowledge
    withheld = [answer.failure or "" for answer in settled.failures]
    assert all(answer.by == "core:walls" for answer in settled.failures)
    assert sum("knowledge for 'bob' was withheld" in each for each in withheld) == 5
    assert sum("knowledge for 'alice' was withheld" in each for each in withheld) == 2


async def test_a_secret_is_in_no_memory_of_who_may_not_know_it(begin: Begin, memories: Memories) -> None:
    s1 = await begin(world_agent=Indiscreet(), present=["alice"])
    await s1.update("A secret bell rang", audience=["alice"])
    await s1.say("alice", "The poison is my secret.", audience=[])
    for n in range(3):
        await s1.say("bob", f"Hm {n}.", audience=["charlie", "alice"])
    for id in ("bob", "charlie"):
        assert "secret" not in "".join(memory.content for memory in await memories(s1, id))


async def test_knowledge_a_plugin_proposes_is_judged_alike(begin: Begin) -> None:
    class Blabs(Plugin):
        def on_message(self, event: MessageEvent) -> MessageAnswer:
            line = Knowledge(text="Charlie is the thief", cites=())
            return MessageAnswer(knowledge=dict.fromkeys(event.cast.ids, (line,)))

    s1 = await begin(plugins=[Blabs()])
    settled = await (await s1.say("alice", "Well.", audience=["bob"])).settled()
    assert settled.knowledge == {}
    assert [answer.by for answer in settled.failures] == ["core:walls", "core:walls"]


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


async def test_what_a_later_wording_brings_about_is_not_told_to_whoever_has_joined_since_under_an_old_id(
    story: Story,
) -> None:
    class Storm(Plugin):
        def on_message(self, event: MessageEvent) -> MessageAnswer | None:
            storm = Update(description="A storm came")
            return MessageAnswer(updates=(storm,)) if "storm" in event.moment.message.content else None

    s1 = await story(plugins=[Storm()])
    await s1.say("alice", "What a day.", key="m1", audience=["bob"])
    await s1.forget("bob")
    await s1.join("bob")
    await s1.edit("m1", "What a storm.")
    assert await told(s1) == {"alice": ["A storm came"]}


async def test_whom_an_update_is_about_is_told_of_it_wherever_she_was(story: Story) -> None:
    s1 = await story()
    await s1.leave("alice", to="cave")
    await s1.update("Alice acquired the Sacred Sword", character="alice", type="item_acquired")
    await s1.update("Alice's house burned down", character="alice", audience=["bob"])
    assert await told(s1, audience=("alice",)) == {"alice": ["Alice acquired the Sacred Sword"]}
    here = ["Alice acquired the Sacred Sword", "Alice's house burned down"]
    assert await told(s1, by="bob", audience=("charlie",)) == {"bob": here}
