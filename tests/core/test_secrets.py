"""Secrets among settings reach the factory, and nothing else."""

from __future__ import annotations

import json
import logging
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import SecretStr

from earwitness import Earwitness, Settings
from earwitness.errors import EarwitnessError, SettingsError
from earwitness.hooks import Plugin
from earwitness.loading.strategies import Strategies
from earwitness.loading.strategy_spec import StrategySpec
from earwitness.redaction import REDACTED, redacted, secret_keys

from .asking_detector import PLANTED, Asking, Service, cells, files

PLACES: list[dict[str, Any]] = [
    {"api_key": PLANTED},
    {"dsn": PLANTED},
    {"service": {"url": "here", "passphrase_of_ours": PLANTED}},
    {"url": f"https://me:{PLANTED}@example.org/v1"},
    {"detectors": [{"name": "asking", "dsn": PLANTED}]},
    {"api_key": SecretStr(PLANTED)},
]


@pytest.fixture
def strategies() -> Strategies:
    known = Strategies()
    known.register("detector", "asking", Asking)
    return known


@pytest.fixture
def importable(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """`asking_of_the_tests.Asking`, as settings may name it."""
    monkeypatch.setitem(sys.modules, "asking_of_the_tests", SimpleNamespace(Asking=Asking))


# ── what is a secret ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_names_a_secret_and_what_the_caller_points_at() -> None:
    given = {"a": [{"words": "x", "n": 1}], "password": {"env": "P"}, "held": SecretStr("x")}
    assert redacted(given, also=[("a", "words")]) == {
        "a": [{"words": REDACTED, "n": 1}],
        "password": {"env": "P"},
        "held": REDACTED,
    }


def test_annotations_say_where_else_they_are() -> None:
    @dataclass
    class Inner:
        plain: str
        words: SecretStr

    assert set(secret_keys(Service)) == {("passphrase_of_ours",)}
    assert set(secret_keys(list[Inner] | None)) == {("words",)}
    assert set(secret_keys(SecretStr | None)) == {()}


# ── it reaches the factory ────────────────────────────────────────────────────────────────────────────────────────────


def test_the_factory_is_given_the_secret_as_it_annotates_it(strategies: Strategies) -> None:
    settings = {"api_key": PLANTED, "dsn": PLANTED, "service": {"passphrase_of_ours": PLANTED}}
    made = strategies.make("detector", StrategySpec(name="asking", settings=settings))
    assert made.api_key == PLANTED
    assert made.dsn.get_secret_value() == made.service.passphrase_of_ours.get_secret_value() == PLANTED


def test_a_secret_may_come_from_the_environment(strategies: Strategies, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = StrategySpec(name="asking", settings={"api_key": {"env": "ASKING_KEY"}})
    with pytest.raises(SettingsError, match=r"detector 'asking': setting api_key: .*'ASKING_KEY' is not set"):
        strategies.make("detector", spec)
    monkeypatch.setenv("ASKING_KEY", PLANTED)
    assert strategies.make("detector", spec).api_key == PLANTED
    assert spec.settings == {"api_key": {"env": "ASKING_KEY"}}


def test_a_recorded_secret_must_be_given_again(strategies: Strategies) -> None:
    recorded = StrategySpec(name="asking", settings={"api_key": PLANTED}).model_dump(mode="json")
    assert recorded == {"name": "asking", "settings": {"api_key": REDACTED}}
    with pytest.raises(SettingsError, match="api_key was masked when it was recorded"):
        strategies.make("detector", StrategySpec.model_validate(recorded))


def test_settings_can_be_changed_without_losing_it(strategies: Strategies) -> None:
    settings = Settings.of(detector={"name": "asking", "api_key": PLANTED}, plugin_settings={"p": {"token": PLANTED}})
    changed = settings.changed(strict=True)
    assert changed.detector is not None
    assert strategies.make("detector", changed.detector).api_key == PLANTED
    assert changed.plugin_settings["p"].revealed == {"token": PLANTED}


# ── and nothing else ──────────────────────────────────────────────────────────────────────────────────────────────────


def said_of(settings: Settings, strategies: Strategies) -> str:
    assert settings.detector is not None
    spec = strategies.masked("detector", settings.detector)
    return "\n".join([repr(spec), str(spec), repr(spec.model_dump()), spec.model_dump_json(), repr(spec.settings)])


@pytest.mark.parametrize("place", PLACES)
def test_no_secret_is_shown_by_what_names_the_strategy(place: dict[str, Any], strategies: Strategies) -> None:
    settings = Settings.of(detector={"name": "asking", **place}, plugin_settings={"p": {"token": PLANTED}})
    assert PLANTED not in said_of(settings, strategies)
    assert REDACTED in said_of(settings, strategies)
    assert PLANTED not in repr(settings.plugin_settings) + settings.model_dump_json(include={"plugin_settings"})


@pytest.mark.parametrize("misspelt", ["api_kee", "dsm"])
def test_a_misspelt_secret_is_shown_no_more_than_it_would_be(misspelt: str, strategies: Strategies) -> None:
    settings = Settings.of(detector={"name": "asking", misspelt: PLANTED})
    assert PLANTED not in said_of(settings, strategies)
    assert settings.detector is not None
    with pytest.raises(SettingsError, match=f"no setting '{misspelt}'"):
        strategies.make("detector", settings.detector)


@pytest.mark.usefixtures("importable")
@pytest.mark.parametrize("place", PLACES)
async def test_no_secret_is_found_in_plans_exports_logs_or_files(
    place: dict[str, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    if "detectors" in place:
        place = {"detectors": [{"name": "asking_of_the_tests.Asking", "dsn": PLANTED}]}
    detector = {"name": "asking_of_the_tests.Asking", **place}
    with caplog.at_level(logging.DEBUG):
        async with Earwitness.open(
            tmp_path / "story.db", detector=detector, world_agent="none", embedder="none", plugins=[Loud()]
        ) as ew:
            story = await ew.session("s1", cast=["alice", "bob"])
            settled = await (await story.say("alice", "Hello.", key="m1")).settled()
            await story.backstage().replan("m1")
            exported = [line async for line in story.backstage().export()]
            shown = [repr(each) for each in (ew, ew.engine, story, settled, settled.plan, await story.turn("bob"))]
    shown += [json.dumps(exported), settled.plan.model_dump_json(), caplog.text, *capsys.readouterr()]
    assert [text for text in shown if PLANTED in text] == []
    assert REDACTED in settled.plan.model_dump_json()
    assert Asking.made
    assert PLANTED.encode() not in b"".join(path.read_bytes() for path in files(tmp_path))
    assert any(REDACTED in cell for cell in cells(tmp_path / "story.db"))
    assert not any(PLANTED in cell for cell in cells(tmp_path / "story.db"))


# ── one look everywhere ───────────────────────────────────────────────────────────────────────────────────────────────


class Loud(Plugin):
    """Reports a failure of its own, which a plan records beside the settings."""

    async def on_message(self, event: object) -> None:
        raise RuntimeError("no answer")


@pytest.mark.parametrize(
    "settings",
    [
        {"api_key": [PLANTED]},
        {"dsn": [PLANTED]},
        {"service": {"passphrase_of_ours": [PLANTED]}},
        {"service": {"url": ["x"], "passphrase_of_ours": PLANTED}},
        {"detectors": [{"dsn": PLANTED, "token": PLANTED}]},
    ],
)
def test_no_error_about_a_setting_quotes_a_secret(settings: dict[str, Any], strategies: Strategies) -> None:
    with pytest.raises(EarwitnessError) as caught:
        strategies.make("detector", StrategySpec(name="asking", settings=settings))
    seen: BaseException | None = caught.value
    while seen is not None:
        assert PLANTED not in f"{seen}{seen!r}"
        seen = None if seen.__suppress_context__ else seen.__cause__ or seen.__context__


def test_an_error_in_a_settings_file_quotes_no_secret(tmp_path: Path) -> None:
    file = tmp_path / "earwitness.toml"
    file.write_text(f'token = "{PLANTED}"\ndetector = {{ api_key = "{PLANTED}" }}\n[recall]\napi_key = "{PLANTED}"\n')
    with pytest.raises(SettingsError) as caught:
        Settings.load(file)
    assert "3 problems" in str(caught.value)
    assert PLANTED not in str(caught.value)
