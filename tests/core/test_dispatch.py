"""Plugins: whoever fails is named and takes nobody along; they stand in order, and see only their own instance."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest

from earwitness import (
    Earwitness,
    Memory,
    MessageAnswer,
    MessageEvent,
    Plugin,
    RecallAnswer,
    RecallEvent,
    Session,
    Settings,
    StateChangeAnswer,
    StateChangeEvent,
    Update,
)
from earwitness.dispatch import Plugins
from earwitness.errors import NotYetApplied, PluginError, StorageError
from earwitness.testing.reference import MemoryLedger, MemoryStore

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]


class Named(Plugin):
    """Answers every hook with its own name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def on_recall(self, event: RecallEvent) -> RecallAnswer | None:
        return RecallAnswer(notes=(self.name,))

    def on_message(self, event: MessageEvent) -> MessageAnswer | None:
        return MessageAnswer(updates=(Update(description=self.name),))

    def on_state_change(self, event: StateChangeEvent) -> StateChangeAnswer | None:
        return StateChangeAnswer(updates=(Update(description=self.name),))


class First(Named):
    order: ClassVar[Literal["first", "middle", "last"]] = "first"


class Last(Named):
    order: ClassVar[Literal["first", "middle", "last"]] = "last"


class Faulty(Plugin):
    """Does the same wrong thing in every hook."""

    def __init__(self, fault: Callable[[], Any]) -> None:
        self.name = "faulty"
        self.fault = fault

    def on_recall(self, event: RecallEvent) -> RecallAnswer | None:
        answer: RecallAnswer | None = self.fault()
        return answer

    def on_message(self, event: MessageEvent) -> MessageAnswer | None:
        answer: MessageAnswer | None = self.fault()
        return answer

    def on_state_change(self, event: StateChangeEvent) -> StateChangeAnswer | None:
        answer: StateChangeAnswer | None = self.fault()
        return answer


def raises() -> None:
    raise ValueError("no ink left")


async def raises_later() -> None:
    await asyncio.sleep(0)
    raise ValueError("no ink left")


async def hangs() -> None:
    await asyncio.Event().wait()


async def cancels_itself() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)


class Panic(BaseException):
    """What a Rust extension raises, roughly."""


def panics() -> None:
    raise Panic("index out of bounds")


async def panics_later() -> None:
    await asyncio.sleep(0)
    raise Panic("index out of bounds")


def fails_as_a_test_does() -> None:
    pytest.fail("not today")


async def exits_later() -> None:
    await asyncio.sleep(0)
    raise SystemExit(3)


def closes_a_generator() -> None:
    raise GeneratorExit


async def closes_a_generator_later() -> None:
    await asyncio.sleep(0)
    raise GeneratorExit


async def swallows_its_cancellation() -> None:
    while True:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(0.3)


async def yields_for_ever() -> None:
    while True:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(0)


def answers_nonsense() -> str:
    return "yes"


async def answers_the_wrong_record() -> Update:
    return Update(description="The sky is green")


FAULTS = [
    (raises, "ValueError: no ink left"),
    (raises_later, "ValueError: no ink left"),
    (hangs, "no answer within 0.05 s"),
    (cancels_itself, "cancelled itself"),
    (panics, "Panic: index out of bounds"),
    (panics_later, "Panic: index out of bounds"),
    (fails_as_a_test_does, "Failed: not today"),
    (exits_later, "SystemExit: 3"),
    (closes_a_generator, "GeneratorExit: "),
    (closes_a_generator_later, "GeneratorExit: "),
    (swallows_its_cancellation, "no answer within 0.05 s"),
    (yields_for_ever, "no answer within 0.05 s"),
    (answers_nonsense, "answered str"),
    (answers_the_wrong_record, "answered Update"),
]
every_fault = pytest.mark.parametrize(("fault", "named"), FAULTS, ids=lambda each: getattr(each, "__name__", ""))
LENIENT: dict[str, Any] = {"strict": False, "end": {"plugin_timeout": 0.05}}


def faulty_between(fault: Callable[[], Any]) -> dict[str, Any]:
    return {**LENIENT, "plugins": [Named("one"), Faulty(fault), Named("two")]}


# ── whoever fails is named, and the others' answers stand ───────────────────────────────────────────────────────────


@every_fault
async def test_a_plugin_that_fails_in_a_recall_is_named_and_the_others_are_heard(
    begin: Begin, fault: Callable[[], Any], named: str
) -> None:
    story = await begin(**faulty_between(fault))
    turn = await story.turn("alice")
    assert turn.notes == ("one", "two")
    (failure,) = turn.failures
    assert failure.startswith(f"plugin:faulty: {named}")


