"""The synchronous face never keeps a process from ending, and what was acknowledged by then is kept."""

import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from earwitness import sync

PREAMBLE = """
import asyncio, sys, time
from earwitness.sync import Earwitness
from earwitness.hooks import Plugin
from earwitness.testing.reference import MemoryStore

class Asleep(Plugin):
    async def on_message(self, event):
        print("asked", flush=True)
        await asyncio.sleep(60)

class Blocking(Plugin):
    def on_message(self, event):
        print("asked", flush=True)
        time.sleep(60)

class OnAThread(Plugin):
    async def on_message(self, event):
        print("asked", flush=True)
        await asyncio.to_thread(time.sleep, 60)

class SlowStore(MemoryStore):
    async def put(self, memories):
        print("asked", flush=True)
        await asyncio.to_thread(time.sleep, 60)

plugin = {"Asleep": Asleep, "Blocking": Blocking, "OnAThread": OnAThread}.get(sys.argv[2])
given = {"detector": "everyone", "world_agent": "none", "embedder": "none", "plugins": [plugin()] if plugin else []}
given |= {"store": SlowStore()} if sys.argv[2] == "SlowStore" else {}
"""
ENDINGS = {
    "ends": "",
    "raises": "raise ZeroDivisionError",
    "exits": "sys.exit(3)",
    "ends another thread": "import threading; threading.Thread(target=story.turn, args=['bob']).start()",
}
STARTED = """
story = Earwitness.open(sys.argv[1], **given).start().session("s1", cast=["alice", "bob"])
print(story.say("alice", "Hello.", key="m1").key, flush=True)
time.sleep(0.3)
"""
WITHIN = """
with Earwitness.open(sys.argv[1], **given) as ew:
    story = ew.session("s1", cast=["alice", "bob"])
    print(story.say("alice", "Hello.", key="m1").key, flush=True)
    time.sleep(0.3)
    raise ZeroDivisionError
"""
AT_ONCE = 30.0
"""Seconds that a whole program may take here, start included; what is under way would take 60."""


def run(program: str, file: Path, underway: str = "nothing") -> tuple[str, int]:
    """What the program prints, and its exit code. Fails unless it ends at once."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", program, str(file), underway], capture_output=True, text=True, timeout=50, check=False
    )
    assert time.monotonic() - began < AT_ONCE
    return done.stdout, done.returncode


def remembered(file: Path) -> int:
    """How much Bob remembers once the story is opened again."""
    given = {"detector": "everyone", "world_agent": "none", "embedder": "none", "plugins": []}
    with sync.Earwitness.open(file, **given) as ew:
        return ew.open_session("s1").backstage().inspect("bob").total


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_script_that_never_closes_ends_at_once(tmp_path: Path, ending: str) -> None:
    printed, code = run(PREAMBLE + STARTED + ENDINGS[ending], tmp_path / "story.db")
    assert (printed, code) == ("m1\n", {"raises": 1, "exits": 3}.get(ending, 0))
    assert remembered(tmp_path / "story.db") == 1


HOW = {"without closing": STARTED, "raising in the block": WITHIN}
UNDERWAY = ("Asleep", "Blocking", "OnAThread", "SlowStore")


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], tuple[Path, str]]:
    """The file of a program that ended, and what it printed. All run side by side, since they mostly wait."""
    folder = tmp_path_factory.mktemp("ended")
    with ThreadPoolExecutor(3) as threads:
        files = {(how, underway): folder / f"{how}-{underway}.db" for how in HOW for underway in UNDERWAY}
        found = {key: threads.submit(run, PREAMBLE + HOW[key[0]], file, key[1]) for key, file in files.items()}
    return lambda *key: (files[key], found[key].result()[0])


@pytest.mark.parametrize("underway", UNDERWAY)
@pytest.mark.parametrize("how", HOW)
def test_nothing_that_is_under_way_holds_up_the_end(
    ended: Callable[[str, str], tuple[Path, str]], how: str, underway: str
) -> None:
    file, printed = ended(how, underway)
    assert "m1" in printed
    assert "asked" in printed
    assert remembered(file) == 1
