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
STAGES = ("session.py", "drafts.py", "names.py", "journal.py", "end/")


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


def section(pages: dict[str, Any]) -> str:
    return str(pages["docs/architecture.md"].text).split("\n## One message\n")[1].split("\n## ")[0]


def steps(pages: dict[str, Any]) -> list[str]:
    return re.findall(r"^\d+\. `([\w/]+\.py)`\.", section(pages), re.MULTILINE)


def asked_on_the_way(pages: dict[str, Any]) -> set[str]:
    rows = re.findall(r"^\| \d+ \| ([^|]+) \|", section(pages), re.MULTILINE)
    return {file for row in rows for file in re.findall(r"`([\w/]+\.py)`", row)}


async def entered_by_one_message() -> list[str]:
    strategies: dict[str, Any] = {"detector": "everyone", "sharing_rules": [Gossip()], "guards": [Lenient()]}
    strategies["end"] = {"plugin_timeout": 60}  # a traced World Agent is slow
    async with Earwitness.open(store=MemoryStore(), ledger=MemoryLedger(), strict=True, **strategies) as ew:
        story = await ew.session("s1", cast=["alice", "bob", "charlie"])
        await story.delivered()
        with entered() as files:
            await (await story.say("alice", "Bob and I agreed to find the Sacred Sword!")).settled()
            await story.delivered()
    return [file for file in files if file.startswith(STAGES)]


def test_one_message_passes_at_most_ten_files_of_core(pages: dict[str, Any]) -> None:
    assert 0 < len(steps(pages)) <= 10


async def test_one_message_passes_the_files_that_are_listed_in_that_order(pages: dict[str, Any]) -> None:
    beside = asked_on_the_way(pages)
    assert [file for file in await entered_by_one_message() if file not in beside] == steps(pages)


async def test_what_the_steps_ask_on_the_way_is_listed_and_no_step_and_nothing_else(pages: dict[str, Any]) -> None:
    assert asked_on_the_way(pages) == {*await entered_by_one_message()} - {*steps(pages)}
