"""Memories that are too long for a screen."""

from .conftest import Run, answer

LONG = "word " * 40_000


def test_a_long_memory_is_shortened_for_people_and_whole_for_programs(played: Run) -> None:
    assert played("edit", "cellar", "plan", LONG).exit_code == 0
    whole = answer(played("inspect", "cellar", "alice", "--json"))["memories"]
    (long,) = (each for each in whole if LONG.strip() in each["content"])
    for words in (
        ("inspect", "cellar", "alice"),
        ("recall", "cellar", "alice", "word"),
        ("who-knows", "cellar", "word word"),
        ("explain", long["id"]),
    ):
        shown = " ".join(played(*words).stdout.replace("│", "").split())
        assert len(shown) < 20_000, words
        assert "more characters; --json shows all)" in shown, words
