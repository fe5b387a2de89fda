"""The commands that change a story that was played, and take it along."""

import json
from pathlib import Path

import pytest

from .commands import everything, first_memory
from .conftest import STORY, Run, answer, told

# ── changing ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_edit_replaces_what_everybody_remembers(played: Run) -> None:
    assert set(answer(played("edit", "cellar", "plan", "Then we dig never.", "--json"))["participants"]) == {
        "alice",
        "bob",
    }
    contents = str(answer(played("inspect", "cellar", "alice", "--json")))
    assert "dig never" in contents
    assert "dig tonight" not in contents
    assert "Then we wait." in played("edit", "cellar", "plan", "Then we wait.", "--reroll").stdout


def test_retract_takes_a_message_or_a_memory_away(played: Run) -> None:
    memory = first_memory(played, "bob")
    assert answer(played("retract", "cellar", memory, "--by", "editor", "--json"))["retracted"] == memory
    assert "retracted by editor" in str(answer(played("explain", memory, "--json")))
    played("retract", "cellar", "plan")
    assert "dig tonight" not in str(answer(played("inspect", "cellar", "world", "--json")))


def test_archive_takes_everybodys_memory_of_a_message_out_of_recall_and_restore_puts_it_back(played: Run) -> None:
    assert played("archive", "cellar", "plan").stdout == "Out of recall: plan (3 memories)\n"
    assert "dig tonight" not in str(answer(played("recall", "cellar", "alice", "When do we dig?", "--json")))
    assert answer(played("archive", "cellar", "plan", "--json"))["memories"] == 0
    assert played("restore", "cellar", "plan").stdout == "Back in recall: plan (3 memories)\n"
    assert "dig tonight" in str(answer(played("recall", "cellar", "alice", "When do we dig?", "--json")))
    memory = first_memory(played, "bob")
    assert f"Out of recall: {memory} (1 memory)" in played("archive", "cellar", memory).stdout
    assert "'dig tonight' is neither a memory id nor a key" in played("archive", "cellar", "dig tonight").stderr


def test_what_was_taken_back_already_is_said_to_be(played: Run) -> None:
    assert answer(played("retract", "cellar", "plan", "--json"))["already"] is False
    assert "It was retracted already, and nothing changes: plan" in played("retract", "cellar", "plan").stdout


def test_an_edit_to_nothing_names_the_command_that_takes_back(played: Run) -> None:
    result = played("edit", "cellar", "plan", " ", "--store", "earwitness.db")
    assert result.exit_code == 2
    assert "retract cellar plan --store earwitness.db" in result.stderr


def test_forget_removes_nothing_where_nobody_answers(played: Run) -> None:
    result = played("forget", "cellar", input="")
    assert result.exit_code == 2
    assert "--yes removes it without asking" in result.stderr
    assert answer(played("inspect", "--json")) == ["cellar"]


def test_forget_asks_before_it_removes(played: Run) -> None:
    assert played("forget", "cellar", input="n\n").exit_code == 130
    assert answer(played("inspect", "--json")) == ["cellar"]
    assert played("forget", "cellar", input="y\n").exit_code == 0
    assert answer(played("inspect", "--json")) == []


def test_an_answer_in_words_is_printed_to_the_letter(run: Run, folder: Path) -> None:
    (folder / "red.yaml").write_text(STORY.replace("story: cellar", 'story: "[red]"'), "utf-8")
    assert run("play", "red.yaml").exit_code == 0
    assert run("forget", "[red]", "--yes").stdout == "Forgotten: the story '[red]'\n"


def test_forgetting_a_character_keeps_what_others_remember_of_them(played: Run) -> None:
    assert played("forget", "cellar", "Alice", "--yes").exit_code == 0
    assert "alice" not in [member["id"] for member in answer(played("inspect", "cellar", "--json"))["cast"]["members"]]
    assert "Message: Alice:" in str(answer(played("inspect", "cellar", "bob", "--json")))


