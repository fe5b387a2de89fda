"""`earwitness import` of a chat that the story has already: longer, changed, shorter, or under another name."""

import json
from pathlib import Path

import pytest

from earwitness.sync import Earwitness

from .conftest import Run, answer

CARD = {"name": "Mira", "description": "{{char}} keeps the lamp.", "first_mes": "Late again, {{user}}?"}
CHAT = (
    '{"user_name": "Kim", "character_name": "Mira", "chat_metadata": {}}\n'
    '{"name": "Mira", "is_user": false, "mes": "Who is there?", "swipes": ["Hm.", "Who is there?"], "swipe_id": 1}\n'
    '{"name": "Kim", "is_user": true, "mes": "Me."}\n'
)
ADDED = '{"name": "Mira", "is_user": false, "mes": "Come in."}\n'


@pytest.fixture
def files(folder: Path) -> Path:
    """A folder with a chat."""
    (folder / "night.jsonl").write_text(CHAT, "utf-8")
    return folder


def said(run: Run, session: str) -> list[str]:
    """What the story holds, as its chat says it."""
    lines = run("export", session, "--format", "chat").stdout.splitlines()
    return [json.loads(line)["mes"] for line in lines[1:]]


def test_a_line_that_was_changed_is_an_edit(run: Run, files: Path) -> None:
    run("import", "night.jsonl")
    (files / "night.jsonl").write_text(CHAT.replace('"Me."', '"Me too."') + ADDED, "utf-8")
    assert run("import", "night.jsonl").stdout == "Imported into night: 1 message, 1 edit (1 there already)\n"
    assert said(run, "night") == ["Who is there?", "Me too.", "Come in."]
    before = run("export", "night").stdout
    assert run("import", "night.jsonl").stdout == "Imported into night: nothing new\n"
    assert run("export", "night").stdout == before
    assert run("export", "night", "--format", "chat").stdout_bytes == (files / "night.jsonl").read_bytes()


def test_what_was_edited_in_the_story_is_not_undone_by_the_file_it_came_from(run: Run, files: Path) -> None:
    run("import", "night.jsonl")
    run("edit", "night", "night:1", "Me too.")
    run("edit", "night", "night:0", "Who is it?", "--reroll")
    (files / "night.jsonl").write_text(CHAT + ADDED, "utf-8")
    assert run("import", "night.jsonl").stdout == "Imported into night: 1 message (2 there already)\n"
    assert said(run, "night") == ["Who is it?", "Me too.", "Come in."]


def test_a_refused_chat_changes_nothing_and_says_how_to_change_the_story(run: Run, files: Path) -> None:
    run("import", "night.jsonl")
    before = run("export", "night").stdout
    other = CHAT.replace('"Me."', '"Me too."').replace('"Who is there?"', '"Who is it?"')
    (files / "night.jsonl").write_text(other + ADDED, "utf-8")
    (files / "mira.json").write_text(json.dumps(CARD), "utf-8")
    result = run("import", "mira.json", "night.jsonl", "--into", "night")
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: night.jsonl:2: it says 'mira: Who is it?', and the story 'night' has 'mira: Who is there?' under the "
        "key 'night:0'. Nothing was imported. 1 more of its lines differ. Change it in the story, and import again: "
        'earwitness edit night night:0 "…" (with --reroll for another swipe).\n'
    )
    assert run("export", "night").stdout == before
    assert run("export", "night", "--format", "chat").stdout == CHAT


def test_one_refused_chat_keeps_the_others_out(run: Run, files: Path) -> None:
    run("import", "night.jsonl")
    (files / "day.jsonl").write_text(CHAT, "utf-8")
    (files / "night.jsonl").write_text(CHAT[: CHAT.index('{"name": "Kim"')], "utf-8")
    assert run("import", "day.jsonl", "night.jsonl").exit_code == 2
    assert "day" not in run("inspect").stdout


def test_another_swipe_is_a_reroll_in_the_story(run: Run, files: Path) -> None:
    run("import", "night.jsonl")
    (files / "night.jsonl").write_text(CHAT.replace('"swipe_id": 1', '"swipe_id": 0'), "utf-8")
    assert run("import", "night.jsonl").stdout == "Imported into night: 1 edit (1 there already)\n"
    assert run("import", "night.jsonl").stdout == "Imported into night: nothing new\n"
    assert '"reroll": true' in run("export", "night").stdout
    assert run("export", "night", "--format", "chat").stdout_bytes == (files / "night.jsonl").read_bytes()


