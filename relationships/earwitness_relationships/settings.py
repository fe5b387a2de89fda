"""The settings table `[relationships]`."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import field_validator

from earwitness import Record
from earwitness.loading.strategy_spec import StrategySpec

from .personas.settings import PersonasSettings
from .privacy.settings import PrivacySettings


class RelationshipsSettings(Record):
    """What the sharing rule, the guard, the reads and the extensions of this package share."""

    brings: ClassVar[dict[str, tuple[str, ...]]] = {
        "guards": ("relationships", "pantheons"),
        "sharing_rules": ("personas", "relationships"),
        "read_providers": ("personas", "relationships"),
    }
    """Strategies that are used wherever the settings contain the table."""

    rules: str | None = None
    """Path of the rule file; `None` = no rules but those added at run time."""
    graph: StrategySpec = StrategySpec(name="networkx")
    """The graph store."""
    privacy: PrivacySettings = PrivacySettings()
    """What may be read where: the name of a table, or `[relationships.privacy]`."""
    canon: Literal["session", "personal"] = "session"
    """`personal` = what a user's persona lives with a personality is also kept beyond the session."""
    triages: dict[str, StrategySpec] = {}
    """Name that rules give as `triage` → the triage and its settings. A name that is not here is that of a triage."""
    retellers: dict[str, StrategySpec] = {}
    """The same for `retell`."""
    spreading: dict[str, StrategySpec] = {}
    """The same for `spreading`."""
    personas: PersonasSettings = PersonasSettings()
    """How much of canon and of what is known about users a recall includes."""

    @field_validator("privacy", mode="before")
    @classmethod
    def _policy_or_table(cls, given: object) -> object:
        return {"policy": given} if isinstance(given, str) else given
