"""Plugins that fail are named and take nobody along; answers keep their order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar, Literal

import pytest

from earwitness import (
    MessageAnswer,
    MessageEvent,
    Plugin,
    RecallAnswer,
    RecallEvent,
    StateChangeAnswer,
    StateChangeEvent,
    Update,
)
from earwitness.errors import PluginError

from .faulty_plugins import Begin, Named


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


# ── whoever fails is named, and the others' answers stand ─────────────────────────────────────────────────────────────


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


# ── the order of answers ──────────────────────────────────────────────────────────────────────────────────────────────


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
