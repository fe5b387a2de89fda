"""CRD3 episodes and plain text."""

import json
from pathlib import Path
from typing import Any

import pytest

from earwitness.errors import StoryError
from earwitness.imports import Scene, SceneLine
from earwitness.protocols import Importer
from earwitness_plugins.importers.crd3 import Crd3Importer
from earwitness_plugins.importers.text import TextImporter

from .making import file

TURNS: list[dict[str, Any]] = [
    {"NAMES": ["ANN"], "UTTERANCES": ["Hello", "everybody."], "NUMBER": 0},
    {"NAMES": ["BEN", "CAT"], "UTTERANCES": ["Hi!"], "NUMBER": 1},
    {"NAMES": ["ALL - ANN"], "UTTERANCES": ["(laughter)"], "NUMBER": 2},
]


def episode(folder: Path, value: object) -> Scene:
    path = file(folder, "night.json", json.dumps(value))
    importer = Crd3Importer()
    assert isinstance(importer, Importer)
    assert importer.accepts(path, Path(path).read_bytes()[:4096])
    (scene,) = importer.read(path).scenes
    return scene


CHUNKS = [{"CHUNK": "a", "TURNS": TURNS[:2]}, {"CHUNK": "b", "TURNS": TURNS[1:]}]


@pytest.mark.parametrize("value", [TURNS, {"METADATA": "x" * 9000, "TURNS": TURNS}, CHUNKS])
def test_an_episode_is_a_scene_whether_its_turns_stand_alone_or_in_overlapping_chunks(
    tmp_path: Path, value: object
) -> None:
    scene = episode(tmp_path, value)
    assert (scene.id, scene.roster) == ("night", ("ANN", "BEN", "CAT"))
    assert [line.text for line in scene.lines] == ["Hello everybody.", "Hi!", "Everybody: (laughter)"]


def test_the_first_of_several_speaks_and_everybody_hears_it(tmp_path: Path) -> None:
    scene = episode(tmp_path, TURNS)
    assert [line.speaker for line in scene.lines] == ["ANN", "BEN", None]
    assert [line.audience for line in scene.lines] == [None, scene.roster, scene.roster]


@pytest.mark.parametrize("turn", [{"NAMES": "ANN", "UTTERANCES": ["x"]}, {"NAMES": ["ANN"], "UTTERANCES": [1]}])
def test_a_turn_that_cannot_be_read_is_named(tmp_path: Path, turn: object) -> None:
    with pytest.raises(StoryError, match=r"night\.json: turn 4: '(NAMES|UTTERANCES)' must be a list"):
        episode(tmp_path, [*TURNS, turn])


# ── plain text ──────────────────────────────────────────────────────────────────────────────────────────────────────


def lines(folder: Path, text: str) -> list[tuple[str | None, str]]:
    path = file(folder, "night.txt", text)
    importer = TextImporter()
    assert isinstance(importer, Importer)
    assert importer.accepts(path, text.encode()[:4096])
    return [(line.speaker, line.text) for line in importer.read(path).scenes[0].lines]


def test_a_name_and_a_colon_begin_a_message(tmp_path: Path) -> None:
    assert lines(tmp_path, "Ann: Hello.\nOld Tom: Evening, Ann: cold, is it?\n") == [
        ("Ann", "Hello."),
        ("Old Tom", "Evening, Ann: cold, is it?"),
    ]


def test_a_message_goes_on_until_a_gap_and_active_deliveries_apart_is_narration(tmp_path: Path) -> None:
    text = "It rains.\n\nAnn: Hello.\nShe waves.\n*A bell.*\n\nThe door opens.\n\nBen: Yes?\n"
    assert lines(tmp_path, text) == [
        (None, "It rains."),
        ("Ann", "Hello.\nShe waves."),
        (None, "*A bell.*"),
        (None, "The door opens."),
        ("Ben", "Yes?"),
    ]


@pytest.mark.parametrize(
    "line", ["[12:03] Ann: Hi.", "<Ann> Hi.", "**Ann:** Hi.", "**Ann**: Hi.", "[2026-01-02 10:00] <Ann> Hi."]
)
def test_the_usual_ways_to_write_a_name_are_known(tmp_path: Path, line: str) -> None:
    assert lines(tmp_path, line) == [("Ann", "Hi.")]


def test_names_in_any_script_and_marks_before_the_text_are_read(tmp_path: Path) -> None:
    assert lines(tmp_path, "\ufeffŽofie: Ahoj.\r\n李雷: 你好。\r\n") == [("Žofie", "Ahoj."), ("李雷", "你好。")]


@pytest.mark.parametrize("text", ["Once upon a time.\nThere was a king.", "", "https://example.org/x\n", "{'a': 1}"])
def test_prose_is_no_transcript(tmp_path: Path, text: str) -> None:
    path = file(tmp_path, "x.txt", text)
    assert not TextImporter().accepts(path, text.encode())
    with pytest.raises(StoryError, match="nobody speaks in it"):
        TextImporter().read(path)


def test_a_million_lines_of_one_message_take_no_time(tmp_path: Path) -> None:
    (line,) = lines(tmp_path, "Ann: Hello.\n" + "and so on\n" * 200_000)[:1]
    assert line[1].count("\n") == 200_000


def test_the_episodes_of_the_development_data_are_read_whole(development_data: Path) -> None:
    found = [Crd3Importer().read(str(path)).scenes[0] for path in sorted((development_data / "transcripts").iterdir())]
    assert len(found) == 4
    assert sum(len(scene.lines) for scene in found) > 9_000
    assert all(
        isinstance(line, SceneLine) and line.speaker in {*scene.roster, None} for scene in found for line in scene.lines
    )
