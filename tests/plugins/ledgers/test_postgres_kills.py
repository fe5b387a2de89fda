"""Four processes talk in eight stories while they and the PostgreSQL server are killed: nothing is lost, nothing twice.

`EARWITNESS_POSTGRES_KILLS=50` makes it long; `EARWITNESS_KILL_SEED` repeats victims and what is said.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness
from earwitness_plugins.testing.postgres import PostgresServer

from . import postgres_play

pytestmark = pytest.mark.anyio
PROGRAM = Path(postgres_play.__file__)
PROCESSES = 4
KILLS = int(os.environ.get("EARWITNESS_POSTGRES_KILLS", "3"))
PATIENCE = 120.0
"""Seconds for a process to begin or to end: machines that test are busy."""


@dataclass
class Play:
    """The processes, and what they have noted."""

    dsn: str
    folder: Path
    seed: int = 0
    begun: int = 0
    """How many processes were started."""
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    killed: dict[int, float] = field(default_factory=dict)
    """Number of a process that was killed → when."""

    def begin(self) -> None:
        """Start one more process."""
        self.begun += 1
        command = [sys.executable, str(PROGRAM), self.dsn, str(self.folder), f"{self.seed} {self.begun}"]
        self.processes.append(subprocess.Popen(command, stdin=subprocess.PIPE))  # its input ends with this process

    def kill(self, dice: random.Random) -> None:
        """`kill -9` of one of them, and another takes its place."""
        victim = self.processes.pop(dice.randrange(len(self.processes)))
        victim.kill()
        victim.communicate()
        self.killed[victim.pid] = time.monotonic()
        self.begin()

    def noted(self, what: str) -> list[dict[str, Any]]:
        """Lines of the log, in order."""
        log = self.folder / "log"
        lines = map(json.loads, log.read_text().splitlines()) if log.exists() else ()
        return [line for line in lines if line["what"] == what]

    def goes_on(self, messages: int = 1) -> None:
        """Wait until so many more messages were acknowledged."""
        seen, until = len(self.noted("said")), time.monotonic() + PATIENCE
        while len(self.noted("said")) < seen + messages:
            assert time.monotonic() < until, "nothing was acknowledged any more"
            time.sleep(0.05)

    def end(self) -> None:
        """Let all processes come to their end."""
        (self.folder / "stop").touch()
        for process in self.processes:
            assert process.wait(PATIENCE) == 0
            process.communicate()


@contextmanager
def playing(dsn: str, folder: Path, seed: int) -> Iterator[Play]:
    play = Play(dsn, folder, seed)
    try:
        for _ in range(PROCESSES):
            play.begin()
        yield play
    finally:
        for process in play.processes:
            process.kill()
            process.communicate()


async def test_whoever_is_killed_nothing_is_lost_nothing_twice_and_nobody_asked_twice(
    durable_postgres: PostgresServer, tmp_path: Path
) -> None:
    seed = int(os.environ.get("EARWITNESS_KILL_SEED", random.SystemRandom().randrange(10**9)))
    print(f"EARWITNESS_KILL_SEED={seed}")
    with durable_postgres.database() as dsn, playing(dsn, tmp_path, seed) as play:
        killing(play, durable_postgres, random.Random(seed))
        said = {line["message"] for line in play.noted("said")}
        repeated, unexcused = asked_again(play)
        print(f"{KILLS} kills, {KILLS // 2} of the server: {len(said)} messages, {repeated} asked about again")
        assert unexcused == []
        await kept(play, said)


def killing(play: Play, server: PostgresServer, dice: random.Random) -> None:
    """Kill a process and the server by turns, while they talk; then let them come to their end."""
    for number in range(KILLS):
        play.goes_on(dice.randrange(1, 9))
        time.sleep(dice.uniform(0, 0.05))
        if number % 2:
            server.crash()
            server.start()
        else:
            play.kill(dice)
    play.goes_on(5)
    play.end()


def asked_again(play: Play) -> tuple[int, list[str]]:
    """How many questions were asked again; those of them that nothing excuses.

    What excuses one is that its process was killed, or that its claim had expired: it was not taken or renewed for as
    long as it holds, whether the server was away or the process could not run.
    """
    first: dict[str, dict[str, Any]] = {}
    repeated, unexcused = 0, []
    for line in play.noted("asked"):
        before = first.get(line["message"])
        first[line["message"]] = line
        if before is None:
            continue
        repeated += 1
        was_killed = play.killed.get(before["pid"], line["time"]) < line["time"]
        if not was_killed and line["time"] - claimed_last(play, before["pid"], line) < postgres_play.CLAIM_SECONDS:
            unexcused.append(f"{before} and again {line}")
    return repeated, unexcused


def claimed_last(play: Play, pid: int, asked: dict[str, Any]) -> float:
    """When a process had last taken or renewed its claim of the story that somebody asks about."""
    story = asked["message"].split()[0]
    return max(
        each["time"]
        for each in play.noted("claimed")
        if each["pid"] == pid and each["message"] == story and each["time"] <= asked["time"]
    )


def test_who_is_asked_again_is_excused_by_a_kill_or_an_expired_claim_and_by_nothing_else(tmp_path: Path) -> None:
    def line(what: str, message: str, pid: int, time: float) -> str:
        return json.dumps({"what": what, "message": message, "pid": pid, "time": time})

    lines = [line("claimed", "s1", 1, 0), line("asked", "s1 a", 1, 0.1), line("claimed", "s1", 1, 9)]
    (tmp_path / "log").write_text("\n".join([*lines, line("asked", "s1 a", 2, 10)]))
    assert asked_again(Play("", tmp_path))[0] == 1
    assert len(asked_again(Play("", tmp_path))[1]) == 1, "it lived, and had renewed its claim"
    assert asked_again(Play("", tmp_path, killed={1: 9.5}))[1] == []
    (tmp_path / "log").write_text("\n".join([*lines, line("asked", "s1 a", 2, 12)]))
    assert asked_again(Play("", tmp_path))[1] == []


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
def test_who_talks_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    command = [sys.executable, str(PROGRAM), "postgresql://nobody@127.0.0.1:1/none", str(tmp_path), "0"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as talker:
        assert talker.stderr is not None
        assert b"does not answer" in talker.stderr.readline()  # it tries for ever
        assert talker.stdin is not None
        talker.stdin.close()  # as when the parent is killed
        assert talker.wait(PATIENCE) == 1


async def kept(play: Play, said: set[str]) -> None:
    """Journal, plans and memories hold what was acknowledged, once."""
    found: set[str] = set()
    async with Earwitness.open(**postgres_play.parts(play.dsn), detector="none") as ew:
        for id in postgres_play.STORIES:
            story = await ew.open_session(id)
            await story.settled()
            await story.delivered()
            entries = await ew.engine.ledger.entries(id)
            assert [entry.sequence for entry in entries] == list(range(1, len(entries) + 1))
            assert [plan.sequence for plan in await ew.engine.ledger.plans(id)] == [each.sequence for each in entries]
            assert all(entry.applied for entry in entries)
            contents = [str(entry.body.content) for entry in entries if entry.body.kind == "said"]
            assert len(contents) == len(set(contents))
            found |= set(contents)
            for owner in (*postgres_play.CAST, "world"):
                memories = await ew.engine.store.list(f"{id}-{owner}")
                held = [content for content in contents for each in memories if f" {content} " in each.content]
                assert sorted(held) == sorted(contents), owner
                assert len(memories) == len(contents)
    assert said <= found
