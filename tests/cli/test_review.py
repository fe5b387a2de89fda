"""`earwitness review`: what waits is listed, shown, approved and rejected."""

import asyncio
from pathlib import Path

import pytest

from earwitness import Derivation, Earwitness
from earwitness_plugins.review import Proposal

from .conftest import Run, answer

ABOUT_THE_KEY = "Bob means to dig in the cellar."


@pytest.fixture
def id(run: Run, story: Path, folder: Path) -> str:
    """The id of a proposal in the story."""
    run("play", str(story))

    async def submitted() -> str:
        async with Earwitness.open(folder / "earwitness.db") as ew:
            session = await ew.open_session("cellar")
            memory = Derivation(content=ABOUT_THE_KEY, owner="alice")
            given = {"kind": "fact", "by": "test", "about": ("alice",), "rests_on": ("plan",), "memories": (memory,)}
            return (await session.review.submit(Proposal(text="Bob\x1b[31m digs.", **given))).id

    return asyncio.run(submitted())


def test_what_waits_is_listed_and_shown(run: Run, id: str) -> None:
    (line,) = answer(run("review", "list", "cellar", "--json"))
    assert (line["id"], line["status"], line["proposal"]["by"]) == (id, "waiting", "test")
    listed = run("review", "list", "cellar").output
    assert f"{id}  waiting  fact about alice, day 6" in listed
    shown = run("review", "show", "cellar", id[:4]).output
    assert ABOUT_THE_KEY in shown
    assert "rests on plan" in shown
    assert "\x1b" not in listed + shown


def test_approved_it_is_recalled(run: Run, id: str) -> None:
    assert f"Approved: {id} (1 memory written)" in run("review", "approve", "cellar", "--all").output
    assert ABOUT_THE_KEY in run("recall", "cellar", "alice", "dig in the cellar").output
    assert run("review", "list", "cellar").output == "Nothing waits for review.\n"
    assert "approved" in run("review", "list", "cellar", "--all").output


def test_all_goes_on_after_one_that_cannot_be_approved(run: Run, id: str, folder: Path) -> None:
    async def submitted() -> str:
        async with Earwitness.open(folder / "earwitness.db") as ew:
            session = await ew.open_session("cellar")
            stale = Proposal(kind="omen", text="A raven.", payload={"sign": "raven"}, by="test")
            return (await session.review.submit(stale)).id

    stale = asyncio.run(submitted())
    for words in (["--all"], [stale, id]):
        done = run("review", "approve", "cellar", *words)
        assert done.exit_code == 1
        assert f"Not approved: {stale}: proposal {stale!r} of kind 'omen' has a payload" in done.output + done.stderr
    done = run("review", "list", "cellar", "--all", "--json")
    assert {each["id"]: each["status"] for each in answer(done)} == {id: "approved", stale: "waiting"}


def test_rejected_it_is_not(run: Run, id: str) -> None:
    assert run("review", "reject", "cellar", id, "--reason", "not so").output == f"Rejected: {id}\n"
    assert ABOUT_THE_KEY not in run("recall", "cellar", "alice", "dig in the cellar").output
    assert "rejected (not so)" in run("review", "list", "cellar", "--all").output


def test_strange_words_are_refused(run: Run, id: str) -> None:
    assert "no proposal 'zzz'" in run("review", "approve", "cellar", "zzz").output
    assert "give --all" in run("review", "approve", "cellar").output
    assert "may not" in run("review", "list", "cellar", "--role", "player").output
