"""What plugins add to a recall and drop from it, and a filter of the host's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from earwitness import (
    Plugin,
    RecallAnswer,
    RecallEvent,
    Session,
)
from earwitness.errors import InvalidFilter
from earwitness.events import PlanEvent, ReadEvent, Strike
from earwitness.filters import EVERYTHING, Filter, Not, Or, equals

from .recall_stories import EVERYBODY, Begin, keys, tell

# ── plugins ───────────────────────────────────────────────────────────────────────────────────────────────────────────


class Answers(Plugin):
    """Answers a recall as the test says, from the ids of what was found."""

    def __init__(self, answer: Callable[[RecallEvent, dict[str, str]], RecallAnswer], name: str = "answers") -> None:
        self.name = name
        self.answer = answer
        self.events: list[RecallEvent] = []

    def on_recall(self, event: RecallEvent) -> RecallAnswer | None:
        self.events.append(event)
        ids = {key: hit.memory.id for hit in event.memories for key in hit.memory.message_keys}
        return self.answer(event, ids)


async def with_plugins(begin: Begin, *plugins: Plugin, **given: Any) -> Session:
    story = await begin(plugins=plugins, **given)
    await tell(story, "m1 old sword", "m2 new sword", "m3 sword", "m4 x", "m5 y", "m6 z")
    return story


async def test_a_plugin_is_told_who_recalls_when_and_what_was_found(begin: Begin) -> None:
    plugin = Answers(lambda event, ids: RecallAnswer())
    turn = await (await with_plugins(begin, plugin)).turn("Bob", query="old sword")
    (event,) = plugin.events
    assert (event.session, event.character, event.day, event.query) == ("s1", "bob", 1, "old sword")
    assert event.cast.ids == EVERYBODY
    assert event.memories[0].memory.message_keys == ("m1",)
    assert keys(turn) == ["m1", "m2", "m3"]


async def test_notes_are_joined_and_shown_before_the_memories(begin: Begin) -> None:
    plugins = [Answers(lambda event, ids: RecallAnswer(notes=("It rains.",)), name) for name in ("one", "two")]
    turn = await (await with_plugins(begin, *plugins)).turn("alice", query="old", memories=1)
    assert turn.notes == ("It rains.", "It rains.")
    assert turn.text(format="plain").startswith("<earwitness-memories>\nIt rains.\nIt rains.\nYou, on day 1: ")


async def test_weights_multiply_and_are_shown_as_a_reason(begin: Begin) -> None:
    def halve(event: RecallEvent, ids: dict[str, str]) -> RecallAnswer:
        return RecallAnswer(weights={ids["m1"]: 0.5})

    story = await with_plugins(begin, Answers(halve, "one"), Answers(halve, "two"))
    best = {each.memory.message_keys: each for each in (await story.turn("alice", query="old sword")).memories}
    assert best["m1",].score == 0.25
    assert best["m1",].why == "words 1.00, weight 0.25"
    assert best["m2",].why == "words 0.50"


@pytest.mark.parametrize(("weight", "score"), [(1000.0, 5.0), (-3.0, 0.0)])
async def test_a_weight_is_kept_between_zero_and_ten(begin: Begin, weight: float, score: float) -> None:
    plugin = Answers(lambda event, ids: RecallAnswer(weights={ids["m2"]: weight}))
    turn = await (await with_plugins(begin, plugin)).turn("alice", query="old sword")
    assert {each.memory.message_keys: each.score for each in turn.memories}["m2",] == score


async def test_what_a_plugin_drops_is_left_out_even_if_another_adds_it(begin: Begin) -> None:
    adds = Answers(lambda event, ids: RecallAnswer(add=(ids["m1"],)), "adds")
    drops = Answers(lambda event, ids: RecallAnswer(drop=(ids["m1"],)), "drops")
    assert keys(await (await with_plugins(begin, drops, adds)).turn("alice", query="old sword")) == ["m2", "m3"]


async def test_a_plugin_may_drop_what_is_always_there(begin: Begin) -> None:
    plugin = Answers(lambda event, ids: RecallAnswer(drop=tuple(hit.memory.id for hit in event.memories)))
    story = await begin(plugins=[plugin], recall={"permanent": "always"})
    await story.prepare(plot="A sword is lost.")
    assert (await story.turn("alice", query="sword")).memories == ()


async def everything_of(story: Session, *owners: str) -> tuple[str, ...]:
    shelves = [await story.backstage().inspect(owner) for owner in owners]
    return tuple(memory.id for shelf in shelves for memory in shelf.memories)


async def test_a_plugin_may_add_a_memory_of_hers_that_was_not_found(begin: Begin) -> None:
    wanted: list[str] = []
    plugin = Answers(lambda event, ids: RecallAnswer(add=tuple(wanted), weights=dict.fromkeys(wanted, 2.0)))
    story = await begin(plugins=[plugin], recall={"memories": 1})
    await tell(story, *(f"m{n} sword" for n in range(1, 9)), "m9 soup", "m10 x", "m11 y", "m12 z")
    (soup,) = [m for m in (await story.backstage().inspect("alice")).memories if "soup" in m.content]
    wanted.append(soup.id)
    (found,) = (await story.turn("alice", query="sword")).memories
    assert (found.memory.id, found.why) == (soup.id, "added 1.00, weight 2.00")


async def test_what_lies_outside_the_listed_reads_cannot_be_added(begin: Begin) -> None:
    wanted: list[str] = []
    plugin = Answers(lambda event, ids: RecallAnswer(add=(*wanted, "no such id")))
    story = await begin(plugins=[plugin])
    await tell(story, "m1 Charlie is the thief.", audience=["bob"])
    wanted += await everything_of(story, "alice", "bob", "world")
    turn = await story.turn("charlie")
    assert (turn.memories, turn.failures) == ((), ())


async def test_what_is_in_the_prompt_or_of_a_later_day_or_guarded_cannot_be_added(begin: Begin) -> None:
    class NoThieves:
        def filter(self, event: ReadEvent) -> Filter:
            return Not(equals("speaker", "charlie"))

        def strike(self, event: PlanEvent) -> Iterable[Strike]:
            return ()

    wanted: list[str] = []
    plugin = Answers(lambda event, ids: RecallAnswer(add=tuple(wanted)))
    story = await begin(plugins=[plugin], guards=[NoThieves()], state={"game_day": 5})
    await tell(story, "m1 Tomorrow.")
    await story.change(game_day=4)
    await tell(story, "m2 I am the thief.", by="charlie")
    await tell(story, "m3 Today.")
    wanted += await everything_of(story, "alice")
    assert keys(await story.turn("alice", in_prompt=["m3"])) == []
    assert keys(await story.turn("alice", in_prompt=[])) == ["m3"]


# ── a filter of the host's ────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_host_s_filter_narrows_the_recall(begin: Begin) -> None:
    story = await begin(state={"current_scene": "tavern"})
    await tell(story, "m1 In the tavern.")
    await story.change(current_scene="lair")
    await tell(story, "m2 In the lair.", "m3 Still there.")
    for filter in ('location = "tavern"', equals("location", "tavern")):
        assert keys(await story.turn("bob", in_prompt=[], filter=filter)) == ["m1"]
    assert keys(await story.turn("bob", in_prompt=[], filter='location = "nowhere"')) == []
    assert keys(await story.turn("bob", in_prompt=[])) == ["m1", "m2", "m3"]


async def test_it_narrows_what_is_always_in_mind_and_what_plugins_add(begin: Begin) -> None:
    wanted: list[str] = []
    story = await begin(plugins=[Answers(lambda event, ids: RecallAnswer(add=tuple(wanted)))])
    await (await story.prepare(lore=["Dragons fear iron."])).settled()
    await tell(story, "m1 One.", "m2 Two.")
    wanted += await everything_of(story, "alice")
    turn = await story.turn("alice", query="zither", in_prompt=[], filter='messageIds = "m2"')
    assert keys(turn) == ["m2"]
    assert len(turn.memories) == 1


async def test_it_widens_nothing_that_a_guard_or_the_day_withholds(begin: Begin) -> None:
    class NoThieves:
        def filter(self, event: ReadEvent) -> Filter:
            return Not(equals("speaker", "charlie"))

        def strike(self, event: PlanEvent) -> Iterable[Strike]:
            return ()

    story = await begin(guards=[NoThieves()], state={"game_day": 5})
    await tell(story, "m1 Tomorrow.")
    await story.change(game_day=4)
    await tell(story, "m2 I am the thief.", by="charlie")
    for filter in (equals("speaker", "charlie"), 'messageIds = "m1"', Or((EVERYTHING, equals("speaker", "charlie")))):
        assert keys(await story.turn("alice", in_prompt=[], filter=filter)) == []


@pytest.mark.parametrize("filter", ["nonsense", "", 3, None, ["gameDay<=3"]])
async def test_a_filter_that_is_none_is_refused(begin: Begin, filter: Any) -> None:
    with pytest.raises(InvalidFilter):
        await (await begin()).turn("alice", filter=filter)
