"""Memories that plugins and World Agents propose become entries of their own."""

from __future__ import annotations

from typing import Any

import pytest

from earwitness import (
    Container,
    Earwitness,
    Membership,
    MessageAnswer,
    Plugin,
    WorldAnswer,
)
from earwitness.containers import persona_container
from earwitness.errors import PluginError
from earwitness.events import MessageEvent, PlanEvent, ReadEvent, Strike, WorldAgentEvent
from earwitness.filters import EVERYTHING, Filter
from earwitness.records.derived import Derivation
from earwitness.records.journal import Changed
from earwitness.records.plan import Plan
from earwitness.testing.reference import MemoryLedger, MemoryStore

from .derived_stories import Begin, Memories, Notes, derived, one


class Scribe:
    """A World Agent that proposes a summary for the world."""

    def propose(self, event: WorldAgentEvent) -> WorldAnswer:
        return WorldAnswer(derived=(Derivation(owner="world", content="Somebody spoke.", type="summary"),))


async def test_what_plugins_and_agents_propose_becomes_an_entry_of_its_own(begin: Begin, memories: Memories) -> None:
    story = await begin(plugins=[Notes("Alice", "Tea was wanted.")], world_agent=Scribe(), present=["alice", "bob"])
    await story.say("alice", "Tea!", key="k")
    assert await derived(memories, story, "alice") == ["Tea was wanted."]
    assert await derived(memories, story, "world") == ["Somebody spoke."]
    keys = [each.key for each in await story.backstage().journal()]
    assert keys == ["#begin", "k", "#derived-2-0", "#derived-2-1"]
    memory = await one(memories, story, "alice", "fact")
    (hop,) = (await story.backstage().explain(memory.id)).supports
    assert hop.rule == "plugin:notes"


async def test_a_proposal_that_names_no_ground_rests_on_what_it_was_proposed_for(
    begin: Begin, memories: Memories
) -> None:
    story = await begin(plugins=[Notes("alice", "Tea was wanted.")], present=["alice"])
    await story.say("alice", "Tea!", key="k")
    await story.change(game_day=2, key="day")
    assert await derived(memories, story, "alice") == ["Tea was wanted."] * 2
    await story.retract("k")
    assert await derived(memories, story, "alice") == ["Tea was wanted."]
    await story.retract("day")
    assert await derived(memories, story, "alice") == []


class Keeper(Plugin):
    """Keeps every message in the container of a persona, which it registers."""

    def __init__(self, **given: Any) -> None:
        self._given: dict[str, Any] = {"registers": PERSONA, "admits": ("alice",), **given}

    def on_message(self, event: MessageEvent) -> MessageAnswer:
        note = Derivation(content=event.moment.message.content, container=PERSONA.name, **self._given)
        return MessageAnswer(derived=(note,))


PERSONA = persona_container("p1", "alice")


async def test_a_proposal_may_register_its_container_and_admit_members(open_app: Any) -> None:
    ew = await open_app([Keeper()])
    story = await ew.session("s1", cast=["alice"])
    await story.say("alice", "One.")
    await story.settled()
    assert await ew.containers(kind="persona") == (PERSONA,)
    assert await ew.memberships(container=PERSONA) == (Membership(container=PERSONA.name, member="alice"),)
    await ew.dismiss(PERSONA, "alice", until=3)
    await story.say("alice", "Two.")
    await story.delivered()
    assert [each.until for each in await ew.memberships(container=PERSONA)] == [3]
    assert {each.content for each in await ew.engine.store.list(PERSONA.name)} == {"One.", "Two."}


async def test_a_preview_registers_nothing(open_app: Any) -> None:
    ew = await open_app([Keeper()])
    story = await ew.session("s1", cast=["alice"])
    await story.backstage().preview("alice", "One.")
    await story.settled()
    assert await ew.containers(kind="persona") == ()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (
            {"registers": persona_container("p2", "alice")},
            "it registers 'persona-p2-alice', which is not its container",
        ),
        ({"registers": Container(name=PERSONA.name, kind="cellar", owner="p1")}, "reserved for kind 'persona'"),
        ({"registers": PERSONA.model_copy(update={"owner": "p2"})}, "belongs to another owner"),
        ({"registers": None}, "it admits members to a container that it does not register"),
        ({"admits": ("",)}, "it registers what cannot be registered"),
    ],
)
async def test_what_cannot_be_registered_is_a_failure_of_its_plugin(
    open_app: Any, given: dict[str, Any], why: str
) -> None:
    ew = await open_app([Keeper(**given)], strict=False)
    if given.get("registers", PERSONA) != PERSONA and "owner" in why:
        await ew.register(PERSONA)
    story = await ew.session("s1", cast=["alice"])
    outcome = await (await story.say("alice", "One.")).settled()
    assert [each.failure for each in outcome.plan.failures if why in str(each.failure)]
    await story.delivered()
    assert await ew.engine.store.list(PERSONA.name) == []


async def test_an_edit_asks_for_new_proposals_and_the_old_ones_go(begin: Begin, memories: Memories) -> None:
    class Echo(Plugin):
        def on_message(self, event: MessageEvent) -> MessageAnswer:
            return MessageAnswer(derived=(Derivation(owner="alice", content=f"On: {event.moment.message.content}"),))

    story = await begin(plugins=[Echo()], present=["alice"])
    await story.say("alice", "Tea!", key="k")
    await story.edit("k", "Coffee!")
    assert await derived(memories, story, "alice") == ["On: Coffee!"]


