"""What is long is neither written nor read with every message, and what is loaded is always the latest."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from earwitness import Character, Earwitness
from earwitness.records.journal import Said
from earwitness.records.plan import Plan
from earwitness.records.snapshot import Snapshot
from earwitness.records.state import State
from earwitness_plugins.ledgers.sqlite import journal, snapshots
from earwitness_plugins.ledgers.sqlite.plans import Recordable


@pytest.fixture
def lengths(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How long each snapshot was that a plan wrote."""
    found: list[int] = []
    of = Recordable.of.__func__  # type: ignore[attr-defined]

    async def noted(cls: type[Recordable], *arguments: object, **how: object) -> Recordable:
        made: Recordable = await of(cls, *arguments, **how)
        found.append(len(made.after or ""))
        return made

    monkeypatch.setattr(Recordable, "of", classmethod(noted))
    return found


async def told(path: Path, size: int, messages: int) -> Snapshot:
    """The session after some messages in a cast of this size."""
    async with Earwitness.open(path, embedder="none", detector="recent_speakers") as ew:
        story = await ew.session("s", cast=[f"p{number}" for number in range(size)])
        for number in range(messages):
            await story.say(f"p{number}", f"I am number {number}.")
        await story.settled()
        found = await ew.engine.ledger.load("s")
        assert found is not None
        return found


@pytest.mark.parametrize("messages", [1, 7, 20])
async def test_a_session_opens_as_it_was_left(tmp_path: Path, lengths: list[int], messages: int) -> None:
    left = await told(tmp_path / "s.db", 400, messages)
    assert left.decided == messages + 1
    assert 0 in lengths or messages == 1
    async with Earwitness.open(tmp_path / "s.db", embedder="none", detector="recent_speakers") as ew:
        assert await ew.engine.ledger.load("s") == left
        story = await ew.open_session("s")
        assert story.state.message_count == messages
        await story.join(Character("late"))
        await (await story.say("late", "Am I late?")).settled()
    async with Earwitness.open(tmp_path / "s.db", embedder="none", detector="recent_speakers") as ew:
        assert "late" in (await ew.open_session("s")).cast


async def test_two_processes_go_on_from_each_others_snapshot(tmp_path: Path) -> None:
    await told(tmp_path / "s.db", 400, 3)
    first = Earwitness.open(tmp_path / "s.db", embedder="none", detector="recent_speakers")
    second = Earwitness.open(tmp_path / "s.db", embedder="none", detector="recent_speakers")
    async with first, second:
        stories = [await each.open_session("s") for each in (first, second)]
        for number in range(12):
            await (await stories[number % 2].say(f"p{number}", "Hm.")).settled()
        found = [await each.engine.ledger.load("s") for each in (first, second)]
    assert found[0] == found[1]
    assert found[0] is not None
    assert found[0].state.message_count == 15


async def test_what_is_written_with_a_message_grows_little_with_the_cast(tmp_path: Path, lengths: list[int]) -> None:
    await told(tmp_path / "few.db", 250, 60)
    few, lengths[:] = sum(lengths), []
    await told(tmp_path / "many.db", 1_000, 60)
    assert sum(lengths[1:]) < 2 * few


async def test_a_small_cast_is_written_with_each_plan(tmp_path: Path, lengths: list[int]) -> None:
    await told(tmp_path / "s.db", snapshots.SMALL, 5)
    assert all(lengths)


async def test_a_long_entry_is_read_once_however_often_it_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    body = journal._body
    monkeypatch.setattr(journal, "_body", lambda kept: read.append(len(kept)) or body(kept))
    async with Earwitness.open(tmp_path / "s.db", embedder="none", detector="everyone") as ew:
        story = await ew.session("s", cast=["alice"])
        words = [sha256(str(number).encode()).hexdigest() for number in range(2_000)]
        await (await story.prepare(lore=words)).settled()
        await story.delivered()
        entries = [await ew.engine.ledger.entry("s", sequence=2) for _ in range(5)]
    assert len([size for size in read if size > journal.LONG]) == 1
    assert all(entry is not None and entry == entries[0] for entry in entries)


async def test_facts_are_written_once_and_no_session_gets_those_of_another(
    tmp_path: Path, lengths: list[int], ledger_at: Any
) -> None:
    """A plan that does not follow the one before, as an import's, is written anew and shares nothing by mistake."""
    ledger = ledger_at(tmp_path / "s.db")
    await ledger.open()
    noted = State(facts={f"k{number}": {"p": ("x" * 500,)} for number in range(50)})
    await ledger.create(Snapshot(id="s1"), [])
    await ledger.create(Snapshot(id="s2"), [])
    plan = Plan(session="s1", sequence=1, key="#1")
    await ledger.append("s1", Said(speaker="alice", content="Hello."), timestamp="2026-11-21T12:00:00+00:00")
    await ledger.load("s1")
    await ledger.record(plan, Snapshot(id="s1", decided=1, state=noted))
    assert (await ledger.load("s2")).state.facts == {}
    assert (await ledger.load("s1")).state.facts == noted.facts
    assert max(lengths) < 2_000
    await ledger.acknowledge("s1", [1], [])
    branch = await ledger.branch("s1", "b1", 1)
    assert branch.state.facts is (await ledger.load("s1")).state.facts
    await ledger.close()
    again = ledger_at(tmp_path / "s.db")
    await again.open()
    assert [list((await again.load(id)).state.facts) for id in ("s1", "s2", "b1")] == [
        list(noted.facts),
        [],
        list(noted.facts),
    ]
    await again.close()
