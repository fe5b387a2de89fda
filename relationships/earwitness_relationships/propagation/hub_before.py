"""What a hub has held since before a walk."""

from __future__ import annotations

from dataclasses import dataclass

from ..compiled.hub_members import HubMembers
from .records import Telling


@dataclass(frozen=True, slots=True)
class HubBefore:
    """What a hub has held since before a walk."""

    members: HubMembers
    """Those who could read it."""
    tellings: tuple[Telling, ...]
    """How they were told, best first."""
    text: str
    """What it says."""
    arrives: bool
    """Whether it has just arrived, so that they tell it on now."""
