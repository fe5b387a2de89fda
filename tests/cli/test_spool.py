"""`earwitness spool`: what waits while a service is away is listed, tried, dropped, and carried in a file."""

import asyncio
import json
import re
import sys
from pathlib import Path

import pytest

from earwitness import Earwitness

from .conftest import Run, answer

SERVICE = '''
"""A service that is away while a file says so."""
from pathlib import Path
from earwitness.testing.reference import MemoryStore

KEPT = {}

class Service(MemoryStore):
    def __init__(self):
        self._containers = KEPT

    async def put(self, memories):
        if Path("away").exists():
            raise ConnectionError("no route to the service")
        await super().put(memories)

    async def remove(self, ids):
        if Path("away").exists() and ids:
            raise ConnectionError("no route to the service")
        await super().remove(ids)
'''
SETTINGS = """\
path = "earwitness.db"

[store]
name = "fallback"
fallback = "sqlite"
primary = "flaky_service.Service"
"""


@pytest.fixture
def away(run: Run, story: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The story, played while the service was away."""
    (folder / "flaky_service.py").write_text(SERVICE, "utf-8")
    (folder / "earwitness.toml").write_text(SETTINGS, "utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "flaky_service", raising=False)
    (folder / "away").touch()
    assert "no route to the service" in run("play", str(story)).output
    return run


def listed(run: Run) -> dict[str, int]:
    return {each["container"]: each["count"] for each in answer(run("spool", "list", "--json"))}


def test_what_waits_is_listed_and_recalled_all_the_same(away: Run) -> None:
    assert listed(away)["cellar-bob"] >= 3
    shown = away("spool", "list", "cellar").output
    assert "cellar-bob: " in shown
    assert "no route to the service" in shown
    assert "key under the third barrel" in away("recall", "cellar", "bob", "the key").output


def test_a_reason_stands_once_for_all_containers_and_times_are_to_the_second(away: Run) -> None:
    shown = away("spool", "list", "cellar").output
    *containers, reason = shown.splitlines()
    assert len(containers) >= 3
    assert all(re.fullmatch(r"cellar  \S+: \d+ since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", each) for each in containers)
    assert reason.startswith("    not taken: ")
    assert "no route to the service" in reason


def test_replay_delivers_once_the_service_is_back(away: Run, folder: Path) -> None:
    waits = sum(listed(away).values())
    failed = away("spool", "replay", "--json")
    assert failed.exit_code == 1
    assert json.loads(failed.output)["delivered"] == 0
    (folder / "away").unlink()
    done = away("spool", "replay", "--json")
    assert answer(done) == {"delivered": waits, "removed": 0, "left": []}
    assert away("spool", "list").output == "Nothing waits: the store has everything.\n"
    assert away("spool", "replay").output == "Nothing waits: the store has everything.\n"


def test_drop_asks_first_and_strikes_with_a_reason(away: Run, folder: Path) -> None:
    waits = listed(away)
    refused = away("spool", "drop", "cellar", "cellar-bob", input="n\n")
    assert refused.exit_code != 0
    assert listed(away) == waits
    assert "--yes removes it without asking" in away("spool", "drop", "cellar", input="").output
    dropped = answer(away("spool", "drop", "cellar", "cellar-bob", "--yes", "--reason", "moved out", "--json"))
    assert dropped == {"dropped": waits["cellar-bob"], "session": "cellar", "reason": "moved out"}
    assert "cellar-bob" not in listed(away)
    (folder / "away").unlink()
    assert answer(away("spool", "replay", "--json"))["left"] == []
    import flaky_service  # type: ignore[import-not-found]

    assert not flaky_service.KEPT.get("cellar-bob")
    assert flaky_service.KEPT["cellar-alice"]


def test_a_file_is_written_and_delivered(away: Run, folder: Path) -> None:
    waits = sum(listed(away).values())
    assert answer(away("spool", "export", "cellar", "-o", "cellar.jsonl", "--json"))["exported"] == waits
    lines = [json.loads(line) for line in (folder / "cellar.jsonl").read_text("utf-8").splitlines()]
    assert lines[0] == {"kind": "spool", "version": 2, "session": "cellar"}
    assert "already exists" in away("spool", "export", "cellar", "-o", "cellar.jsonl").output
    (folder / "away").unlink()
    assert answer(away("spool", "import", "cellar.jsonl", "--json"))["delivered"] == waits
    (folder / "cellar.jsonl").write_text("{not json\n", "utf-8")
    assert "line 1: this is not JSON" in away("spool", "import", "cellar.jsonl").output


def test_removals_are_counted_as_such(away: Run, folder: Path) -> None:
    async def taken_back() -> None:
        async with Earwitness.open(settings="earwitness.toml") as ew:
            story = await ew.open_session("cellar")
            await (await story.say("alice", "Forget this.", key="x1")).decided()
            await (await story.retract("x1")).decided()

    asyncio.run(taken_back())
    assert away("spool", "export", "cellar", "-o", "cellar.jsonl").exit_code == 0
    lines = [json.loads(line)["kind"] for line in (folder / "cellar.jsonl").read_text("utf-8").splitlines()]
    memories, removals = lines.count("memory"), lines.count("removal")
    assert removals >= 2
    (folder / "away").unlink()
    said = away("spool", "import", "cellar.jsonl").output
    assert said == f"Delivered: {memories} memories and {removals} removals.\n"
    assert answer(away("spool", "import", "cellar.jsonl", "--json"))["removed"] == removals


def test_removals_that_wait_are_listed_and_replayed(away: Run, folder: Path) -> None:
    (folder / "away").unlink()
    away("spool", "replay")
    (folder / "away").touch()

    async def taken_back() -> None:
        async with Earwitness.open(settings="earwitness.toml") as ew:
            story = await ew.open_session("cellar")
            await (await story.retract((await story.messages())[-1].message.key)).decided()

    asyncio.run(taken_back())
    removals = sum(each["removals"] for each in answer(away("spool", "list", "--json")))
    assert removals >= 2
    assert "1 removal since" in away("spool", "list").output
    assert json.loads(away("doctor", "--json").stdout)["store"]["spool"]["removals"] == removals
    assert away("spool", "replay").exit_code == 1
    (folder / "away").unlink()
    assert away("spool", "replay").output == f"Delivered: {removals} removals.\n"
    assert away("spool", "list").output == "Nothing waits: the store has everything.\n"


def test_a_doctor_says_what_waits_and_why(away: Run) -> None:
    result = away("doctor", "--json")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert report["ok"] is False
    assert report["store"]["spool"]["waiting"] == sum(listed(away).values()) > 0
    shown = " ".join(away("doctor").output.split())
    assert "stories: spool waiting" in shown
    assert "no route to the service" in shown
    assert "not well" in shown


@pytest.mark.parametrize(
    ("file", "said"),
    [("missing.jsonl", "'missing.jsonl' does not exist"), (".", "is a directory"), ("bad.jsonl", "bad.jsonl, line 1")],
)
def test_a_file_that_cannot_be_read_is_one_clear_error(away: Run, folder: Path, file: str, said: str) -> None:
    (folder / "bad.jsonl").write_bytes(b"\xff\xfe")
    result = away("spool", "import", file)
    assert result.exit_code
    assert said in result.output
    assert "Traceback" not in result.output
    assert "should not happen" not in result.output


def test_a_doctor_says_what_an_emptied_service_lacks(away: Run, folder: Path) -> None:
    (folder / "away").unlink()
    assert away("spool", "replay").exit_code == 0
    assert away("doctor").exit_code == 0
    import flaky_service

    flaky_service.KEPT.clear()
    result = away("doctor", "--json")
    assert result.exit_code == 1
    lacks = json.loads(result.stdout)["store"]["primary lacks"]
    assert lacks["cellar-bob"].startswith("0 of ")
    shown = " ".join(away("doctor").output.split())
    assert "stories: primary lacks" in shown
    assert "`earwitness migrate HERE THERE`" in shown
    assert "not well" in shown
    recalled = away("recall", "cellar", "bob", "the key").output
    assert "key under the third barrel" in recalled
    assert "lacks memories of 'cellar-bob'" in recalled


def test_what_the_store_refuses_is_named_with_its_reason_and_can_be_dropped(
    run: Run, story: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "picky_service.py").write_text(PICKY, "utf-8")
    (folder / "earwitness.toml").write_text(SETTINGS.replace("flaky_service", "picky_service"), "utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "picky_service", raising=False)
    (folder / "picky").touch()
    run("play", str(story))
    shown = run("spool", "list", "cellar").output
    assert "    refused '" in shown
    assert ": 422 no barrels" in shown
    refused = {each["container"]: each["refused"] for each in answer(run("spool", "list", "--json"))}
    assert {why for of in refused.values() for why in of.values()} == {"422 no barrels"}
    doctor = run("doctor")
    assert doctor.exit_code == 1
    assert "422 no barrels" in doctor.output
    assert "give them up with `earwitness spool drop`" in doctor.output
    assert run("spool", "replay").exit_code == 1
    run("spool", "drop", "cellar", "cellar-bob", "--yes")
    assert "cellar-bob" not in listed(run)
    (folder / "picky").unlink()
    assert answer(run("spool", "replay", "--json"))["left"] == []


PICKY = '''
"""A service that refuses texts with a word in them while a file says so."""
from pathlib import Path
from earwitness.errors import MemoriesRefused
from earwitness.testing.reference import MemoryStore

KEPT = {}

class Service(MemoryStore):
    def __init__(self):
        self._containers = KEPT

    async def put(self, memories):
        bad = [each for each in memories if "barrel" in each.content and Path("picky").exists()]
        await super().put([each for each in memories if each not in bad])
        if bad:
            written, refused = {}, {}
            for each in memories:
                written.setdefault(each.container, []).extend([] if each in bad else [each.id])
            for each in bad:
                refused.setdefault(each.container, {})[each.id] = "422 no barrels"
            raise MemoriesRefused(refused, written)
'''
