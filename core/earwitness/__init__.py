"""Earwitness: who remembers what, and how do they know?

A host opens a store of stories with `Earwitness.open`, takes a `Session`, and calls it at the start and the end of
each turn.
"""

from .app import Earwitness
from .backstage.backstage import Backstage
from .errors import EarwitnessError
from .hooks import (
    MessageAnswer,
    MessageEvent,
    Plugin,
    RecallAnswer,
    RecallEvent,
    StateChangeAnswer,
    StateChangeEvent,
)
from .loading.settings import Settings
from .outcome import Outcome, Settlement
from .preparing import Lore
from .records.character import Cast, Character
from .records.memory import Hit, Memory, Support
from .records.message import Message, Participant, SettledMessage
from .records.moment import Moment, Movement, Perceived, Presence
from .records.state import State, Whereabouts
from .records.update import Knowledge, Update
from .session import Session
from .start.recalled import Recalled
from .turn import Turn

__all__ = [
    "Backstage",
    "Cast",
    "Character",
    "Earwitness",
    "EarwitnessError",
    "Hit",
    "Knowledge",
    "Lore",
    "Memory",
    "Message",
    "MessageAnswer",
    "MessageEvent",
    "Moment",
    "Movement",
    "Outcome",
    "Participant",
    "Perceived",
    "Plugin",
    "Presence",
    "RecallAnswer",
    "RecallEvent",
    "Recalled",
    "Session",
    "Settings",
    "SettledMessage",
    "Settlement",
    "State",
    "StateChangeAnswer",
    "StateChangeEvent",
    "Support",
    "Turn",
    "Update",
    "Whereabouts",
]
