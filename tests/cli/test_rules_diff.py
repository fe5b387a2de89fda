"""`earwitness rules diff`: who would have learned what else under other rules."""

import json
from pathlib import Path

import pytest

from .conftest import Run

QUIET = "cellar: {members: [alice, bob, charlie]}\n"
EDGE = "cellar:\n  relationships:\n    - {from: bob, to: charlie, rules: [share_direct_interactions, {delay: 1}]}\n"


@pytest.fixture
def rules(folder: Path) -> None:
    (folder / "quiet.yaml").write_text(QUIET)
    (folder / "talks.yaml").write_text(EDGE)


@pytest.mark.usefixtures("rules")
def test_diff_shows_who_would_have_learned_what_else(played: Run) -> None:
    shown = played("rules", "diff", "quiet.yaml", "talks.yaml", "cellar")
    assert shown.exit_code == 0, shown.output
    assert "there is a key under the third barrel" in shown.stdout
    assert "told by Bob on day 6" in shown.stdout
    assert "would not learn it by day 6" in " ".join(shown.stdout.split())


@pytest.mark.usefixtures("rules")
def test_diff_answers_in_json(played: Run) -> None:
    found = json.loads(played("rules", "diff", "quiet.yaml", "talks.yaml", "cellar", "--json").stdout)
    assert {each["character"] for each in found["changes"]} == {"charlie"}
    assert [each["old"] for each in found["changes"]] == [None] * len(found["changes"])


@pytest.mark.usefixtures("rules")
def test_the_same_rules_make_no_difference(played: Run) -> None:
    shown = played("rules", "diff", "quiet.yaml", "quiet.yaml", "cellar").stdout
    assert "everybody would have learned the same" in shown


@pytest.mark.usefixtures("rules")
def test_the_way_of_a_message_is_drawn_by_preview(played: Run, folder: Path) -> None:
    (folder / "earwitness.toml").write_text('[relationships]\nrules = "talks.yaml"\n')
    words = ["preview", "We dig at dawn.", "--speaker", "alice", "--audience", "bob", "--days", "2"]
    shown = played(*words, "--picture", "way.mmd")
    assert shown.exit_code == 0, shown.output
    assert "day 7" in shown.stdout
    assert "was told by Bob" in shown.stdout
    assert shown.stdout.splitlines()[-1] == "Wrote way.mmd."
    assert "Charlie<br>shared, day 7" in (folder / "way.mmd").read_text("utf-8")
    assert_kept((folder / "way.mmd"), lambda *more: played(*words, "--picture", "way.mmd", *more))


def assert_kept(picture: Path, draw: Run) -> None:
    """A picture that is there is drawn anew with `--force` only."""
    picture.write_text("mine")
    refused = draw()
    assert (refused.exit_code, picture.read_text()) == (2, "mine")
    assert "way.mmd already exists. Choose another name, or overwrite it with --force." in refused.stderr
    assert draw("--force").exit_code == 0
    assert picture.read_text() != "mine"


@pytest.mark.usefixtures("rules")
def test_diff_names_what_it_cannot_ask(played: Run, folder: Path) -> None:
    (folder / "sorted.yaml").write_text(EDGE.replace("{delay: 1}", "{triage: quick}"))
    shown = " ".join(played("rules", "diff", "sorted.yaml", "talks.yaml", "cellar").stdout.split())
    assert "Not compared: triage: quick of cellar, under the old rules" in shown
    same = " ".join(played("rules", "diff", "sorted.yaml", "sorted.yaml", "cellar").stdout.split())
    assert "Not compared: triage: quick of cellar, under the new rules" in same
