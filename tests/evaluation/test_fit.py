"""The search for a detector's numbers: within its ranges, within its budget, the same with the same seed."""

from typing import Any

import pytest

from earwitness.errors import InputError
from earwitness_plugins.applications.evaluation.compass_search import (
    THRESHOLD,
    SearchResult,
    Values,
    merged,
    nested,
    ranges,
    search,
)
from earwitness_plugins.applications.evaluation.fit import split
from earwitness_plugins.detectors.vote import Vote

from .conftest import scene


class Adjustable:
    def __init__(self, **settings: Any) -> None:
        self.fittable = settings.pop("fittable")
        for name, value in settings.items():
            setattr(self, name, value)


async def found(peak: Values, *, evaluations: int = 200, **detector: Any) -> tuple[SearchResult, list[Values]]:
    tried: list[Values] = []

    async def goal(values: Values) -> float:
        tried.append(values)
        return -sum(abs(values[name] - best) for name, best in peak.items())

    wanted = ranges(Adjustable(**detector), "mine", threshold=None)
    return await search(wanted, goal, evaluations=evaluations, seed=1), tried


async def test_it_finds_the_top_of_a_hill() -> None:
    peak: Values = {"n": 7, "sure": 0.31}
    fitted, _ = await found(peak, n=1, sure=0.9, fittable={"n": (1, 10), "sure": (0.0, 1.0)})
    assert fitted.best.values["n"] == 7
    assert fitted.best.values["sure"] == pytest.approx(0.31, abs=0.02)
    assert fitted.best.goal > fitted.start.goal


async def test_whole_numbers_stay_whole_and_nothing_leaves_its_range() -> None:
    _, tried = await found({"n": 99, "sure": -3}, n=2, sure=0.5, fittable={"n": (1, 6), "sure": (0.2, 0.8)})
    assert all(isinstance(each["n"], int) and 1 <= each["n"] <= 6 for each in tried)
    assert all(0.2 <= each["sure"] <= 0.8 for each in tried)


async def test_a_number_with_a_fraction_keeps_it_between_whole_ends() -> None:
    fitted, _ = await found({"sure": 0.4}, sure=0.5, fittable={"sure": (0, 1)})
    assert fitted.best.values["sure"] == pytest.approx(0.4, abs=0.02)


async def test_it_begins_where_the_detector_stands_or_in_the_middle() -> None:
    fittable = {"n": (1, 9), "unknown": (0.0, 1.0), "beliefs.lively": (0.0, 1.0)}
    _, tried = await found({}, n=3, beliefs=Adjustable(fittable=None, lively=0.7), fittable=fittable)
    assert tried[0] == {"n": 3, "unknown": 0.5, "beliefs.lively": 0.7}


async def test_it_keeps_to_its_budget_and_asks_nothing_twice() -> None:
    fitted, tried = await found({"a": 0.123, "b": 0.456}, evaluations=9, fittable={"a": (0.0, 1.0), "b": (0.0, 1.0)})
    assert len(tried) == fitted.tried == 9
    assert len({tuple(each.items()) for each in tried}) == 9


async def test_the_same_seed_tries_the_same() -> None:
    detector = {"fittable": {"a": (0.0, 1.0), "b": (0.0, 1.0), "c": (0, 9)}}
    assert (await found({"a": 0.2}, **detector))[1] == (await found({"a": 0.2}, **detector))[1]


def test_ends_threshold_can_be_fitted_too() -> None:
    (only,) = ranges(object(), "mine", threshold=0.4)
    assert (only.name, only.start) == (THRESHOLD, 0.4)


@pytest.mark.parametrize("wrong", [(1,), (2, 1), "ab", None, (True, False), (0.5, 0.5)])
def test_a_range_that_is_none_is_named(wrong: Any) -> None:
    with pytest.raises(InputError, match=r"fittable\['n'\] = .* must be two numbers"):
        ranges(Adjustable(fittable={"n": wrong}), "mine", threshold=None)


def test_a_detector_without_numbers_is_told_how_to_declare_them() -> None:
    with pytest.raises(InputError, match=r"fittable = \{"):
        ranges(object(), "mine", threshold=None)


def test_a_dot_leads_into_a_table() -> None:
    assert nested({"n": 3, "beliefs.lively": 0.7, THRESHOLD: 0.4}) == {"n": 3, "beliefs": {"lively": 0.7}}
    assert merged({"beliefs": {"low": 0.1, "lively": 0.5}}, {"beliefs": {"lively": 0.7}}) == {
        "beliefs": {"low": 0.1, "lively": 0.7}
    }


def test_scenes_that_belong_together_are_fitted_on_or_held_out_together() -> None:
    scenes = [scene(("Ann", "x")).model_copy(update={"name": f"{n}", "group": f"{n // 3}"}) for n in range(30)]
    fitting, held = split(scenes, 0.2, seed=1)
    assert len(held) == 6
    assert len(fitting) == 24
    assert {each.group for each in held}.isdisjoint({each.group for each in fitting})
    assert split(scenes, 0.0, seed=1) == (scenes, [])


def test_the_vote_is_fitted_from_its_own_weights() -> None:
    starts = {each.name: each.start for each in ranges(Vote(), "vote", threshold=None)}
    assert starts == {"voters.rules.weight": 2, "voters.recent_speakers.weight": 1, "slope": 1, "intercept": 0}
