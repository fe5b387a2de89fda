"""Promise 3: nothing lost. An acknowledged entry is remembered, whatever fails in between.

The tests simulate a crash by raising inside `stage.open()`: everything under way is cancelled.
"""

# ruff: noqa: S101
from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import anyio

from ...errors import InputError, StorageError
from ...events import MessageAnswer, MessageEvent, Share, WorldAnswer
from ...extras import LocalFirstStore
from ...hooks import Plugin
from ...records.memory import Memory
from ...records.update import Update
from ...session import Session
from ..scripted import ByScript, Crier, Faulty, Gossip, Only, ScriptedStrategy, hangs
from ..suite import case
from ..vandal import Vandal
from .promises_base import Crash, PromiseCases, Stage, crash, refused


class Measuring(Plugin):
    """A plugin that reports rain with this pressure."""

    def __init__(self, pressure: float) -> None:
        self.pressure = pressure

    def on_message(self, event: MessageEvent) -> MessageAnswer:
        """It rains with every message."""
        return MessageAnswer(updates=(_rain(self.pressure),))


def _rain(pressure: float) -> Update:
    return Update(description="It rains", metadata={"deep": [{"pressure": pressure}]})


class NothingLost(PromiseCases):
    """Crashes, restarts, and storage that is unavailable for a while."""

    @case
    async def test_what_was_acknowledged_before_the_end_is_settled_at_the_next_start(self, stage: Stage) -> None:
        """The entries are settled in order, each once, though none had been decided."""
        self.needs("persistent")
        await self.ends_after(stage, 5, detector=ScriptedStrategy(hangs))
        async with stage.open() as ew:
            story = await self.tavern(ew)
            assert await self.contents(story, "bob") == [f"message {number}" for number in range(5)]
            assert [each.applied for each in await ew.engine.ledger.entries("s1")] == [True] * 6

    @case
    async def test_what_could_not_be_kept_is_refused_at_the_door_and_the_story_goes_on(self, stage: Stage) -> None:
        """Absurdly large days, endlessly nested values and numbers that JSON lacks are refused unwritten."""
        self.needs("persistent")
        async with stage.open() as ew:
            story = await self.tavern(ew)
            for day in (1e19, -1e19, 2**63 - 1, 1e300):
                with refused(InputError):
                    await story.change(game_day=day)
                with refused(InputError):
                    await ew.session("s2", state={"game_day": day})
            for depth in (150, 197, 205, 240, 300, 5000):
                with refused(InputError):
                    await story.change(foo=_nested(depth))
                with refused(InputError):
                    await story.say("alice", "Hello.", metadata={"foo": _nested(depth)})
            for number in (float("nan"), float("inf")):
                with refused(InputError):
                    await story.change(foo=[number])
                with refused(InputError):
                    await story.remember("alice", "Hello.", metadata={"foo": number})
            await story.change(game_day=2**53, foo=_nested(100))
            await self.tell(story, "alice", "Hello.", metadata={"foo": _nested(100)})
        async with stage.open() as ew:
            story = await ew.open_session("s1")
            assert story.state.game_day == 2**53
            await self.tell(story, "alice", "Good evening.")
            lines = [line async for line in story.backstage().export()]
            copy = await ew.import_session(lines, id="copy")
            assert len(await self.held(copy, "bob")) == 2

    @case
    async def test_an_answer_with_what_json_lacks_fails_alone_and_the_story_opens_again(self, stage: Stage) -> None:
        """A plugin, a World Agent and a sharing rule answer with NaN. Each is named, and nothing of it is recorded."""
        self.needs("persistent")
        odd = float("nan")
        strategies: dict[str, Any] = {
            "world_agent": ScriptedStrategy(lambda *_: WorldAnswer(updates=(_rain(odd),))),
            "sharing_rules": [ScriptedStrategy(lambda *_: [Share(character="carol", metadata={"weight": odd})])],
            "plugins": [Measuring(odd)],
        }
        async with stage.open(settings={"strict": False}, **strategies) as ew:
            story = await self.tavern(ew)
            settled = await self.tell(story, "alice", "Hello.")
            assert len({each.by for each in settled.failures}) == 3, settled.failures
        async with stage.open() as ew:
            story = await ew.open_session("s1")
            assert await self.contents(story, "bob") == ["Hello."]
            copy = await ew.import_session([line async for line in story.backstage().export()], id="copy")
            assert await self.contents(copy, "bob") == ["Hello."]

    @case
    async def test_who_tries_to_change_what_he_is_given_changes_nothing(self, stage: Stage) -> None:
        """A detector, a World Agent, a sharing rule, a guard and a plugin spoil all they can.

        The story is as it would be without them. So is what the store hands out.
        """
        seen: list[object] = []
        vandals: list[Vandal] = []

        def spoiling(inner: object) -> Vandal:
            vandals.append(Vandal(inner))
            return vandals[-1]

        for makes in (lambda made: made, spoiling):
            strategies: dict[str, Any] = {
                "detector": makes(ByScript()),
                "world_agent": makes(Crier()),
                "sharing_rules": [makes(Gossip({"bob": ["carol"]}, delay=1))],
                "guards": [makes(Only())],
                "plugins": [spoiling(None)],
            }
            async with stage.open(**strategies) as ew:
                story = await self.tavern(ew, f"s{len(seen)}")
                await (await story.change(flags={"a": {"b": [1]}}, weather=["rain"])).settled()
                for number in range(3):
                    await self.tell(story, "alice", f"message {number}", metadata={"deep": [{"a": 1}]})
                await (await story.change(game_day=2)).settled()
                await story.turn("bob")
                held = {each: await self.contents(story, each) for each in story.cast.ids}
                seen.append((story.cast.ids, story.state, held))
        assert [each.spoilt for each in vandals] == [[]] * 6
        assert seen[0] == seen[1]

    @case
    async def test_a_recorded_plan_is_applied_and_nobody_is_asked_again(self, stage: Stage) -> None:
        """The program ended while the store was writing. The next detector would have decided otherwise."""
        self.needs("persistent")
        await self.ends_after(stage, 1, store=lambda store: Faulty(store, put=hangs))
        detector = ByScript()
        async with stage.open(detector=None) as ew:
            story = await self.tavern(ew)
            assert await self.contents(story, "bob") == ["message 0"]
        async with stage.open(detector=detector) as ew:
            await self.tavern(ew)
            assert detector.asked == []

    @case
    async def test_a_plan_half_applied_is_applied_again_without_harm(self, stage: Stage) -> None:
        """The program ended after the store had written and before the ledger knew.

        The memories are the same, each once.
        """
        self.needs("persistent")
        await self.ends_after(
            stage, 3, ledger=lambda ledger: Faulty(ledger, acknowledge=_hangs_after(1, ledger.acknowledge))
        )
        for _ in range(2):
            async with stage.open() as ew:
                story = await self.tavern(ew)
                assert await self.contents(story, "bob") == [f"message {number}" for number in range(3)]
                assert len(await self.held(story, "world")) == 3

    @case
    async def test_a_retraction_cut_short_is_carried_out(self, stage: Stage) -> None:
        """The program ended while the store was removing."""
        self.needs("persistent")
        await self.ends_after(stage, 2)

        async with stage.open() as ew:
            await (await self.tavern(ew)).settled()
        with suppress(Crash):
            async with stage.open(store=lambda store: Faulty(store, remove=hangs)) as ew:
                await (await self.tavern(ew)).retract("k0")
                crash()
        async with stage.open() as ew:
            story = await self.tavern(ew)
            assert await self.contents(story, "bob") == ["message 1"]
            assert len(await self.held(story, "world")) == 1

    @case
    async def test_forgetting_cut_short_is_carried_out(self, stage: Stage) -> None:
        """The program ended while the store was dropping her container."""
        self.needs("persistent")
        await self.ends_after(stage, 2)
        async with stage.open(store=lambda store: Faulty(store, drop=_fails_times(9, store.drop))) as ew:
            story = await self.tavern(ew)
            await story.forget("bob")  # decided, though the store cannot drop the container yet
            assert "bob" not in story.cast
        async with stage.open() as ew:
            story = await self.tavern(ew)
            assert "bob" in story.cast  # a host that names him lets him in again, as a newcomer
            assert await self.held(story, "bob") == []
            assert len(await self.held(story, "alice")) == 2

    @case
    async def test_a_story_forgotten_while_the_store_is_away_is_dropped_once_it_is_back(self, stage: Stage) -> None:
        """Nobody names it again. The spool lists its containers, and drops them."""
        self.needs("persistent")
        await self.ends_after(stage, 2)
        async with stage.open(store=lambda store: Faulty(store, drop=_fails_times(9, store.drop))) as ew:
            await (await self.tavern(ew)).settled()
            with refused(StorageError):
                await ew.forget("s1")
            assert await ew.sessions() == ()
            assert "s1-bob" in {each.container for each in await ew.spool.replay()}
        async with stage.open() as ew:
            assert await ew.engine.store.count("s1-bob") == 2
            assert {each.count for each in await ew.spool.waiting("s1")} == {0}
            assert await ew.spool.replay() == ()
            assert await ew.engine.store.count("s1-bob") == 0
            assert list(await ew.engine.ledger.containers("s1")) == []

    @case
    async def test_a_store_that_is_away_loses_nothing(self, stage: Stage) -> None:
        """Waiters get an error, while messages can still be said.

        Once the store is back, it has everything in order, each once. Where a store here has everything first, only
        those get an error who wait for the one elsewhere.
        """
        away = True
        asked = ByScript()

        def flaky(store: Any) -> Faulty:
            elsewhere = store.elsewhere if isinstance(store, LocalFirstStore) else store

            async def put(memories: list[Memory]) -> None:
                if away:
                    raise StorageError("the service does not answer")
                await elsewhere.put(memories)

            refusing = Faulty(elsewhere, put=put)
            return refusing if elsewhere is store else Faulty(store, elsewhere=refusing)

        async with stage.open(store=flaky, detector=asked) as ew:
            story = await self.tavern(ew)
            has_two = ew.engine.local_first is not None
            first = await story.say("alice", "message 0", key="k0")
            with refused(StorageError) as refusal:
                await (story.delivered() if has_two else first.settled())
            assert "the service does not answer" in refusal.why
            turn = await story.turn("bob")
            assert turn.pending == (() if has_two else ("k0",))
            second = await story.say("alice", "message 1", key="k1")
            with refused(StorageError):
                await (story.delivered() if has_two else second.settled())
            if has_two:
                assert (await second.settled()).participants.keys() == {"alice", "bob"}
            away = False
            assert (await second.settled()).participants.keys() == {"alice", "bob"}
            assert (await first.settled()).participants.keys() == {"alice", "bob"}
            assert await self.contents(story, "bob") == ["message 0", "message 1"]
            assert asked.asked == ["message 0", "message 1"]

    @case
    async def test_a_ledger_that_stumbles_loses_nothing(self, stage: Stage) -> None:
        """Recording, syncing or acknowledging fails for a while. The same message again is the same message."""
        for call in ("record", "sync", "acknowledge", "deliveries"):
            async with stage.open(ledger=_stumbling(call, skip=3)) as ew:
                story = None
                for attempt in range(9):
                    try:
                        story = story or await self.tavern(ew, call)
                        await self.tell(story, "alice", "message 0", key="k0")
                        await self.tell(story, "alice", "message 1", key="k1")
                        break
                    except StorageError:
                        assert attempt < 8, call
                assert story is not None
                assert await self.contents(story, "bob") == ["message 0", "message 1"], call

    @case
    async def test_what_is_refused_leaves_no_trace(self, stage: Stage) -> None:
        """A ledger that cannot append acknowledges nothing. The same call works once it can."""
        async with stage.open(ledger=_stumbling("append_all", skip=0)) as ew:
            story = await self.tavern(ew)
            for _ in range(2):
                with refused(StorageError):
                    await story.say("alice", "message 0", key="k0")
            assert len(await ew.engine.ledger.entries("s1")) == 1
            assert (await story.say("alice", "message 0", key="k0")).created
            await story.settled()
            assert await self.contents(story, "bob") == ["message 0"]

    @case
    async def test_gossip_that_is_due_later_survives_the_end(self, stage: Stage) -> None:
        """It arrives on its day, though there were two restarts and the rule is gone."""
        self.needs("persistent")
        await self.ends_after(stage, 1, sharing_rules=[Gossip({"bob": ["carol"]}, delay=3)])
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await (await story.change(game_day=3)).settled()
            assert await self.held(story, "carol") == []
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await (await story.change(game_day=4.5)).settled()
            (memory,) = await self.held(story, "carol")
            assert (memory.game_day, memory.learned_day) == (1, 4)

    @case
    async def test_many_talking_at_once_lose_nothing(self, stage: Stage) -> None:
        """Many tasks write to many stories.

        Sequence numbers are dense, and each message is there once, in the order acknowledged.
        """
        async with stage.open() as ew:
            stories = [await self.tavern(ew, f"s{number}") for number in range(4)]
            acknowledged: dict[str, list[tuple[int, str]]] = {story.id: [] for story in stories}

            async def chatter(story: Session, speaker: str) -> None:
                for number in range(10):
                    outcome = await story.say(speaker, f"{speaker} says {number}")
                    acknowledged[story.id].append((outcome.sequence, f"{speaker} says {number}"))

            async with anyio.create_task_group() as group:
                for story in stories:
                    for speaker in ("alice", "bob"):
                        group.start_soon(chatter, story, speaker)
            for story in stories:
                assert sorted(number for number, _ in acknowledged[story.id]) == list(range(2, 22))
                expected = [text for _, text in sorted(acknowledged[story.id])]
                assert await self.contents(story, "bob") == await self.contents(story, "alice") == expected

    async def ends_after(self, stage: Stage, messages: int, **open: Any) -> None:
        """Say this many messages, then end the program once the last is acknowledged and work on it has begun."""
        with suppress(Crash):
            async with stage.open(**open) as ew:
                story = await self.tavern(ew)
                for number in range(messages):
                    await story.say("alice", f"message {number}", key=f"k{number}")
                with anyio.move_on_after(0.1):
                    await story.settled()
                crash()


def _hangs_after(times: int, call: Callable[..., Any]) -> Callable[..., Any]:
    calls = iter(range(times))

    async def hanging(*args: Any, **named: Any) -> Any:
        return await (hangs() if next(calls, None) is None else call(*args, **named))

    return hanging


def _stumbling(call: str, skip: int) -> Callable[[Any], Faulty]:
    return lambda inner: Faulty(inner, **{call: _fails_times(2, getattr(inner, call), skip=skip)})


def _fails_times(times: int, call: Callable[..., Any], *, skip: int = 0) -> Callable[..., Any]:
    """The call, raising this many times first; the first `skip` calls work."""
    calls = iter([True] * skip + [False] * times)

    async def failing(*args: Any, **named: Any) -> Any:
        if not next(calls, True):
            raise StorageError("not now")
        return await call(*args, **named)

    return failing


def _nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value
