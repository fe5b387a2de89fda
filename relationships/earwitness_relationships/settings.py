"""The settings table `[relationships]`."""

from __future__ import annotations

from typing import Literal

from earwitness import Record
from earwitness.loading.strategy_spec import StrategySpec


class RelationshipsSettings(Record):
    """What the sharing rule, the guard, the reads and the extensions of this package share."""

    rules: str | None = None
    """Path of the rule file; `None` = no rules but those added at run time."""
    graph: StrategySpec = StrategySpec(name="networkx")
    """The graph store."""
    privacy: Literal["graded", "same_context"] = "graded"
    """The table of what may be read where."""
    canon: Literal["session", "personal"] = "session"
    """`personal` = what a user's persona lives with a personality is also kept beyond the session."""
