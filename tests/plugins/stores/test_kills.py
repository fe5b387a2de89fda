"""Three processes write to one file, two read it, and fifty times one of them is killed."""

import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from os import kill
from pathlib import Path
from signal import SIGKILL

import apsw
import pytest

from earwitness_plugins.stores.sqlite import SqliteStore

pytestmark = pytest.mark.anyio

KILLS = 50
LONGEST = 60.0
WRITERS, READERS = ("w0", "w1", "w2"), ("r0", "r1")
CONTAINERS = ("world", "alice", "bob", "charlie", "dora", "edgar")
EACH = 2

# One process that has imported everything and forks whenever it is told a name, so that a newcomer is there at once.
STABLE = """
import asyncio, os, signal, sys
from itertools import count
from pathlib import Path

import numpy as np

from earwitness.loading.resources import Resources
from earwitness.records.backends import EmbedderIdentity
from earwitness.records.memory import Memory
from earwitness_plugins.stores.sqlite import SqliteStore

FOLDER, CONTAINERS, EACH = Path(sys.argv[1]), sys.argv[2].split(","), int(sys.argv[3])

class Lengths:
    identity = EmbedderIdentity(name="lengths", digest="1", dimension=2)
    def embed(self, texts):
        return np.array([[len(text) % 7, 1] for text in texts], np.float32)

PARENT = os.getpid()

def end_with_parent():
    if os.getppid() != PARENT:  # the test was killed
        os._exit(1)

async def write(store, name):
    acknowledged = FOLDER / name
    with acknowledged.open("a+b", buffering=0) as file:
        file.seek(0)
        for turn in count(int(([b"-1"] + file.read().split())[-1]) + 1):
            await store.put([
                Memory(id=f"{name}/{turn}/{part}", container=container, content=f"turn {turn} of {name}", metadata={})
                for container in CONTAINERS for part in range(EACH)
            ])
            file.write(b"%d " % turn)
            end_with_parent()

async def read(store, name):
    for place in count():
        container = CONTAINERS[place % len(CONTAINERS)]
        memories = await store.list(container)
        turns = {}
        for memory in memories:
            turns.setdefault(memory.id.rsplit("/", 1)[0], []).append(memory)
        partial = [turn for turn, parts in turns.items() if len(parts) != EACH]
        hits = await store.search(container, "turn of w1", limit=5)
        if partial or len(hits) < min(5, len(memories)):
            raise AssertionError(f"{partial} {len(hits)}")
        (FOLDER / "looks").open("ab", buffering=0).write(b"x")
        end_with_parent()

async def play(name):
    store = SqliteStore(path=str(FOLDER / "story.db"), embedder=Lengths(), resources=Resources())
    await store.open()
    await (write if name.startswith("w") else read)(store, name)

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    process = os.fork()
    if not process:
        try:
            asyncio.run(play(line.strip()))
        except BaseException as error:
            (FOLDER / "trouble").open("a").write(f"{line.strip()}: {error!r}\\n")
        os._exit(1)
    print(process, flush=True)
"""


@contextmanager
def stable(folder: Path) -> Iterator[Callable[[str], int]]:
    """Starts a process by name and returns its number."""
    command = [sys.executable, "-c", STABLE, str(folder), ",".join(CONTAINERS), str(EACH)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        ins, outs = process.stdin, process.stdout
        assert ins is not None
        assert outs is not None

        def start(name: str) -> int:
            ins.write(f"{name}\n")
            ins.flush()
            return int(outs.readline())

        yield start
        ins.close()


def kill_fifty_times(folder: Path) -> int:
    """How many were killed before the time was up."""
    chance, until = random.Random(7), time.monotonic() + LONGEST
    running: dict[str, int] = {}
    killed = 0
    with stable(folder) as start:
        try:
            running = {name: start(name) for name in (*WRITERS, *READERS)}
            while killed < KILLS and time.monotonic() < until:
                time.sleep(chance.uniform(0.05, 0.25))
                name = chance.choice(list(running))
                kill(running[name], SIGKILL)
                running[name] = start(name)
                killed += 1
            time.sleep(0.5)
        finally:
            for process in running.values():
                with suppress(ProcessLookupError):
                    kill(process, SIGKILL)
    return killed


async def test_fifty_kills_lose_nothing_acknowledged_and_leave_nothing_partial(
    tmp_path: Path, store_at: Callable[..., SqliteStore]
) -> None:
    assert kill_fifty_times(tmp_path) == KILLS
    assert not (tmp_path / "trouble").exists(), (tmp_path / "trouble").read_text()
    assert (tmp_path / "looks").stat().st_size > KILLS
    acknowledged = {f"{name}/{turn}" for name in WRITERS for turn in (tmp_path / name).read_text().split()}
    assert len(acknowledged) > KILLS

    with apsw.Connection(str(tmp_path / "story.db")) as connection:
        assert connection.pragma("integrity_check") == "ok"
        kept = connection.execute(
            "SELECT name, id FROM store_memory JOIN store_container ON number = rid >> 32"
        ).fetchall()
        slots = connection.execute("SELECT sum(live), sum(dead) FROM store_container").fetchone()
    turns = Counter(str(id).rsplit("/", 1)[0] for _, id in kept)
    assert acknowledged <= turns.keys()
    assert set(turns.values()) == {len(CONTAINERS) * EACH}
    assert len(turns.keys() - acknowledged) <= KILLS + len(WRITERS)
    assert slots is not None
    assert slots[0] == len(kept)
