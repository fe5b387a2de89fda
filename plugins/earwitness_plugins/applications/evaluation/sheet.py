"""Predicted and true sets of names of many messages, as columns of numbers. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .bootstrap import by_group
from .calibration import Bin, bins
from .measures import SETS, Doubles, set_counts

Flags = NDArray[np.bool_]
NOBODY_WRONG, NOBODY_LACKING = -1.0, 2.0
THRESHOLDS = np.arange(1, 101) / 100


@dataclass(frozen=True, slots=True)
class Row:
    """One message: who was meant, and what was said of them."""

    dataset: str
    scene: str
    group: str
    index: int
    roster: tuple[str, ...]
    """Of whom it is asked; both sets are within it, but for a name that no detector could know."""
    certain: AbstractSet[str]
    """Who speaks: predicted without any art, so left out of calibration and of the curve."""
    true: AbstractSet[str]
    predicted: AbstractSet[str]
    probability: Mapping[str, float]
    """Name → probability; who is left out has 0."""
    aside: bool = False
    """Scored apart: nobody but the speaker may hear it."""

    @property
    def leaks(self) -> bool:
        """Somebody besides who speaks was said to hear it."""
        return bool(self.predicted - self.certain)


@dataclass(frozen=True)
class Sheet:
    """Messages as columns, each of shape (messages,) but `counts`."""

    rows: Sequence[Row]
    counts: Doubles
    """Shape (messages, columns of SETS)."""
    groups: NDArray[np.intp]
    """The number of the group that the message belongs to."""
    datasets: NDArray[np.str_]
    present: NDArray[np.intp]
    """How many are in the true set."""
    absent: Flags
    """Somebody of the roster is not in the true set."""

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Sheet:
        """The messages that are scored as they are: all but asides."""
        kept = [row for row in rows if not row.aside]
        numbers = {group: n for n, group in enumerate(dict.fromkeys((row.dataset, row.group) for row in kept))}
        return cls(
            rows=kept,
            counts=np.array([set_counts(row.predicted, row.true) for row in kept], dtype=float).reshape(-1, len(SETS)),
            groups=np.array([numbers[row.dataset, row.group] for row in kept], dtype=np.intp),
            datasets=np.array([row.dataset for row in kept], dtype=np.str_),
            present=np.array([len(row.true) for row in kept], dtype=np.intp),
            absent=np.array([not row.true >= {*row.roster} for row in kept], dtype=bool),
        )

    def where(self, mask: Flags) -> Sheet:
        """Those of the messages."""
        rows = [row for row, kept in zip(self.rows, mask, strict=True) if kept]
        return Sheet(
            rows, self.counts[mask], self.groups[mask], self.datasets[mask], self.present[mask], self.absent[mask]
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def by_group(self) -> Doubles:
        """Sums of counts, shape (groups, columns)."""
        return by_group(self.counts, self.groups)

    @cached_property
    def calibration(self) -> tuple[Bin, ...]:
        """Of everybody in a roster who does not speak."""
        said, was = [], []
        for row in self.rows:
            asked = [name for name in row.roster if name not in row.certain]
            said += [row.probability.get(name, 0.0) for name in asked]
            was += [name in row.true for name in asked]
        return bins(np.array(said, dtype=float), np.array(was, dtype=bool))

    def curve(self) -> tuple[tuple[float, float, float], ...]:
        """(threshold, leak, miss) as END's threshold moves from 0.01 to 1 and the detector's answers stay."""
        if not self.rows:
            return ()
        wrong, lacking = (np.sort([extreme(row) for row in self.rows]) for extreme in (_best_wrong, _least_right))
        leaks = 1 - np.searchsorted(wrong, THRESHOLDS, side="left") / len(wrong)
        misses = np.searchsorted(lacking, THRESHOLDS, side="left") / len(lacking)
        return tuple(
            (float(at), float(leak), float(miss)) for at, leak, miss in zip(THRESHOLDS, leaks, misses, strict=True)
        )


def _best_wrong(row: Row) -> float:
    """The threshold at and below which somebody is told who should not be."""
    others = (name for name in row.roster if name not in row.true and name not in row.certain)
    return max((row.probability.get(name, 0.0) for name in others), default=NOBODY_WRONG)


def _least_right(row: Row) -> float:
    """The threshold above which somebody is not told who should be."""
    those = (name for name in row.roster if name in row.true and name not in row.certain)
    return min((row.probability.get(name, 0.0) for name in those), default=NOBODY_LACKING)
