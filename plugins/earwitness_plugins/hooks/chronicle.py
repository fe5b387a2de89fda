"""The plugin `chronicle`: puts changes of the state into words, where the host has not done so itself."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pydantic import JsonValue

from earwitness.hooks import Plugin, StateChangeAnswer, StateChangeEvent
from earwitness.records.state import State
from earwitness.records.update import Update

UNNAMED = State().current_scene


class Chronicle(Plugin):
    """Writes down a new place, time of day, quest or flag. The passing of days alone is no news."""

    def on_state_change(self, event: StateChangeEvent) -> StateChangeAnswer | None:
        """One update for each key that stories have words for; nothing for a change the host has described."""
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
        quest = f"The quest is now: {after.quest}" if after.quest else "There is no quest any more"
        yield Update(description=quest, update_type="quest_changed")
    if "flags" in event.changed:
        yield from _flags(before.flags, after.flags)


def _moved(before: State, after: State) -> Update:
    """The place the story began at unnamed is not worth a word."""
    origin = "" if before.current_scene == UNNAMED else f" from {_place(before.current_scene, after)}"
    return Update(
        description=f"The party moved{origin} to {_place(after.current_scene, after)}",
        update_type="location_changed",
        metadata={"location": after.current_scene, "previous_location": before.current_scene},
    )


def _place(id: str, state: State) -> str:
    """`dragon_lair` → `the Dragon's Lair`, if the state names it so, else `the dragon lair`; `Camelot` stays."""
    if id in state.place_names:
        return state.place_names[id]
    words = id.replace("_", " ")
    return words if words[:1].isupper() or words.startswith(("the ", "a ", "an ")) else f"the {words}"


def _flags(before: dict[str, JsonValue], after: dict[str, JsonValue]) -> Iterator[Update]:
    for flag in sorted({*before, *after}):
        if flag in before and flag in after and _same(before[flag], after[flag]):
            continue
        value = _value(after[flag]) if flag in after else "no longer set"
        yield Update(
            description=f"{flag.replace('_', ' ').strip()}: {value}",
            update_type="flag_changed",
            metadata={"flag": flag},
        )


def _same(one: JsonValue, other: JsonValue) -> bool:
    """Equal and of one kind: `True` is not 1."""
    return type(one) is type(other) and one == other


def _value(value: JsonValue) -> str:
    match value:
        case True:
            return "yes"
        case False:
            return "no"
        case None:
            return "nothing"
        case str():
            return value
        case _:
            return json.dumps(value, ensure_ascii=False)
