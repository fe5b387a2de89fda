"""Chats of SillyTavern, alone and in company."""

import json
from pathlib import Path
from typing import Any

import pytest

from earwitness.errors import StoryError
from earwitness.imports import Imported, Scene
from earwitness.protocols import Importer
from earwitness_plugins.importers.sillytavern_chat import SillyTavernChatImporter

from .making import file

HEADER = {"user_name": "Kim", "character_name": "Mira", "create_date": "x", "chat_metadata": {"note_prompt": ""}}
GROUP = {"user_name": "unused", "character_name": "unused", "chat_metadata": {}}


def says(name: str, mes: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "is_user": False, "is_system": False, "send_date": "x", "mes": mes, "extra": {}, **more}


def read(folder: Path, *rows: object) -> Imported:
    path = file(folder, "night.jsonl", rows)
    importer = SillyTavernChatImporter()
    assert importer.accepts(path, Path(path).read_bytes()[:4096])
    return importer.read(path)


def read_text(folder: Path, text: str) -> Imported:
    return SillyTavernChatImporter().read(file(folder, "night.jsonl", text))


def scene(folder: Path, *rows: object) -> Scene:
    (found,) = read(folder, *rows).scenes
    return found


def test_it_is_an_importer() -> None:
    assert isinstance(SillyTavernChatImporter(), Importer)


def test_a_chat_is_one_scene_with_the_user_in_a_mask(tmp_path: Path) -> None:
    found = scene(tmp_path, HEADER, says("Mira", "Welcome, {{user}}."), says("Kim", "Thanks.", is_user=True))
    assert (found.id, found.roster, found.personas) == ("night", ("Mira", "Kim"), ("Kim",))
    assert [(line.speaker, line.text) for line in found.lines] == [("Mira", "Welcome, Kim."), ("Kim", "Thanks.")]


def test_a_message_that_was_changed_beside_its_swipes_counts_as_it_is_shown(tmp_path: Path) -> None:
    found = read(tmp_path, HEADER, says("Mira", "New.", swipes=["Old.", "Other."], swipe_id=0))
    assert [line.text for line in found.scenes[0].lines] == ["New."]
    assert "in none of the swipes" in "".join(found.repairs)


def test_the_chosen_swipe_counts(tmp_path: Path) -> None:
    swipes = ["First.", "Second.", "Third."]
    found = scene(tmp_path, HEADER, says("Mira", "First.", swipes=swipes, swipe_id=2), says("Mira", "Plain."))
    assert [line.text for line in found.lines] == ["Third.", "Plain."]


@pytest.mark.parametrize("number", [9, -1, None, "two", [1]])
def test_a_choice_that_is_none_leaves_the_message(tmp_path: Path, number: object) -> None:
    found = read(tmp_path, HEADER, says("Mira", "First.", swipes=["First.", "Second."], swipe_id=number))
    assert found.scenes[0].lines[0].text == "First."
    assert bool(found.repairs) == (number in (9, -1))


def test_narration_is_told_and_help_and_hidden_lines_are_no_part_of_the_story(tmp_path: Path) -> None:
    rows = [
        says("System", "The lamp goes out.", extra={"type": "narrator"}),
        says("System", "Type /help.", is_system=True, extra={"type": "help"}),
        says("Note", "for myself", is_system=True, extra={"type": "comment"}),
        says("Mira", "All this was a dream.", is_system=True),
        says("System", "The chat was cut here.", is_system=True),
        says("Mira", "Who put it out?"),
    ]
    read_in = read(tmp_path, HEADER, *rows)
    (found,) = read_in.scenes
    assert [(line.key, line.speaker, line.text) for line in found.lines] == [
        ("0", None, "The lamp goes out."),
        ("3", "Mira", "Who put it out?"),
    ]
    assert found.roster == ("Mira", "Kim")
    assert [each.rpartition(": ")[2] for each in read_in.repairs] == [
        "2 hidden lines (is_system) kept for the export; nobody hears them"
    ]


