"""`earwitness canon`: bubbles begun, ended and reconciled at the command line, and memories written by hand."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from earwitness import Channel, Character, sync

from .conftest import Run

KENJI = Character("kenji", kind="persona", user_id="u1", persona_id="p1")
SETTINGS = 'path = "e.db"\nembedder = "none"\n\n[relationships]\ncanon = "personal"\n'


def answer(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def told(folder: Path) -> None:
    """A story with a persona."""
    (folder / "earwitness.toml").write_text(SETTINGS, "utf-8")
    with sync.Earwitness.open(settings="earwitness.toml") as ew:
        ew.session("s1", cast=["alice", KENJI])


def in_bubble(*said: str) -> None:
    """What Kenji says to Alice in the bubble."""
    with sync.Earwitness.open(settings="earwitness.toml") as ew:
        bubble = ew.open_session("s1~au")
        for each in said:
            bubble.say("kenji", each, audience=["alice"]).settled()


@pytest.mark.usefixtures("told")
def test_a_bubble_is_begun_played_ended_and_reconciled(run: Run) -> None:
    assert run("canon", "list", "s1").stdout == "s1 has no bubbles.\n"
    assert run("canon", "start", "s1", "au").stdout == "The bubble is the session s1~au.\n"
    in_bubble("I am a vampire.")
    assert run("canon", "list", "s1").stdout == "au (s1~au): open\n"
    assert run("canon", "end", "s1", "au").stdout == "au has ended.\n"
    planned = run("canon", "reconcile", "s1", "au", "--keep-as", "personal")
    assert planned.stdout == (
        "au: personal, append, 1 memory (dry run)\n  add for alice, in persona-p1-alice: Kenji: I am a vampire.\n"
        "Nothing was changed. To do it, add --apply.\n"
    )
    done = answer(run("canon", "reconcile", "s1", "au", "--keep-as", "personal", "--apply", "--json"))
    assert (done["applied"], [each["action"] for each in done["memories"]]) == (True, ["add"])
    shown = run("canon", "show", "s1", "alice").stdout
    assert "persona-p1-alice\n  Kenji: I am a vampire." in shown
    assert "global-canon-alice\n  nothing\n" in shown
    assert "user-u1\n  nothing\n" in shown
    assert (
        "au: 1 memory taken back\n  gone: Kenji: I am a vampire."
        in run("canon", "reconcile", "s1", "au", "--undo").stdout
    )
    assert answer(run("canon", "show", "s1", "alice", "--json"))["persona-p1-alice"] == []


@pytest.mark.usefixtures("told")
def test_what_cannot_be_is_refused_in_one_line(run: Run) -> None:
    run("canon", "start", "s1", "au", "--knows", "personal")
    open_still = run("canon", "reconcile", "s1", "au", "--keep-as", "personal")
    assert (open_still.exit_code, "still open: end it first" in open_still.stderr) == (2, True)
    neither = run("canon", "reconcile", "s1", "au")
    assert (neither.exit_code, "--undo" in neither.stderr) == (2, True)
    run("canon", "end", "s1", "au")
    denied = run("canon", "reconcile", "s1", "au", "--keep-as", "global")
    assert denied.exit_code == 1
    assert "role 'author' may not write global canon" in denied.stderr


@pytest.mark.usefixtures("told")
def test_versions_are_numbered_and_what_is_private_is_published_only_if_asked(run: Run) -> None:
    run("canon", "add", "s1", "Kenji: I am no vampire.", "--scope", "personal", "--character", "alice", "--about", "p1")
    run("canon", "start", "s1", "au")
    in_bubble("I am a vampire.")
    run("canon", "end", "s1", "au")
    as_global = ["canon", "reconcile", "s1", "au", "--keep-as", "global", "--role", "owner"]
    assert "withhold for alice" in run(*as_global).stdout
    assert "known everywhere then" in run(*as_global, "--publish").stdout
    run("canon", "reconcile", "s1", "au", "--keep-as", "personal", "--apply")
    assert "Kenji: I am a vampire. (noted it on day 1) (version 2)" in run("canon", "show", "s1", "alice").stdout


@pytest.mark.usefixtures("told")
def test_a_player_acts_for_their_own_user_alone(run: Run) -> None:
    as_player = ["canon", "add", "s1", "Likes tea.", "--scope", "user", "--role", "player"]
    assert run(*as_player, "--about", "u1", "--user", "u1").exit_code == 0
    assert "only about their own" in run(*as_player, "--about", "u2", "--user", "u1").stderr
    assert "needs the user who acts" in run(*as_player, "--about", "u1").stderr


@pytest.mark.usefixtures("told")
def test_a_memory_is_written_by_hand_and_recalled(run: Run) -> None:
    personal = ["--scope", "personal", "--character", "alice", "--about", "p1"]
    assert run("canon", "add", "s1", "Kenji owes her a sword.", *personal).exit_code == 0
    assert run("canon", "add", "s1", "Likes swords.", "--scope", "user", "--about", "u1").exit_code == 0
    found = answer(run("recall", "s1", "alice", "sword", "--json"))
    assert sorted(each["text"] for each in found["memories"]) == ["Kenji owes her a sword.", "Likes swords."]


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["personal", "--character", "alice", "--persona", "p1"], "needs --about ID, the persona it is about"),
        (["personal", "--about", "p1"], "needs --character ID, whose canon it is"),
        (["user", "--user", "u1"], "needs --about ID, the user it is about"),
        (["session"], "needs --character ID, whose canon it is"),
    ],
)
def test_what_a_scope_needs_is_said_in_the_words_of_the_command_line(run: Run, words: list[str], said: str) -> None:
    result = run("canon", "add", "s1", "Likes tea.", "--scope", *words)
    assert (result.exit_code, f"--scope {words[0]} {said}" in result.stderr) == (2, True)


def test_without_the_table_it_says_what_is_missing(run: Run, story: Path) -> None:
    run("play", str(story), "--store", "e.db")
    refused = run("canon", "start", "cellar", "au", "--store", "e.db")
    assert (refused.exit_code, "needs a table [relationships]" in refused.stderr) == (2, True)


@pytest.mark.usefixtures("told")
def test_recall_shows_what_is_known_and_not_sayable_and_who_is_listening(run: Run) -> None:
    with sync.Earwitness.open(settings="earwitness.toml") as ew:
        story = ew.open_session("s1")
        story.join("bob")
        square = Channel(context="public_channel", channel_id="c1")
        story.channel(square, ["alice", "bob"])
        story.say("kenji", "I have found a sword.", key="m1", audience=["alice"], channel=square).settled()
        story.tell("alice", "bob", "m1").settled()
    place = ["--context", "public_channel", "--channel", "c1"]
    shown = run("recall", "s1", "bob", "sword", *place).stdout
    assert "Alice is listening" in " ".join(shown.replace("│", " ").split())
    assert "not to be said here: known at second hand (from: shared)" in shown
    found = answer(run("recall", "s1", "bob", "sword", *place, "--json"))
    assert [each["unsayable"] for each in found["memories"]] == ["known at second hand (from: shared)"]
    assert len(found["notes"]) == 1
