"""`earwitness import`, `export --format` and `replay` with cards, lorebooks, chats and transcripts."""

import base64
import json
import shutil
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from earwitness.containers import user_container
from earwitness.sync import Earwitness

from .conftest import Run, answer, told

CARD: dict[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Mira",
        "description": "{{char}} keeps the lamp.",
        "personality": "",
        "scenario": "Fog.",
        "first_mes": "Late again, {{user}}?",
        "mes_example": "",
        "tags": [],
        "extensions": {"x": 1.50},
        "character_book": {"entries": [{"keys": ["oil"], "content": "Oil is short.", "enabled": True, "id": 1}]},
    },
}
BO = {**CARD, "data": {**CARD["data"], "name": "Bo", "character_book": None, "scenario": ""}}
NOT_BO = {"names": ["Bo"], "isExclude": True}
WORLD: dict[str, Any] = {
    "entries": {
        "0": {"uid": 0, "key": ["gulls"], "content": "Gulls lie.", "characterFilter": NOT_BO},
        "1": {"uid": 1, "key": [], "content": "Night lasts a month.", "constant": True, "position": 4},
    }
}
CHAT = (
    '{"user_name": "Kim", "character_name": "Mira", "chat_metadata": {}}\n'
    '{"name": "Mira", "is_user": false, "mes": "Who is there?", "swipes": ["Hm.", "Who is there?"], "swipe_id": 1}\n'
    '{"name": "Kim", "is_user": true, "mes": "Me."}\n'
)
EPISODE = [{"NAMES": ["ANN"], "UTTERANCES": ["Roll,", "please."]}, {"NAMES": ["BEN", "CAT"], "UTTERANCES": ["Ha!"]}]


