"""What a stranger's strategy or plugin answers never holds up a story, and never opens a wall."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

import pytest

from earwitness import (
    Lore,
    Memory,
    MessageAnswer,
    MessageEvent,
    Moment,
    Perceived,
    Plan,
    Plugin,
    Presence,
    ReadEvent,
    RecallAnswer,
    RecallEvent,
    Session,
    Strike,
    Update,
)
from earwitness.errors import InvalidFilter
from earwitness.events import PlanEvent, Share, SharingEvent
from earwitness.filters import EVERYTHING, And, Filter, Not, Or
from earwitness.testing.scripted import ByScript

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]
HALF = "half an emoji \ud83d"


class Everybody:
    def __init__(self, evidence: str = "here") -> None:
        self.evidence = evidence

    def detect(self, moment: Moment) -> Presence:
        who = Perceived(probability=0.9, role="present", evidence=(self.evidence,))
        return Presence(characters=dict.fromkeys(moment.cast.ids, who))


class Telling:
    """A sharing rule that answers what it was given."""

    def __init__(self, *shares: Any) -> None:
        self.shares = shares

    def share(self, event: SharingEvent) -> Iterable[Share]:
        return self.shares


class Guarding:
    """A guard that answers what it was given, and notes which plans it saw."""

    def __init__(self, answer: Callable[[Plan], Any]) -> None:
        self.answer = answer
        self.seen: list[str] = []

    def filter(self, event: ReadEvent) -> Filter:
        return EVERYTHING

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        self.seen.append(event.plan.key)
        found: Iterable[Strike] = self.answer(event.plan)
        return found


async def said(story: Session, text: str = "Hello.", **more: Any) -> Any:
    return await (await story.say("alice", text, **more)).settled()


class Updates(Plugin):
    def on_message(self, event: MessageEvent) -> MessageAnswer:
        return MessageAnswer(updates=(Update(description=HALF),))


class Constructed(Plugin):
    def on_message(self, event: MessageEvent) -> MessageAnswer:
        return MessageAnswer.model_construct(add=7, withhold=None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "strategies",
    [
        {"detector": Everybody(HALF)},
        {"plugins": [Updates()]},
        {"plugins": [Constructed()]},
        {"detector": Everybody(), "sharing_rules": [Telling(Share(character="bob", rule=HALF))]},
        {"detector": Everybody(), "sharing_rules": [Telling(Share.model_construct(character=3))]},
        {"detector": Everybody(), "sharing_rules": [Telling(7)]},
    ],
)
async def test_an_answer_that_cannot_be_recorded_is_a_named_failure_and_the_story_goes_on(
    begin: Begin, strategies: dict[str, Any]
) -> None:
    story = await begin(strict=False, **strategies)
    first, second = await said(story, "One."), await said(story, "Two.")
    assert first.degraded
    assert first.failures
    assert next(iter(second.participants)) == "alice"


async def test_a_guard_that_answers_nothing_withholds_everything_it_guards(begin: Begin, memories: Memories) -> None:
    story = await begin(strict=False, detector=Everybody(), guards=[Guarding(lambda plan: None)])
    settled = await said(story)
    assert settled.degraded
    assert not await memories(story, "bob")
    assert len(await memories(story, "alice")) == 1


async def test_a_late_answer_is_no_answer_though_it_blocked_the_thread(begin: Begin) -> None:
    class Slow(Everybody):
        def detect(self, moment: Moment) -> Presence:
            time.sleep(0.05)
            return super().detect(moment)

    story = await begin(strict=False, detector=Slow(), end={"detector_timeout": 0.01})
    settled = await said(story)
    assert list(settled.participants) == ["alice"]
    assert "no answer within" in str(settled.failures[0].failure)


@pytest.mark.parametrize("soon", [True, False])
async def test_a_plugin_that_exits_does_not_take_the_host_along(begin: Begin, soon: bool) -> None:
    class Exits(Plugin):
        def on_message(self, event: MessageEvent) -> Any:
            return self.later() if soon else sys.exit(3)

        async def later(self) -> None:
            sys.exit(3)

    story = await begin(strict=False, plugins=[Exits()])
    settled = await said(story)
    assert "SystemExit" in str([each.failure for each in settled.failures])


async def test_with_a_failing_guard_the_speaker_is_told_no_news_either(
    begin: Begin, teller: Callable[..., Any]
) -> None:
    def fails(plan: Plan) -> Iterable[Strike]:
        raise RuntimeError("boom")

    story = await begin(strict=False, present=["alice", "bob"], world_agent=teller(), guards=[Guarding(fails)])
    await story.update("The bridge fell")
    assert (await said(story)).knowledge == {}


async def test_guards_are_asked_about_what_was_there_before_the_story(begin: Begin, memories: Memories) -> None:
    def not_bob(plan: Plan) -> Iterable[Strike]:
        return [Strike(delivery_id=each.id, reason="not Bob") for each in plan.deliveries if each.owner == "bob"]

    guard = Guarding(not_bob)
    story = await begin(guards=[guard])
    await (await story.prepare(plot="A harbour town.", key="prep")).settled()
    assert "prep" in guard.seen
    assert not await memories(story, "bob")
    assert len(await memories(story, "alice")) == 1


async def test_nothing_is_learned_before_it_was_said(begin: Begin, memories: Memories) -> None:
    rules = [Telling(Share(character="charlie", shared_from="alice", due=1))]
    story = await begin(state={"game_day": 5}, detector=ByScript(), sharing_rules=rules)
    await said(story)
    (memory,) = await memories(story, "charlie")
    assert memory.learned_day == 5


async def test_who_joins_under_a_forgotten_id_is_not_here_because_the_other_was(begin: Begin) -> None:
    story = await begin(present=["alice", "bob"])
    await story.forget("bob")
    assert "bob" not in story.state.whereabouts
    assert "bob" not in story.state.participants
    await (await story.join("bob")).settled()
    assert "bob" not in story.state.here


async def test_a_lore_key_prepared_again_for_fewer_replaces_what_all_knew(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.prepare(lore=[Lore(text="The sword is cursed.", key="sword")])
    await story.prepare(lore=[Lore(text="The sword is cursed, says the smith.", key="sword", known_by=("alice",))])
    await story.settled()
    assert not await memories(story, "bob")
    assert ["smith" in memory.content for memory in await memories(story, "alice")] == [True]


async def test_entries_of_one_name_in_two_characters_books_stand_beside_each_other(
    begin: Begin, memories: Memories
) -> None:
    story = await begin()
    for id in ("alice", "bob"):
        await story.prepare(lore=[Lore(text=f"{id} was here.", key="cellar", known_by=(id,))])
    await story.settled()
    assert [memory.content for memory in await memories(story, "alice")] == ["alice was here."]
    assert [memory.content for memory in await memories(story, "bob")] == ["bob was here."]


async def test_plugin_data_that_cannot_be_kept_is_the_plugins_failure_not_the_turns(begin: Begin) -> None:
    class Notes(Plugin):
        def on_recall(self, event: RecallEvent) -> RecallAnswer:
            event.data["note"] = HALF
            return RecallAnswer()

    story = await begin(strict=False, plugins=[Notes()])
    turn = await story.turn("alice")
    assert "notes" in turn.failures[0]


# ── filters that are none ───────────────────────────────────────────────────────────────────────────────────────────


def deep(filter: Filter = EVERYTHING, levels: int = 5000) -> Filter:
    for _ in range(levels):
        filter = Not(filter)
    return filter


def doubled(levels: int = 60) -> Filter:
    filter = EVERYTHING
    for _ in range(levels):
        filter = And((filter, filter))
    return filter


NO_FILTERS: list[tuple[Any, str]] = [
    (And((3,)), "3 is not a filter"),  # type: ignore[arg-type]
    (Not(Or((EVERYTHING, None))), "None is not a filter"),  # type: ignore[arg-type]
    (And(3), "And.parts=3. is not a filter"),  # type: ignore[arg-type]
    (deep(), "nested more than 100 deep"),
    (doubled(), "more than 100000 parts"),
]


@pytest.mark.parametrize(("filter", "why"), NO_FILTERS, ids=[why for _, why in NO_FILTERS])
async def test_a_guard_whose_filter_is_none_further_down_is_named_and_withholds(
    begin: Begin, filter: Any, why: str
) -> None:
    class Odd:
        def filter(self, event: ReadEvent) -> Filter:
            answer: Filter = filter
            return answer

        def strike(self, event: PlanEvent) -> Iterable[Strike]:
            return []

    story = await begin(guards=[Odd()], strict=False)
    await said(story, audience=["bob"])
    turn = await story.turn("bob", in_prompt=())
    assert turn.memories == ()
    (failure,) = turn.failures
    assert re.search(f"guard:odd: answered .*{why}", failure)
    with pytest.raises(InvalidFilter, match=why):
        await story.backstage().inspect("bob", filter=filter)