@every_fault
async def test_a_plugin_that_fails_at_a_message_is_named_and_the_others_are_heard(
    begin: Begin, fault: Callable[[], Any], named: str
) -> None:
    story = await begin(**faulty_between(fault))
    settled = await (await story.say("alice", "Hello.")).settled()
    assert [update.body for update in settled.updates] == ["one. GameDay: 1", "two. GameDay: 1"]
    (failure,) = settled.failures
    assert failure.by == "plugin:faulty"
    assert (failure.failure or "").startswith(named)
    assert settled.degraded


@every_fault
async def test_a_plugin_that_fails_at_a_change_is_named_and_the_others_are_heard(
    begin: Begin, fault: Callable[[], Any], named: str
) -> None:
    story = await begin(**faulty_between(fault))
    settled = await (await story.change(quest="the Sacred Sword")).settled()
    assert [update.body for update in settled.updates] == ["one. GameDay: 1", "two. GameDay: 1"]
    (failure,) = settled.failures
    assert failure.by == "plugin:faulty"
    assert (failure.failure or "").startswith(named)


@pytest.mark.parametrize("fault", [raises, raises_later, answers_nonsense])
async def test_strict_raises_and_names_the_plugin(begin: Begin, fault: Callable[[], Any]) -> None:
    story = await begin(plugins=[Faulty(fault)], strict=True)
    with pytest.raises(PluginError, match="plugin:faulty failed in on_recall"):
        await story.turn("alice")
    with pytest.raises(PluginError, match="plugin:faulty failed in on_message"):
        await (await story.say("alice", "Hello.")).settled()


async def test_what_strict_refused_is_kept_and_settled_once_the_plugin_is_mended(begin: Begin) -> None:
    plugin = Faulty(raises)
    story = await begin(plugins=[plugin], strict=True)
    outcome = await story.say("alice", "Hello.")
    with pytest.raises(PluginError):
        await outcome.settled()
    plugin.fault = lambda: None
    assert list((await outcome.settled()).participants) == ["alice"]


async def test_a_plugin_that_fails_keeps_nothing_it_wrote(begin: Begin) -> None:
    class Halfway(Plugin):
        name = "halfway"
        written: ClassVar[list[Any]] = []

        async def on_message(self, event: MessageEvent) -> None:
            self.written.append(event.data.get("begun"))
            event.data["begun"] = True
            raise ValueError("halfway through")

    story = await begin(plugins=[Halfway()], **LENIENT)
    for words in ("One.", "Two."):
        await (await story.say("alice", words)).settled()
    assert Halfway.written == [None, None]


# ── the order of answers ────────────────────────────────────────────────────────────────────────────────────────────


async def test_answers_stand_first_middle_last_and_otherwise_as_registered(begin: Begin) -> None:
    plugins = [Named("b"), Last("e"), Named("c"), First("a"), Named("d"), Last("f")]
    story = await begin(plugins=plugins)
    turn = await story.turn("alice")
    settled = await (await story.say("alice", "Hello.")).settled()
    assert "".join(turn.notes) == "abcdef"
    assert "".join(update.body[0] for update in settled.updates) == "abcdef"


async def test_a_slow_plugin_does_not_lose_its_place(begin: Begin) -> None:
    class Slow(Named):
        async def on_message(self, event: MessageEvent) -> MessageAnswer | None:  # type: ignore[override]
            await asyncio.sleep(0.01)
            return super().on_message(event)

    story = await begin(plugins=[Slow("one"), Named("two")])
    settled = await (await story.say("alice", "Hello.")).settled()
    assert [update.body for update in settled.updates] == ["one. GameDay: 1", "two. GameDay: 1"]


async def test_all_plugins_are_asked_at_once(begin: Begin) -> None:
    waiting = asyncio.Barrier(2)

    class Meets(Plugin):
        def __init__(self, name: str) -> None:
            self.name = name

        async def on_message(self, event: MessageEvent) -> None:
            await waiting.wait()

    story = await begin(plugins=[Meets("one"), Meets("two")], end={"plugin_timeout": 2.0})
    assert not (await (await story.say("alice", "Hello.")).settled()).failures


# ── what cannot be registered ───────────────────────────────────────────────────────────────────────────────────────


