"""A tavern evening with labels, in the formats that evaluation reads; and the command line in an empty folder."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from earwitness_plugins.importers.labelled import LabelledLine, LabelledScene
from earwitness_plugins.terminal.group import group

Run = Callable[..., Result]

ALL = ["Ann", "Ben", "Old Tom"]


def speech(speaker: str | None, text: str, present: list[str], **more: Any) -> dict[str, Any]:
    return {"kind": "speech", "speaker": speaker, "text": text, "present": present, **more}


def narration(text: str) -> dict[str, Any]:
    return {"kind": "narration", "speaker": None, "text": text, "present": None}


EVENING: dict[str, Any] = {
    "dataset": "tavern",
    "scene": "1-0",
    "roster": ALL,
    "messages": [
        narration("Enter Ann and Ben."),
        speech("Ann", "Nobody here yet.", ["Ann", "Ben"]),
        speech("Ben", "Good.", ["Ann", "Ben"], marked="(quietly) Good."),
        narration("Enter Old Tom."),
        speech("Old Tom", "Good evening.", ALL),
        speech(None, "Evening!", ALL, speakers=["Ann", "Ben"]),
        speech("Ann", "Fool.", ALL, marked="(aside) Fool.", aside=True),
        narration("Ben exits."),
        speech("Ann", "The key is under the barrel.", ["Ann", "Old Tom"]),
    ],
}
NEXT: dict[str, Any] = {
    "dataset": "tavern",
    "scene": "2-0",
    "roster": ["Ann", "Ben"],
    "messages": [speech("Ben", "I am alone.", ["Ben"]), speech("Ann", "Not any more.", ["Ann", "Ben"])],
}
ASKED = {"dataset": "tavern", "scene": "1-0", "fact": "Where is the key? Under the barrel."}
QUESTIONS: list[dict[str, Any]] = [
    {**ASKED, "task": "knows", "question": "Where is the key?", "character": "Ben", "knows": False},
    {**ASKED, "task": "knows", "question": "Where is the key?", "character": "Old Tom", "knows": True},
    {**ASKED, "task": "knowers", "roster": ALL, "knowers": ["Ann", "Old Tom"]},
]


def turn(character: str, before: object, evidence: object) -> dict[str, Any]:
    return {
        **{k: ASKED[k] for k in ("dataset", "scene")},
        "character": character,
        "before": before,
        "evidence": evidence,
    }


def quotation(quote: str, text: str, speaker: str, *addressees: str) -> dict[str, Any]:
    return {"quote": quote, "text": text, "spans": [[0, 9]], "speaker": speaker, "addressees": addressees, "type": "x"}


QUOTATIONS: list[dict[str, Any]] = [
    quotation("Q0", "Is it far, Ben?", "Ann", "Ben"),
    quotation("Q1", "A mile.", "Ben", "Ann"),
    quotation("Q2", "Walk, both of you.", "Old Tom", "Ann", "Ben"),
]
CONVERSATION: dict[str, Any] = {
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Ben",
        "session_1_date_time": "1 May",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "I bought a canoe."},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "Lovely weather today."},
        ],
        "session_2_date_time": "8 May",
        "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "My sister plays the cello."}],
    },
    "qa": [
        {"question": "What does Ben's sister play?", "answer": "cello", "evidence": ["D2:1"], "category": 1},
        {"question": "What did Ann buy?", "answer": "a canoe", "evidence": ["D1:1; D1:2"], "category": 2},
        {"question": "Who knows?", "answer": "nobody", "evidence": [], "category": 5},
    ],
}
DETECTORS = '''
"""Detectors of a researcher."""

from earwitness import Moment, Perceived, Presence


class LastFew:
    """Whoever spoke in the last few messages was there."""

    fittable = {"n": (1, 8)}

    def __init__(self, *, n: int = 2) -> None:
        self.n = n

    def detect(self, moment: Moment) -> Presence:
        lately = {message.speaker for message in moment.recent[-self.n :]}
        there = Perceived(probability=0.8, role="addressee", evidence=("spoke lately",))
        return Presence(characters=dict.fromkeys(lately - {moment.message.speaker}, there))
'''


def lines(folder: Path, name: str, *rows: object) -> str:
    """A JSON Lines file."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return str(file)


def scene(*said: tuple[str | None, str], roster: tuple[str, ...] = ("Ann", "Ben", "Cat"), **more: Any) -> LabelledScene:
    """A scene of (speaker, text), without labels."""
    told = tuple(LabelledLine(speaker=who, text=text, narration=who is None) for who, text in said)
    return LabelledScene(id="s", roster=roster, lines=told, dataset="made", name="s", group="s", **more)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder, which is the current one; modules in it can be named."""
    for name in ("EARWITNESS_STORE", "EARWITNESS_SETTINGS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "mine.py").write_text(DETECTORS, "utf-8")
    yield tmp_path
    sys.modules.pop("mine", None)


@pytest.fixture
def evening(folder: Path) -> str:
    """Two scenes of one data set, in a file."""
    return lines(folder, "participants/tavern.jsonl", EVENING, NEXT)


@pytest.fixture
def run(folder: Path) -> Run:
    """Run `earwitness` with these words."""

    def invoke(*words: str) -> Result:
        return CliRunner().invoke(group, words, prog_name="earwitness")

    return invoke


def answer(result: Result) -> Any:
    """The one JSON value that was printed."""
    assert result.exit_code == 0, result.output
    (line,) = result.stdout.splitlines()
    return json.loads(line)
