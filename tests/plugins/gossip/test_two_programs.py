"""Gossip by a model, with two programs on one story: one of them asks, and the other one after it was killed."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from earwitness import Character, Earwitness, Session, Settings
from earwitness_plugins.ledgers.sqlite import claims
from earwitness_plugins.testing.model import ScriptedModel

from .test_nobody_waits import CAST, NEWS, RULES, Gate, gate, heard

__all__ = ["gate"]  # the fixture
ANOTHER = """
import asyncio, json, sys
from contextlib import AsyncExitStack
from earwitness import Character, Earwitness, Settings
from earwitness_plugins.ledgers.sqlite import claims

async def main():
    async with AsyncExitStack() as running:
        while line := await asyncio.to_thread(sys.stdin.readline):
            match json.loads(line):
                case {"open": settings, "cast": cast}:
                    ew = await running.enter_async_context(Earwitness.open(settings=Settings.of(**settings)))
                    story = await ew.session("s1", cast=[*map(Character, cast)])
                case {"close": True}:
                    await running.aclose()
                case {"deliver": True}:
                    await story.delivered()
                case {"say": text}:
                    await (await story.say("ann", text, audience=[])).settled()
            print("done", flush=True)

claims.SECONDS = float(sys.argv[1])
asyncio.run(main())
"""
CLAIM = 2.0
"""Seconds that a claim in SQLite lasts: the same in both programs."""
CALLS = 4
"""Two hops, each with a question of the triage and one of the reteller."""


class Other:
    """Another program, for one test after the other until it is killed."""

    def __init__(self) -> None:
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen([sys.executable, "-c", ANOTHER, str(CLAIM)], **pipes)

    async def says(self, text: str) -> None:
        """Let it say something."""
        await self.does(say=text)

    async def does(self, **order: Any) -> None:
        """Let it do something, and wait until it has."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{json.dumps(order)}\n")
        self.process.stdin.flush()
        assert await asyncio.wait_for(asyncio.to_thread(self.process.stdout.readline), 60) == "done\n"

    def kill(self) -> None:
        """End it without a chance to close anything."""
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def programs() -> Iterator[list[Other]]:
    """Programs that run: to start one takes longer than a test. A test may kill one for each backend."""
    running = [Other(), Other()]
    yield running
    for each in running:
        each.kill()


@pytest.fixture(params=["sqlite", "postgres"])
def settings(
    request: pytest.FixtureRequest, serve: Any, gate: Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Any]:
    monkeypatch.setattr(claims, "SECONDS", CLAIM)
    model: ScriptedModel = serve(gate)
    (tmp_path / "rules.yaml").write_text(RULES)
    path = str(tmp_path / "s.db")
    backend: dict[str, Any] = {"name": request.param, "path": path}
    if request.param == "postgres":
        backend = {"name": "postgres", "dsn": request.getfixturevalue("postgres_dsn"), "claim_seconds": 1.0}
    graph = {"name": "networkx", "path": str(tmp_path / "graph.db")}
    named: dict[str, Any] = {"retellers": {"gossip": "language_model"}, "triages": {"worth": "language_model"}}
    table = {"rules": str(tmp_path / "rules.yaml"), "graph": graph, **named}
    stores = {"ledger": backend, "store": {"name": "sqlite", "path": path}}
    asked = model.settings(retries=0, timeout=20.0)
    return {"model": asked, "relationships": table, "embedder": "none", **stores}


@pytest.fixture
async def other(
    settings: dict[str, Any], programs: list[Other], gate: Gate
) -> AsyncIterator[Callable[[], Awaitable[Other]]]:
    """Opens the story in another program."""
    used: list[Other] = []

    async def start() -> Other:
        used.append(next((each for each in programs if each.process.poll() is None), None) or Other())
        await used[-1].does(open=settings, cast=CAST)
        return used[-1]

    yield start
    gate.opened.set()
    for each in used:
        if each.process.poll() is None:
            await each.does(close=True)


async def told(story: Session) -> list[list[str]]:
    return [[each for each in await heard(story, id) if NEWS in each] for id in ("ben", "cid")]


async def test_one_of_two_programs_asks_and_both_wait_for_it(settings: Any, other: Any, gate: Gate) -> None:
    async with Earwitness.open(settings=Settings.of(**settings)) as ew:
        story = await ew.session("s1", cast=[*map(Character, CAST)])
        there = await other()
        await there.says("Good evening.")
        await (await story.say("ann", NEWS, audience=[])).settled()
        await there.says("Good night.")
        await (await story.say("ann", "Good day.", audience=[])).settled()
        waiting = asyncio.create_task(there.does(deliver=True))
        await asyncio.sleep(0.3)
        assert not waiting.done()
        gate.opened.set()
        await asyncio.gather(waiting, story.delivered())
        await there.does(deliver=True)
        assert (await story.backstage().costs()).total.calls == gate.asked == 4 * CALLS
        assert await told(story) == [[f"I hear: {NEWS}"], [f"I hear: I hear: {NEWS}"]]
        assert [len(await heard(story, id)) for id in ("ben", "cid")] == [4, 4]


async def test_what_a_killed_program_asked_is_asked_by_the_other_once_its_claim_expires(
    settings: Any, other: Any, gate: Gate
) -> None:
    there = await other()
    await there.says(NEWS)
    assert await asyncio.to_thread(gate.began.wait, 20)
    there.kill()
    gate.opened.set()
    async with Earwitness.open(settings=Settings.of(**settings)) as ew:
        story = await ew.session("s1", cast=[*map(Character, CAST)])
        async with asyncio.timeout(20):
            await story.delivered()
        assert await told(story) == [[f"I hear: {NEWS}"], [f"I hear: I hear: {NEWS}"]]
