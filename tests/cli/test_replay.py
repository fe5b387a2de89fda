"""`earwitness replay`: transcripts go through END; again changes nothing; what was interrupted goes on."""

import json
from pathlib import Path
from typing import Any

import pytest

from earwitness_plugins.applications.replay.roles import character_id, distinct, session_id

from .conftest import Run, answer, told

SCENE: dict[str, Any] = {
    "dataset": "made-up",
    "scene": "act 1/2",
    "roster": ["Lady Ash", "Old Tom", "World"],
    "messages": [
        {"kind": "narration", "speaker": None, "text": "Enter Lady Ash and Old Tom.", "present": None},
        {"kind": "speech", "speaker": "Lady Ash", "text": "Is it still raining, Tom?", "present": ["Lady Ash"]},
        {"kind": "speech", "speaker": "Old Tom", "text": "  ", "present": None},
        {"kind": "speech", "speaker": "Old Tom", "text": "It is, my lady.", "present": ["Old Tom", "World"]},
        {"kind": "speech", "speaker": "World", "text": "Somebody called?", "present": ["World"]},
    ],
}
SESSION = "made-up-act-1-2"


def written(folder: Path, *rows: object, name: str = "night.jsonl") -> str:
    """A transcript with a row a line."""
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return name


def remembered(run: Run, session: str, *owners: str) -> dict[str, list[str]]:
    """Ids of what each remembers, in order."""
    shelves = {owner: answer(run("inspect", session, owner, "--json", "--limit", "10000")) for owner in owners}
    return {owner: [memory["id"] for memory in shelf["memories"]] for owner, shelf in shelves.items()}


def test_a_scene_becomes_a_story_with_its_roster_and_a_narrator(run: Run, folder: Path) -> None:
    (scene,) = told(run("replay", written(folder, SCENE), "--json"))
    assert scene["session"] == SESSION
    assert scene["messages"] == scene["new"] == 4
    cast = answer(run("inspect", SESSION, "--json"))["cast"]["members"]
    assert [(member["id"], member["name"], member["kind"]) for member in cast] == [
        ("lady_ash", "Lady Ash", "character"),
        ("old_tom", "Old Tom", "character"),
        ("world_", "World", "character"),
        ("narrator", "Narrator", "narrator"),
    ]


def test_replaying_again_changes_nothing(run: Run, folder: Path) -> None:
    path = written(folder, SCENE)
    run("replay", path)
    before = remembered(run, SESSION, "lady_ash", "old_tom", "world")
    (again,) = told(run("replay", path, "--json"))
    assert again["new"] == 0
    assert again["messages"] == 4
    assert remembered(run, SESSION, "lady_ash", "old_tom", "world") == before


def test_what_was_interrupted_goes_on_as_if_it_had_not_been(run: Run, folder: Path) -> None:
    half = SCENE | {"messages": SCENE["messages"][:2]}
    run("replay", written(folder, half, name="half.jsonl"))
    (rest,) = told(run("replay", written(folder, SCENE), "--json"))
    assert (rest["messages"], rest["new"]) == (4, 2)
    run("replay", written(folder, SCENE), "--store", "at-once.db")
    in_two = remembered(run, SESSION, "lady_ash", "old_tom", "world")
    monolith = answer(run("inspect", SESSION, "old_tom", "--json", "--store", "at-once.db"))["memories"]
    assert in_two["old_tom"] == [memory["id"] for memory in monolith]


def test_the_transcripts_word_on_who_was_present_is_not_looked_at_unless_asked_for(run: Run, folder: Path) -> None:
    (folder / "earwitness.toml").write_text('detector = "everyone"\n', "utf-8")
    path = written(folder, SCENE)
    lines = [line for line in told(run("replay", path, "--each", "--json")) if line["kind"] == "line"]
    assert all(len(line["heard"]) >= 3 for line in lines)
    gold = [
        line for line in told(run("replay", path, "--each", "--gold", "--store", "gold.db", "--json")) if "key" in line
    ]
    assert [line["heard"] for line in gold][1:] == [["lady_ash"], ["old_tom", "world_"], ["world_"]]


def test_a_plain_transcript_is_named_after_its_file_or_as_asked(run: Run, folder: Path) -> None:
    path = written(folder, {"speaker": "Ann", "text": "Hello.", "key": "m1"}, {"speaker": "Ben", "text": "Hello, Ann."})
    assert [scene["session"] for scene in told(run("replay", path, "--json"))] == ["night"]
    assert [scene["session"] for scene in told(run("replay", path, "--session", "mine", "--json"))] == ["mine"]
    assert answer(run("inspect", "--json")) == ["mine", "night"]
    keys = [
        memory["metadata"]["messageIds"] for memory in answer(run("inspect", "mine", "world", "--json"))["memories"]
    ]
    assert keys == [["m1"], ["1"]]


