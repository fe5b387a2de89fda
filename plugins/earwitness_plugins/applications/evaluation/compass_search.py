"""Search for the best values of a detector's settings.

A detector declares which settings may be fitted, and within which range, in a class attribute:
`fittable = {"n": (1, 10), "beliefs.lively": (0.0, 1.0)}`. A range between whole numbers gives whole numbers; a dot
leads into a table.

The method is compass search (Kolda, Lewis and Torczon 2003). From the current values, try a step up and a step down
along each setting in turn and keep whatever is better. When nothing is, halve the steps.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias, TypeGuard

from earwitness.errors import InputError
from earwitness.records.base import Record

from .measures import SET_MEASURES

FIRST_STEP = 0.25
LAST_STEP = 1 / 64
CALIBRATION = "calibration_error"
GOALS = (*SET_MEASURES, CALIBRATION)
LESS_IS_BETTER = frozenset({CALIBRATION, *(name for name, each in SET_MEASURES.items() if each.better == "less")})
THRESHOLD = "end.threshold"
"""END's threshold, which is not a setting of the detector."""

Number: TypeAlias = int | float
Values = dict[str, Number]
Goal = Callable[[Values], Awaitable[float]]


@dataclass(frozen=True)
class SettingRange:
    """The range of one setting."""

    name: str
    low: Number
    high: Number
    whole: bool
    start: Number

    def stepped(self, value: Number, step: float) -> Number:
        """The value moved by `step` (a share of the range), kept within the range."""
        by = step * (self.high - self.low)
        if self.whole:
            by = max(1, round(abs(by))) * (1 if by > 0 else -1)
        moved = min(max(value + by, self.low), self.high)
        return round(moved) if self.whole else round(moved, 6)


class Trial(Record):
    """One set of values that was tried."""

    values: dict[str, Number]
    """Setting → value."""
    goal: float
    """Their score; higher is better."""


class SearchResult(Record):
    """The result of a search."""

    start: Trial
    """The values it started from."""
    best: Trial
    """The best values it tried."""
    tried: int
    """Number of sets of values it tried."""


def ranges(detector: object, label: str, *, threshold: float | None) -> tuple[SettingRange, ...]:
    """The ranges a detector declares. With a `threshold`, END's threshold is added, starting there.

    Raises `InputError` when nothing may be fitted, or when a range is not two rising numbers.
    """
    declared = getattr(detector, "fittable", None) or {}
    found = [_range(detector, label, name, ends) for name, ends in declared.items()]
    if threshold is not None:
        found.append(SettingRange(THRESHOLD, 0.01, 1.0, False, threshold))
    if not found:
        raise InputError(
            f"{label} does not declare what may be fitted. Give its class an attribute such as "
            'fittable = {"n": (1, 10)}, or fit END\'s threshold alone with --threshold.'
        )
    return tuple(found)


def _range(detector: object, label: str, name: str, ends: Any) -> SettingRange:
    if not (isinstance(ends, Sequence) and [*map(_is_number, ends)] == [True, True] and ends[0] < ends[1]):
        raise InputError(f"{label}: fittable[{name!r}] = {ends!r} must be two numbers, the lower one first.")
    low, high = ends
    start = reduce(_part, name.split("."), detector)
    whole = not any(isinstance(each, float) for each in (low, high, start))
    if not _is_number(start):
        start = (low + high) // 2 if whole else (low + high) / 2
    return SettingRange(name, low, high, whole, min(max(start, low), high))


def _part(whole: Any, name: str) -> Any:
    return whole.get(name) if isinstance(whole, Mapping) else getattr(whole, name, None)


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


async def search(wanted: Sequence[SettingRange], goal: Goal, *, evaluations: int, seed: int) -> SearchResult:
    """Find the values with the highest goal, using at most so many evaluations of it."""
    order, generator = list(wanted), random.Random(seed)  # noqa: S311 - shuffles trials, guards nothing
    seen: dict[tuple[float, ...], float] = {}

    async def tried(values: Values) -> float:
        key = tuple(values[each.name] for each in wanted)
        if key not in seen:
            seen[key] = await goal(values)
        return seen[key]

    values = {each.name: each.start for each in wanted}
    start = best = Trial(values=values, goal=await tried(values))
    step = FIRST_STEP
    while step >= LAST_STEP and len(seen) < evaluations:
        generator.shuffle(order)
        before = best
        for each in order:
            for direction in (step, -step):
                moved = {**best.values, each.name: each.stepped(best.values[each.name], direction)}
                if len(seen) < evaluations and (value := await tried(moved)) > best.goal:
                    best = Trial(values=moved, goal=value)
        step = step if best is not before else step / 2
    return SearchResult(start=start, best=best, tried=len(seen))


def nested(values: Mapping[str, Number]) -> dict[str, Any]:
    """Turn `{"beliefs.lively": 0.7}` into `{"beliefs": {"lively": 0.7}}`, leaving out END's threshold."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if name == THRESHOLD:
            continue
        *around, last = name.split(".")
        inner = found
        for part in around:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return found


def merged(settings: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Settings overridden by `changes`, table by table."""
    both = dict(settings)
    for name, value in changes.items():
        kept = both.get(name)
        both[name] = merged(kept, value) if isinstance(kept, Mapping) and isinstance(value, Mapping) else value
    return both