def registered(plugin: object, name: str = "mine") -> Plugins:
    plugins = Plugins()
    plugins.register(plugin, name)
    return plugins


def refusal(plugin: object) -> str:
    with pytest.raises(PluginError) as caught:
        registered(plugin)
    return str(caught.value)


def test_a_class_in_place_of_an_instance_is_refused_with_what_to_write() -> None:
    assert refusal(Named) == "plugin 'mine' is a class. Register an instance: Named(…)."


def test_a_misspelt_hook_is_refused_with_the_hooks_there_are_and_the_one_meant() -> None:
    class Typo(Plugin):
        def on_mesage(self, event: MessageEvent) -> None: ...

    said = refusal(Typo())
    assert "'on_mesage', which is not a hook" in said
    assert "on_recall, on_message, on_state_change" in said
    assert "Did you mean 'on_message'?" in said


def test_a_plugin_without_any_hook_is_refused() -> None:
    assert "implements no hook" in refusal(Plugin())


def test_a_place_that_does_not_exist_is_refused() -> None:
    class Early(Named):
        order = "frist"  # type: ignore[assignment]

    said = refusal(Early("early"))
    assert "'frist'" in said
    assert "first, middle, last" in said


async def test_two_plugins_of_one_name_are_refused(begin: Begin) -> None:
    with pytest.raises(PluginError, match="'twin'"):
        await begin(plugins=[Named("twin"), Named("twin")])


def test_a_plugin_needs_no_base_class() -> None:
    class Plain:
        def on_message(self, event: MessageEvent) -> None: ...

    assert registered(Plain()).hooks_of("mine") == ("on_message",)


def test_plugins_that_compare_equal_are_two_plugins_or_refused_by_name() -> None:
    @dataclass
    class Equal(Plugin):
        def on_message(self, event: MessageEvent) -> None: ...

    plugins = registered(Equal(), "one")
    with pytest.raises(PluginError, match="'two'"):
        plugins.register(Equal(), "two")


# ── whom a plugin sees ──────────────────────────────────────────────────────────────────────────────────────────────


async def test_two_instances_with_different_plugins_never_see_each_other(begin: Begin) -> None:
    here, there = await begin(plugins=[Named("here")]), await begin(plugins=[Named("there")])
    assert (await here.turn("alice")).notes == ("here",)
    assert (await there.turn("alice")).notes == ("there",)
    assert (await (await begin()).turn("alice")).notes == ()


class Counter(Plugin):
    """Counts the messages of a session, and tells the world how many."""

    async def on_message(self, event: MessageEvent) -> MessageAnswer | None:
        event.data["count"] = count = int(str(event.data.get("count", 0))) + 1
        return MessageAnswer(updates=(Update(description=f"Message {count}"),))


async def told(story: Session, words: str) -> str:
    (update,) = (await (await story.say("alice", words)).settled()).updates
    return update.body.removesuffix(". GameDay: 1")


async def test_what_a_plugin_keeps_is_its_session_s_alone(open_app: Callable[..., Awaitable[Earwitness]]) -> None:
    ew = await open_app(plugins=[Counter()])
    one, other = await ew.session("one", cast=["alice"]), await ew.session("other", cast=["alice"])
    assert [await told(one, "a"), await told(one, "b"), await told(other, "c")] == [
        "Message 1",
        "Message 2",
        "Message 1",
    ]


async def test_what_one_plugin_keeps_no_other_sees(begin: Begin) -> None:
    class Nosy(Plugin):
        seen: ClassVar[list[dict[str, Any]]] = []

        def on_message(self, event: MessageEvent) -> None:
            self.seen.append(dict(event.data))

    story = await begin(plugins=[Counter(), Nosy()])
    for words in ("a", "b"):
        await told(story, words)
    assert Nosy.seen == [{}, {}]


async def test_what_a_plugin_keeps_outlives_the_process(tmp_path: Path) -> None:
    settings = Settings.of(plugins=(), embedder="none", detector="none", world_agent="none", strict=True)
    for expected in ("Message 1", "Message 2"):
        opened = Earwitness.open(tmp_path / "story.db", settings=settings, plugins=[Counter()], store=MemoryStore())
        async with opened as ew:
            assert await told(await ew.session("s1", cast=["alice"]), expected) == expected


