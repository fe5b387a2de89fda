"""Scores from columns of counts: overall, by data set, and by how many are present. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from earwitness_plugins.ranking.arrays import Doubles, Flags

from .bootstrap import differences, intervals
from .calibration import expected_error
from .measures import SET_MEASURES, Measure
from .run import EVERYTHING, Difference, Run, Scores, baseline
from .sheet import Sheet

MANY = 6
"""Messages with so many present, or more, are scored together."""


def scores(sheet: Sheet, run: Run) -> Scores:
    """The scores of all messages of a sheet."""
    found = sheet.calibration
    return Scores(
        units=len(sheet),
        values=intervals(sheet.by_group, SET_MEASURES, resamples=run.resamples, seed=run.seed),
        calibration_error=expected_error(found),
        bins=found,
    )


def by_dataset(sheet: Sheet, run: Run) -> dict[str, Scores]:
    """The scores of each data set, and of all of them where there are several."""
    return {name: scores(part, run) for name, part in parts(sheet).items()}


def by_present(sheet: Sheet, run: Run) -> dict[str, dict[str, Scores]]:
    """Scores of each data set by the size of the true set, without intervals, which would be many and wide."""
    quick = run.model_copy(update={"resamples": 0})
    return {
        name: {label: scores(part.where(mask), quick) for label, mask in _sizes(part).items() if mask.any()}
        for name, part in parts(sheet).items()
    }


def parts(sheet: Sheet) -> dict[str, Sheet]:
    """The sheet split by data set, in their order; with several data sets the whole sheet comes last."""
    found = {name: sheet.where(sheet.datasets == name) for name in dict.fromkeys(map(str, sheet.datasets))}
    return found if len(found) < 2 else {**found, EVERYTHING: sheet}


def compared(
    groups: Sequence[tuple[str, Mapping[str, Doubles]]], measures: Mapping[str, Measure], run: Run
) -> tuple[Difference, ...]:
    """Every detector minus the baseline; `groups` are pairs (label, data set → sums of each group)."""
    against = baseline(run)
    base = dict(groups)[against]
    return tuple(
        Difference(
            detector=label,
            against=against,
            data=name,
            values=differences(sums, base[name], measures, resamples=run.resamples, seed=run.seed),
        )
        for label, each in groups
        if label != against
        for name, sums in each.items()
    )


def _sizes(sheet: Sheet) -> dict[str, Flags]:
    few = {str(number): np.equal(sheet.present, number) for number in range(MANY)}
    return {**few, f"{MANY}+": np.greater_equal(sheet.present, MANY)}
