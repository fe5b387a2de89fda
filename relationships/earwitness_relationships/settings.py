"""The settings table `[relationships]`."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator

from earwitness import Record
from earwitness.loading.strategy_spec import StrategySpec
from earwitness.records.channel import Context
from earwitness.records.memory import Interaction

Bond = Literal["same_channel", "same_guild", "same_persona", "was_there"]
"""What the place a memory was learned in may have in common with the place it is asked in. `same_persona`: without a
persona, what was not public is of the same persona in its own channel alone. `was_there`: the persona that is spoken to
perceived what the memory is about."""
Policy = Literal["graded", "same_context"]
Most = Annotated[int, Field(strict=True, ge=0)]


class PrivacySettings(Record):
    """The table of what may be read where, and the rules of discretion."""

    policy: Policy = "graded"
    """The table to begin with. `graded`: what was learned is read where its listeners are. `same_context`: it is read
    in the kind of channel that it was learned in."""
    tighten: dict[Context, dict[Context, tuple[Bond, ...]]] = {}
    """Context it was learned in → context it is asked in → bonds, of which one is needed as well; none = never."""
    discretion: tuple[Interaction, ...] = ("shared", "witnessed")
    """Memories that a character came to have in one of these ways are known, but not to be said in public channels."""


class PersonasSettings(Record):
    """What a recall includes of canon, and of what is known about users. A number of 0 leaves a section out."""

    global_canon: Most = 5
    """Maximum number of memories of her global canon. The newest are always included."""
    global_canon_heading: str = "Who you are"
    """The heading above them."""
    personal_canon: Most = 10
    """Maximum number of memories of what she lived with the personas of this story, in earlier ones."""
    personal_canon_heading: str = "From earlier stories with them"
    """The heading above them."""
    facts: Most = 5
    """Maximum number of facts about the users' personas that she alone knows."""
    facts_heading: str = "**What you remember about this user:**"
    """The heading above them."""
    general_facts: Most = 3
    """Maximum number of facts about the users that every character knows."""
    general_facts_heading: str = "**General facts about this user:**"
    """The heading above them."""


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
