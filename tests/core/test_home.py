"""An instance belongs to the process and the event loop that opened it. Elsewhere it says so, and never hangs."""

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, Moment, Presence, Session
from earwitness.errors import NotOpen
from earwitness.outcome import Outcome
from earwitness.testing.reference import MemoryStore
from earwitness.turn import Turn

GIVEN: dict[str, Any] = {"embedder": "none", "world_agent": "none", "plugins": []}


class Slow:
    """A detector that is still thinking when the other loop comes."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def detect(self, moment: Moment) -> Presence:
        if moment.message.content == "Think.":
            self.asked.set()
            await asyncio.Event().wait()
        return Presence(characters={})


class Full(MemoryStore):
    """A store that never takes anything."""

    async def put(self, memories: object) -> None:
        await asyncio.Event().wait()


Calls = dict[str, Callable[[], Awaitable[object]]]


@pytest.fixture
def calls(tmp_path: Path) -> Iterator[Calls]:
    """Every kind of call on what was opened on a loop that stands still now."""
    loop = asyncio.new_event_loop()

    async def opened() -> tuple[Earwitness, Session, Turn, Outcome, Outcome]:
        detector = Slow()
        ew = await Earwitness.open(tmp_path / "s.db", detector=detector, store=Full(), **GIVEN).start()
        story = await ew.session("s1", cast=["alice", "bob"])
        decided = await story.say("alice", "Hello.", key="m1")
        await decided.decided()
        turn = await story.turn("bob", wait=0)
        undecided = await story.say("bob", "Think.", key="m2")
        await detector.asked.wait()
        return ew, story, turn, decided, undecided

    ew, story, turn, decided, undecided = loop.run_until_complete(opened())
    yield {
        "session": lambda: ew.session("s1"),
        "sessions": ew.sessions,
        "health": ew.health,
        "turn": lambda: story.turn("alice"),
        "say": lambda: story.say("alice", "Anybody?"),
        "say_all": lambda: story.say_all([{"speaker": "alice", "content": "Anybody?", "key": "m3"}]),
        "edit": lambda: story.edit("m1", "Goodbye.", own_key="e1"),
        "change": lambda: story.change(game_day=2),
        "move": lambda: story.move("alice", "market", key="move"),
        "join": lambda: story.join("dana"),
        "settled": story.settled,
        "delivered": story.delivered,
        "fork": lambda: story.fork("s2"),
        "forget": lambda: story.forget("bob"),
        "backstage": story.backstage().overview,
        "turn.say": lambda: turn.say("Anybody?"),
        "outcome.decided": undecided.decided,
        "outcome.settled": decided.settled,
        "close": ew.close,
    }
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    loop.run_until_complete(asyncio.wait_for(asyncio.gather(*left, return_exceptions=True), 10))
    loop.close()


def test_every_call_on_another_event_loop_says_what_to_do(calls: Calls) -> None:
    async def elsewhere(call: Callable[[], Awaitable[object]]) -> object:
        return await asyncio.wait_for(call(), 2)

    for call in calls.values():
        with pytest.raises(NotOpen, match=r"another event loop.* a single asyncio\.run"):
            asyncio.run(elsewhere(call))


async def test_an_instance_may_be_opened_again_and_handles_from_before_stay_closed(tmp_path: Path) -> None:
    ew = Earwitness.open(tmp_path / "s.db", detector="everyone", **GIVEN)
    async with ew:
        before = await ew.session("s1", cast=["alice"])
        await before.say("alice", "Hello.", key="m1")
    async with ew:
        with pytest.raises(NotOpen):
            await before.say("alice", "Am I here?")
        assert not (await (await ew.session("s1")).say("alice", "Hello.", key="m1")).created


FORKED = """
import asyncio, os, sys
from earwitness import Earwitness as Async
from earwitness.errors import NotOpen
from earwitness.sync import Earwitness

given = {"detector": "everyone", "world_agent": "none", "embedder": "none", "plugins": []}

def refused(calls):
    for call in calls:
        try:
            call()
        except NotOpen as error:
            assert f"in process {os.getppid()}" in str(error), error
            assert "Open another one here, after the fork" in str(error), error
        else:
            sys.exit("no error")

def synchronous():
    with Earwitness.open(sys.argv[1], **given) as ew:
        story = ew.session("s1", cast=["alice", "bob"])
        outcome = story.say("alice", "Hello.")
        turn = story.turn("bob")
        if not (child := os.fork()):
            refused([lambda: story.say("alice", "Hm."), lambda: turn.say("Hm."), ew.sessions, outcome.settled])
            with Earwitness.open(sys.argv[1], **given) as mine:
                mine.open_session("s1").say("bob", "From the child.", key="child").settled()
            print("child", flush=True)
            return
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        story.say("alice", "From the parent.")
        print("parent", [each.body.content for each in story.backstage().journal()[1:]], flush=True)

async def asynchronous():
    async with Async.open(sys.argv[1], **given) as ew:
        story = await ew.session("s2", cast=["alice", "bob"])
        await story.say("alice", "Hello.")
        if not (child := os.fork()):
            for call in (lambda: story.say("alice", "Hm."), lambda: story.turn("bob"), ew.sessions, story.settled):
                try:
                    await call()
                except NotOpen as error:
                    assert "Open another one here, after the fork" in str(error), error
                else:
                    sys.exit("no error")
            os.write(1, b"child\\n")
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        await story.say("alice", "From the parent.")
        print("parent", len(await story.backstage().journal()), flush=True)

synchronous() if sys.argv[2] == "sync" else asyncio.run(asynchronous())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no fork there")
@pytest.mark.parametrize(
    ("face", "printed"),
    [("sync", "child\nparent ['Hello.', 'From the child.', 'From the parent.']\n"), ("async", "child\nparent 3\n")],
)
def test_a_forked_child_is_told_to_open_its_own_and_the_parent_goes_on(tmp_path: Path, face: str, printed: str) -> None:
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORKED, str(tmp_path / "s.db"), face]
    run = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (run.returncode, run.stdout) == (0, printed), run.stderr