def test_a_group_has_everybody_who_speaks_in_it(tmp_path: Path) -> None:
    rows = [
        says("Mira", "Evening.", original_avatar="mira.png", is_group=True),
        says("Kim", "Hm.", is_user=True),
        says("Tom", "Evening.", original_avatar="tom.png", present=["mira.png", "presence_universal_tracker"]),
        says("Mira", "Psst.", original_avatar="mira.png", present=["mira.png"]),
        says("Mira", "Who?", original_avatar="mira.png", present=["stranger.png"]),
    ]
    found = scene(tmp_path, GROUP, *rows)
    assert found.roster == ("Mira", "Kim", "Tom")
    present = [line.present for line in found.lines]
    assert present == [None, None, ("Tom", "Mira", "Kim"), ("Mira", "Kim"), None]


def test_the_file_is_kept_to_the_letter(tmp_path: Path) -> None:
    (original,) = read(tmp_path, HEADER, says("Mira", "Hm.", unheard_of=1.50)).originals
    assert original.text == (tmp_path / "night.jsonl").read_text("utf-8")
    assert original.format == "chat"


def test_a_broken_line_costs_only_itself_and_is_named(tmp_path: Path) -> None:
    lines = [
        json.dumps(HEADER),
        json.dumps(says("Mira", "One.")),
        '{"name": "Mi',
        "[]",
        "{}",
        json.dumps(says("Kim", "Two.")),
    ]
    path = file(tmp_path, "night.jsonl", "\n".join(lines))
    found = SillyTavernChatImporter().read(path)
    assert [line.text for line in found.scenes[0].lines] == ["One.", "Two."]
    assert [repair.split(" ")[0].rstrip(":") for repair in found.repairs] == [
        f"{path}:{number}" for number in (3, 4, 5)
    ]


def test_a_chat_without_a_header_is_a_chat_and_one_without_messages_is_none(tmp_path: Path) -> None:
    assert scene(tmp_path, says("Mira", "Hm.")).roster == ("Mira",)
    with pytest.raises(StoryError, match="it holds no message"):
        read(tmp_path, HEADER)
    with pytest.raises(StoryError, match=r"it holds no message. .*night.jsonl:2: not JSON: .*; the line was left out"):
        read_text(tmp_path, json.dumps(HEADER) + '\n{"name": "Mi')


def test_transcripts_of_other_kinds_are_left_to_others(tmp_path: Path) -> None:
    for row in ({"speaker": "ann", "text": "x"}, {"scene": "1", "roster": []}, {"name": "x", "first_mes": "y"}):
        path = file(tmp_path, "x.jsonl", [row])
        assert not SillyTavernChatImporter().accepts(path, json.dumps(row).encode())


def test_a_long_first_line_is_known_by_its_beginning(tmp_path: Path) -> None:
    assert scene(tmp_path, {**HEADER, "chat_metadata": {"note": "x" * 9000}}, says("Mira", "Hm.")).roster == (
        "Mira",
        "Kim",
    )


# ── who is there from the first line on ─────────────────────────────────────────────────────────────────────────────


def test_in_a_chat_of_two_both_are_there_from_the_first_line(tmp_path: Path) -> None:
    silent = scene(tmp_path, HEADER, says("Mira", "You are late, {{user}}."))
    assert (silent.roster, silent.personas, silent.present) == (("Mira", "Kim"), ("Kim",), ("Mira", "Kim"))
    assert silent.lines[0].text == "You are late, Kim."
    told = scene(tmp_path, HEADER, says("Mira", "Welcome."), says("Kim", "Thanks.", is_user=True))
    assert told.present == ("Mira", "Kim")


def test_in_a_group_only_the_user_is_there_before_anything_is_said(tmp_path: Path) -> None:
    rows = [says("Mira", "Evening."), says("Kim", "Hm.", is_user=True), says("Tom", "*steps out of the shadows*")]
    assert scene(tmp_path, GROUP, *rows).present == ("Kim",)
    assert scene(tmp_path, GROUP, rows[0], rows[2], says("Bo", "Hm.")).present is None


def test_the_character_of_a_line_is_its_speaker_or_whom_the_chat_is_with(tmp_path: Path) -> None:
    rows = [says("Mira", "{{char}} nods to {{user}}."), says("Kim", "Hello, {{char}}.", is_user=True)]
    assert [line.text for line in scene(tmp_path, HEADER, *rows).lines] == ["Mira nods to Kim.", "Hello, Mira."]