def test_one_id_is_not_enough_for_several_scenes(run: Run, folder: Path) -> None:
    path = written(folder, SCENE, SCENE | {"scene": "2"})
    result = run("replay", path, "--session", "mine")
    assert result.exit_code == 2
    assert "there are 2 scenes" in result.stderr


def test_a_transcript_is_replayed_into_no_other_story(run: Run, folder: Path) -> None:
    run("replay", written(folder, SCENE), "--session", "mine")
    before = answer(run("inspect", "mine", "--json"))
    other = written(folder, {"speaker": "Ann", "text": "Hello.", "key": "m1"})
    result = run("replay", other, "--session", "mine")
    assert (result.exit_code, "the story 'mine' is there already, and is not this transcript" in result.stderr) == (
        2,
        True,
    )
    assert answer(run("inspect", "mine", "--json")) == before


def test_people_see_who_heard_how_much_and_what_to_ask_next(run: Run, folder: Path) -> None:
    shown = run("replay", written(folder, SCENE), "--each").stdout
    assert "Is it still raining, Tom?" in shown
    assert f"{SESSION}  4 messages" in shown
    assert "4 messages in 1 story, 4 new" in shown
    assert f"earwitness inspect {SESSION}" in shown


def test_scenes_are_told_of_in_order(run: Run, folder: Path) -> None:
    scenes = [SCENE | {"scene": str(n)} for n in range(12)]
    lines = told(run("replay", written(folder, *scenes), "--each", "--json"))
    assert [line["session"] for line in lines if line["kind"] == "scene"] == [f"made-up-{n}" for n in range(12)]
    assert [line["kind"] for line in lines[:5]] == ["line"] * 4 + ["scene"]


def test_a_long_transcript_is_told_in_windows(run: Run, folder: Path) -> None:
    rows = [{"speaker": "ann" if n % 2 else "ben", "text": f"ReplayedLine {n}."} for n in range(600)]
    (scene,) = told(run("replay", written(folder, *rows), "--json"))
    assert scene["messages"] == 600
    assert len(remembered(run, "night", "ann")["ann"]) == scene["heard"]["ann"]


def test_lines_remember_where_they_were_said(run: Run, folder: Path) -> None:
    rows = [{"speaker": "ann", "text": "One."}, {"speaker": "ben", "text": "Two.", "context": "dm", "channel": "7"}]
    path = written(folder, *rows, name="talk.jsonl")
    for session, words in {"talk": ["replay"], "again": ["import", "--into", "again"]}.items():
        run(*words, path, "--context", "public_channel", "--guild", "g-1")
        world = answer(run("inspect", session, "world", "--json"))["memories"]
        where = [{key: each["metadata"].get(key) for key in ("contextType", "channelId", "guildId")} for each in world]
        assert where == [
            {"contextType": "public_channel", "channelId": None, "guildId": "g-1"},
            {"contextType": "dm", "channelId": "7", "guildId": None},
        ]


def test_a_mistake_in_any_file_is_named_before_anything_is_replayed(run: Run, folder: Path) -> None:
    good = written(folder, SCENE)
    bad = written(folder, {"speaker": "ann", "text": "x"}, {"speaker": "ann"}, name="bad.jsonl")
    result = run("replay", good, bad)
    assert result.exit_code == 2
    assert "bad.jsonl:2: 'text' must be text; it is missing" in result.stderr
    assert not (folder / "earwitness.db").exists()


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("Lady Capulet", "lady_capulet"),
        ("CITIZENS.0.1_Cor", "citizens_0_1_cor"),
        ("Ægir Ø", "ægir_ø"),
        ("世界", "世界"),
        ("World", "world_"),
        ("???", "somebody"),
    ],
)
def test_a_name_as_written_gives_an_id(name: str, id: str) -> None:
    assert character_id(name) == id


def test_two_names_never_share_an_id() -> None:
    assert distinct(["a", "b", "a", "a_2", "a"]) == ["a", "b", "a_2", "a_2_2", "a_3"]


def test_a_scenes_id_makes_a_session_id() -> None:
    assert [session_id("plays-hamlet/1.1"), session_id("a b\n"), session_id("///")] == [
        "plays-hamlet-1.1",
        "a-b",
        "scene",
    ]


@pytest.mark.usefixtures("deaf")
def test_a_detector_that_fails_is_named_at_the_end_with_how_often(run: Run, folder: Path) -> None:
    result = run("replay", written(folder, SCENE))
    assert result.exit_code == 0
    assert (
        "detector:deaf_of_the_tests.Ears failed on 4 of 4 messages; first failure: ValueError: deaf." in result.stderr
    )


def test_each_message_is_shown_with_names(run: Run, folder: Path) -> None:
    shown = run("replay", written(folder, SCENE), "--each", "--gold").stdout
    assert "Old Tom  It is, my lady." in shown
    assert "● Old Tom, World" in shown