def test_a_text_that_was_changed_beside_its_swipes_is_an_edit_in_the_story(run: Run, files: Path) -> None:
    run("import", "night.jsonl")
    exported = run("export", "night", "--format", "chat").stdout
    (files / "night.jsonl").write_text(exported.replace('"mes": "Who is there?"', '"mes": "Who is it?"'), "utf-8")
    result = run("import", "night.jsonl")
    assert result.stdout == "Imported into night: 1 edit (1 there already)\n"
    assert "in none of the swipes" in result.stderr
    assert said(run, "night") == ["Who is it?", "Me."]
    assert run("import", "night.jsonl").stdout == "Imported into night: nothing new\n"


def test_a_line_that_is_gone_is_retracted_in_the_story(run: Run, files: Path) -> None:
    run("import", "night.jsonl")
    shorter = CHAT[: CHAT.index('{"name": "Kim"')]
    (files / "night.jsonl").write_text(shorter, "utf-8")
    result = run("import", "night.jsonl")
    assert result.exit_code == 2
    assert (
        "night.jsonl: it no longer has 'kim: Me.', which the story 'night' has under the key 'night:1'" in result.stderr
    )
    assert result.stderr.endswith("import again: earwitness retract night night:1\n")
    assert run("export", "night", "--format", "chat").stdout == CHAT
    assert run("retract", "night", "night:1").exit_code == 0
    assert run("import", "night.jsonl").stdout == "Imported into night: nothing new\n"
    assert run("export", "night", "--format", "chat").stdout == shorter


def test_a_line_put_in_between_is_no_edit(run: Run, files: Path) -> None:
    run("import", "night.jsonl")
    at = CHAT.index('{"name": "Kim"')
    (files / "night.jsonl").write_text(CHAT[:at] + ADDED + CHAT[at:], "utf-8")
    result = run("import", "night.jsonl")
    assert "Lines before it were put in or taken out: make the file a story of its own" in result.stderr


def test_a_chat_that_comes_back_under_another_name_goes_on(run: Run, files: Path) -> None:
    run("import", "night.jsonl")
    assert run("edit", "night", "night:1", "Only the fog.").exit_code == 0
    assert run("export", "night", "--format", "chat", "-o", "back.jsonl").exit_code == 0
    with (files / "back.jsonl").open("a", encoding="utf-8") as back:
        back.write(ADDED)
    result = run("import", "back.jsonl", "--into", "night")
    assert result.stdout == "Imported into night: 1 message (2 there already)\n"
    assert "back.jsonl: this chat is in the story as night.jsonl, and goes on as that" in result.stderr
    assert said(run, "night") == ["Who is there?", "Only the fog.", "Come in."]
    assert run("export", "night", "--format", "chat").stdout_bytes == (files / "back.jsonl").read_bytes()


def test_what_was_played_comes_back_as_a_chat_that_goes_on(played: Run, folder: Path) -> None:
    assert played("export", "cellar", "--format", "chat", "-o", "out.jsonl").exit_code == 0
    with (folder / "out.jsonl").open("a", encoding="utf-8") as out:
        out.write(ADDED)
    result = played("import", "out.jsonl", "--into", "cellar")
    assert result.stdout == "Imported into cellar: 1 message (3 there already)\n"
    assert said(played, "cellar")[-2:] == ["Good evening. What are we whispering about?", "Come in."]
    assert played("import", "out.jsonl", "--into", "cellar").stdout == "Imported into cellar: nothing new\n"


def test_a_chat_without_our_marks_is_not_told_twice_under_other_keys(played: Run, folder: Path) -> None:
    rows = played("export", "cellar", "--format", "chat").stdout.splitlines()
    bare = [json.dumps({**json.loads(row), "extra": {}}) for row in rows]
    (folder / "out.jsonl").write_text("\n".join(bare), "utf-8")
    result = played("import", "out.jsonl", "--into", "cellar")
    assert result.exit_code == 2
    assert "out.jsonl: 3 of 3 new messages are in the story 'cellar' already" in result.stderr
    assert "Put the new lines into a file of their own" in result.stderr


