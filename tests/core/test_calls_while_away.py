"""What needs no store does not wait for one that is away or hangs; what does is done once it is back."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from earwitness import Earwitness, Session
from earwitness.containers import pantheon_container
from earwitness.errors import InputError, NotYetApplied, StorageError, UnknownName
from earwitness.records.memory import Hit, Memory
from earwitness.testing.reference import MemoryLedger
from earwitness.testing.reference_branches import BranchingMemoryLedger, BranchingMemoryStore

from ..unsteady_store import UnsteadyStore

LIMIT = 0.1
QUICK: dict[str, Any] = {
    "end": {"store_timeout": LIMIT},
    "recall": {"timeout": 0.05, "wait": 0.05},
    "strict": False,
    "detector": "everyone",
}
WAYS = pytest.mark.parametrize("way", ["away", "hangs"])
OpenApp = Callable[..., Awaitable[Earwitness]]


class Plain(UnsteadyStore):
    async def count(self, container: str) -> int:
        await self.answer()
        return await super().count(container)


class Branching(Plain, BranchingMemoryStore):
    async def branch(self, containers: Mapping[str, str], without: Mapping[str, Sequence[str]]) -> None:
        await self.answer()
        await super().branch(containers, without)


PARTS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "plans applied again": lambda: {"ledger": MemoryLedger(), "store": Plain()},
    "past shared": lambda: {"ledger": BranchingMemoryLedger(), "store": Branching()},
}


async def told(open_app: OpenApp, parts: Mapping[str, Any]) -> Session:
    """A story of three messages that everybody heard."""
    ew = await open_app(**parts, **QUICK)
    story = await ew.session("s1", cast=["alice", "bob", "charlie"])
    for number in (1, 2, 3):
        await (await story.say("alice", f"Message {number}.", key=f"m{number}")).settled()
    await story.delivered()
    return story


async def in_time(work: Awaitable[Any]) -> Any:
    """What a call answers, if it does before a few limits of the store are over."""
    began = perf_counter()
    try:
        return await asyncio.wait_for(work, 5)
    finally:
        assert perf_counter() - began < 30 * LIMIT


@WAYS
@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize(("at", "count"), [(None, 3), ("m2", 2)])
async def test_a_fork_is_made_of_the_ledger_alone(
    open_app: OpenApp, parts: str, way: str, at: str | None, count: int
) -> None:
    given = PARTS[parts]()
    story, store = await told(open_app, given), given["store"]
    setattr(store, way, True)
    branch = await in_time(story.fork("b1", at=at))
    await (await branch.say("bob", "In the branch.", key="m9")).decided()
    turn = await in_time(branch.turn("bob", query="message", in_prompt=[]))
    assert {key for each in turn.memories for key in each.memory.message_keys} >= {"m1", "m2"}
    setattr(store, way, False)
    await branch.delivered(timeout=10)
    held = [each.metadata["messageIds"][0] for each in await store.list("b1-bob")]
    assert held == [f"m{number + 1}" for number in range(count)] + ["m9"]


async def test_a_fork_that_the_store_cuts_short_ends_in_time_and_goes_on_when_it_is_repeated(
    open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = PARTS["past shared"]()
    story, store = await told(open_app, given), given["store"]

    async def hangs(*_: object) -> None:
        await asyncio.Event().wait()

    with monkeypatch.context() as patched:
        patched.setattr(store, "branch", hangs)
        with pytest.raises(StorageError, match="has not answered within") as raised:
            await in_time(story.fork("b1"))
    assert raised.value.__notes__ == ["nothing is lost: fork 's1' to 'b1' at 4 again once the store answers."]
    store.away = True
    with pytest.raises(StorageError, match="no route"):
        await in_time(story.fork("b1"))
    store.away = False
    branch = await story.fork("b1")
    await branch.delivered()
    assert [await store.count(f"b1-{owner}") for owner in ("alice", "bob", "world")] == [3, 3, 3]


@WAYS
async def test_what_the_ledger_knows_is_told_while_the_store_is_away(open_app: OpenApp, way: str) -> None:
    store = Plain()
    story = await told(open_app, {"ledger": MemoryLedger(), "store": store})
    setattr(store, way, True)
    await (await story.say("alice", "Message 4.", key="m4")).decided()
    backstage = story.backstage()
    assert (await in_time(backstage.preview("bob", "Hello."))).learners == ("world", "bob", "alice", "charlie")
    assert [line["kind"] for line in await in_time(every(backstage.export()))] == ["session", *["entry"] * 5]
    assert [each.key for each in await in_time(backstage.journal())] == ["#begin", "m1", "m2", "m3", "m4"]
    assert (await in_time(backstage.replan("m4"))).removed == ()
    assert (await in_time(backstage.costs())).total.calls == 0
    assert (await in_time(backstage.before())).preparations == ()
    with pytest.raises(NotYetApplied, match="Nothing is lost"):
        await in_time(backstage.who_knows("message"))


@WAYS
async def test_what_nobody_ever_knew_is_named_in_time_while_the_store_is_away(open_app: OpenApp, way: str) -> None:
    store = Plain()
    story = await told(open_app, {"ledger": MemoryLedger(), "store": store})
    setattr(store, way, True)
    with pytest.raises(UnknownName, match="unknown message key or memory id 'm9'"):
        await in_time(story.retract("m9"))
    with pytest.raises(StorageError):
        await in_time(story.backstage().explain("m9"))


async def every(lines: Any) -> list[Any]:
    return [each async for each in lines]


class ReadsOnly(Plain):
    """A store that can be read while it takes no writes."""

    async def search(self, *given: Any, **more: Any) -> Sequence[Hit]:
        return await BranchingMemoryStore.search(self, *given, **more)

    async def get(self, *given: Any) -> Sequence[Memory]:
        return await BranchingMemoryStore.get(self, *given)

    async def list(self, *given: Any, **more: Any) -> Sequence[Memory]:
        return await BranchingMemoryStore.list(self, *given, **more)


@WAYS
@pytest.mark.parametrize("kind", [Plain, ReadsOnly])
async def test_who_is_forgotten_meanwhile_is_gone_at_once_and_a_namesake_recalls_nothing_of_it(
    open_app: OpenApp, way: str, kind: type[Plain]
) -> None:
    parts: dict[str, Any] = {"ledger": MemoryLedger(), "store": (store := kind())}
    story = await told(open_app, parts)
    setattr(store, way, True)
    await in_time(story.forget("bob"))
    with pytest.raises(UnknownName, match="unknown character 'bob'"):
        await story.turn("bob")
    await (await story.join("bob")).decided()
    await (await story.say("alice", "Welcome, newcomer.", key="m5")).decided()
    turn = await in_time(story.turn("bob", query="message welcome", in_prompt=[]))
    assert {key for each in turn.memories for key in each.memory.message_keys} <= {"m5"}
    again = await (await open_app(**parts, **QUICK)).open_session("s1")  # another process, while the first has hung up
    setattr(store, way, False)
    for each in (again, story):
        await each.delivered(timeout=10)
    assert [each.metadata["messageIds"] for each in await store.list("s1-bob")] == [["m5"]]


@WAYS
async def test_a_story_forgotten_meanwhile_is_gone_at_once_and_its_memories_once_the_store_is_back(
    open_app: OpenApp, way: str
) -> None:
    story = await told(open_app, {"ledger": MemoryLedger(), "store": (store := Plain())})
    ew = story._app
    setattr(store, way, True)
    with pytest.raises(StorageError) as raised:
        await in_time(ew.forget("s1"))
    assert "session 's1' is forgotten" in raised.value.__notes__[0]
    assert await ew.sessions() == ()
    with pytest.raises(StorageError):
        await in_time(ew.session("s1", cast=["alice"]))  # it must not begin with the memories of the old one
    await in_time(ew.session("s2", cast=["alice"]))
    setattr(store, way, False)
    for _ in range(500):
        await asyncio.sleep(0.01 if await store.count("s1-bob") else 0)
    assert await (await ew.session("s1", cast=["alice"])).messages() == ()


async def test_forgetting_a_container_ends_in_time_when_the_store_hangs(open_app: OpenApp) -> None:
    story = await told(open_app, {"ledger": MemoryLedger(), "store": (store := Plain())})
    ew, hub = story._app, pantheon_container("olympus")
    await ew.register(hub)
    store.hangs = True
    with pytest.raises(StorageError, match="has not answered within"):
        await in_time(ew.forget_container(hub))
    store.hangs = False
    await ew.forget_container(hub)
    assert hub not in await ew.containers(session=None)


KILLED = """
import asyncio, os, signal, sys
from earwitness import Earwitness
from earwitness_plugins.stores.sqlite import SqliteStore

