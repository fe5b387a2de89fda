"""Promise 3 and 4 under `kill -9`: 200 turns in one sqlite file, killed again and again at random, lose nothing."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from earwitness import Earwitness, Settings
from earwitness.formats import KNOWLEDGE
from earwitness.loading.resources import Resources
from earwitness.records.memory import Memory
from earwitness.records.plan import Delivery, Plan
from earwitness_plugins.ledgers.sqlite import SqliteLedger

from . import killed_play

pytestmark = pytest.mark.anyio

PROGRAM = Path(killed_play.__file__)
KILLS = 8
BARE = Settings.of(plugins=[], detector="none", world_agent="none")


@dataclass
class Played:
    """What is known of a story that was killed again and again."""

    path: str
    seed: int
    acknowledged: list[str] = field(default_factory=list)
    plans: dict[int, Plan] = field(default_factory=dict)
    unapplied: int = 0
    """Plans that stood recorded but not applied when a process was killed."""


@pytest.fixture
async def played(tmp_path: Path) -> Played:
    """200 turns, killed eight times and then let to the end; what each kill left behind was looked at."""
    seed = int(os.environ.get("EARWITNESS_KILL_SEED", random.SystemRandom().randrange(10**9)))
    print(f"EARWITNESS_KILL_SEED={seed}")
    dice, story = random.Random(seed), Played(str(tmp_path / "story.db"), seed)
    for kill in range(KILLS):
        _play(story, f"process {kill} of {seed}", kill_after=dice.randrange(3, 40), pause=dice.choice([0, 0.001, 0.01]))
        await _look(story)
    _play(story, f"the last process of {seed}")
    await _look(story)
    print(f"{story.unapplied} plans stood recorded, but not applied, when a process was killed")
    return story


async def test_killed_at_random_nothing_is_lost_and_nothing_twice(played: Played) -> None:
    plans = [plan for _, plan in sorted(played.plans.items())]
    assert [plan.sequence for plan in plans] == list(range(1, len(plans) + 1))
    assert [plan.key for plan in plans] == ["#begin", *killed_play.keys()]
    assert len(_processes(plans)) > 2, "the kills came too late to matter"
    async with Earwitness.open(played.path, settings=BARE) as ew:
        entries = await ew.engine.ledger.entries(killed_play.STORY)
        assert set(played.acknowledged) <= {entry.key for entry in entries}
        assert all(entry.applied for entry in entries)
        for message in await ew.engine.ledger.messages(killed_play.STORY):
            last = [plan.message for plan in plans if plan.message and plan.message.message.key == message.message.key]
            assert message == last[-1]
        left = await ew.engine.ledger.deliveries(killed_play.STORY, status="pending")
        assert list(left) == [], "planned, but never applied"
        expected = _remembered(plans)
        for owner in (*killed_play.CAST, "world"):
            held = await ew.engine.store.list(f"{killed_play.STORY}-{owner}")
            assert len({memory.id for memory in held}) == len(held) == await ew.engine.store.count(held[0].container)
            assert {memory.id for memory in held} == expected[owner].keys(), owner
            for memory in held:
                _says_what_was_planned(memory, expected[owner][memory.id], expected["world"].keys())
        assert (await ew.engine.store.health()).ok
        assert (await ew.engine.ledger.health()).ok


def _play(story: Played, token: str, *, kill_after: int | None = None, pause: float = 0) -> None:
    """Run the program; kill it `pause` seconds after so many keys that were not acknowledged before."""
    program = [sys.executable, str(PROGRAM), story.path, token]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        fresh = 0
        for line in process.stdout:
            fresh += _acknowledged(story, line)
            if kill_after is not None and fresh >= kill_after:
                time.sleep(pause)
                process.send_signal(signal.SIGKILL)
                kill_after = None
        assert process.stderr is not None
        errors = process.stderr.read()
        assert process.wait() in {0, -signal.SIGKILL}, errors


def _acknowledged(story: Played, line: str) -> bool:
    """Note a whole line; whether it is a key not seen before."""
    key = line.removesuffix("\n")
    if not line.endswith("\n") or key in {"done", *story.acknowledged}:
        return False
    story.acknowledged.append(key)
    return True


async def _look(story: Played) -> None:
    """What stands in the file, read without settling anything: plans must be as they were first recorded."""
    ledger = SqliteLedger(path=story.path, resources=Resources())
    await ledger.open()
    try:
        found = {plan.sequence: plan for plan in await ledger.plans(killed_play.STORY)}
        waiting = {entry.sequence for entry in await ledger.entries(killed_play.STORY, unapplied=True)}
        journal = {entry.key for entry in await ledger.entries(killed_play.STORY)}
    finally:
        await ledger.close()
    assert set(story.acknowledged) <= journal
    changed = [sequence for sequence, plan in story.plans.items() if found.get(sequence) != plan]
    assert changed == [], "plans are not what was first recorded"
    story.plans = found
    story.unapplied += len(waiting & found.keys())


def _remembered(plans: Sequence[Plan]) -> dict[str, dict[str, list[Delivery]]]:
    """Owner → memory id → deliveries that hold it up, worked out from nothing but the recorded plans."""
    standing: list[Delivery] = []
    for plan in plans:
        taken = {withdrawal.source for withdrawal in plan.withdrawals}
        standing = [each for each in standing if each.source not in taken]
        standing += [each for each in plan.deliveries if each.status != "struck"]
    owners: dict[str, dict[str, list[Delivery]]] = {owner: {} for owner in (*killed_play.CAST, "world")}
    for each in standing:
        owners[each.owner].setdefault(each.memory_id, []).append(each)
    return owners


def _says_what_was_planned(memory: Memory, deliveries: Sequence[Delivery], world: Collection[str]) -> None:
    body, _, knowledge = memory.content.partition(f"\n\n{KNOWLEDGE}\n")
    assert body in {each.body for each in deliveries}
    known = {line.text for each in deliveries for line in each.knowledge if set(line.cites) <= {*world}}
    assert set(knowledge.splitlines()) == known


def _processes(plans: Sequence[Plan]) -> set[str]:
    """Tokens of the processes that decided."""
    heard = [each for plan in plans if plan.message for each in plan.message.participants.values()]
    return {why for each in heard for why in each.evidence if "process" in why}
