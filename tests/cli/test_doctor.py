"""`earwitness doctor`: what is installed, what of it is broken, and how the files are."""

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from earwitness.loading import plugins as installed
from earwitness.loading import strategies

from .conftest import Run, answer


def test_all_is_well_before_the_first_story_and_nothing_is_written(run: Run, folder: Path) -> None:
    report = answer(run("doctor", "--json"))
    assert report["ok"] is True
    assert report["failures"] == []
    assert report["store"]["note"] == "no story has been played into it yet"
    assert list(folder.iterdir()) == []


def test_it_names_versions_plugins_strategies_and_the_embedder(played: Run) -> None:
    report = answer(played("doctor", "--json"))
    assert {"earwitness", "python", "packages"} <= report.keys()
    assert report["plugins"]["chronicle"] == ["on_state_change"]
    assert {"addressees", "everyone", "rules"} <= set(report["strategies"]["detector"])
    assert report["embedder"]["name"] == "static"
    assert report["store"]["ok"] is True
    assert "all is well" in played("doctor").stdout


def test_a_blocked_plugin_is_not_loaded(played: Run, folder: Path) -> None:
    (folder / "earwitness.toml").write_text('block = ["chronicle"]\n', "utf-8")
    report = answer(played("doctor", "--json"))
    assert report["plugins"] == {}
    assert report["blocked"] == ["chronicle"]


def test_what_is_broken_is_named_with_exit_code_1(played: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("oddment", "no_such_module:Oddment", installed.GROUP)
    monkeypatch.setattr(installed, "entry_points", lambda group: [broken])
    monkeypatch.setattr(strategies, "_points", lambda kind: [EntryPoint("dim", "json:nothing", f"earwitness.{kind}")])
    result = played("doctor")
    assert result.exit_code == 1
    assert "earwitness.plugins: oddment: ModuleNotFoundError" in result.stdout.replace("\n", " ")
    assert "earwitness.detector: dim: AttributeError" in " ".join(result.stdout.split())
    assert "not well" in result.stdout


def test_a_damaged_store_is_reported_not_raised(run: Run, folder: Path) -> None:
    (folder / "earwitness.db").write_bytes(b"something else entirely" * 100)
    result = run("doctor", "--json")
    assert result.exit_code == 1
    assert "StorageCorrupt" in result.stdout
