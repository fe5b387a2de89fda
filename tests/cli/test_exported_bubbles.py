"""The bubbles of a story go out and come in with it."""

from pathlib import Path

import pytest

from .conftest import Run, answer

STORY = """\
story: inn
cast: [alice, bob]
present: [alice, bob]
steps:
  - alice: Is it cold?
  - bubble: vampire-au
  - alice: I am a vampire, Bob.
  - end_bubble: vampire-au
  - bubble: {name: dream, knows: [story]}
  - bob: I dream of snow.
"""


@pytest.fixture
def inn(run: Run, folder: Path) -> Run:
    """A story with two bubbles, one of them a branch, exported."""
    (folder / "earwitness.toml").write_text("[relationships]\n", "utf-8")
    (folder / "inn.yaml").write_text(STORY, "utf-8")
    assert run("play", "inn.yaml").exit_code == 0
    said = run("export", "inn", "-o", "inn.jsonl").output
    assert said == "Exported inn to inn.jsonl, with inn~vampire-au, inn~dream\n"
    return run


def test_a_story_with_bubbles_is_the_only_story(inn: Run) -> None:
    assert "Bob said it" in inn("preview", "Hello, Alice.", "--speaker", "bob").stdout
    assert inn("export", "-o", "again.jsonl").output.startswith("Exported inn to")
    inn("fork", "inn", "inn~branch")
    refused = inn("preview", "Hello, Alice.", "--speaker", "bob")
    assert refused.stderr == "Error: name the story: --session ID. Stories here: inn, inn~branch.\n"


@pytest.mark.parametrize("name", ["inn", "copy"])
def test_a_story_takes_its_bubbles_along(inn: Run, name: str) -> None:
    result = inn("import", "inn.jsonl", "--as", name, "--store", "other.db")
    assert result.output == f"Imported {name}\nImported {name}~vampire-au\nImported {name}~dream\n"
    bubbles = answer(inn("canon", "list", name, "--store", "other.db", "--json"))["bubbles"]
    assert [(each["name"], each["status"]) for each in bubbles] == [("vampire-au", "ended"), ("dream", "open")]
    assert "I am a vampire" in inn("recall", f"{name}~vampire-au", "bob", "vampire", "--store", "other.db").stdout
    assert "I am a vampire" not in inn("recall", name, "bob", "vampire", "--store", "other.db").stdout
    again = inn("import", "inn.jsonl", "--as", name, "--store", "other.db")
    assert again.output.count("nothing new") == 3


def test_an_export_that_lost_its_bubbles_is_refused(inn: Run, folder: Path) -> None:
    lines = (folder / "inn.jsonl").read_text("utf-8").splitlines(keepends=True)
    second = next(number for number, line in enumerate(lines) if number and '"kind": "session"' in line)
    (folder / "half.jsonl").write_text("".join(lines[:second]), "utf-8")
    result = inn("import", "half.jsonl", "--store", "other.db")
    assert result.exit_code == 2
    assert "half.jsonl: the export is incomplete: it lacks the bubble 'inn~vampire-au'" in result.stderr
    assert not (folder / "other.db").exists()


def test_a_mistake_in_a_bubble_names_where_the_bubble_begins(inn: Run, folder: Path) -> None:
    lines = (folder / "inn.jsonl").read_text("utf-8").splitlines(keepends=True)
    second = next(number for number, line in enumerate(lines) if number and '"kind": "session"' in line)
    (folder / "odd.jsonl").write_text("".join([*lines[: second + 1], *lines[second + 2 :]]), "utf-8")
    result = inn("import", "odd.jsonl", "--store", "other.db")
    assert f"odd.jsonl, from line {second + 1} on: the export is incomplete" in " ".join(result.stderr.split())


def test_a_story_without_bubbles_is_exported_as_ever(inn: Run) -> None:
    lines = inn("export", "inn~vampire-au").stdout.splitlines()
    assert '"bubbles"' not in lines[0]
    assert sum('"kind": "session"' in line for line in lines) == 1


def test_an_export_says_what_it_lacks_of_what_people_wrote_in_files(run: Run, folder: Path) -> None:
    (folder / "earwitness.toml").write_text('store = "markdown"\n', "utf-8")
    (folder / "inn.yaml").write_text("story: inn\ncast: [alice]\nsteps:\n  - alice: It is cold.\n", "utf-8")
    assert run("play", "inn.yaml").exit_code == 0
    (file,) = folder.glob("*.memories/inn-alice/MEMORY.md")
    file.write_text(file.read_text("utf-8") + "\n- Alice hates snow.\n", "utf-8")
    result = run("export", "inn", "-o", "inn.jsonl")
    assert "lacks 1 memory that people wrote or changed" in result.stderr
    (id,) = [each["id"] for each in answer(run("inspect", "inn", "alice", "--json"))["memories"][-1:]]
    assert "by hand in" in run("explain", id[:8]).stdout
