"""Labelled data is read by importers like any other; what they do not know of it stays unlabelled."""

from pathlib import Path
from typing import Any

import pytest

from earwitness.errors import InputError, StoryError
from earwitness.imports import Imported, Scene, SceneLine
from earwitness.loading.strategies import Strategies
from earwitness_plugins.applications.evaluation.data import DataFile, read, read_again
from earwitness_plugins.importers.addressees import AddresseesImporter
from earwitness_plugins.importers.conversations import ConversationsImporter
from earwitness_plugins.importers.knowledge import KnowledgeImporter
from earwitness_plugins.importers.scenes import ScenesImporter
from earwitness_plugins.importers.turns import TurnsImporter

from .conftest import CONVERSATION, EVENING, NEXT, QUESTIONS, QUOTATIONS, lines, turn


def test_a_scene_keeps_what_was_said_with_and_without_its_directions(tmp_path: Path) -> None:
    (scene,) = ScenesImporter().read(lines(tmp_path, "x.jsonl", EVENING)).scenes
    quiet = scene.lines[2]
    assert (quiet.text, quiet.plain, quiet.audience) == ("(quietly) Good.", "Good.", ("Ann", "Ben"))
    assert scene.lines[0].narration
    assert not scene.lines[0].judged
    assert scene.lines[6].aside
    assert (scene.dataset, scene.name, scene.id) == ("tavern", "1-0", "tavern-1-0")


def test_several_who_speak_as_one_all_speak(tmp_path: Path) -> None:
    (scene,) = ScenesImporter().read(lines(tmp_path, "x.jsonl", EVENING)).scenes
    assert (scene.lines[5].speaker, scene.lines[5].along) == ("Ann", ("Ben",))


def test_parts_of_one_conversation_are_one_group(tmp_path: Path) -> None:
    names = ["7-0", "7-1", "8-0", "act-1", "hamlet/1.1"]
    found = ScenesImporter().read(lines(tmp_path, "x.jsonl", *({**NEXT, "scene": name} for name in names))).scenes
    assert [scene.group for scene in found] == ["7", "7", "8", "act-1", "hamlet/1.1"]
    (own,) = ScenesImporter().read(lines(tmp_path, "x.jsonl", {**NEXT, "group": "mine"})).scenes
    assert own.group == "mine"


def test_a_message_without_the_key_present_is_still_to_be_judged(tmp_path: Path) -> None:
    bare = [{key: value for key, value in message.items() if key != "present"} for message in NEXT["messages"]]
    (scene,) = ScenesImporter().read(lines(tmp_path, "x.jsonl", {**NEXT, "messages": bare})).scenes
    assert [(line.perceivers, line.judged) for line in scene.lines] == [(None, True), (None, True)]


@pytest.mark.parametrize(
    ("where", "key", "meant"),
    [("", "rosters", "roster"), ("messages", "presnt", "present"), ("parts", "Text", "text"), ("acts", "acts", "act")],
)
def test_a_key_that_is_a_letter_off_is_refused_and_one_of_its_own_is_not(
    tmp_path: Path, where: str, key: str, meant: str
) -> None:
    def scene(name: str) -> dict[str, Any]:
        more = {name: "x"}
        piece = {"text": "Go.", "present": ["Ann"], **(more if where == "parts" else {})}
        act = {"who": "Ann", "act": "leaves", **(more if where == "acts" else {})}
        said = {**NEXT["messages"][0], "parts": [piece], "acts": [act], **(more if where == "messages" else {})}
        return {**NEXT, "messages": [said], **(more if where == "" else {})}

    with pytest.raises(StoryError, match=f"there is no key '{key}'. Did you mean '{meant}'?"):
        ScenesImporter().read(lines(tmp_path, "x.jsonl", scene(key)))
    assert ScenesImporter().read(lines(tmp_path, "y.jsonl", scene("speaker_note"))).scenes


def test_a_kind_that_is_a_letter_off_is_refused_and_one_of_its_own_is_not(tmp_path: Path) -> None:
    def scene(kind: str) -> dict[str, Any]:
        return {**NEXT, "messages": [{**NEXT["messages"][0], "kind": kind}]}

    with pytest.raises(StoryError, match=r"messages\[0\]: there is no kind 'naration'. Did you mean 'narration'?"):
        ScenesImporter().read(lines(tmp_path, "x.jsonl", scene("naration")))
    assert ScenesImporter().read(lines(tmp_path, "y.jsonl", scene("song"))).scenes


def test_a_novel_is_one_scene_of_its_quotations(tmp_path: Path) -> None:
    (scene,) = AddresseesImporter().read(lines(tmp_path, "novel.jsonl", *QUOTATIONS)).scenes
    assert (scene.name, scene.roster) == ("novel", ("Ann", "Ben", "Old Tom"))
    assert [line.key for line in scene.lines] == ["Q0", "Q1", "Q2"]
    assert scene.lines[2].addressees == ("Ann", "Ben")
    assert scene.lines[0].notes == {"spans": [[0, 9]]}


def test_who_is_addressed_is_no_member_of_the_cast_for_that(tmp_path: Path) -> None:
    silent = {**QUOTATIONS[0], "addressees": ["Somebody Silent"]}
    (scene,) = AddresseesImporter().read(lines(tmp_path, "novel.jsonl", silent)).scenes
    assert scene.roster == ("Ann",)


