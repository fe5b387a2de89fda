"""Importers read transcripts as scenes, and say where one cannot be read."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from earwitness.errors import StoryError
from earwitness.protocols import Importer
from earwitness.records.channel import Channel
from earwitness_plugins.importers.jsonl import JsonlImporter
from earwitness_plugins.importers.labelled import LabelledLine
from earwitness_plugins.importers.scenes import ScenesImporter

SCENE: dict[str, Any] = {
    "dataset": "made-up",
    "scene": "tavern/1",
    "roster": ["Mira", "Old Tom"],
    "messages": [
        {"kind": "narration", "speaker": None, "text": "Rain.", "present": None},
        {"kind": "speech", "speaker": "Mira", "text": "Close the door.", "present": ["Mira", "Old Tom"]},
        {"kind": "speech", "speaker": None, "speakers": ["Old Tom", "Mira"], "text": "Who is there?", "present": None},
        {"kind": "speech", "speaker": "Old Tom", "text": "A ghost.", "marked": "(aside) A ghost.", "present": None},
    ],
}
IMPORTERS: dict[str, Importer] = {"scenes": ScenesImporter(), "jsonl": JsonlImporter()}


def transcript(folder: Path, *rows: object, name: str = "night.jsonl") -> str:
    """A file with a row a line; text is written as it is."""
    file = folder / name
    file.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows) + "\n", "utf-8")
    return str(file)


def accepting(path: str) -> list[str]:
    """Names of the importers that take the file for one of theirs."""
    head = Path(path).read_bytes()[:4096]
    return [name for name, importer in IMPORTERS.items() if importer.accepts(path, head)]


def test_both_are_importers() -> None:
    assert all(isinstance(importer, Importer) for importer in IMPORTERS.values())


def test_a_scene_has_its_roster_and_its_lines_in_order(tmp_path: Path) -> None:
    (scene,) = ScenesImporter().read(transcript(tmp_path, SCENE)).scenes
    assert scene.id == "made-up-tavern/1"
    assert scene.roster == ("Mira", "Old Tom")
    assert scene.lines[1] == LabelledLine(speaker="Mira", text="Close the door.", audience=("Mira", "Old Tom"))


def test_narration_has_no_speaker_and_a_chorus_has_its_first(tmp_path: Path) -> None:
    (scene,) = ScenesImporter().read(transcript(tmp_path, SCENE)).scenes
    assert [line.speaker for line in scene.lines] == [None, "Mira", "Old Tom", "Old Tom"]


def test_a_speech_is_played_with_the_directions_of_its_delivery(tmp_path: Path) -> None:
    (scene,) = ScenesImporter().read(transcript(tmp_path, SCENE)).scenes
    assert scene.lines[3].text == "(aside) A ghost."


def test_a_plain_transcript_is_one_scene_named_after_its_file(tmp_path: Path) -> None:
    rows = [
        {"speaker": "ann", "text": "Hello."},
        {"speaker": None, "text": "A bell."},
        {"speaker": "ben", "text": "Yes?", "key": "m-2", "present": ["ann", "ben", "cat"]},
    ]
    (scene,) = JsonlImporter().read(transcript(tmp_path, *rows)).scenes
    assert scene.id == "night"
    assert scene.roster == ("ann", "ben", "cat")
    assert [line.key for line in scene.lines] == [None, None, "m-2"]


def test_a_line_says_where_it_was_said(tmp_path: Path) -> None:
    rows = [
        {"speaker": "ann", "text": "Hello.", "context": "dm", "channel": "42", "guild": "g-1", "persona": "kim"},
        {"speaker": "ben", "text": "Yes?", "context": None},
    ]
    (scene,) = JsonlImporter().read(transcript(tmp_path, *rows)).scenes
    where = Channel(context="dm", channel_id="42", guild_id="g-1", persona_id="kim")
    assert [line.channel for line in scene.lines] == [where, None]
    wrong = (({"context": "here"}, "context 'here' must be one of dm, "), ({"channel": 42}, "'channel' must be text"))
    for row, said in wrong:
        with pytest.raises(StoryError, match=re.escape(said)):
            JsonlImporter().read(transcript(tmp_path, {"speaker": "ann", "text": "x", **row}))


def test_each_format_is_recognised_by_its_first_line_alone(tmp_path: Path) -> None:
    assert accepting(transcript(tmp_path, SCENE)) == ["scenes"]
    assert accepting(transcript(tmp_path, {"speaker": "ann", "text": "x"}, SCENE)) == ["jsonl"]
    assert accepting(transcript(tmp_path, {"text": "long " * 2000, "speaker": "ann"})) == ["jsonl"]
    assert accepting(transcript(tmp_path, SCENE | {"messages": SCENE["messages"] * 200})) == ["scenes"]
    assert accepting(transcript(tmp_path, {"speaker": "ann", "text": "long " * 2000})) == ["jsonl"]
    assert accepting(transcript(tmp_path, "Once upon a time")) == []


def test_a_byte_order_mark_and_blank_lines_are_harmless(tmp_path: Path) -> None:
    path = transcript(tmp_path, "\ufeff" + json.dumps({"speaker": "ann", "text": "x"}), "", "")
    assert accepting(path) == ["jsonl"]
    assert len(JsonlImporter().read(path).scenes[0].lines) == 1


@pytest.mark.parametrize(
    ("kind", "rows", "said"),
    [
        ("jsonl", [{"speaker": "ann", "text": "x"}, "{"], ["night.jsonl:2: not JSON"]),
        ("jsonl", [{"speaker": "ann"}], ["night.jsonl:1: 'text' must be text; it is missing"]),
        ("jsonl", [{"speaker": 3, "text": "x"}], ["'speaker' must be text; it is 3"]),
        ("jsonl", ["[1]"], ["must be an object; it is [1]"]),
        ("jsonl", [""], ["it holds no message"]),
        ("scenes", [SCENE | {"scene": None}], ["night.jsonl:1: 'scene'"]),
        ("scenes", [SCENE, SCENE | {"messages": {}}], ["night.jsonl:2: 'messages' must be a list; it is {}"]),
        ("scenes", [SCENE | {"messages": [SCENE["messages"][0], {}]}], ["messages[1]: 'text' must be text"]),
        ("scenes", [SCENE | {"roster": "Mira"}], ["'roster' must be a list of names"]),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(
    tmp_path: Path, kind: str, rows: list[object], said: list[str]
) -> None:
    with pytest.raises(StoryError) as caught:
        IMPORTERS[kind].read(transcript(tmp_path, *rows))
    assert [part for part in said if part not in str(caught.value)] == []


@pytest.mark.parametrize("kind", IMPORTERS)
def test_a_file_that_is_not_there_or_not_text_is_an_error_of_ours(tmp_path: Path, kind: str) -> None:
    (tmp_path / "bytes").write_bytes(b'{"speaker": "\xff"}')
    for name, said in {"none": "no such file", "bytes": "not UTF-8"}.items():
        with pytest.raises(StoryError, match=said):
            IMPORTERS[kind].read(str(tmp_path / name))


def test_the_plays_of_the_development_data_are_read_whole(development_data: Path) -> None:
    plays = sorted((development_data / "participants" / "shakespeare").glob("*.jsonl"))
    scenes = [scene for play in plays for scene in ScenesImporter().read(str(play)).scenes]
    assert len(plays) == 19
    assert len({scene.id for scene in scenes}) == len(scenes)
    assert sum(len(scene.lines) for scene in scenes) > 20_000
