"""`evaluate` on stories of our own, replayed from a tape: rules, language model and hybrid side by side, with cost.

The tape holds what `scripted` answers, so that it proves the path and not the quality. When a prompt changes, record it
again: `EARWITNESS_WRITE_TAPE=1 pytest tests/evaluation/test_example_tape.py`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from earwitness_plugins.testing.model import ScriptedModel, ScriptedRequest

from .conftest import Run, answer

EXAMPLE = Path(__file__).parents[2] / "examples" / "evaluation"
STORIES = {"the_lamp_at_three.jsonl": 10, "the_sacred_sword.jsonl": 17}
"""File → number of its messages, narration included."""
SIDE_BY_SIDE = ("--detector", "rules,language_model,hybrid")
WORDS = ("evaluate", "participants", *STORIES, *SIDE_BY_SIDE)


def scripted(request: ScriptedRequest) -> dict[str, object]:
    """Names the whole cast, whoever is there."""
    material = json.loads(request.messages[1]["content"].split("\n")[1])
    return {"participants": [{"name": each["id"], "confidence": 0.9} for each in material["cast"]]}


def record(run: Run, tape: Path) -> None:
    """Put a new tape in the place of the old one."""
    tape.unlink(missing_ok=True)
    settings = Path("earwitness.toml")
    replaying = settings.read_text("utf-8")
    with ScriptedModel(scripted) as model:
        recording = f'cassette_mode = "auto"\nbase_url = "{model.url}"\napi_key = "{model.key}"'
        settings.write_text(replaying.replace('cassette_mode = "replay"', recording), "utf-8")
        assert run(*WORDS).exit_code == 0
    settings.write_text(replaying, "utf-8")


@pytest.fixture
def example(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The example in an empty folder, and no key."""
    for path in EXAMPLE.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    if "EARWITNESS_WRITE_TAPE" in os.environ:
        record(run, tmp_path / "tape.jsonl")
        (EXAMPLE / "tape.jsonl").write_bytes((tmp_path / "tape.jsonl").read_bytes())


@pytest.mark.usefixtures("example")
def test_rules_model_and_hybrid_stand_side_by_side_with_what_they_cost(run: Run) -> None:
    rules, model, hybrid = (each["models"] for each in answer(run(*WORDS, "--json"))["results"])
    assert rules is None
    assert model["calls"] == model["cached"] == sum(STORIES.values())
    assert 0 < hybrid["calls"] == hybrid["cached"] < model["calls"]
    assert model["failed"] == hybrid["failed"] == 0
    assert 0 < hybrid["tokens_in"] < model["tokens_in"]
    assert 0 < hybrid["cost"] < model["cost"]
    assert model["cost"] == pytest.approx((0.25 * model["tokens_in"] + 2.0 * model["tokens_out"]) / 1e6)
    printed = run(*WORDS)
    assert "What models were asked" in printed.output
    assert "tokens out" in printed.output


@pytest.mark.usefixtures("example")
@pytest.mark.parametrize("story", STORIES)
def test_each_story_can_be_replayed_alone(run: Run, story: str) -> None:
    (model,) = (
        each["models"]
        for each in answer(run("evaluate", "participants", story, *SIDE_BY_SIDE, "--json"))["results"]
        if each["detector"] == "language_model"
    )
    assert (model["calls"], model["failed"]) == (STORIES[story], 0)


@pytest.mark.usefixtures("example")
def test_without_a_model_no_table_of_models_is_shown(run: Run) -> None:
    printed = run("evaluate", "participants", "the_lamp_at_three.jsonl", "--detector", "rules")
    assert printed.exit_code == 0
    assert "What models were asked" not in printed.output
