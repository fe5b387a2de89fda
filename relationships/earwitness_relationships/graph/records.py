"""Nodes and relations of the graph, and the facts that change it. Ids of characters are personality ids."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from earwitness import Record
from earwitness.records.state import Day

CHARACTER = "Character"
NODE_KINDS = (CHARACTER, "Location", "Item", "Faction", "Quest", "Event", "Pantheon")
"""The kinds of nodes."""
RELATION_TYPES = (
    "KNOWS",
    "LOCATED_IN",
    "OWNS",
    "OWNED_BY",
    "ALLY_WITH",
    "ENEMY_OF",
    "PART_OF",
    "INVOLVES",
    "RELATES_TO",
)
"""The types of relations that every graph knows. A designer may add others, such as `couple`."""


class Node(Record):
    """Somebody or something in the graph."""

    id: str = Field(min_length=1)
    """Unique in the graph; for a character, the personality id."""
    kind: str = CHARACTER
    """One of `NODE_KINDS`."""
    name: str | None = None
    """The display name; `None` = the id."""
    attributes: dict[str, JsonValue] = {}
    """Anything else."""


class Relation(Record):
    """What one node is to another, from one game day to another."""

    source: str = Field(min_length=1)
    """Id of the node it starts at."""
    target: str = Field(min_length=1)
    """Id of the node it points to."""
    type: str = Field(min_length=1)
    """One of `RELATION_TYPES`, or the designer's own."""
    weight: float = Field(default=1.0, ge=0, allow_inf_nan=False)
    """How strong it is."""
    since: Day | None = None
    """The first game day it holds; `None` = no beginning."""
    until: Day | None = None
    """The last game day it holds; `None` = no end."""
    attributes: dict[str, JsonValue] = {}
    """Anything else."""

    def holds_on(self, day: float) -> bool:
        """Whether it holds on a game day."""
        return (self.since is None or self.since <= day) and (self.until is None or day <= self.until)


class Fact(Record):
    """One change of the graph: a node or a relation is asserted, a relation ends, or something is removed."""

    op: Literal["assert", "end", "remove"] = "assert"
    """`assert` writes; `end` sets the last day of the relation that holds now; `remove` takes away what was wrong."""
    node: Node | None = None
    """The node it is about. Give either this or `relation`."""
    relation: Relation | None = None
    """The relation it is about."""