def test_questions_ask_of_one_or_for_a_list(tmp_path: Path) -> None:
    one, _, listed = KnowledgeImporter().read(lines(tmp_path, "x.jsonl", *QUESTIONS)).questions
    assert (one.character, one.knows, one.knowers) == ("Ben", False, None)
    assert (listed.character, listed.knowers) == (None, ("Ann", "Old Tom"))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({**QUESTIONS[0], "task": "guess"}, "task 'guess' is not known. Tasks: knows, knowers"),
        ({**QUESTIONS[0], "knows": "yes"}, "'knows' must be true or false"),
        ({**QUESTIONS[0], "character": None}, "'character' must be text"),
    ],
)
def test_a_question_that_cannot_be_read_is_named_with_its_line(row: object, said: str, tmp_path: Path) -> None:
    with pytest.raises(StoryError, match=r"x\.jsonl:1: ") as caught:
        KnowledgeImporter().read(lines(tmp_path, "x.jsonl", row))
    assert said in str(caught.value)


def test_a_turn_names_the_lines_that_should_come_to_mind(tmp_path: Path) -> None:
    path = lines(tmp_path, "x.jsonl", turn("Ann", 8, [1, 4]))
    (asked,) = TurnsImporter().read(path).asked
    assert (asked.character, asked.before, asked.evidence) == ("Ann", 8, ("1", "4"))
    assert TurnsImporter().accepts(path, Path(path).read_bytes())


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (turn("Ann", "8", [1]), "'before' must be the index of a message, from 0; it is '8'."),
        (turn("Ann", 8, []), "'evidence' must be a list of indices of messages before 8; it is []."),
        (turn("Ann", 8, [9]), "'evidence' must be a list of indices of messages before 8; it is [9]."),
    ],
)
def test_a_turn_that_cannot_be_read_is_named_with_its_line(row: object, said: str, tmp_path: Path) -> None:
    with pytest.raises(StoryError, match=r"x\.jsonl:1: ") as caught:
        TurnsImporter().read(lines(tmp_path, "x.jsonl", row))
    assert said in str(caught.value)


def test_a_conversation_has_dated_turns_and_questions_with_evidence(tmp_path: Path) -> None:
    found = ConversationsImporter().read(lines(tmp_path, "talk.json", CONVERSATION))
    (scene,) = found.scenes
    assert next(line.text for line in scene.lines) == "(1 May) I bought a canoe."
    assert [line.notes["day"] for line in scene.lines] == [1, 1, 2]
    assert [each.evidence for each in found.asked] == [("D2:1",), ("D1:1", "D1:2")]


def test_the_other_dialect_of_conversations_stands_at_the_top_level(tmp_path: Path) -> None:
    turn = {"clean_text": "Hi.", "speaker": "ann", "date_time": "30.12.2023", "dia_id": "D1:1", "blip_caption": "a cat"}
    path = lines(tmp_path, "talk.json", {"session_1": [turn], "session_10": None, "qa": []})
    (line,) = ConversationsImporter().read(path).scenes[0].lines
    assert (line.speaker, line.text) == ("Ann", "(30.12.2023) Hi. [shows a cat]")


def test_every_format_is_taken_by_its_own_importer(tmp_path: Path) -> None:
    strategies = Strategies()
    files = [
        lines(tmp_path, "scenes.jsonl", EVENING, NEXT),
        lines(tmp_path, "novel.jsonl", *QUOTATIONS),
        lines(tmp_path, "questions.jsonl", *QUESTIONS),
        lines(tmp_path, "talk.json", CONVERSATION),
    ]
    data = read(strategies, files)
    assert (len(data.scenes), len(data.questions), len(data.asked)) == (4, 3, 2)
    assert [file.path for file in data.files] == files


class Diary:
    """A researcher's importer, in one small file."""

    def accepts(self, path: str, head: bytes) -> bool:
        return path.endswith(".diary")

    def read(self, path: str) -> Imported:
        said = SceneLine(speaker="Ann", text=Path(path).read_text(), present=("Ann", "Ben"))
        return Imported(scenes=(Scene(id="one", roster=("Ann", "Ben"), lines=(said,)),))


def test_scenes_of_any_importer_are_a_data_set_named_after_their_file(tmp_path: Path) -> None:
    strategies = Strategies()
    strategies.register("importer", "a_diary", Diary)
    (tmp_path / "may.diary").write_text("Dear Ben.")
    (scene,) = read(strategies, [str(tmp_path / "may.diary")]).scenes
    assert (scene.dataset, scene.name, scene.group) == ("may", "one", "one")
    assert scene.lines[0].present == ("Ann", "Ben")


def test_a_file_that_has_changed_since_is_refused(tmp_path: Path) -> None:
    strategies, path = Strategies(), lines(tmp_path, "x.jsonl", EVENING)
    before = read(strategies, [path]).files
    assert read_again(strategies, before).files == before
    lines(tmp_path, "x.jsonl", NEXT)
    with pytest.raises(InputError, match="has changed since that run"):
        read_again(strategies, before)
    assert read_again(strategies, [DataFile(path=path)]).scenes


def test_a_quotation_of_nobody_is_told_not_said(tmp_path: Path) -> None:
    row = {"quote": "Q1", "text": "Hark!", "speaker": "", "addressees": ["Bob"]}
    (scene,) = AddresseesImporter().read(lines(tmp_path, "novel.jsonl", row)).scenes
    assert scene.lines[0].speaker is None
    assert scene.roster == ()


def test_a_name_that_a_roster_lists_twice_is_one_character(tmp_path: Path) -> None:
    row = {"dataset": "d", "scene": "1", "roster": ["Ann", "Bob", "Ann"], "messages": []}
    (scene,) = ScenesImporter().read(lines(tmp_path, "scenes.jsonl", row)).scenes
    assert scene.roster == ("Ann", "Bob")
