"""The architecture lists the files of core that one message passes: those that it passes, in that order."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import earwitness
from earwitness import Earwitness, Share, SharingEvent
from earwitness.events import PlanEvent, ReadEvent, Strike
from earwitness.filters import EVERYTHING, Filter
from earwitness.testing.reference import MemoryLedger, MemoryStore

CORE = Path(earwitness.__file__).parent
STAGES = ("session.py", "journal.py", "end/")
HELPERS = {
    "end/world.py",
    "end/whereabouts.py",
    "end/derivations.py",
    "end/active_deliveries.py",
    "end/accepted.py",
    "end/backlog.py",
    "end/waiters.py",
    "end/plan_writer.py",
    "end/store_writes.py",
    "end/put_order.py",
    "end/replacements.py",
    "end/late_answers.py",
    "end/deliveries.py",
    "end/doubtful_writes.py",
    "end/untold.py",
}
"""What the stages ask on the way: where characters are, what a World Agent may look at, which derivations are fit,
what a sharing rule may ask about earlier messages, which entries were just appended, which plans wait, who waits for
them, in which order their memories are put, what the store has of them, which of them a summary replaces, which
sharing rules answer later and whom they may tell, what deliveries have in common, and which writes are in doubt."""


class Gossip:
    def share(self, event: SharingEvent) -> list[Share]:
        return [Share(character="charlie", shared_from="alice", rule="gossip")]


class Lenient:
    def filter(self, event: ReadEvent) -> Filter:
        return EVERYTHING

    def strike(self, event: PlanEvent) -> list[Strike]:
        return []


@contextmanager
def entered() -> Iterator[list[str]]:
    """The files of core in which functions were called, in the order of the first call."""
    files: list[str] = []

    def profile(frame: FrameType, event: str, argument: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(CORE) and (name := path.relative_to(CORE).as_posix()) not in files:
            files.append(name)

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        yield files
    finally:
        sys.setprofile(before)


def listed(pages: dict[str, Any]) -> list[str]:
    section = pages["docs/architecture.md"].text.split("\n## One message\n")[1].split("\n## ")[0]
    return re.findall(r"^\d+\. `([\w/]+\.py)`\.", section, re.MULTILINE)


def test_one_message_passes_at_most_ten_files_of_core(pages: dict[str, Any]) -> None:
    assert 0 < len(listed(pages)) <= 10


async def test_one_message_passes_the_files_that_are_listed_in_that_order(pages: dict[str, Any]) -> None:
    strategies: dict[str, Any] = {"detector": "everyone", "sharing_rules": [Gossip()], "guards": [Lenient()]}
    async with Earwitness.open(store=MemoryStore(), ledger=MemoryLedger(), strict=True, **strategies) as ew:
        story = await ew.session("s1", cast=["alice", "bob", "charlie"])
        await story.delivered()
        with entered() as files:
            await (await story.say("alice", "Bob and I agreed to find the Sacred Sword!")).settled()
            await story.delivered()
    passed = [file for file in files if file.startswith(STAGES) and file not in HELPERS]
    assert passed == listed(pages)
