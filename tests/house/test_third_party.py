"""How a third party comes in: a distribution of its own, built and installed, with no word about it in our sources."""

import ast
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import earwitness

PUBLIC_MODULES = {"earwitness", "earwitness.containers", "earwitness.filters"}
"""What third parties and hosts import from: `docs/plugins.md` or `docs/hosts.md` shows each of them."""
OUR_PACKAGES = {"earwitness", "earwitness_relationships", "earwitness_plugins"}
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
def installed(install: Callable[[str], Path]) -> Path:
    """A folder with the distribution `keepsake` installed in it."""
    return install("keepsake")


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


# ── through public names only ───────────────────────────────────────────────────────────────────────────────────────


def imports(source: Path) -> Iterator[tuple[str, str]]:
    """Module and name of everything of ours that a file imports."""
    for node in ast.walk(ast.parse(source.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found = [(each.name, "") for each in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found = [(node.module or "", each.name) for each in node.names]
        else:
            continue
        yield from ((module, name) for module, name in found if module.partition(".")[0] in OUR_PACKAGES)


def private_attributes(source: Path) -> Iterator[str]:
    """Names with an underscore that are taken from anything but `self`."""
    for node in ast.walk(ast.parse(source.read_text("utf-8"))):
        own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not own:
            yield node.attr


def test_third_parties_import_public_names_only(checkout: Path) -> None:
    files = sorted((checkout / "tests" / "third_party").rglob("*.py"))
    taken = {(module, name) for file in files for module, name in imports(file)}
    assert {module for module, _ in taken} <= PUBLIC_MODULES
    assert {name for module, name in taken if module == "earwitness"} <= set(earwitness.__all__)
    assert [name for file in files for name in private_attributes(file)] == []


def test_each_public_module_is_shown_and_open_to_our_own_applications(checkout: Path) -> None:
    pages = "".join((checkout / "docs" / page).read_text("utf-8") for page in ("plugins.md", "hosts.md"))
    assert [module for module in PUBLIC_MODULES if f"from {module} import" not in pages] == []
    settings = tomllib.loads((checkout / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (contract,) = [each for each in contracts if each["name"].endswith("use what core makes public")]
    assert PUBLIC_MODULES.isdisjoint(contract["forbidden_modules"])
