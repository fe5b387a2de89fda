"""The command line in an empty folder of its own."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from earwitness_plugins.terminal.group import group
from earwitness_plugins.testing.model import Scripted, ScriptedAnswer, ScriptedModel, ScriptedRequest

STORY = """\
story: cellar
title: The Cellar
cast: [alice, bob, charlie]
state: {game_day: 5, current_scene: tavern}
present: [alice, bob]
prepare:
  cards: {charlie: Charlie is always late.}
steps:
  - alice: Bob, there is a key under the third barrel.
  - say: {speaker: bob, text: Then we dig tonight., key: plan}
  - enter: charlie
  - charlie: Good evening. What are we whispering about?
  - change: {game_day: 6, description: The moon rose over the yard}
  - recall: {character: charlie, query: the key under the barrel}
  - who_knows: the key under the third barrel
"""

Run = Callable[..., Result]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    for name in ("EARWITNESS_STORE", "EARWITNESS_SETTINGS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Run:
    """Run `earwitness` with these words."""

    def invoke(*words: str, input: str | None = None) -> Result:
        return CliRunner().invoke(group, words, input=input, prog_name="earwitness")

    return invoke


@pytest.fixture
def story(folder: Path) -> Path:
    """A short story file."""
    file = folder / "cellar.yaml"
    file.write_text(STORY, "utf-8")
    return file


@pytest.fixture
def played(run: Run, story: Path) -> Run:
    """The story, played into `earwitness.db`."""
    result = run("play", str(story))
    assert result.exit_code == 0, result.output
    return run


@pytest.fixture
def deaf(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings with a detector that fails on every message."""
    source = "class Ears:\n    def detect(self, moment):\n        raise ValueError('deaf')\n"
    (folder / "deaf_of_the_tests.py").write_text(source, "utf-8")
    (folder / "earwitness.toml").write_text('detector = "deaf_of_the_tests.Ears"\n', "utf-8")
    monkeypatch.syspath_prepend(str(folder))


def told(result: Result) -> list[Any]:
    """The JSON values that were printed, one a line."""
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def answer(result: Result) -> Any:
    """The one JSON value that was printed."""
    (value,) = told(result)
    return value


# ── earwitness chat ───────────────────────────────────────────────────────────────────────────────────────────────────

Chat = Callable[..., Result]


def speaker(request: ScriptedRequest) -> str:
    found = re.match(r"You are (\w+),", str(request.messages[0]["content"]))
    assert found, request.text
    return found[1]


def parrot(request: ScriptedRequest) -> Scripted:
    """Says who speaks and what was heard last."""
    last = str(request.messages[-1]["content"]).split("\n(Write")[0].splitlines()[-1]
    return ScriptedAnswer(status=500) if "boom" in last else f"<think>hm</think>{speaker(request)}: I heard {last!r}."


def in_order(*answers: Scripted) -> Callable[[ScriptedRequest], Scripted]:
    """These answers, one after the other."""
    left = iter(answers)
    return lambda request: next(left)


@pytest.fixture
def model(folder: Path) -> Iterator[ScriptedModel]:
    with ScriptedModel(parrot) as served:
        told = f'model = "m"\nbase_url = "{served.url}"\napi_key = "{served.key}"\nretries = 0\n'
        (folder / "earwitness.toml").write_text(f"[relationships]\n[model]\n{told}", "utf-8")
        yield served


@pytest.fixture
def chat(run: Run, story: Path, model: ScriptedModel) -> Chat:
    """Type these lines in a chat with the story, as Kim, a newcomer."""

    def typed(*lines: str, words: tuple[str, ...] = ()) -> Result:
        result = run("chat", str(story), "--as", "Kim", "--join", *words, input="".join(f"{each}\n" for each in lines))
        assert result.exit_code == 0, result.output
        return result

    return typed
