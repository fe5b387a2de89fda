"""What the world is told of a change that nobody has put into words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from earwitness import (
    Memory,
    MessageAnswer,
    MessageEvent,
    Plugin,
    Session,
    StateChangeAnswer,
    StateChangeEvent,
    Update,
)
from earwitness.errors import InputError

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]


async def told(story: Session, **changes: Any) -> list[str]:
    """What the world is told of a change, without the day."""
    settled = await (await story.change(**changes)).settled()
    return [update.body.removesuffix(f". GameDay: {story.state.game_day}") for update in settled.updates]


class Weather(Plugin):
    """Tells of the weather, and of nothing else."""

    def __init__(self, *, covers: frozenset[str] | None, updates: Sequence[str] = ("It rains",)) -> None:
        described = tuple(Update(description=each) for each in updates)
        self.answer = StateChangeAnswer(updates=described, covers=covers)

    def on_state_change(self, event: StateChangeEvent) -> StateChangeAnswer:
        return self.answer


async def test_any_change_of_the_state_is_told_to_the_world_in_the_fixed_format(
    begin: Begin, memories: Memories
) -> None:
    story = await begin(state={"game_day": 6, "current_scene": "tavern"}, present=["alice", "bob"])
    await (await story.change(weather="storm")).settled()
    (memory,) = await memories(story, "world")
    assert memory.content == "Weather changed to storm. GameDay: 6"
    assert {key: memory.metadata[key] for key in ("type", "updateType", "stateKey", "gameDay", "location")} == {
        "type": "world_state_update",
        "updateType": "weather_changed",
        "stateKey": "weather",
        "gameDay": 6,
        "location": "tavern",
    }
    assert memory.metadata["audience"] == ["alice", "bob"]


@pytest.mark.parametrize(
    ("before", "changes", "sentences"),
    [
        ({}, {"relationships": {"alice": {"bob": "rivals"}}}, ["Relationships: Alice, Bob changed to rivals"]),
        (
            {"relationships": {"alice": {"bob": "rivals", "charlie": "kin"}, "bob": {"alice": 1}}},
            {"relationships": {"alice": {"bob": "friends", "charlie": "kin"}}},
            ["Relationships: Alice, Bob changed to friends; Bob is no longer set"],
        ),
        ({"weather": "storm"}, {"weather": None}, ["Weather is no longer set"]),
        ({}, {"inventory": ["rope", "lamp"]}, ["Inventory changed to rope, lamp"]),
        ({"inventory": ["rope"]}, {"inventory": []}, ["Inventory changed to nothing"]),
        ({}, {"questLog": [1, 2]}, ["Quest log changed to [1, 2]"]),
        ({}, {"HP": 12.5}, ["HP changed to 12.5"]),
        ({}, {"bridge_burnt": True}, ["Bridge burnt changed to yes"]),
        ({"map": {"north": "cave"}}, {"map": {}}, ["Map changed to nothing"]),
        ({"map": {"north": "cave"}}, {"map": "lost"}, ["Map changed to lost"]),
        ({"weather": "fog"}, {"weather": {"sky": "red"}}, ['Weather changed to {"sky": "red"}']),
        ({"weather": "fog"}, {"weather": {}}, ["Weather changed to nothing"]),
        ({"weather": "fog"}, {"weather": " "}, ["Weather changed to nothing"]),
        ({}, {"mood of Bob": "sad"}, ["Mood of Bob changed to sad"]),
        ({}, {"quest": "the sword"}, ["Quest changed to the sword"]),
        ({}, {"time_of_day": "evening"}, ["Time of day changed to evening"]),
        ({}, {"flags": {"gate": False}}, ["Flags: gate changed to no"]),
        ({}, {"gold": 1, "weather": "fog"}, ["Gold changed to 1", "Weather changed to fog"]),
        ({"weather": "fog"}, {"weather": "fog"}, []),
        ({}, {"note": "###Message###"}, ["Note changed to ###Message###"]),
    ],
)
async def test_what_changed_is_said_in_a_plain_sentence(
    begin: Begin, before: dict[str, Any], changes: dict[str, Any], sentences: list[str]
) -> None:
    assert await told(await begin(state=before), **changes) == sentences


async def test_where_the_story_goes_is_told_with_both_places(begin: Begin, memories: Memories) -> None:
    story = await begin(state={"current_scene": "tavern"})
    assert await told(story, current_scene="cave") == ["Current scene changed to cave"]
    (memory,) = await memories(story, "world")
    known = {key: memory.metadata[key] for key in ("updateType", "location", "previousLocation")}
    assert known == {"updateType": "location_changed", "location": "cave", "previousLocation": "tavern"}


@pytest.mark.parametrize(
    "changes",
    [
        {"game_day": 7},
        {"turn_count": 3},
        {"message_count": 3},
        {"participants": ["alice"]},
        {"place_names": {"cave": "the Cave"}},
        {"whereabouts": {}},
        {"channels": {"42": {"channel_id": "42", "members": ["alice"]}}},
    ],
)
async def test_of_days_and_bookkeeping_nothing_is_told(begin: Begin, changes: dict[str, Any]) -> None:
    assert await told(await begin(), **changes) == []


async def test_how_a_story_begins_is_no_change(begin: Begin, memories: Memories) -> None:
    assert await memories(await begin(state={"weather": "storm"}), "world") == ()


async def test_what_the_host_has_described_is_not_told_again(begin: Begin) -> None:
    story = await begin()
    assert await told(story, weather="storm", description="A storm came up") == ["A storm came up"]
    assert await told(story, weather="fog", updates=[Update(description="Fog crept in")]) == ["Fog crept in"]


async def test_a_plugin_s_words_take_the_place_of_the_default_ones(begin: Begin) -> None:
    story = await begin(plugins=[Weather(covers=None)])
    assert await told(story, weather="rain", gold=3) == ["It rains"]


async def test_what_a_plugin_does_not_cover_is_told_all_the_same(begin: Begin) -> None:
    story = await begin(plugins=[Weather(covers=frozenset({"weather"}))])
    assert await told(story, weather="rain", gold=3) == ["It rains", "Gold changed to 3"]


async def test_an_update_of_a_plugin_that_says_nothing_is_left_out(begin: Begin, memories: Memories) -> None:
    class Silent(Weather):
        async def on_message(self, event: MessageEvent) -> MessageAnswer:
            return MessageAnswer(updates=self.answer.updates)

    blank = ("", " . ", "<think>rain?</think>")
    story = await begin(plugins=[Silent(covers=frozenset({"weather"}), updates=blank)], present=["alice", "bob"])
    assert await told(story, weather="rain") == []
    await (await story.say("alice", "Hello.")).settled()
    assert [each.content for each in await memories(story, "world")] == ["Message: Alice: Hello. GameDay: 1"]


async def test_a_plugin_may_keep_a_change_untold(begin: Begin) -> None:
    story = await begin(plugins=[Weather(covers=frozenset({"weather"}), updates=())])
    assert await told(story, weather="rain", gold=3) == ["Gold changed to 3"]
    other = await begin(id="s2", plugins=[Weather(covers=None, updates=())])
    assert await told(other, weather="rain") == ["Weather changed to rain"]


async def test_the_default_words_are_for_whom_the_host_said(begin: Begin, teller: Callable[..., Any]) -> None:
    story = await begin(world_agent=teller(), present=["alice", "bob"])
    await story.change(weather="storm", audience=["charlie"])
    settled = await (await story.say("alice", "Well.", audience=["bob", "charlie"])).settled()
    assert settled.knowledge == {"charlie": ("Weather changed to storm. GameDay: 1",)}


async def test_a_great_value_is_told_in_part(begin: Begin) -> None:
    story = await begin()
    (long,) = await told(story, blob="x" * 10_000)
    assert (len(long) < 600, long[-1]) == (True, "…")
    (many,) = await told(story, inventory={f"thing {n}": n for n in range(1000)})
    assert many.endswith("thing 19 changed to 19; 980 more changed")


async def test_a_key_without_a_name_is_refused(begin: Begin) -> None:
    with pytest.raises(InputError, match=r"state key ' ' is empty"):
        await (await begin()).change(**{" ": "storm"})
