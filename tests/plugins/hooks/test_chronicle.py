"""The plugin `chronicle`: changes of the state in words."""

from collections.abc import Mapping
from typing import Any

import pytest

from earwitness.events import StateChangeEvent
from earwitness.records.character import as_cast
from earwitness.records.state import State
from earwitness.records.update import Update
from earwitness_plugins.hooks.chronicle import Chronicle


def told(before: Mapping[str, Any], changes: Mapping[str, Any], *, described: bool = False) -> tuple[Update, ...]:
    """What the chronicle makes of a change."""
    old = State(**before)
    new = old.updated(changes)
    event = StateChangeEvent(
        session="s1",
        cast=as_cast(["alice"]),
        state=old,
        day=old.game_day,
        before=old,
        after=new,
        changed=frozenset(changes),
        described=described,
    )
    answer = Chronicle().on_state_change(event)
    return answer.updates if answer else ()


def words(before: Mapping[str, Any], changes: Mapping[str, Any]) -> list[str]:
    return [update.description for update in told(before, changes)]


def test_flow_two_the_party_moves_from_the_tavern_to_the_dragons_lair() -> None:
    before = {"current_scene": "tavern", "place_names": {"dragon_lair": "the Dragon's Lair"}}
    [update] = told(before, {"current_scene": "dragon_lair", "game_day": 6})
    assert update.description == "The party moved from the tavern to the Dragon's Lair"
    assert (update.type, update.update_type) == ("world_state_update", "location_changed")
    assert update.metadata == {"location": "dragon_lair", "previous_location": "tavern"}
    assert update.audience == "present"


@pytest.mark.parametrize(
    ("place", "called"),
    [
        ("dragon_lair", "the dragon lair"),
        ("the_cellar", "the cellar"),
        ("Winterfell", "Winterfell"),
        ("inn", "the inn"),
        ("castle/great_hall", "the great hall in the castle"),
        ("Camelot/keep/The Round Room", "The Round Room in the keep in Camelot"),
    ],
)
def test_a_place_without_a_name_is_called_by_its_id(place: str, called: str) -> None:
    assert words({"current_scene": "tavern"}, {"current_scene": place}) == [
        f"The party moved from the tavern to {called}"
    ]


def test_the_first_place_is_come_to_from_nowhere() -> None:
    assert words({}, {"current_scene": "tavern"}) == ["The party moved to the tavern"]


@pytest.mark.parametrize(
    ("before", "changes", "expected"),
    [
        ({}, {"time_of_day": "evening"}, ["It is now evening"]),
        ({"time_of_day": "evening"}, {"time_of_day": None}, []),
        ({}, {"quest": "Find the Sacred Sword"}, ["The quest is now: Find the Sacred Sword"]),
        ({"quest": "Find the Sacred Sword"}, {"quest": None}, ["There is no quest any more"]),
        ({}, {"game_day": 6}, []),
        ({}, {"turn_count": 3, "weather": "rain"}, []),
        (
            {},
            {"flags": {"dragon_awake": True, "bridge": "burnt"}},
            ["Flag bridge changed to burnt", "Flag dragon awake changed to yes"],
        ),
        ({"flags": {"dragon_awake": True}}, {"flags": {"dragon_awake": False}}, ["Flag dragon awake changed to no"]),
        ({"flags": {"dragon_awake": True, "gold": 3}}, {"flags": {"gold": 3}}, ["Flag dragon awake is no longer set"]),
        (
            {"flags": {"gold": 1}},
            {"flags": {"gold": True, "list": [1, "two"]}},
            ["Flag gold changed to yes", 'Flag list changed to [1, "two"]'],
        ),
    ],
)
def test_well_known_keys_are_put_into_words(
    before: dict[str, Any], changes: dict[str, Any], expected: list[str]
) -> None:
    assert words(before, changes) == expected


def test_several_changes_at_once_are_told_one_by_one() -> None:
    changes = {
        "current_scene": "lair",
        "time_of_day": "night",
        "quest": "Sleep",
        "flags": {"rain": True},
        "game_day": 2,
    }
    assert [update.update_type for update in told({"current_scene": "inn"}, changes)] == [
        "location_changed",
        "time_changed",
        "quest_changed",
        "flag_changed",
    ]


def test_what_the_host_has_described_is_not_told_again() -> None:
    assert told({}, {"current_scene": "tavern"}, described=True) == ()
