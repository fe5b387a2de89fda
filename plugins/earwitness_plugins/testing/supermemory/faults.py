"""What goes wrong, how often, and with which requests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random
from threading import Lock
from typing import Literal, get_args

from pydantic import Field

from earwitness.records.base import Record

Fault = Literal["conflict", "rate_limit", "error", "drop", "slow", "hang", "garbage"]
"""409; 429 with `Retry-After`; 500, 502 or 503; a connection that breaks; an answer that comes late, or never; a
response with status 200 whose body is none of the API's."""
FAULTS: tuple[Fault, ...] = get_args(Fault)
GARBAGE = ("<html>", "", "{}", "[]", "null")
COMMON: tuple[Fault, ...] = ("rate_limit", "error", "drop", "slow", "hang")


class Faults(Record):
    """Which requests fail, and how. Hand another one to a running emulator at any time."""

    rate: float = Field(default=0.0, ge=0, le=1)
    """The share of matching requests that fail."""
    kinds: tuple[Fault, ...] = Field(default=COMMON, min_length=1)
    """How they fail; each is as likely as the others."""
    pattern: str = ""
    """Only requests in whose `METHOD /path` this regular expression is found."""
    seed: int = 0
    """The same seed and the same requests give the same faults."""
    slow: float = Field(default=0.2, ge=0)
    """Seconds by which a slow answer is late."""
    hang: float = Field(default=60.0, ge=0)
    """Seconds for which a hung request is held; then its connection breaks."""
    retry_after: str = "1"
    """The header of a 429: whole seconds, or a date."""


class Accident(Record):
    """What happens to one request."""

    fault: Fault
    """What goes wrong."""
    done: bool
    """Whether the request was carried out all the same. A slow one always is."""
    status: int
    """The status of an `error`."""
    body: str
    """The body of `garbage`."""


class Dice:
    """Decides by chance, in the order of the requests. Safe on several threads."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.seen: Mapping[Fault, int] = dict.fromkeys(FAULTS, 0)
        self._chance = Random(faults.seed)  # noqa: S311 - a seed must give the same faults again
        self._lock = Lock()

    def thrown(self, request: str) -> Accident | None:
        """What happens to a request, given as `METHOD /path`."""
        faults = self.faults
        if not re.search(faults.pattern, request):
            return None
        with self._lock:
            if self._chance.random() >= faults.rate:
                return None
            fault = self._chance.choice(faults.kinds)
            self.seen = {**self.seen, fault: self.seen[fault] + 1}
            status = self._chance.choice((500, 502, 503))
            done, body = self._chance.random() < 0.5, self._chance.choice(GARBAGE)
            return Accident(fault=fault, done=done, status=status, body=body)
