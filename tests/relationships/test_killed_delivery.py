"""A message to thousands of listeners whose delivery is killed in the middle reaches each of them exactly once."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from earwitness import Earwitness

from . import killed_delivery
from .killed_delivery import BARE, STORY, members

LISTENERS = 2000


async def held(ew: Earwitness) -> Counter[int]:
    """Number of memories → how many members have so many."""
    return Counter([len(await ew.engine.store.list(f"{STORY}-{member}")) for member in members(LISTENERS)])


def say_it_and_die(path: Path, rules: Path, when: str) -> None:
    """Run the program, which kills itself."""
    command = [sys.executable, str(killed_delivery.__file__), str(path), str(rules), str(LISTENERS), when]
    killed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr


@pytest.mark.parametrize("when", ["before", "after"])
async def test_killed_before_or_after_a_batch_everybody_is_told_exactly_once(tmp_path: Path, when: str) -> None:
    path, rules = tmp_path / "earwitness.db", tmp_path / "rules.yaml"
    rules.write_text(f"village:\n  rules: {{propagate_all: true}}\n  members: [{', '.join(members(LISTENERS))}]\n")
    say_it_and_die(path, rules, when)

    async with Earwitness.open(path, **BARE, relationships={"rules": str(rules)}) as ew:
        left = await ew.engine.ledger.deliveries(STORY, status="pending")
        written = (await held(ew))[1]
        assert 0 < len(left) < LISTENERS
        assert 0 < written < LISTENERS
        await (await ew.open_session(STORY)).delivered()
        assert await held(ew) == {1: LISTENERS}
        assert list(await ew.engine.ledger.deliveries(STORY, status="pending")) == []
