"""`earwitness detect` writes answers, and `earwitness fit` writes settings."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from earwitness.loading.settings import Settings

from .command_results import failed, scores
from .conftest import EVENING, NEXT, QUOTATIONS, Run, answer, lines

DEAF = """
from earwitness import Presence

class ToBen:
    def detect(self, moment):
        if moment.message.speaker == "ben":
            raise ValueError("no Ben.")
        return Presence.only(moment.message.speaker)

class ToAll:
    def detect(self, moment):
        raise ValueError("nobody")
"""


# ── detect ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def answered(result: Result) -> list[Any]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_detect_writes_a_line_a_scored_message(run: Run, evening: str) -> None:
    found = answered(run("detect", evening, "--detector", "mine.LastFew"))
    assert [(each["scene"], each["i"]) for each in found] == [
        *(("1-0", n) for n in (1, 2, 4, 5, 6, 8)),
        ("2-0", 0),
        ("2-0", 1),
    ]
    assert found[1] == {
        "dataset": "tavern",
        "scene": "1-0",
        "i": 2,
        "present": ["Ann", "Ben"],
        "probability": {"Ann": 0.8, "Ben": 1.0, "Old Tom": 0.0},
    }


@pytest.mark.parametrize("directions", ["shown", "hidden"])
def test_what_detect_writes_scores_as_evaluate_says(directions: str, run: Run, evening: str) -> None:
    words = (evening, "--detector", "mine.LastFew", "--directions", directions)
    said = scores(answer(run("evaluate", "participants", *words, "--json")), "mine.LastFew")
    gold = {(each["scene"], i): row for each in (EVENING, NEXT) for i, row in enumerate(each["messages"])}
    pairs = [
        ({*each["present"]}, {*gold[each["scene"], each["i"]]["present"]})
        for each in answered(run("detect", *words))
        if not gold[each["scene"], each["i"]].get("aside")
    ]
    assert said["exact"] == pytest.approx(sum(got == true for got, true in pairs) / len(pairs))
    assert said["leak"] == pytest.approx(sum(bool(got - true) for got, true in pairs) / len(pairs))
    assert said["miss"] == pytest.approx(sum(bool(true - got) for got, true in pairs) / len(pairs))
    names = [
        sum(len(each) for each in kind) for kind in zip(*((got & true, got, true) for got, true in pairs), strict=False)
    ]
    assert said["f1"] == pytest.approx(2 * names[0] / (names[1] + names[2]))


def test_detect_counts_the_file_when_narration_is_hidden(run: Run, evening: str) -> None:
    found = answered(run("detect", evening, "--directions", "hidden"))
    assert [each["i"] for each in found][:6] == [1, 2, 4, 5, 6, 8]


def test_an_aside_is_the_speakers_alone(run: Run, evening: str) -> None:
    (aside,) = [each for each in answered(run("detect", evening)) if (each["scene"], each["i"]) == ("1-0", 6)]
    assert aside["present"] == ["Ann"]


def test_caution_is_another_word_for_the_threshold(run: Run, evening: str) -> None:
    words = ("detect", evening, "--detector", "mine.LastFew")
    assert answered(run(*words, "--caution", "0.95")) == answered(run(*words, "--threshold", "0.884"))
    assert answered(run(*words, "--caution", "0.95")) != answered(run(*words))
    failed(run(*words, "--caution", "0.9", "--threshold", "0.5"), "--caution and --threshold set the same probability")


def test_labels_change_no_answer(run: Run, evening: str, folder: Path) -> None:
    told = answered(run("detect", evening))
    bare = [
        {**scene, "messages": [{**each, "present": each["present"] and []} for each in scene["messages"]]}
        for scene in (EVENING, NEXT)
    ]
    assert answered(run("detect", lines(folder, "bare.jsonl", *bare))) == told


def test_detect_reads_quotations(run: Run, folder: Path) -> None:
    unlabelled = [{key: value for key, value in each.items() if key != "addressees"} for each in QUOTATIONS]
    novel = lines(folder, "novel.jsonl", *unlabelled)
    found = answered(run("detect", "--task", "addressees", novel, "--detector", "mine.LastFew"))
    assert found == [
        {"quote": "Q0", "addressees": []},
        {"quote": "Q1", "addressees": ["Ann"]},
        {"quote": "Q2", "addressees": ["Ann", "Ben"]},
    ]


def test_detect_writes_to_a_file(run: Run, evening: str) -> None:
    assert answer(run("detect", evening, "--output", "out.jsonl", "--json")) == {"lines": 8, "output": "out.jsonl"}
    assert len(Path("out.jsonl").read_text().splitlines()) == 8


def test_detect_says_how_often_a_detector_failed(
    run: Run, evening: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file holds 11 messages, narration included; Ben says two of them by himself."""
    (folder / "deaf.py").write_text(DEAF, "utf-8")
    monkeypatch.syspath_prepend(str(folder))
    some = run("detect", evening, "--detector", "deaf.ToBen")
    assert some.exit_code == 0
    assert "Warning: detector:deaf.ToBen failed on 2 of 11 messages; first failure: ValueError: no Ben." in some.stderr
    every = run("detect", evening, "--detector", "deaf.ToAll")
    assert every.exit_code == 1
    assert "failed on 11 of 11 messages" in every.stderr
    assert len(every.stdout.splitlines()) == 8
    assert run("detect", evening).stderr == ""


