"""`earwitness chat --as NAME`: who joins a story, and who does not."""

from pathlib import Path

import pytest

from .conftest import Run, answer


@pytest.fixture
def settings(folder: Path) -> None:
    """Settings with a model that nobody asks."""
    (folder / "earwitness.toml").write_text('[model]\nmodel = "m"\nbase_url = "http://127.0.0.1:1/v1"\n', "utf-8")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Boob", "unknown character 'Boob'. Known: alice, bob, charlie. Did you mean 'bob'? To join the story as a"),
        ("Kim##", "To join the story as a newcomer, add --join."),
    ],
)
def test_a_name_that_nobody_has_joins_nobody_unasked(
    run: Run, story: Path, settings: None, name: str, said: str
) -> None:
    result = run("chat", str(story), "--as", name, input="/quit\n")
    assert (result.exit_code, said in result.stderr) == (2, True)
    assert "there is no store 'earwitness.db' yet" in run("inspect").stderr
    assert run("play", str(story)).exit_code == 0
    assert run("chat", str(story), "--as", name, input="/quit\n").exit_code == 2
    cast = answer(run("inspect", "cellar", "--json"))["cast"]["members"]
    assert [each["id"] for each in cast] == ["alice", "bob", "charlie"]


def test_a_name_is_refused_before_the_file_is_played_beside_other_stories(
    run: Run, story: Path, settings: None, folder: Path
) -> None:
    (folder / "attic.yaml").write_text(story.read_text("utf-8").replace("story: cellar", "story: attic"), "utf-8")
    assert run("play", "attic.yaml").exit_code == 0
    for words in (["--as", "Boob"], ["--as", "Kim##", "--join"]):
        assert run("chat", str(story), *words, input="/quit\n").exit_code == 2
    assert answer(run("inspect", "--json")) == ["attic"]


def test_a_newcomer_is_called_as_they_typed_it_or_refused(run: Run, story: Path, settings: None) -> None:
    refused = run("chat", str(story), "--as", "Kim##", "--join", input="/quit\n")
    assert (refused.exit_code, "'Kim##' cannot be used: it holds '##'" in refused.stderr) == (2, True)
    assert run("chat", str(story), "--as", "Kim", "--join", input="/quit\n").exit_code == 0
    again = run("chat", str(story), "--as", "kim", input="/quit\n")
    assert "You are Kim." in again.output