async def test_a_reroll_after_a_proposal_still_moves_those_it_moves(begin: Begin, directions: Any) -> None:
    story = await begin(plugins=[Notes("alice", "Noted.")], detector=directions, present=["alice", "bob"])
    await story.say("alice", "Off you go. (bob leaves)")
    await story.settled()
    assert not story.state.whereabouts["bob"].here
    await story.reroll("Stay here.")
    await story.settled()
    assert story.state.whereabouts["bob"].here


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"owner": "dora"}, "owner 'dora' is not one of alice, bob, charlie, world"),
        ({"owner": "alice", "type": "plot"}, "type 'plot' is taken"),
        ({"owner": "alice", "text": "<think>Hm.</think>"}, "is empty"),
        (
            {"owner": "alice", "rests_on": ("k", "no such memory")},
            "rests on 'no such memory', which is neither a memory id",
        ),
    ],
)
async def test_a_proposal_that_is_of_no_use_is_a_failure_of_its_plugin_and_harms_nothing(
    begin: Begin, memories: Memories, given: dict[str, Any], why: str
) -> None:
    story = await begin(plugins=[Notes(**{"text": "Noted.", **given})], present=["alice"], strict=False)
    for outcome in (await story.say("alice", "Tea!", key="k"), await story.change(game_day=2)):
        (failure,) = (await outcome.settled()).failures
        assert (failure.by, why in str(failure.failure)) == ("plugin:notes", True)
    assert len(await memories(story, "alice")) == 1
    assert {each.body.kind for each in await story.backstage().journal()} == {"said", "changed"}


async def test_strict_raises_for_a_proposal_that_rests_on_nothing_known(begin: Begin) -> None:
    story = await begin(plugins=[Notes("alice", "Noted.", rests_on=("no such memory",))], strict=True)
    with pytest.raises(PluginError, match=r"plugin:notes failed: .* rests on 'no such memory'"):
        await (await story.say("alice", "Tea!")).settled()


async def test_a_proposal_may_rest_on_what_was_proposed_just_before(begin: Begin, memories: Memories) -> None:
    class Chain(Plugin):
        def on_message(self, event: MessageEvent) -> MessageAnswer:
            first, last = event.moment.message.sequence == 2, ("#derived-2-0",)
            return MessageAnswer(derived=(Derivation(owner="alice", content="Noted.", rests_on=() if first else last),))

    story = await begin(plugins=[Chain()], present=["alice"])
    await story.say_all([{"speaker": "alice", "content": "Tea!"}, {"speaker": "alice", "content": "Now!"}])
    assert await derived(memories, story, "alice") == ["Noted."] * 2
    await story.retract("#2")
    assert await derived(memories, story, "alice") == []


async def test_guards_may_strike_derived_memories(begin: Begin, memories: Memories) -> None:
    class NoFacts:
        def filter(self, event: ReadEvent) -> Filter:
            return EVERYTHING

        def strike(self, event: PlanEvent) -> list[Strike]:
            facts = [each for each in event.plan.deliveries if each.metadata["type"] == "fact"]
            return [Strike(delivery_id=each.id, reason="no facts") for each in facts]

    story = await begin(guards=[NoFacts()])
    await story.remember("alice", "Water is wet.", type="fact")
    await story.remember("alice", "Bring water.")
    assert await derived(memories, story, "alice") == ["Bring water."]


async def test_what_a_plan_proposes_is_appended_by_the_next_start_after_a_crash(open_app: Any) -> None:
    ledger, store = MemoryLedger(), MemoryStore()
    first: Earwitness = await open_app(ledger=ledger, store=store)
    await first.session("s1", cast=["alice"])
    await ledger.append("s1", Changed(quiet=True), key="k", timestamp="2026-11-22T12:00:00")
    before = await ledger.load("s1")
    assert before is not None
    recorded = Plan(session="s1", sequence=2, key="k", derived=(Derivation(owner="alice", content="Noted."),))
    await ledger.record(recorded, before.after(recorded))  # and here the program ended
    story = await (await open_app(ledger=ledger, store=store)).session("s1")
    await story.settled()
    assert [each.content for each in await store.list("s1-alice")] == ["Noted."]
    assert [each.key for each in await ledger.entries("s1")] == ["#begin", "k", "#derived-2-0"]


class Kept:
    """A guard that keeps every message from Bob."""

    def filter(self, event: ReadEvent) -> Filter:
        return EVERYTHING

    def strike(self, event: PlanEvent) -> list[Strike]:
        found = [each for each in event.plan.deliveries if each.owner == "bob" and each.part == "message"]
        return [Strike(delivery_id=each.id, reason="not for Bob") for each in found]


async def test_what_rests_on_a_message_that_a_guard_keeps_from_its_owner_is_kept_from_them_too(
    begin: Begin, memories: Memories
) -> None:
    story = await begin(plugins=[Notes("bob", "Tea was wanted.")], guards=[Kept()])
    await story.say("alice", "Tea!", key="k", audience=["bob"])
    assert await derived(memories, story, "bob") == []