# ── fit ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_fitted_settings_are_a_file_for_evaluate_and_for_stories(run: Run, folder: Path) -> None:
    """Three take turns and hear everything: who looks back less than two messages misses somebody."""
    roster = ["Ann", "Ben", "Cat"]
    rounds = [
        speech
        for n in range(4)
        for speech in [{"kind": "speech", "speaker": name, "text": f"{n}", "present": roster} for name in roster]
    ]
    data = lines(
        folder, "r.jsonl", *({"dataset": "r", "scene": f"{n}", "roster": roster, "messages": rounds} for n in range(10))
    )
    done = answer(run("fit", "mine.LastFew(n=1)", data, "--output", "fitted.toml", "--threshold", "--json"))
    assert done["fitted"]["best"]["values"]["n"] >= 2
    assert done["after"]["r"] > done["before"]["r"] == 0
    settings = Settings.load("fitted.toml")
    assert settings.detector is not None
    assert settings.detector.settings == {"n": done["fitted"]["best"]["values"]["n"]}
    assert settings.end.threshold == done["fitted"]["best"]["values"]["end.threshold"]
    report = answer(run("evaluate", "participants", data, "--detector", "mine.LastFew@fitted.toml", "--json"))
    assert scores(report, "mine.LastFew@fitted.toml", "r")["exact"] == pytest.approx(10 / 12)


def test_fit_says_what_changed_and_what_it_is_worth_elsewhere(run: Run, evening: str) -> None:
    result = run("fit", "mine.LastFew", evening, "--holdout", "0", "--goal", "leak")
    assert result.exit_code == 0, result.output
    assert "n: 2 → " in result.stdout
    assert "expect less on data it has not seen" in result.stdout
    assert "mine.LastFew@fitted.toml" in result.stdout


ASKING = """
from earwitness import Presence

class Asking:
    def __init__(self, *, api_key: str) -> None:
        self.api_key = api_key

    def detect(self, moment):
        raise ConnectionError(f"401: {self.api_key} is refused")
"""


def test_a_secret_of_a_detector_is_in_no_report_and_must_be_given_again(run: Run, folder: Path, evening: str) -> None:
    (folder / "asking_of_the_evaluation.py").write_text(ASKING, "utf-8")
    detector = 'asking_of_the_evaluation.Asking(api_key="sk-planted-4711")'
    result = run("evaluate", "participants", evening, "--detector", detector, "--report", "report.json")
    assert result.exit_code == 1, result.output
    said = result.output + (folder / "report.json").read_text("utf-8")
    assert "4711" not in said
    assert "Asking(api_key=" in said
    failed(run("evaluate", "--repeat", "report.json"), "setting api_key was masked when it was recorded")


@pytest.mark.parametrize(
    "words", [("detect", "--output"), ("fit", "mine.LastFew", "--output"), ("evaluate", "participants", "--report")]
)
def test_no_result_is_written_over_a_store(words: tuple[str, ...], run: Run, evening: str, tmp_path: Path) -> None:
    store = tmp_path / "story.db"
    store.write_bytes(b"SQLite format 3\0")
    failed(run(*words[:-1], evening, words[-1], str(store)), "is never overwritten")
    assert store.stat().st_size == 16
