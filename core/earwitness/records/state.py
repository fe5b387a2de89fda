"""The session's data store: what is the case in the story right now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, JsonValue

from ..places import holders
from .base import Record


def plain_number(value: float) -> float:
    """6.0 → 6, so that a whole day is a whole number everywhere."""
    return int(value) if value == int(value) else value


Condition = Literal["awake", "hiding", "asleep", "unconscious", "dead", "on_call"]
PERCEIVES_NOTHING: frozenset[Condition] = frozenset({"asleep", "unconscious", "dead"})
FURTHEST_DAY = 2**53
"""Up to here a day that is a whole number is exact, everywhere it is kept."""
Day = Annotated[float, Field(allow_inf_nan=False, ge=-FURTHEST_DAY, le=FURTHEST_DAY), AfterValidator(plain_number)]


class Whereabouts(Record):
    """Where one character is, as far as the story has told."""

    place: str | None = None
    """The place as a path, or `None` when the story has not said."""
    here: bool = False
    """In the current scene and able to perceive it."""
    since: int = 0
    """Sequence number of the message or change that brought this about."""
    condition: Condition = "awake"
    """`hiding`: perceives, and nobody knows; `on_call`: elsewhere, and perceives what is said to the call."""
    certain: bool = False
    """The host said so: it holds until something is told of them, however long they are silent."""


UNTOLD = frozenset(
    {
        "game_day",
        "turn_count",
        "message_count",
        "participants",
        "last_perceivers",
        "whereabouts",
        "place_names",
        "channels",
    }
)
"""State keys of which the world is told nothing: every memory has its day, and the others are bookkeeping."""


class State(Record):
    """Typed values every story has, optional ones many have, and any free keys of the host's own."""

    model_config = ConfigDict(frozen=True, extra="allow")

    current_scene: str = "start"
    """The place the story is at: a path, such as `castle/kitchen`."""
    participants: tuple[str, ...] = ()
    """Ids of those the host counts into the session; empty = the whole cast. Only the host sets it, and it moves
    nobody. Of those it leaves out, only those the host has placed itself can be present."""
    last_perceivers: tuple[str, ...] = ()
    """Ids of those who perceived the previous message."""
    game_day: Day = 1
    """The story's day; may have a fraction (2.5 is noon of day 2, if the host says so)."""
    time_of_day: str | None = None
    """For display, such as `evening`."""
    quest: str | None = None
    """What the party is after."""
    flags: dict[str, JsonValue] = {}
    """Anything that was decided or switched on."""
    relationships: dict[str, JsonValue] = {}
    """The host's own record of who is what to whom; rules live in the relationship graph."""
    place_names: dict[str, str] = {}
    """How places are called in sentences: `{"dragon_lair": "the Dragon's Lair"}`."""
    turn_count: int = 0
    """Turns that ran from START to END."""
    message_count: int = 0
    """Messages settled (END)."""
    whereabouts: dict[str, Whereabouts] = {}
    """Character id → where they are."""

    @property
    def here(self) -> tuple[str, ...]:
        """Ids of those in the current scene, as far as is known."""
        return tuple(id for id, where in self.whereabouts.items() if where.here)

    @property
    def places(self) -> tuple[str, ...]:
        """Every place the story knows: the scene, those with a name, where anybody is, and what holds them."""
        told = (where.place for where in self.whereabouts.values() if where.place)
        known = (self.current_scene, *self.place_names, *told)
        return tuple(dict.fromkeys(each for place in known for each in (place, *holders(place))))

    def updated(self, changes: Mapping[str, Any]) -> State:
        """The state after changes, validated; `None` removes an optional or free key."""
        values = {**self.model_dump(), **changes}
        return State.model_validate({key: value for key, value in values.items() if value is not None})

    def changes_to(self, after: State) -> dict[str, Any]:
        """The keys that differ and their new values, JSON-ready; `None` for what is gone. `updated` takes them back."""
        old, new = self.model_dump(mode="json"), after.model_dump(mode="json")
        gone = dict.fromkeys(key for key in old if key not in new)
        return gone | {key: value for key, value in new.items() if old.get(key) != value or key not in old}


def day_text(day: float) -> str:
    """A game day as it stands in memories: `6`, `6.5`."""
    return str(int(day)) if day == int(day) else repr(float(day))
