"""The three hooks: each receives one frozen record and may answer with one record, or `None`.

Write a class with one, two or three of the methods of `Plugin`; plainly or `async`, as you like. All plugins are asked
at once and their answers are combined in the order in which the plugins stand. A plugin that raises, takes too long or
answers something else is named in the turn's report, and the others' answers stand. Work that blocks the thread cannot
be interrupted: await it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, MutableMapping
from typing import ClassVar, Literal

import pluggy
from pydantic import ConfigDict, JsonValue

from .errors import InputError, quoted
from .protocols import Soon
from .records.base import Record
from .records.character import Cast
from .records.memory import Hit
from .records.moment import Moment, Presence
from .records.state import Day, State
from .records.update import Knowledge, Update
from .validation.records import KEEPABLE, check_readable

PROJECT = "earwitness"
HOOKS = ("on_recall", "on_message", "on_state_change")
_spec = pluggy.HookspecMarker(PROJECT)


class PluginData(MutableMapping[str, JsonValue]):
    """A plugin's own durable data, one set a session; JSON values under text keys.

    What is read is a copy: to keep a changed list, write it back. Writing what JSON cannot hold raises `InputError`.
    What `on_message` and `on_state_change` write is recorded with the plan, so a message that is settled again after a
    crash finds the data as it was; what `on_recall` writes is kept when it has answered. What a failing hook has
    written is dropped.
    """

    def __init__(self, stored: Mapping[str, JsonValue]) -> None:
        self._stored = stored
        self.changes: dict[str, JsonValue] = {}

    def __getitem__(self, key: str) -> JsonValue:
        value = self.changes[key] if key in self.changes else self._stored[key]
        if value is None:
            raise KeyError(key)
        return _copied(value)

    def __setitem__(self, key: str, value: JsonValue) -> None:
        try:
            self.changes[_text(key)] = _keepable(value)
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(
                f"data[{quoted(key)}] = {quoted(value)} cannot be kept, JSON does not hold it: {error}. {KEEPABLE}"
            ) from error

    def discard(self) -> None:
        """Forget what was written: whoever wrote it has failed."""
        self.changes.clear()

    def __delitem__(self, key: str) -> None:
        self[key]
        self.changes[key] = None

    def __iter__(self) -> Iterator[str]:
        names = {**self._stored, **self.changes}
        return (name for name, value in names.items() if value is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _copied(value: JsonValue) -> JsonValue:
    """A value of its own, as JSON holds it. Raises `TypeError` or `ValueError`, for half an emoji too."""
    return _loaded(_dumped(value))


def _keepable(value: JsonValue) -> JsonValue:
    """As `_copied`; raises `ValueError` also for what could not be read again from a plan."""
    text = _dumped(value)
    check_readable(text)
    return _loaded(text)


def _dumped(value: JsonValue) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


def _loaded(text: str) -> JsonValue:
    copied: JsonValue = json.loads(text.encode())
    return copied


def _text(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"its key is {type(key).__name__}, not text")
    key.encode()
    return key


class Event(Record):
    """What all three hooks are told."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    session: str
    """Session id."""
    cast: Cast
    """Everybody in it."""
    data: PluginData
    """This plugin's own durable data for this session."""


class RecallEvent(Event):
    """A character is about to speak, and this is what the search found for her."""

    character: str
    """Whose turn it is."""
    game_day: Day
    """Today."""
    query: str
    """The recall query."""
    memories: tuple[Hit, ...]
    """What was found, best first, already filtered by every guard."""


class RecallAnswer(Record):
    """What a plugin makes of a recall. Core re-reads and re-guards what is added."""

    notes: tuple[str, ...] = ()
    """Lines to show before the memories; they are not remembered."""
    weights: dict[str, float] = {}
    """Memory id → factor on its score (1 leaves it, 0 puts it last); 0 to 10."""
    add: tuple[str, ...] = ()
    """Memory ids to add; those outside the listed reads are ignored."""
    drop: tuple[str, ...] = ()
    """Memory ids to leave out; dropping beats adding."""


class MessageEvent(Event):
    """A message is being settled."""

    moment: Moment
    """The message, the few before it, the cast, the state, everyone's whereabouts. Never the future."""
    presence: Presence
    """What the detector believes."""
    unsure: tuple[str, ...] = ()
    """Ids of those of whom it is not sure, where `end.unsure` says `ask`: whom nobody adds does not perceive it."""


class MessageAnswer(Record):
    """What a plugin proposes for a message. Withholding beats adding; the host's word beats both."""

    add: dict[str, str] = {}
    """Character id → why they perceive it too."""
    withhold: dict[str, str] = {}
    """Character id → why they must not."""
    knowledge: dict[str, tuple[Knowledge, ...]] = {}
    """Character id → world knowledge, each line citing world memories this character may know."""
    updates: tuple[Update, ...] = ()
    """What changed in the world by this message."""


class StateChangeEvent(Event):
    """The host has changed the state."""

    before: State
    """The state before."""
    after: State
    """The state after."""
    changed: frozenset[str]
    """The keys that differ (snake_case)."""
    described: bool = False
    """The host has worded the change itself: do not word it again."""


class StateChangeAnswer(Record):
    """What a plugin tells the world of a change."""

    updates: tuple[Update, ...] = ()
    """Updates for the world container."""
    covers: frozenset[str] | None = None
    """The changed keys that the updates put into words; `None` = all of them, where there is any update. A key that
    nobody covers is told in a default sentence: cover it without an update, and it is not told at all."""

    def worded(self, changed: frozenset[str]) -> frozenset[str]:
        """Those of the changed keys that need no default sentence."""
        if self.covers is not None:
            return self.covers
        return changed if self.updates else frozenset()


class Plugin:
    """Base class of plugins. Override one, two or three hooks; nothing else is needed."""

    order: ClassVar[Literal["first", "middle", "last"]] = "middle"
    """Where its answers stand among the others'."""

    @_spec
    def on_recall(self, event: RecallEvent) -> Soon[RecallAnswer | None]:
        """START: a character's memories have been searched.

        :param event: who recalls, on which day, by which query, and what was found.
        :return: notes, weights, memories to add or drop; `None` changes nothing.

        Answers combine in plugin order: notes are joined, weights multiply, dropping beats adding.
        May run at every turn; it delays the host, so its time limit is short.
        """
        return None

    @_spec
    def on_message(self, event: MessageEvent) -> Soon[MessageAnswer | None]:
        """END: a message is being settled.

        :param event: the moment and the detector's presence.
        :return: who perceives it too, who must not, knowledge and world updates; `None` proposes nothing.

        Answers combine so: the host's word, then withholding, then adding. Runs once a message, in the background,
        strictly in the order of the journal; a settled message is never asked about again, but by `replan`.
        """
        return None

    @_spec
    def on_state_change(self, event: StateChangeEvent) -> Soon[StateChangeAnswer | None]:
        """CHANGE: the host has changed the state.

        :param event: the state before and after, and which keys differ.
        :return: updates for the world container; `None` leaves it to the others.

        All answers' updates are told, in plugin order. A key of which nobody tells is told in a default sentence,
        such as `Weather changed to storm`, unless the host has described the change.
        """
        return None
