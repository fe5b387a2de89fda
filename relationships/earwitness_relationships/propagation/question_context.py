"""What is known while strategies of the kinds `reteller` and `triage` are asked about one message.

How long they may take together, what they may keep, what they have answered so far, and what of it is recorded.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pydantic import JsonValue

from earwitness.records.plan import Answer

from .first_asked import listeners_of, without_new
from .hub_readers import HubReaders
from .records import HubTelling, Telling

LIMIT = 5.0
"""Seconds that one strategy may take where nobody says how long there is."""


class NotAnsweredYet(Exception):
    """A strategy would have to be asked that takes its time."""


@dataclass
class QuestionContext:
    """One round of questions about one message."""

    session: str = ""
    """Session id."""
    message: str = ""
    """The message's key."""
    until: float | None = None
    """When the monotonic clock shows this, all must have answered; `None` = `LIMIT` for each."""
    data: MutableMapping[str, JsonValue] = field(default_factory=dict)
    """Durable data of whoever asks; each strategy has a part of its own in it."""
    answers: list[Answer] = field(default_factory=list)
    """What strategies answered, for the plan."""
    strict: bool = False
    """Whether a triage that fails raises `StrategyError`."""
    known: dict[tuple[str, ...], Any] = field(default_factory=dict)
    """What was answered to a question, so that it is asked once."""
    may_wait: bool = True
    """Whether strategies that take their time may be asked; if not, `NotAnsweredYet` is raised instead."""
    told_first: frozenset[str] | None = None
    """Who was to be told when this was first asked, hubs too; `None` = it is asked first."""
    told_now: Callable[[], frozenset[str]] = frozenset
    """Who is to be told, where it is asked first."""

    @classmethod
    def within(
        cls, seconds: float, session: str, message: str, data: MutableMapping[str, JsonValue]
    ) -> QuestionContext:
        """A round that ends in so many seconds."""
        return cls(session, message, time.monotonic() + seconds, data)

    @property
    def limit(self) -> float:
        """Seconds that are left."""
        return LIMIT if self.until is None else max(0.0, self.until - time.monotonic())

    def as_first_asked(
        self, tellings: Sequence[Telling], hubs: Sequence[HubTelling], readers: HubReaders
    ) -> tuple[Sequence[Telling], Sequence[HubTelling]]:
        """Without those to whom a rule, relation or membership leads that began after this was first asked."""
        if self.told_first is None:
            self.told_now = partial(listeners_of, tellings, hubs, readers)
            return tellings, hubs
        return without_new(tellings, hubs, readers, self.told_first)

    @property
    def listeners(self) -> frozenset[str]:
        """Who was to be told when this was first asked."""
        return self.told_now() if self.told_first is None else self.told_first

    def check_patience(self, method: object) -> None:
        """Raise `NotAnsweredYet` if a strategy's method is to be awaited, and nobody may wait now."""
        if not self.may_wait and inspect.iscoroutinefunction(method):
            raise NotAnsweredYet

    def data_of(self, by: str) -> StrategyData:
        """The durable data of one strategy, such as `triage:gatekeeper`."""
        return StrategyData(self.data, f"{by}\n")


class StrategyData(MutableMapping[str, JsonValue]):
    """A part of somebody's durable data: the keys that begin alike, without that beginning."""

    def __init__(self, data: MutableMapping[str, JsonValue], beginning: str) -> None:
        self._data, self._beginning = data, beginning

    def __getitem__(self, key: str) -> JsonValue:
        return self._data[f"{self._beginning}{key}"]

    def __setitem__(self, key: str, value: JsonValue) -> None:
        self._data[f"{self._beginning}{key}"] = value

    def __delitem__(self, key: str) -> None:
        del self._data[f"{self._beginning}{key}"]

    def __iter__(self) -> Iterator[str]:
        length = len(self._beginning)
        return (key[length:] for key in self._data if key.startswith(self._beginning))

    def __len__(self) -> int:
        return sum(1 for _ in self)
