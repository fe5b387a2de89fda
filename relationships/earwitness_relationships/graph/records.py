"""Nodes and relations of the graph, and the facts that change it. Ids of characters are personality ids."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, Field, JsonValue, model_validator
from pydantic_core import to_json

from earwitness import Record
from earwitness.errors import InputError
from earwitness.ids import check_shared_id
from earwitness.records.prose import period
from earwitness.records.state import Day
from earwitness.validation.records import check_readable

NodeKind = Literal["Character", "Location", "Item", "Faction", "Quest", "Event", "Pantheon"]
NODE_KINDS: tuple[NodeKind, ...] = get_args(NodeKind)
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
FactOp = Literal["assert", "end", "remove", "clear"]
Direction = Literal["out", "in", "both"]
"""Which relations of a node: those that start at it, those that point to it, or both."""

NodeId = Annotated[str, AfterValidator(partial(check_shared_id, "node"))]
RelationType = Annotated[str, AfterValidator(partial(check_shared_id, "relation type"))]


def _json(values: dict[str, Any]) -> dict[str, Any]:
    if values:
        try:
            check_readable(to_json(values, inf_nan_mode="constants").decode())
        except ValueError as error:
            raise InputError(
                f"attributes must be JSON (no NaN, no infinity, nested at most 100 deep): {error}"
            ) from error
    return values


Attributes = Annotated[dict[str, JsonValue], AfterValidator(_json)]


class Node(Record):
    """Somebody or something in the graph."""

    id: NodeId
    """Unique in the graph; for a character, the personality id."""
    kind: NodeKind = "Character"
    """`Character`, `Location`, `Item`, `Faction`, `Quest`, `Event` or `Pantheon`."""
    name: str | None = None
    """The display name; `None` = the id."""
    attributes: Attributes = {}
    """Anything else, as JSON."""


class Relation(Record):
    """What one node is to another, from one game day to another.

    Two nodes may have several relations of different types. Of one type they may have several periods, each with a
    beginning of its own. On any day the period counts that began last.
    """

    source: NodeId
    """Id of the node it starts at."""
    target: NodeId
    """Id of the node it points to."""
    type: RelationType
    """`KNOWS`, `LOCATED_IN`, `OWNS`, `OWNED_BY`, `ALLY_WITH`, `ENEMY_OF`, `PART_OF`, `INVOLVES`, `RELATES_TO`, or a
    word of the designer's own, such as `couple`."""
    weight: float = Field(default=1.0, ge=0, allow_inf_nan=False)
    """How strong it is."""
    since: Day | None = None
    """The first game day it holds; `None` = no beginning."""
    until: Day | None = None
    """The last game day it holds, unless a later period begins before; `None` = no end."""
    attributes: Attributes = {}
    """Anything else, as JSON."""

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> Relation:
        if self.since is not None and self.until is not None and self.until < self.since:
            raise InputError(f"its last day, {self.until}, comes before its first, {self.since}.")
        return self

    def __str__(self) -> str:
        weight = "" if self.weight == 1 else f" (weight {self.weight:g})"
        return f"{self.source} {self.type} {self.target}{period(self.since, self.until)}{weight}"

    def holds_on(self, day: float) -> bool:
        """Whether it holds on a game day, if no later period has begun."""
        return (self.since is None or self.since <= day) and (self.until is None or day <= self.until)


class Fact(Record):
    """One change of the graph, such as a relation that begins or ends."""

    op: FactOp = "assert"
    """`assert`: it is so; what was said of the same node, or of the same relation with the same `since`, is replaced.
    `end`: `relation.until` is the last day of the period that holds on that day; if none does, nothing changes.
    `remove`: it was never so; this concerns the relation with the same `since`, or the node with all its relations.
    `clear`: nothing that was said before counts; there is neither node nor relation."""
    node: Node | None = None
    """The node it is about."""
    relation: Relation | None = None
    """The relation it is about."""

    @model_validator(mode="after")
    def _is_about_one_thing(self) -> Fact:
        wanted = 0 if self.op == "clear" else 1
        if (self.node is not None) + (self.relation is not None) != wanted:
            raise InputError(
                f"a fact with op {self.op!r} needs {'neither' if not wanted else 'one of'} node, relation."
            )
        if self.op == "end" and (self.relation is None or self.relation.until is None):
            raise InputError("a fact with op 'end' needs a relation with its last day: until=….")
        return self


class GraphChange(Record):
    """One fact that changed the graph, as the graph's log has it."""

    version: int = Field(ge=1)
    """Number of the change; the version of the graph is that of its last one."""
    fact: Fact
    """What was said."""


class Neighbor(Record):
    """A node near another."""

    node: Node
    """The node."""
    distance: int
    """How many relations lead to it at least."""


class Route(Record):
    """A shortest way from one node to another."""

    nodes: tuple[str, ...]
    """Ids of the nodes, both ends included."""
    relations: tuple[Relation, ...]
    """The relation from each node to the next: the strongest that there is."""

    @property
    def length(self) -> int:
        """How many relations it has."""
        return len(self.relations)
