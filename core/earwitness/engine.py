"""Everything a session needs to run: the strategies and plugins of one Earwitness instance, made once."""

from __future__ import annotations

from dataclasses import dataclass

from .dispatch import Plugins
from .loading.settings import Settings
from .protocols import Detector, Guard, Ledger, SharingRule, Store, WorldAgent


@dataclass(frozen=True, slots=True)
class Engine:
    """The parts, wired together. Two engines share nothing."""

    settings: Settings
    ledger: Ledger
    store: Store
    detector: Detector | None
    world_agent: WorldAgent | None
    sharing_rules: tuple[tuple[str, SharingRule], ...]
    guards: tuple[tuple[str, Guard], ...]
    plugins: Plugins
