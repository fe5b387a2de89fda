"""`earwitness consolidate` and `prune`: shown first, then proposed, then written."""

from pathlib import Path

import pytest

from .conftest import Run, answer

TALK = """\
story: ferry
cast: [alice, bob]
present: [alice, bob]
steps:
  - alice: The ferryman wants three silver coins.
  - alice: My brother keeps the key of the north gate.
  - change: {game_day: 4}
  - alice: I promised Bob the sword of my father.
"""


@pytest.fixture
def ferry(run: Run, folder: Path) -> Run:
    """A played story."""
    (folder / "ferry.yaml").write_text(TALK, "utf-8")
    run("play", "ferry.yaml")
    return run


def held(run: Run) -> list[str]:
    return [each["metadata"]["type"] for each in answer(run("inspect", "ferry", "bob", "--json"))["memories"]]


def test_a_summary_is_shown_proposed_and_approved(ferry: Run) -> None:
    dry = ferry("consolidate", "ferry", "--character", "bob", "--keep", "0", "--dry-run").output
    assert dry.startswith("bob: 3 memories, days 1 to 4: ")
    assert ferry("review", "list", "ferry").output == "Nothing waits for review.\n"
    assert "There is nothing to sum up." in ferry("consolidate", "ferry").output
    (step,) = answer(ferry("consolidate", "ferry", "--character", "bob", "--keep", "0", "--json"))
    assert step["reviewed"]["status"] == "waiting"
    assert held(ferry) == ["message"] * 3
    shown = ferry("review", "show", "ferry", step["reviewed"]["id"]).output
    assert "in place of 3 memories" in shown
    assert "writes for bob a summary" in shown
    ferry("review", "approve", "ferry", "--all")
    assert held(ferry) == ["summary"]
    assert ferry("retract", "ferry", f"review-{step['reviewed']['id']}-0").exit_code == 0
    assert held(ferry) == ["message"] * 3


def test_what_is_old_is_pruned_and_restored(ferry: Run) -> None:
    dry = ferry("prune", "ferry", "--character", "bob", "--age", "3", "--dry-run").output
    assert "bob: 2 memories" in dry
    assert held(ferry) == ["message"] * 3
    (done,) = answer(ferry("prune", "ferry", "--character", "bob", "--age", "3", "--write", "auto", "--json"))
    assert held(ferry) == ["message"]
    ferry("restore", "ferry", done["memories"][0]["id"])
    assert held(ferry) == ["message"] * 2
    refused = ferry("prune", "ferry")
    assert refused.exit_code != 0
    assert "say what is to be forgotten" in refused.output
    assert "may not" in ferry("prune", "ferry", "--age", "1", "--role", "player").output


@pytest.mark.parametrize("how", [("--dry-run",), ()])
def test_a_consolidator_that_nobody_has_is_refused_with_those_there_are(
    ferry: Run, folder: Path, how: tuple[str, ...]
) -> None:
    (folder / "zork.toml").write_text('[consolidation]\nstrategy = "zork"\n', "utf-8")
    refused = ferry("consolidate", "ferry", "--keep", "0", "--settings", "zork.toml", *how)
    assert refused.exit_code == 2
    assert "unknown consolidator 'zork'" in refused.output
    assert "extractive, language_model" in refused.output