def picture(card: object) -> bytes:
    """A PNG with a card in it."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    text = chunk(b"tEXt", b"chara\0" + base64.b64encode(json.dumps(card).encode()))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bytes(13)) + text + chunk(b"IEND", b"")


@pytest.fixture
def files(folder: Path) -> Path:
    """A folder with a card in a picture, another in JSON, a world and a chat."""
    (folder / "mira.png").write_bytes(picture(CARD))
    (folder / "bo.json").write_text(json.dumps(BO), "utf-8")
    (folder / "world.json").write_text(json.dumps(WORLD), "utf-8")
    (folder / "night.jsonl").write_text(CHAT, "utf-8")
    (folder / "game.json").write_text(json.dumps(EPISODE), "utf-8")
    (folder / "talk.txt").write_text("Ann: Good evening.\nBen: Is it?\n", "utf-8")
    return folder


def lore(run: Run, session: str, owner: str) -> list[str]:
    """What somebody knows of the world."""
    found = answer(run("inspect", session, owner, "--filter", "type==lore", "--json"))["memories"]
    return [each["content"].rpartition("]\n")[2] for each in found]


def test_a_card_begins_a_story_of_its_own(run: Run, files: Path) -> None:
    brought = answer(run("import", "mira.png", "--json"))
    assert brought == {
        "imported": "mira",
        "characters": ["mira"],
        "pieces": 3,
        "messages": 0,
        "new": 0,
        "edited": 0,
        "changed": True,
        "warnings": [],
    }
    assert lore(run, "mira", "mira") == ["Oil is short."]
    assert run("import", "mira.png", "--into", "x").stdout == "Imported into x: 1 character, 3 pieces\n"


def test_cards_and_worlds_together_make_one_story(run: Run, files: Path) -> None:
    brought = answer(run("import", "mira.png", "bo.json", "world.json", "--json"))
    assert (brought["imported"], brought["characters"]) == ("mira", ["mira", "bo"])
    assert lore(run, "mira", "mira") == ["Oil is short.", "Gulls lie.", "Night lasts a month."]
    assert lore(run, "mira", "bo") == ["Night lasts a month."]


def test_files_go_into_a_story_that_is_there(played: Run, files: Path) -> None:
    assert answer(played("import", "mira.png", "night.jsonl", "--into", "cellar", "--json"))["messages"] == 2
    cast = [member["id"] for member in answer(played("inspect", "cellar", "--json"))["cast"]["members"]]
    assert cast == ["alice", "bob", "charlie", "mira", "kim"]


def test_every_chat_is_a_story_unless_told_otherwise(run: Run, files: Path) -> None:
    (files / "day.jsonl").write_text(CHAT, "utf-8")
    brought = told(run("import", "night.jsonl", "day.jsonl", "--json"))
    assert [(each["imported"], each["messages"]) for each in brought] == [("night", 2), ("day", 2)]


def test_what_was_mended_is_said_on_standard_error(run: Run, files: Path) -> None:
    result = run("import", "bo.json", "--json")
    assert result.stderr == "Warning: bo.json: data.character_book is null: read as none.\n"
    assert answer(result)["warnings"] == ["bo.json: data.character_book is null: read as none"]


def test_one_broken_file_and_nothing_is_changed(run: Run, files: Path) -> None:
    (files / "broken.png").write_bytes((files / "mira.png").read_bytes()[:60])
    result = run("import", "bo.json", "broken.png")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: broken.png: it has no character card")
    assert len(result.stderr.splitlines()) == 1
    assert not (files / "earwitness.db").exists()


@pytest.mark.parametrize("name", ["mira.png", "bo.json", "world.json", "night.jsonl", "talk.txt"])
def test_a_file_that_is_imported_again_brings_nothing_new(run: Run, files: Path, name: str) -> None:
    first = run("import", name, "--into", "s").stdout
    assert first.startswith("Imported into s: ")
    assert "nothing new" not in first
    assert run("import", name, "--into", "s").stdout == "Imported into s: nothing new\n"
    assert answer(run("import", name, "--into", "s", "--json"))["changed"] is False


def test_json_that_nobody_takes_is_said_to_be_json_with_what_was_looked_for(run: Run, files: Path) -> None:
    (files / "odd.json").write_text('{"a": 1}', "utf-8")
    said = run("import", "odd.json").stderr
    assert "It is JSON with the keys 'a': no card (data, or name and first_mes), no lorebook (entries)" in said
    (files / "odd.json").write_text('{"a": ', "utf-8")
    assert "It may be damaged: not JSON: Expecting value: column 7" in run("import", "odd.json").stderr


def test_a_format_may_be_named_and_an_unknown_one_lists_them(run: Run, files: Path) -> None:
    assert answer(run("import", "bo.json", "--format", "card", "--json"))["characters"] == ["bo"]
    result = run("import", "bo.json", "--format", "cards")
    assert result.exit_code == 2
    assert "unknown importer 'cards'. Known: " in result.stderr
    assert "Did you mean 'card'?" in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["out.jsonl", "--into", "cellar"], "an exported story cannot go into another. Give it another id with --as"),
        (["mira.png", "--as", "x"], "--as 'x' is for one exported story. Say where cards and chats go with --into"),
    ],
)
def test_options_that_do_not_fit_the_file_say_which_does(played: Run, files: Path, words: list[str], said: str) -> None:
    assert played("export", "cellar", "-o", "out.jsonl").exit_code == 0
    result = played("import", *words)
    assert result.exit_code == 2
    assert said in result.stderr


def test_an_exported_story_and_a_card_come_in_together(played: Run, files: Path) -> None:
    assert played("export", "cellar", "-o", "out.jsonl").exit_code == 0
    brought = told(played("import", "out.jsonl", "mira.png", "--store", "other.db", "--json"))
    assert [each["imported"] for each in brought] == ["cellar", "mira"]


@pytest.mark.parametrize("words", [[], ["--as", "other"]])
def test_an_exported_story_can_be_imported_again(played: Run, files: Path, words: list[str]) -> None:
    played("edit", "cellar", "plan", "Then we dig at dawn.")
    played("retract", "cellar", "cellar:4")
    played("forget", "cellar", "bob", "--yes")
    assert played("export", "cellar", "-o", "out.jsonl").exit_code == 0
    for store, new in {"earwitness.db": bool(words), "other.db": True}.items():
        first, second = (answer(played("import", "out.jsonl", "--store", store, "--json", *words)) for _ in range(2))
        assert (first["new"], second["new"]) == (new, False)
    assert played("import", "out.jsonl", *words).stdout.endswith(": nothing new\n")


def test_another_story_under_its_id_is_told_of_as(played: Run, files: Path, story: Path) -> None:
    assert played("export", "cellar", "-o", "out.jsonl").exit_code == 0
    story.write_text(story.read_text("utf-8").replace("third", "fourth"), "utf-8")
    assert played("play", "cellar.yaml", "--fresh").exit_code == 0
    result = played("import", "out.jsonl")
    assert result.exit_code == 2
    assert (
        "session 'cellar' already exists and is a different story. Import it under another id (`--as ID`"
        in result.stderr
    )


def test_an_import_names_the_shared_containers_that_it_left_out(run: Run, folder: Path) -> None:
    with Earwitness.open("earwitness.db") as ew:
        story = ew.session("tea", cast=["alice"])
        ew.register(user_container("u1"))
        story.remember(None, "Likes tea.", container=user_container("u1")).settled()
        story.delivered()
    assert run("export", "tea", "-o", "out.jsonl").exit_code == 0
    result = run("import", "out.jsonl", "--store", "other.db", "--json")
    assert answer(result)["left_out"] == ["user-u1"]
    assert "Warning: tea wrote memories to user-u1, which belong to no session." in result.stderr
    again = run("import", "out.jsonl", "--store", "other.db")
    assert (again.stdout, again.stderr) == ("Imported tea: nothing new\n", "")


# ── out again ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_cards_worlds_and_chats_go_out_to_the_letter(run: Run, files: Path) -> None:
    run("import", "mira.png", "world.json", "night.jsonl", "--into", "tale")
    assert run("export", "--format", "card").stdout_bytes == json.dumps(CARD).encode()
    assert run("export", "tale", "--format", "worldinfo", "-o", "w.json").exit_code == 0
    assert (files / "w.json").read_bytes() == (files / "world.json").read_bytes()
    assert run("export", "tale", "--format", "chat").stdout_bytes == (files / "night.jsonl").read_bytes()


def test_several_cards_need_a_folder(run: Run, files: Path) -> None:
    run("import", "mira.png", "bo.json", "--into", "tale")
    result = run("export", "tale", "--format", "card")
    assert result.exit_code == 2
    assert "2 files (mira.json, bo.json) need a folder: --output FOLDER" in result.stderr
    out = told(run("export", "tale", "--format", "card", "--output", "out", "--json"))
    assert [each["file"] for each in out] == ["out/mira.json", "out/bo.json"]
    assert (files / "out" / "bo.json").read_bytes() == (files / "bo.json").read_bytes()


def test_one_card_goes_into_a_folder_too_where_the_path_has_no_ending(run: Run, files: Path) -> None:
    run("import", "mira.png", "--into", "tale")
    for path in ("cards", "other/", "cards"):
        run("export", "--format", "card", "--output", path, "--force")
        assert (files / path / "mira.json").read_bytes() == json.dumps(CARD).encode()
    assert answer(run("export", "--output", "cards", "--json"))["file"] == "cards/tale.jsonl"


@pytest.mark.parametrize("path", ["out", "v1.2", "mira.json", "a.b/"])
def test_several_files_go_into_a_folder_whatever_its_name(run: Run, files: Path, path: str) -> None:
    run("import", "mira.png", "bo.json", "--into", "tale")
    if path == "mira.json":
        (files / path).unlink(missing_ok=True)
    out = told(run("export", "tale", "--format", "card", "--output", path, "--json"))
    assert [each["file"] for each in out] == [f"{path.rstrip('/')}/mira.json", f"{path.rstrip('/')}/bo.json"]


@pytest.mark.parametrize(
    ("path", "written"), [("v1.2", "v1.2/mira.json"), ("a.json/", "a.json/mira.json"), ("a.json", "a.json")]
)
def test_one_file_goes_into_a_folder_unless_the_path_ends_in_a_suffix(
    run: Run, files: Path, path: str, written: str
) -> None:
    run("import", "mira.png", "--into", "tale")
    assert answer(run("export", "--format", "card", "--output", path, "--json"))["file"] == written
    assert (files / written).read_bytes() == json.dumps(CARD).encode()


def test_a_file_in_the_place_of_the_folder_is_named(run: Run, files: Path) -> None:
    run("import", "mira.png", "bo.json", "--into", "tale")
    (files / "out.txt").write_text("mine", "utf-8")
    for path in ("out.txt", "out.txt/in/"):
        refused = run("export", "tale", "--format", "card", "--output", path, "--force")
        assert refused.exit_code == 2
        assert f"--output '{path}' is a file, or inside one; mira.json, bo.json need a folder" in refused.stderr
    assert (files / "out.txt").read_text("utf-8") == "mine"


@pytest.mark.parametrize("words", [["--output", "out.json"], ["--output", "cards"]])
def test_export_writes_over_nothing_unless_it_is_told_to(run: Run, files: Path, words: list[str]) -> None:
    run("import", "mira.png", "bo.json", "--into", "tale")
    card = ["--format", "card"] if words[-1] == "cards" else []
    (files / "cards").mkdir()
    written = files / ("cards/bo.json" if card else "out.json")
    written.write_text("mine", "utf-8")
    refused = run("export", *card, *words)
    assert refused.exit_code == 2
    assert f"{written.relative_to(files)} already exists. Choose another name, or overwrite it with --force" in (
        refused.stderr
    )
    assert written.read_text("utf-8") == "mine"
    assert not (files / "cards" / "mira.json").exists()
    assert run("export", *card, *words, "--force").exit_code == 0
    assert written.read_text("utf-8") != "mine"


def test_an_id_with_a_slash_in_it_names_no_folder(run: Run, files: Path) -> None:
    run("import", "night.jsonl", "--into", "../night/x")
    assert answer(run("export", "-o", "out/", "--json"))["file"] == "out/_night_x.jsonl"
    assert answer(run("export", "--format", "chat", "-o", "out/", "--json"))["file"] == "out/night.jsonl"


def test_a_refused_import_makes_no_store(run: Run, files: Path) -> None:
    (files / "bad.jsonl").write_text('{"kind": "session", "version": 3, "id": "x", "lines": 9}\n', "utf-8")
    (files / "earwitness.toml").write_text("", "utf-8")
    before = {each.name for each in files.iterdir()}
    for words in (
        ["bad.jsonl"],
        ["mira.png", "--into", "persona-x"],
        ["mira.png", "nowhere.json"],
        ["talk.txt", "--as", "x"],
    ):
        result = run("import", *words)
        assert result.exit_code == 2, words
    assert "bad.jsonl: the export is incomplete" in run("import", "bad.jsonl").stderr
    assert run("replay", "mira.png").exit_code == 2
    (files / "earwitness.toml").write_text('detector = "nobody"', "utf-8")
    assert run("import", "mira.png").exit_code == 2
    assert {each.name for each in files.iterdir()} == before


def test_a_story_without_files_gets_new_ones(played: Run, files: Path) -> None:
    made = json.loads(played("export", "cellar", "--format", "card").stdout)
    assert (made["spec"], made["data"]["name"]) == ("chara_card_v3", "Charlie")
    assert made["data"]["description"] == "Charlie is always late."
    result = played("export", "cellar", "--format", "worldinfo")
    assert result.exit_code == 2
    assert "'cellar' has nothing to export as worldinfo. For all of it: --format jsonl" in result.stderr


def test_which_story_goes_out_must_be_clear(run: Run, files: Path) -> None:
    run("import", "night.jsonl", "talk.txt")
    result = run("export", "--format", "card")
    assert result.exit_code == 2
    assert "name the story: earwitness export ID. Stories here: night, talk" in result.stderr


def test_a_whole_story_keeps_its_files(run: Run, files: Path) -> None:
    run("import", "mira.png")
    shutil.copy(files / "mira.png", files / "x.png")
    exported = run("export", "mira").stdout
    assert run("import", "-", "--store", "other.db", input=exported).exit_code == 0
    assert run("export", "--format", "card", "--store", "other.db").stdout_bytes == json.dumps(CARD).encode()


# ── replay ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_replay_takes_episodes_chats_and_plain_text(run: Run, files: Path) -> None:
    scenes = told(run("replay", "game.json", "night.jsonl", "talk.txt", "--json"))
    assert [(each["session"], each["messages"]) for each in scenes] == [("game", 2), ("night", 2), ("talk", 2)]
    assert scenes[0]["names"] == {"ann": "ANN", "ben": "BEN", "cat": "CAT"}


def test_replay_of_a_card_says_what_takes_it(run: Run, files: Path) -> None:
    result = run("replay", "mira.png")
    assert result.exit_code == 2
    assert "mira.png: nobody speaks in it. To bring it into a story: earwitness import mira.png" in result.stderr


def test_a_chat_is_edited_and_played_on_and_comes_out(run: Run, files: Path) -> None:
    run("import", "night.jsonl")
    before = run("export", "night", "--format", "chat").stdout.splitlines()
    assert run("edit", "night", "night:1", "Only the fog.").exit_code == 0
    after = run("export", "night", "--format", "chat").stdout.splitlines()
    assert (after[:2], json.loads(after[2])["mes"]) == (before[:2], "Only the fog.")


def test_a_story_that_was_played_comes_out_as_a_chat(played: Run, folder: Path) -> None:
    assert answer(played("export", "cellar", "--format", "chat", "-o", "out.jsonl", "--json"))["file"] == "out.jsonl"
    assert played("import", "out.jsonl", "--into", "again").exit_code == 0
    found = [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]
    assert [row["name"] for row in found[1:]] == ["Alice", "Bob", "Charlie"]
