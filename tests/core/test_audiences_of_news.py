"""Whom news is for: those who were there, those the host names, newcomers; never those who may not know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from earwitness import (
    Knowledge,
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

from .news_stories import Begin, Memories, Story, teller_story, told


@pytest.fixture
def story(begin: Begin, teller: Callable[..., Any]) -> Story:
    """Begins a story whose World Agent tells everybody's news."""
    return teller_story(begin, teller)


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
