"""Who is called when: every hook, every strategy and every durable write of whole turns, in order."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

import pytest

from earwitness import (
    Memory,
    MessageAnswer,
    MessageEvent,
    Moment,
    Plugin,
    Presence,
    RecallAnswer,
    RecallEvent,
    Session,
    StateChangeAnswer,
    StateChangeEvent,
    Update,
)
from earwitness.errors import NotYetApplied
from earwitness.events import PlanEvent, ReadEvent, Share, SharingEvent, Strike, WorldAgentEvent, WorldAnswer
from earwitness.filters import EVERYTHING, Filter
from earwitness.records.journal import Appended, Body
from earwitness.records.memory import Hit
from earwitness.records.plan import Plan
from earwitness.records.snapshot import Snapshot
from earwitness.testing.reference import MemoryLedger, MemoryStore

Begin = Callable[..., Awaitable[Session]]
Log = list[str]


class Ledger(MemoryLedger):
    def __init__(self, log: Log) -> None:
        super().__init__()
        self.log = log

    async def append(self, session: str, body: Body, *, key: str | None = None, timestamp: str) -> Appended:
        self.log.append(f"ledger.append {body.kind}")
        return await super().append(session, body, key=key, timestamp=timestamp)

    async def record(self, plan: Plan, after: Snapshot) -> Plan:
        self.log.append("ledger.record")
        return await super().record(plan, after)

    async def sync(self) -> None:
        self.log.append("ledger.sync")

    async def acknowledge(self, session: str, sequences: Sequence[int], applied: Sequence[str]) -> None:
        self.log.append("ledger.acknowledge")
        await super().acknowledge(session, sequences, applied)


class Store(MemoryStore):
    def __init__(self, log: Log) -> None:
        super().__init__()
        self.log = log

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        self.log.append(f"store.search {container}")
        return await super().search(container, query, filter=filter, limit=limit)

    async def put(self, memories: Sequence[Memory]) -> None:
        self.log.append(f"store.put {', '.join(memory.container for memory in memories)}")
        await super().put(memories)

    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        self.log.append(f"store.remove {', '.join(sorted(ids))}")
        await super().remove(ids)


class Watched(Plugin):
    def __init__(self, name: str, log: Log) -> None:
        self.name = name
        self.log = log

    def on_recall(self, event: RecallEvent) -> RecallAnswer | None:
        self.log.append(f"on_recall {self.name}")
        return None

    async def on_message(self, event: MessageEvent) -> MessageAnswer | None:
        self.log.append(f"on_message {self.name}")
        return None

    def on_state_change(self, event: StateChangeEvent) -> StateChangeAnswer | None:
        self.log.append(f"on_state_change {self.name}")
        return StateChangeAnswer(updates=(Update(description="A day has passed"),))


class Strategies:
    """A detector, a World Agent, a sharing rule and a guard in one."""

    def __init__(self, log: Log) -> None:
        self.log = log

    def detect(self, moment: Moment) -> Presence:
        self.log.append("detector.detect")
        return Presence.only(moment.message.speaker)

    async def propose(self, event: WorldAgentEvent) -> WorldAnswer:
        self.log.append("world_agent.propose")
        return WorldAnswer()

    def share(self, event: SharingEvent) -> Iterable[Share]:
        self.log.append("sharing_rule.share")
        return [Share(character="bob", shared_from="alice")]

    def filter(self, event: ReadEvent) -> Filter:
        self.log.append("guard.filter")
        return EVERYTHING

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        self.log.append("guard.strike")
        return ()


@pytest.fixture
def log() -> Log:
    return []


@pytest.fixture
async def story(begin: Begin, log: Log) -> Session:
    return await begin(**watched(log))


def watched(log: Log) -> dict[str, Any]:
    """An instance whose every part writes down when it is called."""
    all_of_them = Strategies(log)
    return {
        "ledger": Ledger(log),
        "store": Store(log),
        "detector": all_of_them,
        "world_agent": all_of_them,
        "sharing_rules": [all_of_them],
        "guards": [all_of_them],
        "plugins": [Watched("one", log), Watched("two", log)],
    }


async def test_a_whole_turn_calls_everything_in_this_order(story: Session, log: Log) -> None:
    log.clear()

    log.append("START")
    turn = await story.turn("alice")
    log.append("MIDDLE")
    turn.fill("You are Alice. ###SUPERMEMORY###")
    log.append("END")
    outcome = await turn.say("Let us find the Sacred Sword.")
    log.append("acknowledged")
    await outcome.settled()
    log.append("CHANGE")
    change = await story.change(game_day=2)
    log.append("acknowledged")
    await change.settled()

    assert log == [
        "START",
        "guard.filter",
        "store.search s1-alice",
        "on_recall one",
        "on_recall two",
        "MIDDLE",
        "END",
        "ledger.append said",
        "acknowledged",
        "detector.detect",
        "world_agent.propose",
        "on_message one",
        "on_message two",
        "sharing_rule.share",
        "guard.strike",
        "ledger.record",
        "ledger.sync",
        "store.put s1-alice, s1-bob, s1-world",
        "ledger.acknowledge",
        "CHANGE",
        "ledger.append changed",
        "acknowledged",
        "on_state_change one",
        "on_state_change two",
        "guard.strike",
        "ledger.record",
        "ledger.sync",
        "store.put s1-world, s1-world",
        "ledger.acknowledge",
    ]


async def test_an_edit_asks_everybody_again_and_takes_the_old_away_after_the_new_stands(
    story: Session, log: Log
) -> None:
    await (await story.say("alice", "The sword is blue.", key="m1")).settled()
    log.clear()
    await (await story.edit("m1", "The sword is red.")).settled()
    assert log == [
        "ledger.append revised",
        "detector.detect",
        "world_agent.propose",
        "on_message one",
        "on_message two",
        "sharing_rule.share",
        "guard.strike",
        "ledger.record",
        "ledger.sync",
        "store.put s1-alice, s1-bob, s1-world",
        "store.remove s1-alice, s1-bob, s1-world",
        "ledger.acknowledge",
    ]


async def test_a_retraction_asks_nobody(story: Session, log: Log) -> None:
    await (await story.say("alice", "The sword is blue.", key="m1")).settled()
    log.clear()
    await (await story.retract("m1")).settled()
    assert log == [
        "ledger.append retracted",
        "ledger.record",
        "ledger.sync",
        "store.remove s1-alice, s1-bob, s1-world",
        "ledger.acknowledge",
    ]


async def test_coming_and_going_asks_no_plugin(story: Session, log: Log) -> None:
    log.clear()
    await (await story.enter("bob")).settled()
    assert log == ["ledger.append changed", "ledger.record", "ledger.sync", "ledger.acknowledge"]


async def test_a_backlog_is_decided_one_by_one_and_applied_in_one_write(story: Session, log: Log) -> None:
    log.clear()
    for words in ("One.", "Two."):
        await story.say("alice", words)
    await story.settled()
    decided = [
        each for each in log if each in {"detector.detect", "ledger.record", "ledger.sync", "ledger.acknowledge"}
    ]
    assert decided == [
        "detector.detect",
        "ledger.record",
        "detector.detect",
        "ledger.record",
        "ledger.sync",
        "ledger.acknowledge",
    ]


async def test_after_a_crash_the_recorded_plan_is_applied_and_nobody_is_asked(
    begin: Begin, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = watched(log)
    story = await begin(**parts)
    with monkeypatch.context() as failing:
        failing.setattr(parts["store"], "put", broken)
        with pytest.raises(NotYetApplied, match="ConnectionError: the store is away"):
            await (await story.say("alice", "Let us find the Sacred Sword.")).settled()
    log.clear()
    resumed = await begin(**{**parts, "detector": "none", "world_agent": "none"})
    await resumed.settled()
    assert log == ["ledger.sync", "store.put s1-alice, s1-bob, s1-world", "ledger.acknowledge"]


async def broken(memories: Sequence[Memory]) -> None:
    raise ConnectionError("the store is away")
