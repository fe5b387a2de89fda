"""Settings tables that packages declare are checked like ours, and found by the model they are declared with."""

from __future__ import annotations

import re
import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from traceback import format_exception
from types import SimpleNamespace
from typing import Literal

import pytest
from pydantic import SecretStr

from earwitness import Earwitness, Moment, Presence, Settings
from earwitness.errors import SettingsError, StrategyError
from earwitness.records.base import Record

NOBODY = {"embedder": "none", "detector": "none", "world_agent": "none"}


class Kinship(Record):
    """A table of a package of the tests."""

    rules: str = "none.yaml"
    """A rule file."""
    depth: Literal[1, 2] = 1
    """How far."""
    token: SecretStr | None = None
    """For a service."""


class Needing(Record):
    """A table in which something must be set."""

    path: str
    """No default."""


def declared(monkeypatch: pytest.MonkeyPatch, **tables: str) -> None:
    def found(*, group: str) -> list[EntryPoint]:
        own = [EntryPoint(name, value, group) for name, value in tables.items() if group == "earwitness.settings"]
        return [*entry_points(group=group), *own]

    monkeypatch.setattr("earwitness.loading.tables.entry_points", found)


@pytest.fixture(autouse=True)
def declaring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kin_of_the_tests", SimpleNamespace(Kinship=Kinship))
    declared(monkeypatch, kinship="kin_of_the_tests:Kinship", lost="gone_from_here:Lost")


def written(folder: Path, text: str) -> Path:
    file = folder / "earwitness.toml"
    file.write_text(text, "utf-8")
    return file


def test_a_declared_table_is_read_and_found_by_its_model(tmp_path: Path) -> None:
    settings = Settings.load(written(tmp_path, 'strict = true\n[kinship]\nrules = "court.yaml"\ndepth = 2\n'))
    assert settings.table(Kinship) == Kinship(rules="court.yaml", depth=2)
    assert settings.strict
    assert Settings.of(kinship={"depth": 2}).table(Kinship).depth == 2
    assert Settings.of(kinship=Kinship(depth=2)).changed(strict=True).table(Kinship).depth == 2
    assert settings.model_dump(mode="json", exclude_unset=True)["kinship"] == {"rules": "court.yaml", "depth": 2}


def test_a_table_that_is_not_set_has_the_models_defaults() -> None:
    assert Settings().table(Kinship) == Kinship()
    with pytest.raises(SettingsError, match="Needing must be set, at least path"):
        Settings().table(Needing)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (
            "[kinship]\n\nruls = 1\n",
            3,
            "unknown key 'ruls' in kinship. Allowed: depth, rules, token. Did you mean 'rules'?",
        ),
        ("[kinship]\ndepth = 3\n", 2, "kinship.depth: 3 is not allowed. Allowed: 1 or 2."),
        ("[kinship]\ntoken = 4711\n", 2, "kinship.token: ********** cannot be used"),
        ("\n[kinshp]\ndepth = 1\n", 2, "unknown key 'kinshp'. Allowed: block, calendar, "),
        ("\n[kinshp]\ndepth = 1\n", 2, "Did you mean 'kinship'? A plugin's table is known only where its package is"),
    ],
)
def test_a_mistake_in_a_table_is_named_with_its_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.load(written(tmp_path, text))
    assert re.search(rf"earwitness\.toml:{line}:\d+: ", str(caught.value))
    assert said in str(caught.value)


def test_mistakes_of_ours_and_of_a_table_are_told_together(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"2 problems\.(?s:.)*toml:1:1: strict(?s:.)*toml:3:1: kinship\.depth"):
        Settings.load(written(tmp_path, "strict = 3\n[kinship]\ndepth = 3\n"))


def test_a_table_whose_model_cannot_be_loaded_is_refused_with_the_reason() -> None:
    with pytest.raises(SettingsError, match=r"settings table 'lost' \(gone_from_here:Lost\) cannot be loaded: Module"):
        Settings.of(lost={"x": 1})


def test_a_secret_in_a_table_may_come_from_the_environment_and_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError, match=r"kinship\.token: the environment variable 'KIN' is not set"):
        Settings.of(kinship={"token": {"env": "KIN"}})
    monkeypatch.setenv("KIN", "sk-planted")
    settings = Settings.of(kinship={"token": {"env": "KIN"}})
    token = settings.table(Kinship).token
    assert token is not None
    assert token.get_secret_value() == "sk-planted"
    assert "sk-planted" not in repr(settings) + settings.model_dump_json()


class Kin:
    """A detector that asks core for the settings."""

    def __init__(self, *, settings: Settings) -> None:
        self.depth = settings.table(Kinship).depth

    def detect(self, moment: Moment) -> Presence:
        return Presence.only(moment.message.speaker)


def test_a_factory_is_given_the_settings_it_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kin_of_the_tests", SimpleNamespace(Kin=Kin, Kinship=Kinship))
    chosen = {**NOBODY, "detector": "kin_of_the_tests.Kin"}
    engine = Earwitness.open(kinship={"depth": 2}, plugins=None, **chosen).engine
    assert engine.detector is not None
    assert isinstance(engine.detector.made, Kin)
    assert engine.detector.made.depth == 2


class Tells:
    """Quotes what the settings hold, wherever it can."""

    def __init__(self, settings: Settings, *, early: bool = False) -> None:
        token = settings.table(Kinship).token
        self.token = token.get_secret_value() if token else ""
        if early:
            raise RuntimeError(f"401 {self.token}")

    def detect(self, moment: Moment) -> Presence:
        raise RuntimeError(f"401 {self.token}")


async def test_no_failure_quotes_a_secret_of_a_declared_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tells_of_the_tests", SimpleNamespace(Tells=Tells))
    given = {"kinship": {"token": "sk-planted-1234"}, **NOBODY, "path": ":memory:"}
    settings = Settings.of(**{**given, "detector": "tells_of_the_tests.Tells"})
    async with Earwitness.open(settings=settings) as ew:
        story = await ew.session("s1", cast=["alice"])
        settled = await (await story.say("alice", "Hello.")).settled()
    assert [each.failure for each in settled.failures] == ["RuntimeError: 401 **********"]
    early = Settings.of(**{**given, "detector": {"name": "tells_of_the_tests.Tells", "early": True}})
    with pytest.raises(StrategyError, match=r"RuntimeError: 401 \*{10}") as refused:
        Earwitness.open(settings=early)
    assert "sk-planted" not in "".join(format_exception(refused.value))
