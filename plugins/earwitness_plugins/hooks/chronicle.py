"""Plugin `chronicle`: puts the host's state changes into words for the world, where the host has not done so itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from earwitness.hooks import Plugin, StateChangeAnswer, StateChangeEvent
from earwitness.records.state import State
from earwitness.records.update import Update


class Chronicle(Plugin):
    """Words a change of place, time of day, quest, or flag; a new day by itself is nobody's news."""

    def on_state_change(self, event: StateChangeEvent) -> StateChangeAnswer | None:
        """Updates for the keys that changed; their audience is the change's own."""
        if event.described:
            return None
        updates = tuple(_worded(event))
        return StateChangeAnswer(updates=updates) if updates else None


def _worded(event: StateChangeEvent) -> Iterator[Update]:
    before, after = event.before, event.after
    if "current_scene" in event.changed:
        yield _moved(before, after)
    if "time_of_day" in event.changed and after.time_of_day:
        yield Update(description=f"It is now {after.time_of_day}", update_type="time_changed")
    if "quest" in event.changed:
        yield _quest(after.quest)
    if "flags" in event.changed:
        yield from _flags(before.flags, after.flags)


def _moved(before: State, after: State) -> Update:
    there, here = place(before.current_scene, after), place(after.current_scene, after)
    where: dict[str, JsonValue] = {"location": after.current_scene, "previous_location": before.current_scene}
    return Update(
        description=f"The party moved from {there} to {here}", update_type="location_changed", metadata=where
    )  # fmt: skip


def place(id: str, state: State) -> str:
    """How a place is called: as the host names it, else `the dragon lair`."""
    return state.place_names.get(id) or f"the {id.replace('_', ' ')}"


def _quest(quest: str | None) -> Update:
    told = f"The quest is now: {quest}" if quest else "The quest is over"
    return Update(description=told, update_type="quest_changed")


def _flags(before: Mapping[str, JsonValue], after: Mapping[str, JsonValue]) -> Iterator[Update]:
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            yield Update(description=f"{_readable(name)}: {_value(after.get(name))}", update_type="flag_changed")


def _readable(name: str) -> str:
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def _value(value: JsonValue) -> str:
    match value:
        case None:
            return "no longer"
        case bool():
            return "yes" if value else "no"
        case _:
            return str(value)
