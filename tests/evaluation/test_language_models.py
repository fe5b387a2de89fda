"""`evaluate` and `detect` with detectors that ask a language model, beside rules, and again from a cassette."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from earwitness_plugins.testing.model import ScriptedModel, ScriptedRequest

from .command_results import scores
from .conftest import Run, answer

SIDE_BY_SIDE = "rules,language_model,hybrid"


def everybody(request: ScriptedRequest) -> dict[str, object]:
    """Names the whole cast."""
    material = json.loads(request.messages[1]["content"].split("\n")[1])
    return {"participants": [{"name": each["id"], "confidence": 1} for each in material["cast"]]}


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    monkeypatch.chdir(tmp_path)
    with ScriptedModel(everybody) as model:
        monkeypatch.setenv("MY_KEY", model.key)
        table = f'[model]\nmodel = "scripted"\nbase_url = "{model.url}"\napi_key = {{ env = "MY_KEY" }}\n'
        patience = "[end]\ndetector_timeout = 120.0\n"
        Path("earwitness.toml").write_text(f'{table}cassette = "tape.jsonl"\n{patience}', "utf-8")
        yield model


def test_rules_model_and_hybrid_stand_side_by_side_and_a_cassette_repeats_them(
    run: Run, evening: str, model: ScriptedModel
) -> None:
    words = ("evaluate", "participants", evening, "--detector", SIDE_BY_SIDE, "--json")
    first = answer(run(*words))
    asked = len(model.requests)
    assert asked > 0
    assert scores(first, "language_model")["miss"] <= scores(first, "rules")["miss"]
    assert model.key not in json.dumps(first)
    again = answer(run(*words))
    assert len(model.requests) == asked
    for name in SIDE_BY_SIDE.split(","):
        assert scores(again, name) == scores(first, name)


def test_detect_takes_the_settings_of_the_model(run: Run, evening: str, model: ScriptedModel) -> None:
    done = run("detect", evening, "--detector", "language_model")
    assert done.exit_code == 0, done.output
    assert model.requests
