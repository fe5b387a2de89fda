"""The first messages of a process are judged on a thread, as hundreds of patterns are compiled with them."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from earwitness import Settings
from earwitness.loading.resources import Resources
from earwitness.loading.strategies import Strategies
from earwitness.testing.moments import moment
from earwitness_plugins.detectors import warm_up as loading
from earwitness_plugins.detectors.addressees import AddresseesDetector
from earwitness_plugins.detectors.hybrid import HybridDetector
from earwitness_plugins.detectors.mentions import Mentions
from earwitness_plugins.detectors.places import Places
from earwitness_plugins.detectors.presence import PresenceDetector
from earwitness_plugins.detectors.rules import RulesDetector
from earwitness_plugins.detectors.text import first_messages
from earwitness_plugins.detectors.text.first_messages import FIRST, FirstMessages
from earwitness_plugins.detectors.vote import Vote

from ...durations import slowness

PROGRAM = """
import asyncio, time
from earwitness import Earwitness

longest, run = 0.0, asyncio.Handle._run

def watched(handle):
    global longest
    started = time.thread_time()
    run(handle)
    longest = max(longest, time.thread_time() - started)

async def main():
    global longest
    async with Earwitness.open(":memory:", embedder="none") as ew:
        story = await ew.session("s1", cast=["alice", "bob"], present=["alice", "bob"])
        asyncio.Handle._run = watched
        longest = 0.0
        await (await story.say("alice", '*nods* "At dawn," she whispers to Bob. [Not a word!] (ooc: brb)')).settled()
        print(longest)

asyncio.run(main())
"""
"""Prints how long the first message holds the event loop, in seconds of its thread."""

WARMED_UP = """
import time
from earwitness_plugins.detectors.warm_up import _moment
from earwitness_plugins.detectors.rules import RulesDetector

detector = RulesDetector()
started = time.thread_time()
detector.warm_up()
loaded = time.thread_time()
detector.detect(_moment("*nods* Hello, all of you. Come here, Bob!"))
print(loaded - started, time.thread_time() - loaded)
"""
"""Prints how long loading takes, and the first message after it, in seconds of its thread."""


def test_the_first_messages_with_each_mark_are_first_ones() -> None:
    first = FirstMessages()
    assert [first.has(moment("Hello.")) for _ in range(FIRST + 1)] == [True] * FIRST + [False]
    assert [first.has(moment("*nods*")) for _ in range(FIRST + 1)] == [True] * FIRST + [False]
    assert first.has(moment("*nods* (ooc: brb)"))
    assert not first.has(moment("Hello again."))


@pytest.mark.parametrize("kind", [AddresseesDetector, Mentions, Places, PresenceDetector, RulesDetector, Vote])
def test_detectors_that_read_ask_for_a_thread_for_them(
    kind: type[RulesDetector], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_messages, "_OF_PROCESS", FirstMessages())
    assert [kind.on_thread(moment("Hello.")) for _ in range(FIRST + 1)] == [True] * FIRST + [False]


@pytest.mark.parametrize("kind", [AddresseesDetector, Mentions, Places, PresenceDetector, RulesDetector, Vote])
def test_detectors_that_read_load_once_before_the_first_message(
    kind: type[RulesDetector], monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[str] = []
    monkeypatch.setattr(loading, "_DONE", set())
    reader = kind if kind in (AddresseesDetector, Mentions) else RulesDetector
    monkeypatch.setattr(reader, "detect", lambda self, moment: judged.append(moment.message.content))
    kind().warm_up()
    kind().warm_up()
    assert tuple(judged) == loading.LINES


def test_a_hybrid_loads_what_either_of_its_detectors_needs() -> None:
    loaded = []
    both = [SimpleNamespace(detect=None, warm_up=lambda: loaded.append(1)), RulesDetector()]
    HybridDetector(detectors=both, settings=Settings(), resources=Resources(), strategies=Strategies()).warm_up()
    assert loaded == [1]


def test_what_is_loaded_beforehand_need_not_be_loaded_with_the_first_message() -> None:
    printed = subprocess.run([sys.executable, "-c", WARMED_UP], capture_output=True, text=True, check=True)
    loading, first = map(float, printed.stdout.split())
    assert first < loading / 3  # a tenth, and at times more


def test_the_first_message_does_not_hold_the_loop() -> None:
    printed = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert float(printed.stdout) < 0.1 * slowness()  # 0.3 on the loop
