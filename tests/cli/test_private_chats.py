"""`earwitness export --format chat` of a story with direct messages, and `import` and `new` of what it wrote."""

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Run, answer, told

STORY = """\
story: inn
cast: [alice, bob, mira]
present: [alice, bob, mira]
steps:
  - alice: Good evening, all of you.
  - say: {speaker: alice, text: I took the key., context: dm, channel: "42", present: [bob]}
  - say: {speaker: mira, text: I know a secret., audience: [alice]}
  - bob: Is it cold?
"""


@pytest.fixture
def inn(run: Run, folder: Path) -> Run:
    """The story, played."""
    (folder / "inn.yaml").write_text(STORY, "utf-8")
    assert run("play", "inn.yaml").exit_code == 0
    return run


def lines(text: str) -> list[Any]:
    return [json.loads(line)["mes"] for line in text.splitlines()[1:]]


def test_direct_messages_are_left_out_of_a_chat_with_a_warning(inn: Run) -> None:
    result = inn("export", "inn", "--format", "chat")
    assert lines(result.stdout) == ["Good evening, all of you.", "I know a secret.", "Is it cold?"]
    assert result.stderr == (
        "Warning: 1 message left out, said in another channel than the rest (dm, channel '42'): a chat has one "
        "audience. With --private they are in it, marked for `earwitness import`.\n"
    )


def test_those_who_were_told_in_private_are_told_alone_again(inn: Run) -> None:
    result = inn("export", "inn", "--format", "chat", "--private", "-o", "copy.jsonl")
    assert "the chat holds 1 message of direct messages and other channels" in result.stderr
    inn("import", "copy.jsonl")
    for secret, who in [("I took the key", {"alice", "bob"}), ("I know a secret", {"mira", "alice"})]:
        knowers = answer(inn("who-knows", "copy", secret, "--json"))["knowers"]
        assert {id for id, knower in knowers.items() if knower["learned"]} == who, secret


def test_new_makes_the_same_story_of_it_as_import(inn: Run) -> None:
    inn("export", "inn", "--format", "chat", "--private", "-o", "copy.jsonl")
    assert inn("new", "again", "copy.jsonl").exit_code == 0
    said = [each for each in told(inn("play", "again.yaml", "--json")) if each["kind"] == "say"]
    assert [sorted(each["participants"]) for each in said] == [
        ["alice", "bob", "mira"],
        ["alice", "bob"],
        ["alice", "mira"],
        ["alice", "bob", "mira"],
    ]
    assert said[1]["channel"]["context"] == "dm"


def test_a_story_of_several_direct_messages_is_no_chat_by_itself(run: Run, folder: Path) -> None:
    steps = [f'  - say: {{speaker: bob, text: Hello., context: dm, channel: "{n}", present: [al]}}' for n in (1, 2)]
    (folder / "two.yaml").write_text("story: two\ncast: [al, bob]\nsteps:\n" + "\n".join(steps), "utf-8")
    run("play", "two.yaml")
    result = run("export", "two", "--format", "chat")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "add --private" in result.stderr
    assert lines(run("export", "two", "--format", "chat", "--private").stdout) == ["Hello.", "Hello."]


UNSAID = """\
story: ball
cast: [count, bob]
present: [count, bob]
steps:
  - say: {speaker: count, text: I have bought the mill., speak_as: Monsieur Roux, key: m1}
  - unmask: {character: count, audience: [bob], text: He takes off his mask}
  - update: {text: The bells ring.}
  - update: {text: The lamps go out.}
  - remember: {character: bob, text: Roux has a limp.}
"""


def test_a_chat_says_in_one_warning_what_it_cannot_hold(run: Run, folder: Path) -> None:
    (folder / "ball.yaml").write_text(UNSAID, "utf-8")
    played = run("play", "ball.yaml")
    assert played.exit_code == 0, played.output
    for options in ((), ("--private",)):
        assert run("export", "ball", "--format", "chat", *options).stderr == (
            "Warning: a chat holds messages only: 1 unmasking, 2 updates and changes and 1 remembered fact left out, "
            "and what they taught anybody. --format jsonl has them.\n"
        )
    assert run("export", "ball", "-o", "ball.jsonl").stderr == ""


def test_a_chat_of_nothing_but_messages_warns_of_nothing(run: Run, folder: Path) -> None:
    steps = "steps:\n  - al: Hello.\n  - bob: Hello.\n"
    (folder / "two.yaml").write_text(f"story: two\ncast: [al, bob]\npresent: [al, bob]\n{steps}", "utf-8")
    run("play", "two.yaml")
    assert run("export", "two", "--format", "chat").stderr == ""
