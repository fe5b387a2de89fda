"""Strategies that panic, exit, swallow their cancellation or never end: each is named, and harms nobody else."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

import pytest

from earwitness import Earwitness, MessageAnswer, MessageEvent, Plugin, Session, Update
from earwitness.consultation import ask
from earwitness.errors import PluginError, StorageError
from earwitness.filters import Filter
from earwitness.records.memory import Hit, Memory
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness.time_limit import GRACE, PATIENCE, LimitReached, apart, within

Begin = Callable[..., Awaitable[Session]]
OpenApp = Callable[..., Awaitable[Earwitness]]


class Panic(BaseException):
    """What a Rust extension raises, roughly."""


class Panics:
    """Panics whatever it is asked."""

    version = "1"

    def __getattr__(self, name: str) -> Any:
        if name not in METHODS:
            raise AttributeError(name)

        async def method(event: Any) -> Any:
            await asyncio.sleep(0)
            raise Panic(name)

        return method


METHODS = ("detect", "propose", "share", "filter", "strike", "reads")
KINDS = {
    "detector": Panics(),
    "world_agent": Panics(),
    "sharing_rules": [Panics()],
    "guards": [Panics()],
    "read_providers": [Panics()],
}


@pytest.mark.parametrize("kind", KINDS)
async def test_a_strategy_that_panics_is_named_and_the_host_goes_on(begin: Begin, kind: str) -> None:
    story = await begin(strict=False, **{kind: KINDS[kind]})
    settled = await (await story.say("alice", "Hello.")).settled()
    turn = await story.turn("alice")
    failures = [*(each.failure or "" for each in settled.failures), *turn.failures]
    assert any("Panic: " in each for each in failures)
    assert "alice" in settled.participants


async def test_a_plugin_that_panics_leaves_other_stories_alone_and_the_story_opens_again(
    open_app: OpenApp,
) -> None:
    class Panicking(Plugin):
        async def on_message(self, event: MessageEvent) -> None:
            if event.session == "s1":
                raise Panic("index out of bounds")

    ledger, store = MemoryLedger(), MemoryStore()
    app = await open_app(ledger=ledger, store=store, plugins=[Panicking()], strict=False)
    one, two = [await app.session(id, cast=["alice", "bob"]) for id in ("s1", "s2")]
    outcomes = [await one.say("alice", "One."), await two.say("alice", "Two.")]
    assert [(await each.settled()).degraded for each in outcomes] == [True, False]
    again = await open_app(ledger=ledger, store=store, plugins=[Panicking()], strict=False)
    assert (await (await again.session("s1")).turn("alice")).memories == ()


async def test_an_answer_that_panics_when_it_is_looked_at_is_its_plugin_s_failure(begin: Begin) -> None:
    class Unreadable(MessageAnswer):
        def model_dump_json(self, **options: Any) -> str:
            raise Panic("index out of bounds")

    class Answers(Plugin):
        def on_message(self, event: MessageEvent) -> MessageAnswer:
            return Unreadable()

    story = await begin(plugins=[Answers()], strict=False)
    (failure,) = (await (await story.say("alice", "Hello.")).settled()).failures
    assert failure.failure == "answered what cannot be read: Panic: index out of bounds"


async def test_what_a_panic_held_up_if_strict_is_raised_as_an_error_of_ours(begin: Begin) -> None:
    class Panicking(Plugin):
        def on_message(self, event: MessageEvent) -> None:
            raise Panic("index out of bounds")

    story = await begin(plugins=[Panicking()], strict=True)
    outcome = await story.say("alice", "Hello.")
    with pytest.raises(PluginError, match="Panic: index out of bounds"):
        await outcome.settled()


async def test_only_ctrl_c_passes() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await ask("plugin:mine", interrupted, 1.0)


class PanickingStore(MemoryStore):
    """Panics in every call while it is `broken`."""

    broken = True

    async def put(self, memories: Sequence[Memory]) -> None:
        if self.broken:
            raise Panic("no index")
        await super().put(memories)

    async def search(self, container: str, query: str, *, filter: Filter, limit: int) -> Sequence[Hit]:
        if self.broken:
            raise Panic("no index")
        return await super().search(container, query, filter=filter, limit=limit)


async def test_a_store_that_panics_is_a_store_that_is_away(begin: Begin) -> None:
    store = PanickingStore()
    story = await begin(store=store, strict=False)
    outcome = await story.say("alice", "Hello.")
    with pytest.raises(StorageError, match="Panic: no index"):
        await outcome.settled(timeout=0.2)
    assert any("Panic: no index" in each for each in (await story.turn("alice", in_prompt=[])).failures)
    store.broken = False
    assert "alice" in (await outcome.settled(timeout=5)).participants


async def test_a_store_that_panics_in_a_recall_raises_an_error_of_ours_if_strict(begin: Begin) -> None:
    store = PanickingStore()
    store.broken = False
    story = await begin(store=store, strict=True)
    store.broken = True
    with pytest.raises(StorageError, match="store:panickingstore failed in `search`: Panic: no index"):
        await story.turn("alice")


class PanickingLedger(MemoryLedger):
    """Panics when a plan is recorded, while it is `broken`."""

    broken = False

    async def record(self, *given: Any, **by_name: Any) -> Any:
        if self.broken:
            raise Panic("no book")
        return await super().record(*given, **by_name)


async def test_a_ledger_that_panics_stops_its_story_but_not_the_host(begin: Begin) -> None:
    ledger = PanickingLedger()
    story = await begin(ledger=ledger)
    ledger.broken = True
    outcome = await story.say("alice", "Hello.")
    with pytest.raises(StorageError, match="ledger:panickingledger failed in `record`: Panic: no book"):
        await outcome.settled()
    ledger.broken = False
    assert "alice" in (await outcome.settled()).participants


# ── a limit that holds ──────────────────────────────────────────────────────────────────────────────────────────────

LIMIT = 60.0
SOON = LIMIT / 4
"""Seconds that say that nobody waited for a limit, on a busy machine too."""


class Stubborn:
    """Awaitable work that swallows every cancellation; counts its steps."""

    def __init__(self, pause: float = 0.0) -> None:
        self.pause = pause
        self.steps = 0

    async def __call__(self, *given: Any) -> None:
        while True:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(self.pause)
            self.steps += 1


@pytest.mark.parametrize("pause", [0.0, LIMIT])
async def test_work_that_never_ends_is_abandoned_at_the_limit_and_later_resumed_no_more(pause: float) -> None:
    work, started = Stubborn(pause), time.perf_counter()
    with pytest.raises(LimitReached, match=r"no answer within 0.05 s"):
        await within(0.05, work())
    assert time.perf_counter() - started < SOON
    await asyncio.sleep(GRACE + 0.2)
    steps = work.steps
    await asyncio.sleep(0.05)
    assert work.steps == steps


async def test_abandoned_work_may_clean_up_after_itself() -> None:
    closed = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(2 * PATIENCE)
            closed.set()

    with pytest.raises(LimitReached):
        await within(0.01, work())
    assert not closed.is_set()
    await asyncio.wait_for(closed.wait(), 5)


async def _stubborn_within(limit: float, pause: float = 0.0) -> None:
    await within(limit, Stubborn(pause)())


@pytest.mark.parametrize("pause", [0.0, LIMIT])
async def test_the_host_s_own_cancellation_is_not_held_up(pause: float) -> None:
    task = asyncio.create_task(_stubborn_within(LIMIT, pause))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, SOON)


async def test_a_host_that_is_cancelled_before_the_work_begins_leaves_nothing_behind() -> None:
    task = asyncio.create_task(_stubborn_within(LIMIT))
    task.get_loop().call_soon(task.cancel)
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_work_that_is_cancelled_before_it_begins_is_closed() -> None:
    async def work() -> None:
        """Never resumed."""

    begun = work()
    task = apart(LIMIT, begun)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert inspect.getcoroutinestate(begun) == inspect.CORO_CLOSED


def test_a_program_ends_although_work_never_does() -> None:
    async def program() -> None:
        with pytest.raises(LimitReached):
            await within(0.01, Stubborn()())

    started = time.perf_counter()
    asyncio.run(program())
    assert time.perf_counter() - started < SOON


async def test_a_late_answer_and_its_late_writes_are_dropped(begin: Begin) -> None:
    class Late(Plugin):
        name = "late"

        async def on_message(self, event: MessageEvent) -> MessageAnswer:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(60)
            event.data["late"] = True
            return MessageAnswer(updates=(Update(description="Too late"),))

    story = await begin(plugins=[Late()], strict=False, end={"plugin_timeout": 0.05})
    for words in ("One.", "Two."):
        settled = await (await story.say("alice", words)).settled()
        assert [each.failure for each in settled.failures] == ["no answer within 0.05 s"]
        assert settled.updates == ()
    assert story._live.data()["late"].get("late") is None


class StubbornStore(MemoryStore):
    """Swallows its cancellation while it is `broken`."""

    broken = True

    async def put(self, memories: Sequence[Memory]) -> None:
        if self.broken:
            await Stubborn(0.01)()
        await super().put(memories)

    async def search(self, container: str, query: str, *, filter: Filter, limit: int) -> Sequence[Hit]:
        if self.broken:
            await Stubborn(0.01)()
        return await super().search(container, query, filter=filter, limit=limit)


async def test_a_store_that_swallows_its_cancellation_holds_neither_a_recall_nor_the_applier(begin: Begin) -> None:
    store = StubbornStore()
    story = await begin(store=store, strict=False, recall={"timeout": 0.05}, end={"store_timeout": 0.05})
    outcome = await story.say("alice", "Hello.")
    started = time.perf_counter()
    turn = await story.turn("alice", in_prompt=[])
    assert time.perf_counter() - started < SOON
    assert any("no answer within 0.05 s" in each for each in turn.failures)
    store.broken = False
    assert "alice" in (await outcome.settled(timeout=10)).participants
