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
from .protocols import Reader, Share, Strike, WorldAnswer, WorldView
from .records.character import Cast, Character
from .records.memory import Hit, Memory, Support
from .records.message import Message, Participant, SettledMessage
from .records.moment import Moment, Movement, Perceived, Presence
from .records.plan import Plan
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
    "Plan",
    "Plugin",
    "Presence",
    "Reader",
    "RecallAnswer",
    "RecallEvent",
    "Recalled",
    "Session",
    "Settings",
    "SettledMessage",
    "Settlement",
    "Share",
    "State",
    "StateChangeAnswer",
    "StateChangeEvent",
    "Strike",
    "Support",
    "Turn",
    "Update",
    "Whereabouts",
    "WorldAnswer",
    "WorldView",
]