def test_a_chat_that_was_played_on_and_extended_elsewhere_goes_on(run: Run, files: Path) -> None:
    run("import", "night.jsonl")
    with Earwitness.open("earwitness.db") as ew:
        story = ew.open_session("night")
        story.say("mira", "Come in.", key="k1").settled()
        story.say("kim", "Gladly.").settled()
        story.reroll("Never.").settled()
        story.retract("night:0").settled()
    lines = run("export", "night", "--format", "chat").stdout.splitlines()
    swiped = json.loads(lines[3])
    assert (swiped["swipes"], swiped["swipe_id"]) == (["Gladly.", "Never."], 1)
    lines[3] = json.dumps({**swiped, "swipe_id": 0, "mes": "Gladly."})
    lines[2] = lines[2].replace("Come in.", "Come in, then.")
    lines += ['{"name": "Mira", "is_user": false, "mes": "Sit."}', '{"name": "Kim", "is_user": true, "mes": "Where?"}']
    (files / "night.jsonl").write_text("\n".join(lines), "utf-8")
    assert run("import", "night.jsonl").stdout == "Imported into night: 2 messages, 2 edits (1 there already)\n"
    assert said(run, "night") == ["Me.", "Come in, then.", "Gladly.", "Sit.", "Where?"]
    assert run("import", "night.jsonl").stdout == "Imported into night: nothing new\n"
    assert run("export", "night", "--format", "chat").stdout_bytes == (files / "night.jsonl").read_bytes()


def test_a_front_end_that_goes_on_with_its_own_file_adds_its_lines(run: Run, files: Path) -> None:
    run("import", "night.jsonl")
    with Earwitness.open("earwitness.db") as ew:
        ew.open_session("night").say("mira", "Come in.").settled()
    (files / "night.jsonl").write_text(CHAT + ADDED.replace("Come in.", "The door is open."), "utf-8")
    assert run("import", "night.jsonl").stdout == "Imported into night: 1 message (2 there already)\n"
    assert said(run, "night") == ["Who is there?", "Me.", "Come in.", "The door is open."]


def test_another_chat_with_the_same_greeting_is_another_chat(run: Run, files: Path) -> None:
    run("import", "night.jsonl")
    (files / "day.jsonl").write_text(CHAT.replace('"Me."', '"The sun."'), "utf-8")
    assert run("import", "day.jsonl", "--into", "night").stdout == "Imported into night: 2 messages\n"


def test_hidden_lines_are_no_messages_and_go_out_as_they_came(run: Run, files: Path) -> None:
    hidden = '{"name": "System", "is_user": false, "is_system": true, "mes": "It was Kim."}\n'
    at = CHAT.index('{"name": "Kim"')
    (files / "night.jsonl").write_text(CHAT[:at] + hidden + CHAT[at:], "utf-8")
    result = run("import", "night.jsonl")
    assert result.stdout == "Imported into night: 2 messages\n"
    assert "1 hidden line (is_system) kept for the export; nobody hears" in result.stderr
    assert [each["id"] for each in answer(run("inspect", "night", "--json"))["cast"]["members"]] == ["mira", "kim"]
    assert run("export", "night", "--format", "chat").stdout_bytes == (files / "night.jsonl").read_bytes()
    assert run("import", "night.jsonl").stdout == "Imported into night: nothing new\n"


def test_a_line_that_is_hidden_later_was_said(run: Run, files: Path) -> None:
    run("import", "night.jsonl")
    (files / "night.jsonl").write_text(CHAT.replace('"is_user": true,', '"is_user": true, "is_system": true,'), "utf-8")
    assert run("import", "night.jsonl").stdout == "Imported into night: nothing new\n"
    assert answer(run("inspect", "night", "mira", "--json"))["total"] == 2
    assert run("export", "night", "--format", "chat").stdout_bytes == (files / "night.jsonl").read_bytes()


def test_a_changed_line_of_a_transcript_is_named_by_its_number_in_the_file(run: Run, folder: Path) -> None:
    (folder / "talk.txt").write_text("Alice: Good morning.\n\nBob: Morning.\nAlice: How are you?\n", "utf-8")
    run("import", "talk.txt")
    (folder / "talk.txt").write_text("Alice: Good morning.\n\nBob: Morning.\nAlice: Who are you?\n", "utf-8")
    result = run("import", "talk.txt")
    assert result.stderr.startswith("Error: talk, line 4: it says 'alice: Who are you?', and the story 'talk' has")


@pytest.mark.parametrize("command", ["import", "replay"])
def test_a_line_that_cannot_be_told_is_named_by_its_number_in_the_file(run: Run, folder: Path, command: str) -> None:
    lines = ('{"speaker": "Alice", "text": "Hello."}', "", '{"speaker": "Bob", "text": "Boo!", "speak_as": "Alice"}')
    (folder / "talk.jsonl").write_text("\n".join(lines), "utf-8")
    result = run(command, "talk.jsonl")
    assert result.stderr == "Error: talk, line 3: speak_as = 'Alice' is a name of alice: choose one that is free.\n"
