"""The session's data store: where, when and with whom the story is right now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, JsonValue

from ..places import holders
from ..shared_values import changed, different, having
from .base import Record
from .channel import Channel, StandingChannel, earlier_names, standing_name
from .read_only import ReadOnlyDict, with_changes


def plain_number(value: float) -> float:
    """6.0 → 6, so that a whole day is a whole number everywhere."""
    return int(value) if value == int(value) else value


Condition = Literal["awake", "hiding", "asleep", "unconscious", "dead", "on_call"]
FactsOf = dict[str, tuple[JsonValue, ...]]
"""Package name → what this package notes with one entry of the journal."""
PERCEIVES_NOTHING: frozenset[Condition] = frozenset({"asleep", "unconscious", "dead"})
FURTHEST_DAY = 2**53
"""Whole days up to this one are exact wherever they are stored."""
Day = Annotated[float, Field(allow_inf_nan=False, ge=-FURTHEST_DAY, le=FURTHEST_DAY), AfterValidator(plain_number)]


class Whereabouts(Record):
    """Where one character is, as far as the story says."""

    place: str | None = None
    """The place as a path; `None` = the story does not say."""
    here: bool = False
    """Whether they are in the current scene and able to perceive it."""
    since: int = 0
    """Number of the message or change that brought this about."""
    condition: Condition = "awake"
    """`hiding` = here unnoticed; `on_call` = elsewhere, and perceives what is said to the call."""
    certain: bool = False
    """Whether the host said so. Then it holds until the story says otherwise, however long they are silent."""

    def __str__(self) -> str:
        place = "here" if self.here else self.place or "away"
        return place if self.condition == "awake" else f"{place}, {self.condition.replace('_', ' ')}"


UNTOLD = frozenset(
    {
        "game_day",
        "turn_count",
        "message_count",
        "participants",
        "last_perceivers",
        "whereabouts",
        "present_told",
        "place_names",
        "channels",
        "facts",
    }
)
"""State keys whose changes the world does not hear about: each memory carries its day, the rest is bookkeeping."""


APART = frozenset({"whereabouts", "facts"})
"""State keys of which plans record only what changes within them."""
IF_RETRACTED = ":ifRetracted"
"""What a package notes under its name with this ending does not count, until the entry is retracted: then it is noted
in place of the rest."""
WHEN_RETRACTED = "#whenRetracted"
"""In that, the moment of the retraction: it becomes a table with `messages`, how many the story had, and `day`."""


class State(Record):
    """Typed values that every story has, optional ones that many have, and any keys of the host's own."""

    model_config = ConfigDict(frozen=True, extra="allow")

    current_scene: str = "start"
    """The place the story is at: a path, such as `castle/kitchen`."""
    participants: tuple[str, ...] = ()
    """Ids of everybody whom the host counts into the session; empty = the whole cast. It moves nobody. A character it
    leaves out can be present only where the host has placed them."""
    last_perceivers: tuple[str, ...] = ()
    """Ids of those who perceived the previous message."""
    game_day: Day = 1
    """The story's day. It may have a fraction: 2.5 is noon of day 2, if the host says so."""
    time_of_day: str | None = None
    """For display, such as `evening`."""
    quest: str | None = None
    """What the party is after."""
    flags: dict[str, JsonValue] = Field(default_factory=dict)
    """Anything that was decided or switched on in the story."""
    relationships: dict[str, JsonValue] = Field(default_factory=dict)
    """The host's own notes on who is what to whom. Rules live in the relationship graph."""
    place_names: dict[str, str] = Field(default_factory=dict)
    """Names of places in sentences: `{"dragon_lair": "the Dragon's Lair"}`."""
    turn_count: int = 0
    """Turns that ran from START to END."""
    message_count: int = 0
    """Messages that were settled."""
    whereabouts: dict[str, Whereabouts] = Field(default_factory=dict)
    """Character id → where this character is."""
    present_told: bool = False
    """Whether the host said who was present when the story began. Then no model may count in a character whose place
    the story has not told."""
    channels: dict[str, StandingChannel] = Field(default_factory=dict)
    """The host's channels that have standing members, by channel id, after the guild's if any (`g7/42`); a direct
    message is `dm/42`, a public channel `public/42`. `state.channel(…)` finds one."""

    facts: dict[str, FactsOf] = Field(default_factory=dict)
    """Entry key → what packages note with this entry, such as a relationship. It goes when the entry is retracted."""

    @property
    def here(self) -> tuple[str, ...]:
        """Ids of those in the current scene, as far as the story says."""
        return tuple(having(self.whereabouts, self.whereabouts.values(), "here", (True,)))

    @property
    def places(self) -> tuple[str, ...]:
        """Every known place: the scene, places with a name, places with somebody in them, and what holds these."""
        visited = (where.place for where in different(self.whereabouts.values()) if where.place)
        held = (each.place for each in self.channels.values() if each.place)
        known = (self.current_scene, *self.place_names, *visited, *held)
        return tuple(dict.fromkeys(each for place in known for each in (place, *holders(place))))

    def channel(self, channel: Channel | StandingChannel) -> StandingChannel | None:
        """The standing channel that this is; `None` if it has no standing members."""
        if channel.channel_id is None or not self.channels:
            return None
        name = standing_name(channel.channel_id, channel.guild_id, channel.context)
        names = (name, *earlier_names(channel.channel_id, channel.guild_id))
        found = (each for each in map(self.channels.get, names) if each is not None)
        return next((each for each in found if each.name == name), None)

    @property
    def channels_by_name(self) -> dict[str, StandingChannel]:
        """The standing channels under the keys of today; earlier versions gave other ones."""
        return {each.name: each for each in self.channels.values()}

    def moves_nobody(self, channel: Channel) -> bool:
        """Whether who is in a channel has nothing to do with where characters are: a direct message moves nobody."""
        standing = self.channel(channel)
        return channel.context == "dm" or (standing is not None and standing.place is None)

    def updated(self, changes: Mapping[str, Any]) -> State:
        """The state after changes, validated. `None` removes an optional or free key."""
        if any(value is None for value in changes.values()):
            values = {**self.model_dump(exclude=set(APART)), **changes}
            fresh = State.model_validate({key: value for key, value in values.items() if value is not None})
            return fresh.model_copy(update={key: getattr(self, key) for key in APART.difference(changes)})
        fresh = State.model_validate(dict(changes))
        return self.model_copy(update={key: getattr(fresh, key) for key in changes})

    def changes_to(self, after: State) -> dict[str, Any]:
        """The keys that differ and their new values, JSON-ready; `None` for a removed key. `updated` applies them.

        Whereabouts and facts are left out: `movements_to` names those who moved, and plans have `facts` of their own.
        """
        old, new = self._values, after._values
        gone: dict[str, Any] = dict.fromkeys(key for key in old if key not in new)
        changed = {key for key, value in new.items() if key not in old or old[key] != value}
        return gone | (after.model_dump(mode="json", include=changed) if changed else {})

    def movements_to(self, after: State) -> dict[str, Whereabouts | None]:
        """The whereabouts that differ, by character id; `None` where the story no longer says anything."""
        old, new = self.whereabouts, after.whereabouts
        gone: dict[str, Whereabouts | None] = {}
        if not old.keys() <= new.keys():
            gone = dict.fromkeys(sorted(old.keys() - new.keys()))
        return gone | {name: new[name] for name in changed(old, new)}

    def moved(self, whereabouts: Mapping[str, Whereabouts | None]) -> State:
        """The state after `movements_to`."""
        if not whereabouts:
            return self
        placed: dict[str, Any] = {**self.whereabouts, **whereabouts}
        for id in [id for id, where in whereabouts.items() if where is None]:
            del placed[id]
        is_sealed = isinstance(self.whereabouts, ReadOnlyDict)  # then it need not be sealed again
        kept = ReadOnlyDict(placed) if is_sealed else placed
        return self.model_copy(update={"whereabouts": kept})

    def noting(self, facts: Mapping[str, FactsOf | None]) -> State:
        """The state with the facts of these entries; `None` or nothing removes them."""
        return self.model_copy(update={"facts": with_changes(self.facts, facts)}) if facts else self

    def facts_of(self, package: str) -> tuple[JsonValue, ...]:
        """Everything that a package has noted in this story, in the order of the journal."""
        return tuple(each for noted in self.facts.values() for each in noted.get(package, ()))

    def facts_if_retracted(self, key: str) -> FactsOf:
        """What is noted in place of an entry's facts if it is retracted now."""
        moment: JsonValue = {"messages": self.message_count, "day": self.game_day}
        noted = self.facts.get(key, {}).items()
        return {
            name.removesuffix(IF_RETRACTED): tuple(_at_moment(each, moment) for each in facts)
            for name, facts in noted
            if name.endswith(IF_RETRACTED) and facts
        }

    @property
    def _values(self) -> dict[str, Any]:
        """Every key and its value, without whereabouts and facts."""
        every = {**self.__dict__, **(self.__pydantic_extra__ or {})}
        return {key: value for key, value in every.items() if key not in APART}


def day_text(day: float) -> str:
    """A game day as memories show it: `6`, `6.5`."""
    return str(int(day)) if day == int(day) else repr(float(day))


def _at_moment(fact: JsonValue, moment: JsonValue) -> JsonValue:
    """The fact with the moment of the retraction filled in."""
    if fact == WHEN_RETRACTED:
        return moment
    if isinstance(fact, Mapping):
        return {name: _at_moment(each, moment) for name, each in fact.items()}
    return [_at_moment(each, moment) for each in fact] if isinstance(fact, list | tuple) else fact
