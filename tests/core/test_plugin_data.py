"""A plugin sees only its own instance, session and data."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

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
from earwitness.errors import NotYetApplied, StorageError
from earwitness.testing.reference import MemoryLedger, MemoryStore

from .faulty_plugins import Begin, Named

Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]


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