async def test_what_a_plugin_writes_is_recorded_with_the_plan_and_a_crash_counts_nothing_twice(begin: Begin) -> None:
    class Broken(MemoryStore):
        async def put(self, memories: object) -> None:
            raise ConnectionError("the store is away")

    ledger = MemoryLedger()
    story = await begin(plugins=[Counter()], ledger=ledger, store=Broken())
    outcome = await story.say("alice", "a")
    with pytest.raises(NotYetApplied, match="ConnectionError: the store is away"):
        await outcome.settled()
    again = await begin(plugins=[Counter()], ledger=ledger)
    assert [update.body for update in (await (await again.say("alice", "b")).settled()).updates] == [
        "Message 2. GameDay: 1"
    ]
    assert await ledger.data("s1", "counter") == {"count": 2}
    (plan, *_) = [each for each in await ledger.plans("s1") if each.message]
    assert [(write.plugin, write.key, write.value) for write in plan.plugin_data] == [("counter", "count", 1)]


async def test_a_message_whose_plan_was_lost_finds_the_data_as_it_was(begin: Begin) -> None:
    class Forgetful(MemoryLedger):
        lost = False

        async def record(self, plan: Any, after: Any) -> Any:
            if plan.message and not self.lost:
                self.lost = True
                raise ConnectionError("the power went")
            return await super().record(plan, after)

    ledger = Forgetful()
    story = await begin(plugins=[Counter()], ledger=ledger)
    outcome = await story.say("alice", "a")
    with pytest.raises(StorageError, match="ConnectionError: the power went"):
        await outcome.settled()
    (update,) = (await outcome.settled()).updates
    assert update.body == "Message 1. GameDay: 1"


async def test_what_a_plugin_writes_in_a_recall_is_kept_when_it_has_answered(begin: Begin) -> None:
    class Remembers(Plugin):
        def on_recall(self, event: RecallEvent) -> RecallAnswer:
            event.data["asked"] = asked = int(str(event.data.get("asked", 0))) + 1
            return RecallAnswer(notes=(f"asked {asked} times",))

    ledger = MemoryLedger()
    story = await begin(plugins=[Remembers()], ledger=ledger)
    await story.turn("alice")
    assert (await story.turn("bob")).notes == ("asked 2 times",)
    assert await ledger.data("s1", "remembers") == {"asked": 2}


async def test_a_value_that_cannot_be_kept_is_the_plugin_s_failure_and_stops_nobody(begin: Begin) -> None:
    class Unkeepable(Plugin):
        def on_message(self, event: MessageEvent) -> None:
            event.data["when"] = datetime.now(UTC)  # type: ignore[assignment]

    story = await begin(plugins=[Unkeepable(), Named("other")], strict=False)
    settled = await (await story.say("alice", "Hello.")).settled()
    (failure,) = settled.failures
    assert failure.by == "plugin:unkeepable"
    assert "'when'" in (failure.failure or "")
    assert len(settled.updates) == 1


async def test_what_a_plugin_changes_without_writing_it_is_not_kept(begin: Begin) -> None:
    class Careless(Plugin):
        seen: ClassVar[list[Any]] = []

        def on_message(self, event: MessageEvent) -> None:
            names = event.data.setdefault("names", [])
            assert isinstance(names, list)
            self.seen.append(list(names))
            names.append(event.moment.message.speaker)

    story = await begin(plugins=[Careless()])
    for words in ("a", "b", "c"):
        await (await story.say("alice", words)).settled()
    await story.backstage().preview("alice", "d")
    assert Careless.seen == [[], [], [], []]


class Misworded(StateChangeAnswer):
    """An answer that breaks when it is used."""

    def worded(self, keys: Any) -> frozenset[str]:
        raise LookupError("no words")


class Babbler(Plugin):
    def on_state_change(self, event: StateChangeEvent) -> StateChangeAnswer:
        return Misworded()


@pytest.mark.parametrize("strict", [False, True])
async def test_what_the_host_changes_holds_whatever_becomes_of_the_answers(
    begin: Begin, memories: Memories, strict: bool
) -> None:
    story = await begin(plugins=[Babbler()], strict=strict, present=["alice"])
    outcome = await story.change(game_day=4, mood="grim", key="night")
    settled = await outcome.settled()
    assert settled.degraded
    assert [(each.by, each.failure) for each in settled.failures] == [("core", "LookupError: no words")]
    assert (story.state.game_day, story.state.model_dump()["mood"]) == (4, "grim")
    assert [each.content for each in await memories(story, "world")] == ["Mood changed to grim. GameDay: 4"]
    await story.enter("bob")
    assert (await story.turn("bob")).failures == ()
    assert story.state.whereabouts["bob"].here
