"""Gossip by a model, with two programs on one story: one of them asks, and the other one after it was killed."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from earwitness import Character, Earwitness, Session, Settings
from earwitness_plugins.testing.model import ScriptedModel

from .test_nobody_waits import CAST, NEWS, RULES, Gate, gate, heard

__all__ = ["gate"]  # the fixture
ANOTHER = """
import asyncio, json, sys
from earwitness import Character, Earwitness, Settings
from earwitness_plugins.ledgers.sqlite import claims

async def main(given):
    async with Earwitness.open(settings=Settings.of(**given["settings"])) as ew:
        story = await ew.session("s1", cast=[*map(Character, given["cast"])])
        while line := await asyncio.to_thread(sys.stdin.readline):
            if line == "deliver\\n":
                await story.delivered()
            else:
                await (await story.say("ann", line.strip(), audience=[])).settled()
            print("done", flush=True)

claims.SECONDS = 1.0
asyncio.run(main(json.loads(sys.argv[1])))
"""
CALLS = 4
"""Two hops, each with a question of the triage and one of the reteller."""


class Other:
    """Another program on the story."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def does(self, line: str) -> None:
        """Let it say something, or wait until everything is delivered (`deliver`)."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{line}\n".encode())
        assert await asyncio.wait_for(self.process.stdout.readline(), 60) == b"done\n"


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, serve: Any, gate: Gate, tmp_path: Path) -> dict[str, Any]:
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
async def other(settings: dict[str, Any]) -> AsyncIterator[Callable[[], Awaitable[Other]]]:
    """Starts another program."""
    async with AsyncExitStack() as started:

        async def start() -> Other:
            given = json.dumps({"settings": settings, "cast": CAST})
            pipes = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE}
            process = await asyncio.create_subprocess_exec(sys.executable, "-c", ANOTHER, given, **pipes)

            async def end() -> None:
                if process.returncode is None:
                    process.kill()
                    await process.wait()

            started.push_async_callback(end)
            return Other(process)

        yield start


async def told(story: Session) -> list[list[str]]:
    return [[each for each in await heard(story, id) if NEWS in each] for id in ("ben", "cid")]


async def test_one_of_two_programs_asks_and_both_wait_for_it(settings: Any, other: Any, gate: Gate) -> None:
    async with Earwitness.open(settings=Settings.of(**settings)) as ew:
        story = await ew.session("s1", cast=[*map(Character, CAST)])
        there = await other()
        await there.does("Good evening.")
        await (await story.say("ann", NEWS, audience=[])).settled()
        await there.does("Good night.")
        await (await story.say("ann", "Good day.", audience=[])).settled()
        waiting = asyncio.create_task(there.does("deliver"))
        await asyncio.sleep(0.3)
        assert not waiting.done()
        gate.opened.set()
        await asyncio.gather(waiting, story.delivered())
        await there.does("deliver")
        assert (await story.backstage().costs()).total.calls == gate.asked == 4 * CALLS
        assert await told(story) == [[f"I hear: {NEWS}"], [f"I hear: I hear: {NEWS}"]]
        assert [len(await heard(story, id)) for id in ("ben", "cid")] == [4, 4]


async def test_what_a_killed_program_asked_is_asked_by_the_other_once_its_claim_expires(
    settings: Any, other: Any, gate: Gate
) -> None:
    there = await other()
    await there.does(NEWS)
    assert await asyncio.to_thread(gate.began.wait, 20)
    there.process.kill()
    await there.process.wait()
    gate.opened.set()
    async with Earwitness.open(settings=Settings.of(**settings)) as ew:
        story = await ew.session("s1", cast=[*map(Character, CAST)])
        async with asyncio.timeout(20):
            await story.delivered()
        assert await told(story) == [[f"I hear: {NEWS}"], [f"I hear: I hear: {NEWS}"]]
