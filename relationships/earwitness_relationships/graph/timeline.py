"""The periods of one relation: what asserting, ending and removing does to them, and which one holds on a day.

All stores and the view share these functions, so that they cannot differ. On any day the period counts that began last.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, nextafter
from typing import NamedTuple, TypeAlias

from .records import Relation

RelationKey: TypeAlias = tuple[str, str, str]
"""Source, target and type of a relation."""
Periods: TypeAlias = tuple[Relation, ...]
"""The periods of one relation in the order in which they begin, each with another `since`."""


class PeriodSpan(NamedTuple):
    """A period with the days on which it counts."""

    relation: Relation
    """The period, as it was said."""
    begins: float
    """The first day; minus infinity without a beginning."""
    ends: float
    """The last day: the one that was said, or the last before a later period begins; infinity without an end."""


def key(relation: Relation) -> RelationKey:
    """What all periods of the relation have in common."""
    return relation.source, relation.target, relation.type


def begins(relation: Relation) -> float:
    """The first day; minus infinity without a beginning."""
    return -inf if relation.since is None else relation.since


def asserted(periods: Periods, relation: Relation) -> Periods:
    """The periods with this one among them, in place of the one that began on the same day."""
    return tuple(sorted((*removed(periods, relation), relation), key=begins))


def removed(periods: Periods, relation: Relation) -> Periods:
    """The periods without the one that began on the same day."""
    return tuple(each for each in periods if each.since != relation.since)


def ended(periods: Periods, relation: Relation) -> Periods:
    """The periods after the one that holds on the day `relation.until` has ended on it."""
    last = relation.until
    held = None if last is None else holding(periods, last)
    if held is None:
        return periods
    return tuple(each if each is not held else each.model_copy(update={"until": last}) for each in periods)


def holding(periods: Periods, day: float | None) -> Relation | None:
    """The period that holds on a day; without a day, the one that has no end."""
    wanted = inf if day is None else day
    return next((span.relation for span in spans(periods) if span.begins <= wanted <= span.ends), None)


def spans(periods: Periods) -> Iterator[PeriodSpan]:
    """The periods with the days on which they count."""
    for number, each in enumerate(periods):
        ends = inf if each.until is None else each.until
        if number + 1 < len(periods):
            ends = min(ends, nextafter(begins(periods[number + 1]), -inf))
        yield PeriodSpan(each, begins(each), ends)
