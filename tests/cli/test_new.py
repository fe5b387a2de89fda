"""`earwitness new`: files become a story that can be played, and nothing is asked."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from earwitness.errors import StoryError
from earwitness.loading.files import yaml_text
from earwitness_plugins.applications.stories.reader import read_story
from earwitness_plugins.applications.stories.writer import story_text, tidy

from .conftest import Run, answer, told
from .test_importing import BO, CARD, files  # noqa: F401 - a fixture

pytestmark = pytest.mark.usefixtures("files")


def made(run: Run, *words: str) -> dict[str, Any]:
    """What the command says it made."""
    found: dict[str, Any] = answer(run("new", *words, "--json"))
    return found


def test_cards_and_lore_become_a_story_ready_to_play(run: Run) -> None:
    result = run("new", "tavern", "--cards", "mira.png", "bo.json", "--lore", "world.json")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines() == [
        "Wrote tavern.yaml: a cast of 3, 3 lore entries, 2 opening lines.",
        "Play it:  earwitness play tavern.yaml",
    ]
    steps = told(run("play", "tavern.yaml", "--json"))
    assert [each["text"] for each in steps if each["kind"] == "say"] == ["Late again, User?"] * 2
    assert steps[-1]["memories"].keys() == {"mira", "bo", "user"}


def test_whoever_the_story_names_as_its_persona_is_the_user_when_it_is_played(run: Run) -> None:
    made(run, "tavern", "--cards", "mira.png", "bo.json")
    text = Path("tavern.yaml").read_text("utf-8")
    assert "Late again, {{user}}?" in text
    Path("tavern.yaml").write_text(text.replace("name: User", "name: Kim Li"), "utf-8")
    steps = told(run("play", "tavern.yaml", "--json"))
    assert [each["text"] for each in steps if each["kind"] == "say"] == ["Late again, Kim Li?"] * 2


def test_a_plot_that_several_cards_tell_stands_there_once(run: Run, folder: Path) -> None:
    for name in ("a", "b"):
        card = {**CARD, "data": {**CARD["data"], "name": name.upper(), "character_book": None}}
        (folder / f"{name}.json").write_text(json.dumps(card), "utf-8")
    made(run, "fog", "--cards", "a.json", "b.json")
    assert read_story("fog.yaml").prepare.plot == "Fog."


def test_namesakes_are_told_apart(run: Run, folder: Path) -> None:
    (folder / "bo2.json").write_text(json.dumps(BO), "utf-8")
    warnings = made(run, "bos", "--cards", "bo.json", "bo2.json")["warnings"]
    assert warnings[-1] == "two are called 'Bo': the one with the id 'bo_2' is 'Bo 2' here"
    assert [(each.id, each.name) for each in read_story("bos.yaml").cast][:2] == [("bo", "Bo"), ("bo_2", "Bo 2")]
    assert run("play", "bos.yaml").exit_code == 0


def test_where_nobody_opens_the_story_says_how_to_go_on(run: Run, folder: Path) -> None:
    (folder / "mute.json").write_text(json.dumps({**BO, "data": {**BO["data"], "first_mes": ""}}), "utf-8")
    shown = run("new", "mute", "--cards", "mute.json").stdout
    assert 'Nobody speaks in it yet. Add lines at its end, such as  - bo: "…"' in shown
    assert "Nobody has said anything yet. Add lines below" in run("play", "mute.yaml").stdout
    with (folder / "mute.yaml").open("a", encoding="utf-8") as file:
        file.write('  - bo: "Hm."\n')
    assert told(run("play", "mute.yaml", "--json"))[-2]["text"] == "Hm."


def test_everybody_hears_how_it_opens_and_knows_what_is_theirs(run: Run) -> None:
    made(run, "tavern.yaml", "--cards", "mira.png", "--cards", "bo.json", "--lore", "world.json")
    story = read_story("tavern.yaml")
    assert story.present == ("mira", "bo", "user")
    assert story.prepare.plot == "Fog."
    assert story.prepare.cards["mira"] == "Mira keeps the lamp."
    assert [(entry.text, entry.known_by) for entry in story.prepare.lore] == [
        ("Oil is short.", ("mira",)),
        ("Gulls lie.", ("mira",)),
        ("Night lasts a month.", None),
    ]


def test_the_user_is_who_one_says(run: Run) -> None:
    made(run, "tavern", "--cards", "mira.png", "--user", "Kim Li")
    story = read_story("tavern.yaml")
    assert [(each.id, each.name, each.kind) for each in story.cast][-1] == ("kim_li", "Kim Li", "persona")
    assert "Late again, Kim Li?" in Path("tavern.yaml").read_text("utf-8")


def test_a_chat_goes_on_as_a_story(run: Run) -> None:
    assert made(run, "tavern", "--cards", "mira.png", "night.jsonl")["steps"] == 2
    story = read_story("tavern.yaml")
    assert [each.id for each in story.cast] == ["mira", "kim"]
    assert [getattr(step, "text", None) for step in story.steps] == ["Who is there?", "Me."]


def test_in_company_they_open_as_they_do_in_company(run: Run, folder: Path) -> None:
    group = {**CARD, "data": {**CARD["data"], "name": "Cat", "group_only_greetings": ["Good evening, all."]}}
    (folder / "cat.json").write_text(json.dumps(group), "utf-8")
    made(run, "alone", "--cards", "cat.json")
    made(run, "together", "--cards", "cat.json", "bo.json")
    assert "Late again" in Path("alone.yaml").read_text("utf-8")
    assert "Good evening, all." in Path("together.yaml").read_text("utf-8")


@pytest.mark.parametrize("name", ["Say", "Note", "World", "李雷", "0o17", "No", "a: b", "- x", 'O\'Neil "Bo"', "#1"])
def test_any_name_makes_a_story_that_can_be_played(run: Run, folder: Path, name: str) -> None:
    card = {**BO, "data": {**BO["data"], "name": name, "nickname": "null"}}
    (folder / "odd.json").write_text(json.dumps(card), "utf-8")
    made(run, "odd", "--cards", "odd.json")
    assert read_story("odd.yaml").cast[0].name == {"a: b": "a b"}.get(name, name)  # a colon ends a name
    assert run("play", "odd.yaml").exit_code == 0


def test_a_story_that_is_there_is_not_written_over(run: Run, story: Path) -> None:
    before = story.read_text("utf-8")
    result = run("new", "cellar", "--cards", "mira.png")
    assert result.exit_code == 2
    assert "cellar.yaml already exists. Choose another name, or overwrite it with --force" in result.stderr
    assert story.read_text("utf-8") == before
    assert run("new", "cellar", "--cards", "mira.png", "--force").exit_code == 0
    assert story.read_text("utf-8") != before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "a story needs a cast. Name files: earwitness new STORY --cards a.png b.png"),
        (["--lore", "world.json"], "world.json: they describe nobody. Add a character card with --cards"),
        (["--cards", "none.png"], "none.png: there is no such file"),
        (["--cards", "mira.png", "--lore", "cellar.yaml"], "cellar.yaml: no importer accepts it"),
        (["--cards", "mira.png", "--format", "vhs"], "unknown importer 'vhs'. Known: "),
    ],
)
def test_what_cannot_become_a_story_is_one_sentence_and_no_file(
    run: Run, story: Path, words: list[str], said: str
) -> None:
    result = run("new", "tavern", *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert not Path("tavern.yaml").exists()


# ── the file itself ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_long_texts_are_blocks_that_a_person_can_edit(run: Run, folder: Path) -> None:
    long = {**BO, "data": {**BO["data"], "description": "One line.\n\nAnother:  \n\t- with a list" + " and more" * 30}}
    (folder / "long.json").write_text(json.dumps(long), "utf-8")
    made(run, "long", "--cards", "long.json")
    assert "    bo: |-\n      One line.\n\n      Another:\n          - with a list and more" in Path(
        "long.yaml"
    ).read_text("utf-8")


@example("\x08", "k")
@example("a \u2028b", "\u2028")
@given(st.text(), st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"])))
def test_whatever_is_written_reads_back_as_the_same_text(text: str, key: str) -> None:
    text = tidy(text.encode(errors="ignore").decode())
    written = story_text({"story": "s", "said": {key: [text, f"{text}\n\n  {text}"]}}, "A heading\nof two lines")
    assert yaml_text(written, "s.yaml", StoryError).value["said"] == {key: [text, f"{text}\n\n  {text}"]}
