"""Earwitness: who remembers what, and how do they know?

A host opens a store of stories with `Earwitness.open`, takes a `Session`, and calls it at the start and the end of
each turn. These names are loaded when they are first used (PEP 562): nobody waits for what they do not use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__: str
"""The version of the installed package."""

if TYPE_CHECKING:
    from .app import Earwitness
    from .backstage.backstage import Backstage
    from .containers import Container, Membership
    from .errors import EarwitnessError
    from .events import (
        Event,
        MessageAnswer,
        MessageEvent,
        PlanEvent,
        ReadAnswer,
        ReadEvent,
        ReadProviderEvent,
        ReadRequest,
        RecallAnswer,
        RecallEvent,
        Share,
        SharingAnswer,
        SharingEvent,
        StateChangeAnswer,
        StateChangeEvent,
        Strike,
        StrikeAnswer,
        WorldAgentEvent,
        WorldAnswer,
        WorldView,
    )
    from .hooks import Plugin
    from .loading.settings import Settings
    from .lore import Lore
    from .outcome import Outcome, Settlement
    from .protocols import Observer
    from .records.base import Record
    from .records.channel import Channel
    from .records.character import Cast, Character
    from .records.derived import Derivation
    from .records.memory import Hit, Memory, Support
    from .records.message import Message, Messages, Participant, SettledMessage
    from .records.moment import Moment, Movement, Perceived, Presence
    from .records.observation import Observation
    from .records.plan import Plan
    from .records.state import State, Whereabouts
    from .records.update import Knowledge, Update
    from .records.usage import Usage
    from .session import Session
    from .start.recalled import PerceivedMessage, Recalled
    from .turn import Turn

__all__ = [
    "Backstage",
    "Cast",
    "Channel",
    "Character",
    "Container",
    "Derivation",
    "Earwitness",
    "EarwitnessError",
    "Event",
    "Hit",
    "Knowledge",
    "Lore",
    "Membership",
    "Memory",
    "Message",
    "MessageAnswer",
    "MessageEvent",
    "Messages",
    "Moment",
    "Movement",
    "Observation",
    "Observer",
    "Outcome",
    "Participant",
    "Perceived",
    "PerceivedMessage",
    "Plan",
    "PlanEvent",
    "Plugin",
    "Presence",
    "ReadAnswer",
    "ReadEvent",
    "ReadProviderEvent",
    "ReadRequest",
    "RecallAnswer",
    "RecallEvent",
    "Recalled",
    "Record",
    "Session",
    "Settings",
    "SettledMessage",
    "Settlement",
    "Share",
    "SharingAnswer",
    "SharingEvent",
    "State",
    "StateChangeAnswer",
    "StateChangeEvent",
    "Strike",
    "StrikeAnswer",
    "Support",
    "Turn",
    "Update",
    "Usage",
    "Whereabouts",
    "WorldAgentEvent",
    "WorldAnswer",
    "WorldView",
]

_MODULES = {
    "app": "Earwitness",
    "backstage.backstage": "Backstage",
    "containers": "Container Membership",
    "errors": "EarwitnessError",
    "events": (
        "Event MessageAnswer MessageEvent PlanEvent ReadAnswer ReadEvent ReadProviderEvent ReadRequest "
        "RecallAnswer RecallEvent Share SharingAnswer SharingEvent StateChangeAnswer "
        "StateChangeEvent Strike StrikeAnswer WorldAgentEvent WorldAnswer WorldView "
    ),
    "hooks": "Plugin",
    "loading.settings": "Settings",
    "lore": "Lore",
    "outcome": "Outcome Settlement",
    "protocols": "Observer",
    "records.base": "Record",
    "records.channel": "Channel",
    "records.character": "Cast Character",
    "records.derived": "Derivation",
    "records.memory": "Hit Memory Support",
    "records.message": "Message Messages Participant SettledMessage",
    "records.moment": "Moment Movement Perceived Presence",
    "records.observation": "Observation",
    "records.plan": "Plan",
    "records.state": "State Whereabouts",
    "records.update": "Knowledge Update",
    "records.usage": "Usage",
    "session": "Session",
    "start.recalled": "PerceivedMessage Recalled",
    "turn": "Turn",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """What is exported, from where it lives; and `__version__`, as the installed package says."""
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_HOME[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
