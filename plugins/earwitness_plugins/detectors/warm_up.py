"""The tables and patterns that detectors read with are loaded before the first message is judged."""

from __future__ import annotations

from threading import Lock
from typing import Protocol

from earwitness.records.character import as_cast
from earwitness.records.message import Message
from earwitness.records.moment import Moment, Presence
from earwitness.records.state import State

LINES = (
    "Hello, all of you. Where is the key?",
    '*nods* "At dawn," she whispers to Bob. [Not a word!] (ooc: brb)',
    "I go to the kitchen with Bob. _If only he knew,_ she thinks. «Now!» <<Then>> {so} — she'd leave.",
    "(Alice comes in.) Alice: Good evening. *leaves the room*",
)
"""Between them they have most of the marks for which patterns are compiled."""
LONG_AGO = "2000-01-01T00:00:00+00:00"
_LOCK = Lock()
_DONE: set[type] = set()


class Judge(Protocol):
    """A detector that needs nobody else's answer."""

    def detect(self, moment: Moment) -> Presence:
        """Who perceives the message."""


def warm_up(detector: Judge) -> None:
    """Load everything, once in a process for each kind of detector, by judging a few messages. Safe on threads."""
    with _LOCK:
        if type(detector) not in _DONE:
            for line in LINES:
                detector.detect(_moment(line))
            _DONE.add(type(detector))


def _moment(line: str) -> Moment:
    cast = as_cast(["alice", "bob", "carol"])
    message = Message(
        key="m1", sequence=2, speaker="alice", content=line, game_day=1, scene="start", timestamp=LONG_AGO
    )
    return Moment(message=message, cast=cast, state=State())
