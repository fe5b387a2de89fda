"""The predicted and true sets of many messages, as columns of numbers. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from earwitness_plugins.ranking.arrays import Doubles, Flags

from .bootstrap import by_group
from .calibration import Bin, bins
from .measures import SET_COUNTS, set_counts

NOBODY_WRONG, NOBODY_LACKING = -1.0, 2.0
THRESHOLDS = np.arange(1, 101) / 100


@dataclass(frozen=True, slots=True)
class ScoredMessage:
    """One message: the true set, and the detector's answer."""

    dataset: str
    """Name of the data set."""
    scene: str
    """Name of the scene."""
    group: str
    """Scenes of one group are resampled together."""
    index: int
    """Position in the source."""
    roster: tuple[str, ...]
    """The names in question. Both sets lie within it, except for names that no detector could know."""
    certain: AbstractSet[str]
    """The speakers. Predicting them is trivial, so they are left out of the calibration and the curve."""
    true: AbstractSet[str]
    """The label."""
    predicted: AbstractSet[str]
    """The detector's answer, by END's policy."""
    probability: Mapping[str, float]
    """Name → probability; 0 for names that are missing."""
    aside: bool = False
    """The message holds an aside, which only the speaker may hear. Asides are scored separately."""

    @property
    def counts(self) -> tuple[float, ...]:
        """Its counts, in the order of `measures.SET_COUNTS`."""
        return set_counts(self.predicted, self.true)

    @property
    def leaks(self) -> bool:
        """The detector let somebody besides the speakers hear it."""
        return bool(self.predicted - self.certain)


@dataclass(frozen=True)
class Sheet:
    """Messages as columns, each of shape (messages,) except `counts`."""

    rows: Sequence[ScoredMessage]
    counts: Doubles
    """Shape (messages, columns of SET_COUNTS)."""
    groups: NDArray[np.intp]
    """Number of the group that the message belongs to."""
    datasets: NDArray[np.str_]
    """Name of the data set."""
    present: NDArray[np.intp]
    """Size of the true set."""
    absent: Flags
    """Whether somebody of the roster is missing from the true set."""

    @classmethod
    def of(cls, rows: Iterable[ScoredMessage]) -> Sheet:
        """A sheet of these messages, without the asides."""
        kept = [row for row in rows if not row.aside]
        numbers = {group: n for n, group in enumerate(dict.fromkeys((row.dataset, row.group) for row in kept))}
        return cls(
            rows=kept,
            counts=np.array([row.counts for row in kept], dtype=float).reshape(-1, len(SET_COUNTS)),
            groups=np.array([numbers[row.dataset, row.group] for row in kept], dtype=np.intp),
            datasets=np.array([row.dataset for row in kept], dtype=np.str_),
            present=np.array([len(row.true) for row in kept], dtype=np.intp),
            absent=np.array([not row.true >= {*row.roster} for row in kept], dtype=bool),
        )

    def where(self, mask: Flags) -> Sheet:
        """The sheet of the messages for which `mask` is true."""
        rows = [row for row, kept in zip(self.rows, mask, strict=True) if kept]
        return Sheet(
            rows, self.counts[mask], self.groups[mask], self.datasets[mask], self.present[mask], self.absent[mask]
        )

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def by_group(self) -> Doubles:
        """Sums of counts, shape (groups, columns)."""
        return by_group(self.counts, self.groups)

    @cached_property
    def calibration(self) -> tuple[Bin, ...]:
        """Bins over all names of the rosters except the speakers."""
        said, was = [], []
        for row in self.rows:
            asked = [name for name in row.roster if name not in row.certain]
            said += [row.probability.get(name, 0.0) for name in asked]
            was += [name in row.true for name in asked]
        return bins(np.array(said, dtype=float), np.array(was, dtype=bool))

    def curve(self) -> tuple[tuple[float, float, float], ...]:
        """(threshold, leak, miss) for every threshold from 0.01 to 1, with the same answers of the detector."""
        if not self.rows:
            return ()
        wrong, lacking = (np.sort([extreme(row) for row in self.rows]) for extreme in (_best_wrong, _least_right))
        leaks = 1 - np.searchsorted(wrong, THRESHOLDS, side="left") / len(wrong)
        misses = np.searchsorted(lacking, THRESHOLDS, side="left") / len(lacking)
        return tuple(
            (float(at), float(leak), float(miss)) for at, leak, miss in zip(THRESHOLDS, leaks, misses, strict=True)
        )


def _best_wrong(row: ScoredMessage) -> float:
    """At this threshold and below, somebody hears the message who should not."""
    others = (name for name in row.roster if name not in row.true and name not in row.certain)
    return max((row.probability.get(name, 0.0) for name in others), default=NOBODY_WRONG)


def _least_right(row: ScoredMessage) -> float:
    """Above this threshold, somebody misses the message who should hear it."""
    those = (name for name in row.roster if name in row.true and name not in row.certain)
    return min((row.probability.get(name, 0.0) for name in those), default=NOBODY_LACKING)
