"""Gossip arrives on its day and hops on: nobody tells what they do not know yet, and each hop asks that day's rules."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import pytest

from earwitness import (
    Earwitness,
    Memory,
    Plan,
    PlanEvent,
    ReadEvent,
    Session,
    Share,
    SharingAnswer,
    SharingEvent,
    Strike,
    Usage,
)
from earwitness.end import overdue
from earwitness.filters import EVERYTHING, Filter
from earwitness.testing.reference import MemoryLedger, MemoryStore

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]
CAST = ["alice", "bob", "charlie", "dana", "eve"]


class Chain:
    """Everybody who comes to know it tells the next in the cast, so many days later."""

    def __init__(self, delay: float = 2) -> None:
        self.delay = delay
        self.events: list[SharingEvent] = []

    def share(self, event: SharingEvent) -> Iterable[Share]:
        self.events.append(event)
        ids = event.cast.ids
        for teller in event.knowers:
            if teller != "alice" and (place := ids.index(teller) + 1) < len(ids):
                yield Share(character=ids[place], shared_from=teller, rule="chain", due=event.day + self.delay)


class NotBefore:
    """A guard that lets nobody learn anything by hearsay before a day."""

    def __init__(self, day: float) -> None:
        self.day = day

    def filter(self, event: ReadEvent) -> Filter:
        return EVERYTHING

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        late = [each for each in event.plan.deliveries if each.support.how == "shared" and event.day < self.day]
        return [Strike(delivery_id=each.id, reason="too early") for each in late]


class NotNews:
    """A guard that keeps from those who hear of it later what holds this word."""

    def __init__(self, word: str) -> None:
        self.word = word

    def filter(self, event: ReadEvent) -> Filter:
        return EVERYTHING

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        late = [each for each in event.plan.deliveries if self.word in each.body and each.due <= event.day > 1]
        return [Strike(delivery_id=each.id, reason="old news") for each in late]


async def learned(story: Session, memories: Memories) -> dict[str, list[tuple[float | None, object]]]:
    """Who learned it, on which day, and from whom."""
    found = {}
    for id in story.cast.ids:
        day = story.state.game_day
        held = [each for each in await memories(story, id) if (each.learned_day or 0) <= day]
        found[id] = [(each.learned_day, each.metadata.get("sharedFrom")) for each in held]
    return {id: held for id, held in found.items() if held}


async def test_a_rumour_hops_on_each_hop_on_its_day(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=CAST, sharing_rules=[Chain()])
    await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])
    seen = []
    for day in (2, 3, 4, 5, 7):
        await story.change(game_day=day)
        seen.append(list(await learned(story, memories)))
    assert seen == [
        ["alice", "bob"],
        ["alice", "bob", "charlie"],
        ["alice", "bob", "charlie"],
        ["alice", "bob", "charlie", "dana"],
        ["alice", "bob", "charlie", "dana", "eve"],
    ]
    assert (await learned(story, memories))["eve"] == [(7, "dana")]


async def test_when_the_story_jumps_every_hop_still_has_its_own_day(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=CAST, sharing_rules=[Chain()])
    await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])
    await story.change(game_day=10)
    assert await learned(story, memories) == {
        "alice": [(1, None)],
        "bob": [(1, None)],
        "charlie": [(3, "bob")],
        "dana": [(5, "charlie")],
        "eve": [(7, "dana")],
    }
    (memory,) = await memories(story, "eve")
    explained = await story.backstage().explain(memory.id)
    assert [hop.shared_from for hop in explained.supports] == ["dana"]
    assert explained.chain.count("was told by") == 3


async def test_a_hop_is_recorded_with_the_change_that_brought_the_day(begin: Begin) -> None:
    story = await begin(cast=CAST, sharing_rules=[rule := Chain()])
    await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])
    settled = await (await story.change(game_day=3, key="day3")).settled()
    told_on = [each for each in settled.deliveries if each.support.rule == "chain"]
    assert [(each.owner, each.due, each.status) for each in told_on] == [("dana", 5, "pending")]
    event = rule.events[-1]
    assert (event.day, event.knowers, event.moment) == (3, ("charlie",), None)
    assert [each.owner for each in event.arrived] == ["charlie"]


async def test_a_delivery_is_never_due_before_its_tellers_own(begin: Begin) -> None:
    class Backwards:
        def share(self, event: SharingEvent) -> Iterable[Share]:
            if event.arrived:
                return []
            return [
                Share(character="charlie", shared_from="bob", due=4),
                Share(character="dana", shared_from="charlie", due=2),
                Share(character="eve", shared_from="dana"),
            ]

    story = await begin(cast=CAST, sharing_rules=[Backwards()])
    settled = await (await story.say("alice", "The sword is in the cave.", audience=["bob"])).settled()
    due = {each.owner: each.due for each in settled.deliveries if each.support.how == "shared"}
    assert due == {"charlie": 4, "dana": 4, "eve": 4}


async def test_what_a_guard_strikes_on_its_day_is_not_told_on(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=CAST, sharing_rules=[Chain()], guards=[guard := NotBefore(0)])
    await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])
    await story.settled()
    guard.day = 5
    await (await story.change(game_day=4)).settled()
    guard.day = 0
    await story.change(game_day=9)
    assert list(await learned(story, memories)) == ["alice", "bob"]


async def test_a_retraction_takes_back_every_hop(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=CAST, sharing_rules=[Chain()])
    await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])
    await story.change(game_day=6)
    await story.retract("m1")
    await story.change(game_day=9)
    assert await learned(story, memories) == {}


@pytest.mark.parametrize("edited", [2, 3, 4, 5, 7, 9])
async def test_an_edit_after_some_have_heard_it_reaches_everybody_on_the_same_days(
    begin: Begin, memories: Memories, edited: int
) -> None:
    story = await begin(cast=CAST, sharing_rules=[Chain()])
    await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])
    for day in range(2, 10):
        await story.change(game_day=day)
        if day == edited:
            await story.edit("m1", "The sword is in the river.")
    found = await learned(story, memories)
    assert found["charlie"] == [(3, "bob")]
    assert found["dana"] == [(5, "charlie")]
    assert found["eve"] == [(7, "dana")]
    for id in found:
        (copy,) = await memories(story, id)
        assert "river" in copy.content
        assert copy.metadata["participants"] == ["alice", "bob"]
    await story.retract("m1")
    assert await learned(story, memories) == {}


async def test_an_edit_gives_back_nothing_that_was_taken_from_somebody_further_on(
    begin: Begin, memories: Memories
) -> None:
    story = await begin(cast=CAST, sharing_rules=[Chain()])
    await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])
    await story.change(game_day=9)
    (hers,) = await memories(story, "dana")
    await story.retract(hers.id)
    await story.edit("m1", "The sword is in the river.")
    assert [*await learned(story, memories)] == ["alice", "bob", "charlie"]


async def test_what_a_guard_strikes_when_it_arrives_anew_is_not_told_on(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=CAST, sharing_rules=[Chain()], guards=[NotNews("river")])
    await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])
    await story.change(game_day=9)
    await story.edit("m1", "The sword is in the river.")
    assert [*await learned(story, memories)] == ["alice", "bob"]
    await story.edit("m1", "The sword is in the lake.")
    assert [*await learned(story, memories)] == CAST


async def test_a_share_carries_text_metadata_and_trust_of_its_own(begin: Begin, memories: Memories) -> None:
    class Retelling:
        def share(self, event: SharingEvent) -> SharingAnswer:
            told = Share(
                character="charlie",
                shared_from="bob",
                content="They say Alice found a sword.",
                metadata={"pantheon_id": "tavern"},
                trust=0.4,
            )
            usage = Usage(model="retell-1", tokens_in=20, tokens_out=9, cost=0.01)
            return SharingAnswer(shares=(told,), version="graph 7", usage=usage)

    story = await begin(sharing_rules=[Retelling()])
    settled = await (await story.say("alice", "I have the sword!", audience=["bob"])).settled()
    (memory,) = await memories(story, "charlie")
    assert "They say Alice found a sword." in memory.content
    assert "I have the sword" not in memory.content
    assert memory.metadata["pantheonId"] == "tavern"
    (support,) = [each.support for each in settled.deliveries if each.owner == "charlie"]
    assert support.trust == 0.4
    (answer,) = [each for each in settled.plan.answers if each.by.startswith("sharing_rule:")]
    assert (answer.version, answer.usage and answer.usage.model) == ("graph 7", "retell-1")


async def test_what_was_told_on_is_told_in_the_tellers_words(begin: Begin, memories: Memories) -> None:
    class Garbled:
        def share(self, event: SharingEvent) -> Iterable[Share]:
            if not event.arrived:
                return [Share(character="charlie", shared_from="bob", content="###Message###\nA sword?", due=2)]
            return [Share(character="dana", shared_from="charlie")]

    story = await begin(cast=CAST, sharing_rules=[Garbled()])
    await story.say("alice", "I have the sword!", audience=["bob"])
    await story.change(game_day=2)
    heard = [(await memories(story, id))[0].content for id in ("charlie", "dana")]
    assert heard[0] == heard[1]
    assert "\\###Message###\nA sword?" in heard[1]


async def test_a_rules_own_data_is_durable_and_recorded_with_the_plan(begin: Begin) -> None:
    class Counting:
        name = "counting"

        def share(self, event: SharingEvent) -> Iterable[Share]:
            count: Any = event.data.get("count", 0)
            event.data["count"] = count + 1
            return ()

    story = await begin(sharing_rules=[Counting()])
    for text in ("One.", "Two."):
        settled = await (await story.say("alice", text)).settled()
    assert [(write.plugin, write.value) for write in settled.plan.plugin_data] == [("sharing_rule:counting", 2)]


async def test_a_rumour_in_a_circle_ends_where_it_began(begin: Begin) -> None:
    class Circle:
        def share(self, event: SharingEvent) -> Iterable[Share]:
            ring = ("charlie", "dana", "eve", "charlie")
            if not event.arrived:
                return [Share(character="charlie", shared_from="bob", due=7)]
            pairs = pairwise(ring)
            return [Share(character=to, shared_from=teller) for teller, to in pairs if teller in event.knowers]

    story = await begin(cast=CAST, sharing_rules=[Circle()])
    await story.say("alice", "The sword is in the cave.", audience=["bob"])
    settled = await (await story.change(game_day=7)).settled()
    hops = [(each.support.shared_from, each.owner) for each in settled.deliveries if each.support.how == "shared"]
    assert hops == [("charlie", "dana"), ("dana", "eve"), ("eve", "charlie")]


async def test_whoever_a_rule_names_outside_the_cast_is_reported(begin: Begin) -> None:
    class Mistaken:
        def share(self, event: SharingEvent) -> Iterable[Share]:
            return [Share(character="zoe"), Share(character="charlie", shared_from="Yan"), Share(character="charlie")]

    story = await begin(sharing_rules=[Mistaken()], strict=False)
    settled = await (await story.say("alice", "The sword is lost.", audience=["bob"])).settled()
    assert [each.owner for each in settled.deliveries if each.support.how == "shared"] == ["charlie"]
    (failure,) = settled.failures
    assert failure.failure == "named 'zoe', 'Yan', who are not in the cast; ignored"


class Narrow(MemoryLedger):
    """Cannot record a change of the day, unless it was decided fail-closed."""

    async def record(self, plan: Plan, after: Any) -> Plan:
        if "game_day" in plan.state and not plan.degraded and plan.sequence > 1:
            raise OverflowError("int too big to convert")
        return await super().record(plan, after)


async def test_a_change_of_the_day_that_cannot_be_decided_brings_what_is_due(begin: Begin, memories: Memories) -> None:
    guard = NotBefore(3)
    story = await begin(cast=CAST, sharing_rules=[Chain()], guards=[guard], ledger=Narrow())
    guard.day = 0
    await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])
    guard.day = 9
    assert (await (await story.change(game_day=3)).settled()).degraded
    assert "charlie" not in await learned(story, memories)  # that day's guards are asked
    guard.day = 0
    await story.say("alice", "It is in the cave still.", key="m2", audience=["bob"])
    assert (await (await story.change(game_day=5)).settled()).degraded
    await story.delivered()
    assert (await learned(story, memories))["charlie"] == [(5, "bob")]


async def test_what_could_not_arrive_then_comes_with_the_next_entry_under_its_guards(
    begin: Begin, memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = await begin(cast=CAST, sharing_rules=[Chain()], guards=[NotBefore(0)], ledger=Narrow())
    await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])
    await story.settled()
    with monkeypatch.context() as patched:
        patched.setattr(overdue, "with_arrivals", broken)
        assert (await (await story.change(game_day=3)).settled()).degraded
        await story.delivered()
        assert "charlie" not in await learned(story, memories)
    await (await story.say("alice", "Good morning.", audience=[])).settled()
    await story.delivered()
    assert (await learned(story, memories))["charlie"] == [(3, "bob")]


async def test_it_comes_after_a_restart_too(memories: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, Any] = {"ledger": Narrow(), "store": MemoryStore(), "embedder": "none"}
    kept |= {"sharing_rules": [Chain()], "guards": [NotBefore(0)], "detector": "none", "world_agent": "none"}
    async with Earwitness.open(**kept) as ew:
        story = await ew.session("s1", cast=CAST)
        await (await story.say("alice", "The sword is in the cave.", audience=["bob"])).settled()
        with monkeypatch.context() as patched:
            patched.setattr(overdue, "with_arrivals", broken)
            assert (await (await story.change(game_day=3)).settled()).degraded
    async with Earwitness.open(**kept) as ew:
        story = await ew.open_session("s1")
        await (await story.say("alice", "Good morning.", audience=[])).settled()
        await story.delivered()
        assert (await learned(story, memories))["charlie"] == [(3, "bob")]


async def broken(*_: object) -> Plan:
    raise ValueError("no luck")


class Slow(MemoryStore):
    """A store that writes nothing until it may."""

    def __init__(self) -> None:
        super().__init__()
        self.may = asyncio.Event()

    async def put(self, memories: Sequence[Memory]) -> None:
        await self.may.wait()
        await super().put(memories)


@pytest.mark.parametrize("guards", [[], [NotNews("mill")]], ids=["let through", "struck"])
async def test_what_arrives_is_asked_about_while_an_earlier_change_is_still_being_written(
    begin: Begin, memories: Memories, guards: list[Any]
) -> None:
    store = Slow()
    story = await begin(cast=CAST, sharing_rules=[Chain(delay=1)], guards=guards, store=store, ledger=MemoryLedger())
    await story.say("alice", "The mill has burnt down.", audience=["bob"])
    await story.change(flags={"war": True})
    await (await story.change(game_day=4)).decided()
    store.may.set()
    days = {who: [day for day, _ in found] for who, found in (await learned(story, memories)).items()}
    told = {} if guards else {"charlie": [2], "dana": [3], "eve": [4]}
    assert days == {"alice": [1], "bob": [1], **told}