class Hanging(SqliteStore):
    hangs = False

    async def _hang(self, *given, **more):
        await asyncio.Event().wait()

    def __getattribute__(self, name):
        if name in {"put", "remove", "drop", "branch", "count", "search", "get", "list"} and type(self).hangs:
            return object.__getattribute__(self, "_hang")
        return super().__getattribute__(name)

async def main(folder):
    settings = {"embedder": "none", "detector": "everyone", "world_agent": "none", "end": {"store_timeout": 0.1}}
    from earwitness.loading.resources import Resources
    store = Hanging(path=folder + "/memories.db", embedder=None, resources=Resources())
    async with Earwitness.open(folder + "/story.db", store=store, **settings) as ew:
        story = await ew.session("s1", cast=["alice", "bob"])
        other = await ew.session("s2", cast=["alice", "bob"])
        for each in (story, other):
            await (await each.say("alice", "The sword is in the cave.", key="m1")).settled()
            await each.delivered()
        Hanging.hangs = True
        await story.fork("b1")
        await story.forget("bob")
        try:
            await ew.forget("s2")
        except Exception as error:
            print(type(error).__name__, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main(sys.argv[1]))
"""


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
async def test_what_was_forked_and_forgotten_before_a_kill_is_done_by_the_next_process(tmp_path: Path) -> None:
    from earwitness.loading.resources import Resources
    from earwitness_plugins.stores.sqlite import SqliteStore

    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    killed = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=60)
    assert (killed.returncode, killed.stdout) == (-signal.SIGKILL, "StorageError\n"), killed.stderr
    store = SqliteStore(path=str(tmp_path / "memories.db"), embedder=None, resources=Resources())
    settings = {"embedder": "none", "detector": "everyone", "world_agent": "none"}
    async with Earwitness.open(str(tmp_path / "story.db"), store=store, **settings) as ew:
        assert await ew.sessions() == ("b1", "s1")
        assert await store.count("s1-bob") == 1
        assert {each.container for each in await ew.spool.waiting()} >= {"s2-bob", "b1-bob"}
        assert await ew.spool.replay() == ()
        names = ("s1-alice", "s1-bob", "b1-alice", "b1-bob", "s2-alice", "s2-bob", "s2-world")
        assert [await store.count(name) for name in names] == [1, 0, 1, 1, 0, 0, 0]
        with pytest.raises(InputError, match="unknown session"):
            await ew.open_session("s2")
