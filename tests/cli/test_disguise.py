"""Disguises in story files, transcripts and on the command line."""

import json
from pathlib import Path

import pytest

from .conftest import Run, answer, told

STORY = """
story: ball
cast:
  - {id: count, name: Count Fosco}
  - bob
  - charlie
present: [count, bob, charlie]
steps:
  - say: {speaker: count, text: I have bought the old mill., speak_as: Monsieur Roux, key: mill}
  - who_knows: bought the old mill
  - unmask: {character: count, audience: [bob]}
  - who_knows: bought the old mill
"""


def test_a_story_is_played_in_disguise(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "ball.yaml"
    file.write_text(STORY, "utf-8")
    _, said, before, unmasked, after, _ = told(run("play", str(file), "--json"))
    assert said["speak_as"] == "Monsieur Roux"
    assert before["knowers"]["bob"]["learned"]["teller"] == "Monsieur Roux"
    assert (unmasked["text"], unmasked["learners"]) == ("Monsieur Roux is Count Fosco. GameDay: 1", ["bob"])
    assert after["knowers"]["bob"]["learned"]["teller"] == "count"
    assert after["knowers"]["charlie"]["learned"]["teller"] == "Monsieur Roux"
    shown = run("play", str(file)).stdout
    assert "Count Fosco (as Monsieur Roux)" in shown
    assert "heard it from Monsieur Roux on day 1" in shown
    assert "known from now on to Bob" in shown


def test_an_unmasking_of_nobody_is_named_with_its_line(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "ball.yaml"
    file.write_text(STORY.replace("  - unmask: {character: count,", "  - unmask: {character: bob,"), "utf-8")
    result = run("play", str(file))
    assert result.exit_code == 2
    assert "'bob' has not spoken in disguise before" in result.stderr
    file.write_text(STORY.replace("character: count, aud", "character: count, name: Roux, aud"), "utf-8")
    assert "unknown disguise of count 'Roux'. Known: Monsieur Roux" in run("play", str(file)).stderr


def test_a_transcript_says_who_is_in_disguise(run: Run, tmp_path: Path) -> None:
    line = {"speaker": "Count Fosco", "text": "The mill is mine.", "speak_as": "Monsieur Roux", "present": ["Bob"]}
    file = tmp_path / "night.jsonl"
    file.write_text(json.dumps(line) + "\n", "utf-8")
    assert run("replay", str(file), "--gold").exit_code == 0
    found = answer(run("who-knows", "night", "The mill is mine", "--json"))
    assert {id: each["learned"]["teller"] for id, each in found["knowers"].items()}["bob"] == "Monsieur Roux"


def test_a_preview_takes_a_mask(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "ball.yaml"
    file.write_text(STORY, "utf-8")
    run("play", str(file))
    words = (
        "preview",
        "Good night.",
        "--speaker",
        "count",
        "--speak-as",
        "Monsieur Roux",
        "--session",
        "ball",
        "--json",
    )
    found = answer(run(*words))
    bodies = {each["owner"]: each["body"] for each in found["deliveries"]}
    assert "Message: Monsieur Roux: Good night." in bodies["charlie"]


def test_a_chat_is_exported_under_the_name_he_spoke_under(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "ball.yaml"
    file.write_text(STORY, "utf-8")
    run("play", str(file))
    result = run("export", "ball", "--format", "chat", "--output", str(tmp_path / "out"))
    assert result.exit_code == 0, result.output
    (chat,) = (tmp_path / "out").iterdir()
    header, row = map(json.loads, chat.read_text("utf-8").splitlines())
    assert header["character_name"] == "Count Fosco"
    assert (row["name"], row["mes"]) == ("Monsieur Roux", "I have bought the old mill.")


def test_he_is_found_by_his_mask_and_inspect_says_who_is_in_disguise(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "ball.yaml"
    file.write_text(STORY, "utf-8")
    run("play", str(file))
    assert answer(run("recall", "ball", "Monsieur Roux", "mill", "--json"))["character"] == "count"
    words = ("preview", "Good night.", "--speaker", "Monsieur Roux", "--session", "ball", "--json")
    assert answer(run(*words))["message"]["speak_as"] == "Monsieur Roux"
    assert "Count Fosco (as Monsieur Roux)" in run("inspect", "ball").stdout
    shown = run("inspect", "ball", "Monsieur Roux").stdout
    assert "I have bought the old mill" in shown
    assert shown.startswith("Count Fosco")


@pytest.mark.parametrize(("name", "why"), [("Bob", "is a name of bob"), ("'Roux: a'", "must be a name")])
def test_a_name_that_cannot_be_worn_is_named_with_its_line_before_anything_is_played(
    run: Run, tmp_path: Path, name: str, why: str
) -> None:
    file = tmp_path / "ball.yaml"
    file.write_text(STORY + f"  - say:\n      speaker: count\n      text: Hello.\n      speak_as: {name}\n", "utf-8")
    result = run("play", str(file))
    assert result.exit_code == 2
    assert f"ball.yaml:{len(file.read_text('utf-8').splitlines())}:7: speak_as = " in result.stderr
    assert why in result.stderr
    assert "ball" not in run("inspect").stdout
