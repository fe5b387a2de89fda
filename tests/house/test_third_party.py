"""How a third party comes in: a distribution of its own, built and installed, with no word about it in our sources."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

LOADED = """
import json
from earwitness.dispatch import Plugins
from earwitness.loading import plugins as loading
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
plugins, strategies = Plugins(), Strategies()
failures = loading.load(plugins, Settings.of(block={block}))
"""
A_TURN = """
import asyncio
from earwitness.events import MessageAnswer, MessageEvent
from earwitness.plugin_data import PluginData
from earwitness.records.character import Cast, Character
from earwitness.records.message import Message
from earwitness.records.moment import Moment
from earwitness.records.state import State

def said(sequence, speaker, content):
    return Message(key=f"#{{sequence}}", sequence=sequence, speaker=speaker, content=content, game_day=1,
                   scene="tavern", timestamp="2026-11-21T12:00:00+00:00")

recent = tuple(said(n, who, "Hm.") for n, who in enumerate(["dora", "bob", "charlie"], start=1))
cast = Cast(members=tuple(map(Character, ["alice", "bob", "charlie", "dora"])))
moment = Moment(message=said(4, "alice", "Here is the Locket."), recent=recent, cast=cast, state=State())
presence = strategies.make("detector", "last_two").detect(moment)
data = {{name: PluginData({{}}) for name in plugins.names}}
here = dict(session="s1", cast=cast, state=State(), day=1, data=data["keepsake"])
event = MessageEvent(**here, moment=moment, presence=presence)
answers = asyncio.run(plugins.ask("on_message", event, MessageAnswer, data))
(answer,) = [answer.value for answer in answers if answer.by == "plugin:keepsake"]
"""


@pytest.fixture(scope="module")
def installed(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the third party's wheel unpacked in it, which is all that installing a pure Python wheel does."""
    sources = tmp_path_factory.mktemp("keepsake") / "sources"
    shutil.copytree(checkout / "tests" / "third_party", sources)
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(sources / "dist")]
    subprocess.run(command, cwd=sources, check=True, capture_output=True)
    (wheel,) = (sources / "dist").glob("*.whl")
    target = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


@pytest.fixture
def broken(installed: Path, tmp_path: Path) -> Path:
    """The same, but importing the plugin's module fails."""
    target = shutil.copytree(installed, tmp_path / "broken")
    (target / "earwitness_keepsake" / "locket.py").write_text('raise RuntimeError("the clasp is broken")\n', "utf-8")
    return target


def ask(seen: Path, program: str, answer: str, **values: object) -> Any:
    """The value of `answer`, by way of JSON, after a program in a fresh interpreter that sees the folder beside us."""
    lines = f"{program.format(**values)}\nimport json\nprint(json.dumps({answer}))"
    command = [sys.executable, "-W", "error", "-c", lines]
    run = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(seen)}, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_an_installed_plugin_and_detector_are_found_by_their_names(installed: Path) -> None:
    names, detectors = ask(installed, LOADED, "[plugins.names, strategies.names('detector')]", block=())
    assert "keepsake" in names
    assert "last_two" in detectors


def test_an_installed_detector_runs_by_its_name(installed: Path) -> None:
    there = ask(installed, LOADED + A_TURN, "{who: each.role for who, each in presence.characters.items()}", block=())
    assert there == {"alice": "speaker", "bob": "present", "charlie": "present"}


def test_an_installed_plugin_answers_its_hook_and_keeps_its_own_data(installed: Path) -> None:
    answer = "[answer.updates[0].description, data['keepsake']['times']]"
    assert ask(installed, LOADED + A_TURN, answer, block=()) == ["The locket glows for the 1. time", 1]


TABLE = """
from earwitness import Settings
from earwitness.errors import SettingsError
plugins = []
try:
    said = Settings.of(keepsake={given}).model_dump(mode="json", exclude_unset=True)
except SettingsError as error:
    said = str(error)
"""


def test_a_settings_table_of_an_installed_package_is_checked_by_its_model(installed: Path) -> None:
    assert ask(installed, TABLE, "said", given={"thing": "ring"}) == {"keepsake": {"thing": "ring"}}
    assert "unknown key 'thng' in keepsake" in ask(installed, TABLE, "said", given={"thng": "ring"})


def test_a_plugin_blocked_by_its_name_is_not_loaded(installed: Path) -> None:
    assert "keepsake" not in ask(installed, LOADED, "plugins.names", block=("keepsake",))


def test_a_broken_plugin_is_named_with_its_failure_and_takes_nobody_along(broken: Path) -> None:
    names, failures, detectors = ask(
        broken, LOADED, "[plugins.names, {f.name: f.failure for f in failures}, strategies.names('detector')]", block=()
    )
    assert "keepsake" not in names
    assert failures["keepsake"] == "RuntimeError: the clasp is broken"
    assert "last_two" in detectors
