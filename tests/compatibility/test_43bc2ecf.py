"""What was stored and exported at 43bc2ecf, when snapshots held the facts of packages, opens as it was left there."""

import gzip
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, Session

MADE = Path(__file__).resolve().parents[1] / "fixtures" / "43bc2ecf"
EXPECTED: dict[str, Any] = json.loads((MADE / "expected.json").read_text("utf-8"))
STORIES = ["s1", "whole", "middle"]
NOTHING = {"ledger": "sqlite", "embedder": "none"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A copy of its store."""
    path = tmp_path / "reviewed.db"
    path.write_bytes(gzip.decompress((MADE / "reviewed.db.gz").read_bytes()))
    return path


async def answers(story: Session) -> dict[str, Any]:
    """As `make.py` asked."""
    back = story.backstage()
    proposals = await story.review.proposals()
    memories = {owner: (await back.inspect(owner)).memories for owner in ("alice", "bob", "world")}
    return {
        "facts": [[key, json.loads(json.dumps(facts))] for key, facts in story.state.facts.items()],
        "state": story.state.model_dump(mode="json", exclude={"facts", "present_told"}),  # which is new since
        "statuses": {each.id: each.status for each in proposals},
        "texts": [each.proposal.text for each in proposals],
        "memories": {owner: [[each.id, each.content] for each in held] for owner, held in memories.items()},
        "explain": {each.id: str(await back.explain(each.id)) for each in memories["bob"]},
    }


async def test_every_story_is_as_it_was_left(path: Path) -> None:
    for _ in range(2):  # when it is brought up to date, and afterwards
        async with Earwitness.open(path, **NOTHING) as ew:
            assert {id: await answers(await ew.open_session(id)) for id in STORIES} == EXPECTED


async def test_no_snapshot_holds_facts_any_more(path: Path) -> None:
    async with Earwitness.open(path, **NOTHING) as ew:
        await ew.open_session("s1")
    connection = sqlite3.connect(path)
    found = connection.execute("SELECT snapshot FROM ledger_sessions").fetchall()
    connection.close()
    assert ["maps" in text for (text,) in found] == [False] * 3
    assert [json.loads(text)["state"]["Weather"] for (text,) in found] == ["rain"] * 3


async def test_it_goes_on_is_branched_and_forgotten(path: Path) -> None:
    waiting = next(id for id, status in EXPECTED["s1"]["statuses"].items() if status == "waiting")
    async with Earwitness.open(path, **NOTHING) as ew:
        story = await ew.open_session("s1")
        again = await story.fork("again", at="middle")
        assert [[key, json.loads(json.dumps(each))] for key, each in again.state.facts.items()] == EXPECTED["middle"][
            "facts"
        ][:-1]
        assert (await story.review.approve(waiting)).status == "approved"
        assert (await (await ew.open_session("whole")).review.get(waiting)).status == "waiting"
        await ew.forget("s1")
    async with Earwitness.open(path, **NOTHING) as ew:
        assert await answers(await ew.open_session("middle")) == EXPECTED["middle"]
        assert await answers(await ew.open_session("whole")) == EXPECTED["whole"]


async def test_its_export_is_imported_with_its_proposals(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in (MADE / "s1.jsonl").read_text("utf-8").splitlines()]
    async with Earwitness.open(tmp_path / "new.db", **NOTHING) as ew:
        assert await answers(await ew.import_session(lines)) == EXPECTED["s1"]
    async with Earwitness.open(tmp_path / "new.db", **NOTHING) as ew:
        assert await answers(await ew.open_session("s1")) == EXPECTED["s1"]
