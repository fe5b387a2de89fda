"""The command line in an empty folder of its own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from earwitness_plugins.terminal.group import group

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
