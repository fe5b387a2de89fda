"""The plugin `chronicle`: puts changes of the state into words, where the host has not done so itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from pydantic import JsonValue

from earwitness.events import StateChangeAnswer, StateChangeEvent
from earwitness.hooks import Plugin
from earwitness.places import holders, parts
from earwitness.records.state import State
from earwitness.records.update import Update

UNNAMED = State().current_scene


class Chronicle(Plugin):
    """Writes down a new place, time of day, quest or flag. The passing of days alone is not news."""

    def on_state_change(self, event: StateChangeEvent) -> StateChangeAnswer | None:
        """Updates for the keys that stories have words for; nothing for a change that the host has described."""
        covers = event.changed & WORDINGS.keys()
        if event.described or not covers:
            return None
        worded = [WORDINGS[key](event.before, event.after) for key in WORDINGS if key in covers]
        return StateChangeAnswer(updates=tuple(chain.from_iterable(worded)), covers=covers)


def _moved(before: State, after: State) -> Iterator[Update]:
    """The place the story began at unnamed is not worth a word."""
    origin = "" if before.current_scene == UNNAMED else f" from {_place(before.current_scene, after)}"
    yield Update(
        description=f"The party moved{origin} to {_place(after.current_scene, after)}",
        update_type="location_changed",
        metadata={"location": after.current_scene, "previous_location": before.current_scene},
    )


def _place(id: str, state: State) -> str:
    """`dragon_lair` → `the Dragon's Lair`, if the state names it so, else `the dragon lair`; `Camelot` stays.

    A path is described from the inside out: `the kitchen in the castle`.
    """
    if id in state.place_names:
        return state.place_names[id]
    inner = parts(id)[-1].replace("_", " ")
    words = inner if inner[:1].isupper() or inner.startswith(("the ", "a ", "an ")) else f"the {inner}"
    return f"{words} in {_place(holders(id)[0], state)}" if holders(id) else words


def _later(before: State, after: State) -> Iterator[Update]:
    """A time of day that was removed leaves nothing to tell."""
    if after.time_of_day:
        yield Update(description=f"It is now {after.time_of_day}", update_type="time_changed")


def _sought(before: State, after: State) -> Iterator[Update]:
    quest = f"The quest is now: {after.quest}" if after.quest else "There is no quest any more"
    yield Update(description=quest, update_type="quest_changed")


def _flags(before: State, after: State) -> Iterator[Update]:
    old, new = before.flags, after.flags
    for flag in sorted({*old, *new}):
        if flag in old and flag in new and _same(old[flag], new[flag]):
            continue
        became = f"changed to {_value(new[flag])}" if flag in new else "is no longer set"
        yield Update(
            description=f"Flag {flag.replace('_', ' ').strip()} {became}",
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


WORDINGS: Mapping[str, Callable[[State, State], Iterator[Update]]] = {
    "current_scene": _moved,
    "time_of_day": _later,
    "quest": _sought,
    "flags": _flags,
}
"""State key → its words, in the order in which they are told."""
