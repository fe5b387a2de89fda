"""From messages to scores: which are scored, how they are sorted, and what moves with the threshold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from earwitness.records.message import Participant
from earwitness_plugins.applications.evaluation.detector_spec import DetectorSpec
from earwitness_plugins.applications.evaluation.mistakes import ranked, worst_of
from earwitness_plugins.applications.evaluation.participants import row, scored_positions
from earwitness_plugins.applications.evaluation.run import Run
from earwitness_plugins.applications.evaluation.scene_judge import JudgedMessage
from earwitness_plugins.applications.evaluation.scores import by_dataset, by_present, parts
from earwitness_plugins.applications.evaluation.sheet import ScoredMessage, Sheet
from earwitness_plugins.importers.labelled import LabelledLine, LabelledScene

RUN = Run(task="participants", detectors=(DetectorSpec(label="d", name="d"),), data=(), resamples=50)


def said(
    true: str, predicted: str, *, p: Iterable[float] = (), data: str = "x", group: str = "g", **more: Any
) -> ScoredMessage:
    """Ann speaks; of the others a letter each, with a probability each of b, c, d."""
    return ScoredMessage(
        dataset=data,
        scene=group,
        group=group,
        index=0,
        roster=("a", "b", "c", "d"),
        certain=frozenset("a"),
        true=frozenset(true),
        predicted=frozenset(predicted),
        probability=dict(zip("bcd", p, strict=False)),
        **more,
    )


def test_asides_are_scored_apart() -> None:
    rows = [said("ab", "ab"), said("a", "abc", aside=True), said("a", "a", aside=True)]
    assert len(Sheet.of(rows)) == 1
    assert [each.leaks for each in rows] == [True, True, False]


def test_messages_are_counted_by_how_many_were_there_and_where_somebody_is_absent() -> None:
    sheet = Sheet.of([said("ab", "ab"), said("abc", "ab"), said("abcd", "abcd")])
    assert {size: scores.units for size, scores in by_present(sheet, RUN)["x"].items()} == {"2": 1, "3": 1, "4": 1}
    assert len(sheet.where(sheet.absent)) == 2


def test_several_data_sets_are_scored_each_and_together() -> None:
    sheet = Sheet.of([said("ab", "ab"), said("ab", "a", data="y"), said("ab", "ab", data="y")])
    found = by_dataset(sheet, RUN)
    assert {name: scores.values["exact"].value for name, scores in found.items()} == {
        "x": 1,
        "y": 0.5,
        "all": pytest.approx(2 / 3),
    }
    assert list(parts(Sheet.of([said("a", "a")]))) == ["x"]


def test_scenes_of_the_same_name_in_two_data_sets_are_two_groups() -> None:
    assert len(Sheet.of([said("a", "a"), said("a", "a", data="y")]).by_group) == 2


def test_the_speaker_is_left_out_of_calibration() -> None:
    (found,) = Sheet.of([said("abcd", "abcd", p=(0.9, 0.9, 0.9))]).calibration
    assert (found.count, found.was) == (3, 1.0)


def test_leak_and_miss_move_with_the_threshold_as_if_everything_were_scored_again() -> None:
    rows = [said("ab", "a", p=(0.7, 0.2, 0.5)), said("acd", "a", p=(0.5, 0.5)), said("a", "a", p=(0.01, 1.0, 0.3))]
    for threshold, leak, miss in Sheet.of(rows).curve():
        heard = [{"a", *(name for name, p in each.probability.items() if p >= threshold)} for each in rows]
        assert leak == pytest.approx(sum(bool(got - each.true) for got, each in zip(heard, rows, strict=True)) / 3)
        assert miss == pytest.approx(sum(bool(each.true - got) for got, each in zip(heard, rows, strict=True)) / 3)


# ── labels ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def told(*made: LabelledLine, roster: tuple[str, ...] = ("Ann", "Ben")) -> LabelledScene:
    return LabelledScene(id="s", roster=roster, lines=made, dataset="x", name="s", group="s")


def heard(index: int, *names: str, speaker: str = "Ann") -> JudgedMessage:
    believed = {name: Participant(role="present", confidence=0.9, evidence=("spoke lately",)) for name in names}
    return JudgedMessage(index, f"line {index}", (speaker,), believed, frozenset(names), 0.0, None)


def test_a_message_without_a_label_is_not_scored() -> None:
    assert row(told(LabelledLine(speaker="Ann", text="x")), heard(0, "Ann")) is None


def test_scores_are_on_the_roster() -> None:
    scene = told(LabelledLine(speaker="Zoe", text="x", present=("Ann", "Zoe")))
    found = row(scene, heard(0, "Zoe", "Ben", speaker="Zoe"))
    assert found is not None
    assert (found.true, found.predicted, found.certain) == ({"Ann"}, {"Ben"}, set())


def test_nobody_but_the_speaker_may_hear_an_aside_whoever_is_there() -> None:
    scene = told(LabelledLine(speaker="Ann", text="x", present=("Ann", "Ben"), aside=True))
    found = row(scene, heard(0, "Ann", "Ben"))
    assert found is not None
    assert found.true == {"Ann"}
    assert found.leaks


def test_detect_answers_what_is_judged_and_everything_where_nothing_is() -> None:
    judged = LabelledLine(speaker="Ann", text="x", present=("Ann",))
    left_out = LabelledLine(speaker=None, text="y", judged=False)
    assert list(scored_positions([told(left_out, judged), told(left_out)])) == [(0, 1)]
    assert list(scored_positions([told(left_out), told(left_out, left_out)])) == [(0, 0), (1, 0), (1, 1)]


# ── the worst scenes ────────────────────────────────────────────────────────────────────────────────────────────────


def played(predicted: list[tuple[str, ...]]) -> list[tuple[ScoredMessage, JudgedMessage]]:
    scene = told(*[LabelledLine(speaker="Ann", text=f"line {n}", present=("Ann",)) for n in range(len(predicted))])
    everything = [heard(n, *names) for n, names in enumerate(predicted)]
    return [(found, each) for each in everything if (found := row(scene, each))]


def test_a_scene_tells_its_longest_run_of_mistakes_and_why() -> None:
    pairs = played([("Ann",), ("Ann", "Ben"), ("Ann", "Ben"), ("Ann",), ("Ann", "Ben")])
    worst = worst_of(pairs, [judged for _, judged in pairs])
    assert (worst.messages, worst.exact, worst.wrong) == (5, 2, 3)
    first, second = worst.runs
    assert (first.character, first.kind, first.messages, first.index) == ("Ben", "leak", 2, 1)
    assert (first.text, first.before, first.probability) == ("line 1", "line 0", 0.9)
    assert first.evidence == ("spoke lately",)
    assert (second.messages, second.index) == (1, 4)


def test_scenes_are_ranked_by_mistakes_a_message_and_short_ones_do_not_top_the_list() -> None:
    def scene(*wrong: bool) -> Any:
        pairs = played([("Ann", "Ben") if each else ("Ann",) for each in wrong])
        return worst_of(pairs, [judged for _, judged in pairs])

    short, perfect = scene(True), scene(*[False] * 9)
    bad, worse = scene(True, *[False] * 5), scene(*[True] * 4, False, False)
    assert ranked([short, perfect, bad, worse], 5) == (worse, short, bad)
    assert ranked([bad, worse], 1) == (worse,)
