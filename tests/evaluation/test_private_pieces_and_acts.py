"""Labels of pieces and of comings and goings are scored: what leaks, what is read, what is invented."""

import json
from pathlib import Path

import pytest

from earwitness_plugins.applications.evaluation.privacy import perceives

from .command_results import failed
from .conftest import Run, answer

ROSTER = ["Ann", "Ben", "Tom"]


def scene(path: Path, *messages: dict[str, object]) -> str:
    rows = [{"kind": "speech", **each} for each in messages]
    path.write_text(json.dumps({"dataset": "inn", "scene": "1", "roster": ROSTER, "messages": rows}) + "\n", "utf-8")
    return str(path)


@pytest.fixture
def inn(tmp_path: Path) -> str:
    whisper = {"text": "(whispers to Ben) The cellar is open.", "present": ["Ann", "Ben"]}
    return scene(
        tmp_path / "inn.jsonl",
        {"speaker": "Ann", "text": "Evening, all.", "present": ROSTER},
        {
            "speaker": "Ann",
            "text": "Drink up. (whispers to Ben) The cellar is open.",
            "present": ROSTER,
            "parts": [whisper],
        },
        {"speaker": "Tom", "text": "I am off.", "present": ROSTER, "acts": [{"who": "Tom", "act": "leaves"}]},
        {"speaker": "Ben", "text": "Let us look, then.", "present": ["Ann", "Ben"]},
        {"speaker": "Ann", "text": "Shh.", "present": ["Ann", "Ben"]},
        {"speaker": "Tom", "text": "Me again.", "present": ROSTER, "acts": [{"who": "Tom", "act": "returns"}]},
        {"speaker": "Ben", "text": "Ah.", "present": ROSTER},
        {"speaker": "Tom", "text": "Odd, those two.", "present": ["Tom"]},
    )


def test_everyone_leaks_the_whisper_and_reads_no_leaving(run: Run, inn: str) -> None:
    (result,) = answer(run("evaluate", "participants", inn, "--detector", "everyone", "--json"))["results"]
    assert result["privacy"] == {"pieces": 1, "leaked": 1, "missed": 0, "alone": 1, "alone_leaked": 1}
    assert {key: result["acts"][key] for key in ("leavings", "leavings_read", "comings", "comings_read")} == {
        "leavings": 1,
        "leavings_read": 0,
        "comings": 1,
        "comings_read": 1,
    }


def test_rules_keep_the_whisper_and_read_the_leaving(run: Run, inn: str) -> None:
    result = run("evaluate", "participants", inn, "--detector", "rules")
    assert "Private pieces that rules lets others perceive: 0 of 1 (0.0%)" in " ".join(result.stdout.split())
    assert "leavings 1 of 1" in " ".join(result.stdout.split())


def test_a_detector_that_hears_nobody_misses_the_whisper_and_invents_nothing_new(run: Run, inn: str) -> None:
    Path("alone.py").write_text(
        "from earwitness import Presence\n\n\nclass Alone:\n    def detect(self, moment):\n"
        "        return Presence.only(moment.message.speaker)\n",
        "utf-8",
    )
    (result,) = answer(run("evaluate", "participants", inn, "--detector", "alone.Alone", "--json"))["results"]
    assert (result["privacy"]["leaked"], result["privacy"]["missed"]) == (0, 1)
    assert (result["acts"]["leavings_read"], result["acts"]["comings_read"]) == (1, 0)
    assert result["acts"]["invented"] == 0


def test_an_act_that_is_none_is_refused_with_those_there_are(run: Run, tmp_path: Path) -> None:
    path = scene(
        tmp_path / "odd.jsonl",
        {"speaker": "Ann", "text": "Hm.", "present": ROSTER, "acts": [{"who": "Ann", "act": "dances"}]},
    )
    failed(run("evaluate", "participants", path), "act 'dances' is not known. Acts: arrives, returns, wakes, leaves")


@pytest.mark.parametrize(
    ("heard", "piece", "much"),
    [
        ("Drink up.", "The cellar is open.", False),
        ("Drink up. The cellar is open.", "The cellar is open.", True),
        ("Drink up. The cellar is", "(softly) The cellar is open.", True),
        ("", "Hm.", False),
    ],
)
def test_who_perceives_a_run_of_half_a_piece_perceives_it(heard: str, piece: str, much: bool) -> None:
    assert perceives(heard, piece) is much


def test_a_scene_that_says_who_is_there_at_first_tells_the_detector(run: Run, tmp_path: Path) -> None:
    messages = [{"kind": "speech", "speaker": "Ann", "text": "The cellar is open.", "present": ["Ann", "Ben"]}]
    row = {"dataset": "inn", "scene": "1", "roster": ROSTER, "messages": messages}
    exact = []
    for name, more in (("silent", {}), ("said", {"present": ["Ann", "Ben"]})):
        path = tmp_path / f"{name}.jsonl"
        path.write_text(json.dumps({**row, **more}) + "\n", "utf-8")
        (result,) = answer(run("evaluate", "participants", str(path), "--detector", "rules", "--json"))["results"]
        exact.append(result["scores"]["inn"]["values"]["exact"]["value"])
    assert exact == [0, 1]
    path.write_text(json.dumps({**row, "present": ["Zed"]}) + "\n", "utf-8")
    failed(run("evaluate", "participants", str(path)), "'present' has 'Zed', who is not in the roster")
