"""Which relations a question is about."""

from __future__ import annotations

from collections.abc import Collection
from math import inf, isnan
from typing import Any, NamedTuple, get_args

from earwitness.errors import InputError, did_you_mean, quoted

from .records import RELATION_TYPES, Direction, Relation

DIRECTIONS: tuple[Direction, ...] = get_args(Direction)


class RelationSelection(NamedTuple):
    """Relations by type, weight, direction and day."""

    types: frozenset[str] | None = None
    """Types; `None` = all."""
    min_weight: float = 0.0
    """The least weight."""
    direction: Direction = "both"
    """Those that start at the node, those that point to it, or both."""
    day: float = inf
    """The game day on which they hold; infinity stands for the end of time."""

    @classmethod
    def of(
        cls, types: Collection[str] | None, min_weight: float, direction: Direction, day: float | None
    ) -> RelationSelection:
        """What was asked for. Raises `InputError` for what cannot be asked."""
        if direction not in DIRECTIONS:
            hint = did_you_mean(direction, DIRECTIONS)
            raise InputError(f"direction = {quoted(direction)} is not one of {', '.join(DIRECTIONS)}.{hint}")
        chosen = None if types is None else _types(types)
        return cls(chosen, _number("min_weight", min_weight), direction, inf if day is None else _number("day", day))

    def takes(self, relation: Relation) -> bool:
        """Whether type and weight are right."""
        return relation.weight >= self.min_weight and (self.types is None or relation.type in self.types)

    @property
    def outwards(self) -> bool:
        """Whether relations count that start at a node."""
        return self.direction != "in"

    @property
    def inwards(self) -> bool:
        """Whether relations count that point to a node."""
        return self.direction != "out"


def _types(given: Collection[str]) -> frozenset[str]:
    if isinstance(given, str):
        raise InputError(f"types = {given!r} is one word. Write a list, such as [{RELATION_TYPES[0]!r}, {given!r}].")
    return frozenset(given)


def _number(name: str, given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or isnan(given):
        raise InputError(f"{name} = {quoted(given)} cannot be used: it must be a number.")
    return float(given)
