"""Measures are what the README of the development data says they are."""

import math

import numpy as np
import pytest

from earwitness_plugins.applications.evaluation.bootstrap import by_group, differences, intervals
from earwitness_plugins.applications.evaluation.calibration import bins, expected_error
from earwitness_plugins.applications.evaluation.measures import SET_MEASURES, Doubles, auc, set_counts


def table(*pairs: tuple[str, str]) -> Doubles:
    """Rows of (predicted, true), each name a letter."""
    return np.array([set_counts({*predicted}, {*true}) for predicted, true in pairs], dtype=float)


def value(name: str, *pairs: tuple[str, str]) -> float:
    return float(SET_MEASURES[name].of(table(*pairs).sum(axis=0)))


def test_precision_and_recall_count_names_not_messages() -> None:
    pairs = [("ab", "a"), ("abcd", "abcde")]
    assert value("precision", *pairs) == pytest.approx(5 / 6)
    assert value("recall", *pairs) == pytest.approx(5 / 6)
    assert value("f1", ("ab", "a"), ("c", "cde")) == pytest.approx(2 * 2 / (2 * 2 + 1 + 2))


def test_exact_leak_and_miss_count_messages() -> None:
    pairs = [("ab", "ab"), ("abc", "ab"), ("a", "ab"), ("ac", "ab")]
    assert value("exact", *pairs) == 0.25
    assert value("leak", *pairs) == 0.5
    assert value("miss", *pairs) == 0.5


def test_what_there_is_nothing_of_has_no_value() -> None:
    assert math.isnan(value("precision", ("", "a")))
    assert value("recall", ("", "a")) == 0
    assert value("exact", ("", "")) == 1


def test_auc_counts_ties_by_half() -> None:
    assert auc(np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, False, False])) == pytest.approx(3.5 / 4)
    assert math.isnan(auc(np.array([1.0]), np.array([True])))


# ── intervals ───────────────────────────────────────────────────────────────────────────────────────────────────────


def drawn(rows: Doubles, groups: list[int], seed: int = 1) -> tuple[float, float]:
    sums = by_group(rows, np.array(groups, dtype=np.intp))
    found = intervals(sums, SET_MEASURES, resamples=500, seed=seed)["exact"]
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


HALF = table(*[("a", "a"), ("b", "a")] * 50)


def test_an_interval_holds_its_value_and_comes_again_with_its_seed() -> None:
    groups = list(range(100))
    low, high = drawn(HALF, groups)
    assert 0.35 < low < 0.5 < high < 0.65
    assert (low, high) == drawn(HALF, groups)
    assert (low, high) != drawn(HALF, groups, seed=2)


def test_messages_that_belong_together_make_an_interval_wider() -> None:
    alike = np.concatenate([HALF[::2], HALF[1::2]])
    alone, together = drawn(alike, list(range(100))), drawn(alike, [n // 10 for n in range(100)])
    assert together[1] - together[0] > 1.5 * (alone[1] - alone[0])


def test_one_scene_alone_has_no_interval() -> None:
    found = intervals(by_group(HALF, np.zeros(100, dtype=np.intp)), SET_MEASURES, resamples=100, seed=1)["exact"]
    assert (found.value, found.low, found.high) == (0.5, None, None)


def test_two_detectors_are_compared_on_the_same_draws() -> None:
    groups = np.arange(100, dtype=np.intp)
    better = table(*[("a", "a"), ("b", "a"), ("a", "a"), ("a", "a")] * 25)
    theirs, ours = by_group(HALF, groups), by_group(better, groups)
    same = differences(theirs, theirs, SET_MEASURES, resamples=200, seed=1)["exact"]
    gain = differences(ours, theirs, SET_MEASURES, resamples=200, seed=1)["exact"]
    assert (same.value, same.low, same.high) == (0, 0, 0)
    assert gain.value == 0.25
    assert gain.low is not None
    assert gain.low > 0.15


def test_an_interval_covers_the_truth_about_95_times_in_100() -> None:
    generator, covered = np.random.default_rng(3), 0
    for seed in range(100):
        truth = generator.random(60) < 0.7
        rows = table(*[("a" if right else "b", "a") for right in truth])
        low, high = drawn(rows, list(range(60)), seed)
        covered += low <= 0.7 <= high
    assert 88 <= covered <= 100


# ── calibration ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_comes_true_as_often_as_was_said_has_no_error() -> None:
    found = bins(np.array([0.8] * 5 + [0.2] * 5), np.array([True] * 4 + [False] * 5 + [True]))
    assert expected_error(found) == pytest.approx(0)
    assert [each.count for each in found] == [5, 5]


def test_the_error_is_the_mean_gap_weighed_by_count() -> None:
    found = bins(np.array([0.9, 0.9, 0.9, 0.1]), np.array([True, False, False, True]))
    assert expected_error(found) == pytest.approx(3 / 4 * abs(0.9 - 1 / 3) + 1 / 4 * 0.9)


def test_the_ends_of_the_scale_have_their_bins() -> None:
    found = bins(np.array([0.0, 1.0, 1 / 15]), np.array([False, True, False]))
    assert [(each.count, each.was) for each in found] == [(2, 0), (1, 1)]
    assert expected_error(()) is None
