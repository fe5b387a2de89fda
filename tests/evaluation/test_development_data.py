"""On the development data the harness gives the baselines that were measured without it, on all of each corpus.

The halves here are not the whole, hence the tolerances.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from earwitness.loading.end_settings import EndSettings
from earwitness.loading.strategies import Strategies
from earwitness.records.moment import Moment, Perceived, Presence
from earwitness_plugins.applications.evaluation.data import DataFile
from earwitness_plugins.applications.evaluation.detector_spec import DetectorSpec, detector_specs
from earwitness_plugins.applications.evaluation.evaluate import data_of, evaluate
from earwitness_plugins.applications.evaluation.run import Run, Task


class Spoke:
    """Whoever spoke in the last n messages hears it, and is meant by it."""

    def __init__(self, *, n: int) -> None:
        self.n = n

    def detect(self, moment: Moment) -> Presence:
        there = Perceived(probability=0.9, role="addressee")
        lately = {message.speaker for message in moment.recent[-self.n :]} - {moment.message.speaker, "narrator"}
        return Presence(characters=dict.fromkeys(lately, there))


def measured(
    task: Task, files: list[Path], detector: str, directions: str = "shown", **asked: str
) -> dict[str, float | None]:
    """What the harness says of one detector, on all of the files."""
    strategies = Strategies()
    strategies.register("detector", "spoke", Spoke)
    found: tuple[DetectorSpec, ...] = detector_specs(detector, strategies, EndSettings())
    data = tuple(DataFile(path=str(file)) for file in files)
    given = {"task": task, "detectors": found, "data": data, "directions": directions, "resamples": 0}
    run = Run.model_validate({**given, **asked})
    report = asyncio.run(evaluate(run, data_of(run, strategies), strategies))
    (scores,) = report.results[0].scores.values()
    return {name: each.value for name, each in scores.values.items()}


def test_everyone_on_fantom_is_what_a_count_of_the_file_says(development_data: Path) -> None:
    file = development_data / "participants" / "fantom.jsonl"
    scenes = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    pairs = [({*each["roster"]}, {*message["present"]}) for each in scenes for message in each["messages"]]
    found = measured("participants", [file], "everyone")
    assert found["exact"] == pytest.approx(sum(roster == present for roster, present in pairs) / len(pairs))
    assert found["leak"] == pytest.approx(sum(bool(roster - present) for roster, present in pairs) / len(pairs))
    right, told = (sum(len(each) for each in counted) for counted in zip(*((r & p, r) for r, p in pairs), strict=True))
    assert found["precision"] == pytest.approx(right / told)


@pytest.mark.parametrize(
    ("n", "f1", "exact", "leak"), [(24, 0.960, 0.792, 0.139), (2, 0.925, 0.673, 0.010), (4, 0.969, 0.853, 0.043)]
)
def test_who_spoke_lately_on_fantom(n: int, f1: float, exact: float, leak: float, development_data: Path) -> None:
    found = measured("participants", [development_data / "participants" / "fantom.jsonl"], f"spoke(n={n})")
    assert (found["f1"], found["exact"], found["leak"]) == pytest.approx((f1, exact, leak), abs=0.02)


def test_everyone_on_tomi(development_data: Path) -> None:
    found = measured("participants", [development_data / "participants" / "tomi.jsonl"], "everyone")
    assert (found["f1"], found["exact"], found["leak"]) == pytest.approx((0.747, 0.215, 0.785), abs=0.02)


def test_speakers_of_the_last_five_as_addressees(development_data: Path) -> None:
    found = measured("addressees", sorted((development_data / "addressees").glob("*.jsonl")), "spoke(n=5)")
    assert (found["f1"], found["exact"]) == pytest.approx((0.709, 0.558), abs=0.03)


@pytest.fixture(scope="module")
def some_facts(development_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The questions about every third scene of FANToM, beside their scenes."""
    folder = tmp_path_factory.mktemp("fantom")
    for kind in ("participants", "knowledge"):
        rows = (development_data / kind / "fantom.jsonl").read_text("utf-8").splitlines()
        scenes = sorted({json.loads(row)["scene"] for row in rows})[2::3]
        kept = [row for row in rows if json.loads(row)["scene"] in scenes]
        (folder / kind).mkdir()
        (folder / kind / "fantom.jsonl").write_text("".join(f"{row}\n" for row in kept), "utf-8")
    return folder / "knowledge" / "fantom.jsonl"


@pytest.mark.parametrize("by", ["containers", "who_knows"])
def test_who_knows_a_fact_of_fantom(some_facts: Path, by: str) -> None:
    """By what END has brought about; on all scenes, gold presence with plain word search gives .821 and .794."""
    found = measured("knowledge", [some_facts], "rules", by=by)
    assert (found["balanced_accuracy"] or 0) >= 0.92
    assert (found["list_exact"] or 0) >= 0.93


@pytest.mark.parametrize(
    ("directions", "f1", "exact", "leak"), [("shown", 0.945, 0.74, 0.20), ("hidden", 0.748, 0.20, 0.295)]
)
def test_two_plays_are_understood_as_well_as_they_were(
    directions: str, f1: float, exact: float, leak: float, development_data: Path
) -> None:
    folder = development_data / "participants" / "shakespeare"
    plays = [folder / "the-tempest.jsonl", folder / "a-midsummer-nights-dream.jsonl"]
    found = measured("participants", plays, "rules", directions)
    assert (found["f1"] or 0) >= f1
    assert (found["exact"] or 0) >= exact
    assert found["leak"] is not None
    assert found["leak"] <= leak