# ── taking along ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_story_comes_back_from_its_export_just_as_it_was(played: Run, folder: Path) -> None:
    assert played("export", "cellar", "--output", "cellar.jsonl").exit_code == 0
    assert answer(played("import", "cellar.jsonl", "--store", "other.db", "--json"))["imported"] == "cellar"
    assert everything(played, "other.db") == everything(played, "earwitness.db")
    assert played("export", "cellar", "--store", "other.db").stdout == (folder / "cellar.jsonl").read_text("utf-8")


def test_an_imported_story_goes_on_where_it_was(played: Run, story: Path) -> None:
    exported = played("export", "cellar").stdout
    assert played("import", "-", "--store", "other.db", input=exported).exit_code == 0
    assert told(played("play", str(story), "--store", "other.db", "--json"))[0]["again"] is True


def test_a_branch_shares_the_past_and_goes_its_own_way(played: Run) -> None:
    made = answer(played("fork", "cellar", "what-if", "--at", "plan", "--json"))
    assert (made["session"], made["parent"], made["at"]) == ("what-if", "cellar", "plan")
    played("retract", "what-if", "plan")
    known = {id: answer(played("who-knows", id, "Then we dig tonight", "--json")) for id in ("cellar", "what-if")}
    assert [known[id]["knowers"]["bob"]["learned"] for id in known] == [{"way": "said", "teller": "bob"}, None]
    again = played("fork", "cellar", "what-if", "--at", "plan").stdout
    assert again == "what-if was there already: it shares with cellar all up to plan.\n"
    without = played("fork", "cellar", "what-if").stdout
    assert without == "what-if was there already: it shares with cellar what it shared before.\n"
    assert answer(played("fork", "cellar", "what-if", "--json"))["created"] is False


def test_a_branch_at_nothing_and_one_under_an_id_that_is_taken_are_refused(played: Run) -> None:
    nowhere = played("fork", "cellar", "other", "--at", "nowhere")
    assert nowhere.exit_code == 2
    assert "session 'cellar' has no entry with the key 'nowhere': `inspect` lists keys" in nowhere.stderr
    played("fork", "cellar", "what-if", "--at", "plan")
    taken = played("fork", "what-if", "cellar")
    assert (taken.exit_code, "'cellar' exists" in taken.stderr) == (2, True)


def test_a_story_can_be_imported_beside_itself(played: Run) -> None:
    exported = played("export", "cellar").stdout
    before = everything(played, "earwitness.db")
    assert played("import", "-", input=exported).exit_code == 0  # it holds all of it already
    assert everything(played, "earwitness.db") == before
    assert answer(played("import", "-", "--as", "copy", "--json", input=exported))["imported"] == "copy"
    assert [content for _, content, _ in everything(played, "earwitness.db", "copy")["alice"]] == [  # type: ignore[attr-defined]
        content
        for _, content, _ in everything(played, "earwitness.db")["alice"]  # type: ignore[attr-defined]
    ]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("{", "standard input:1: not JSON"),
        ("[]", "standard input:1: must be an object"),
        ('{"kind": "entry"}', "line 1: not an Earwitness export"),
        ("", "line 1: not an Earwitness export"),
        ('{"kind": "session", "version": 3, "id": "s"}\n{"kind": "nonsense"}', "line 2: kind 'nonsense'"),
    ],
)
def test_what_is_no_export_is_refused_with_its_line(run: Run, lines: str, said: str) -> None:
    result = run("import", "-", input=lines)
    assert result.exit_code == 2
    assert said in result.stderr


def test_an_export_is_a_line_of_json_for_the_session_and_each_entry(played: Run) -> None:
    kinds = [json.loads(line)["kind"] for line in played("export", "cellar").stdout.splitlines()]
    assert kinds[0] == "session"
    assert kinds.count("entry") >= 6
