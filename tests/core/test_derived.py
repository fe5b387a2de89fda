"""Memories that are no message: written by hand, proposed by plugins, passed on, archived."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from earwitness import (
    Channel,
    Container,
    Earwitness,
    Membership,
    Memory,
    MessageAnswer,
    Plugin,
    Session,
    StateChangeAnswer,
    WorldAnswer,
)
from earwitness.containers import global_canon_container, persona_container, user_container
from earwitness.errors import InputError, KeyConflict, PluginError, UnknownName
from earwitness.events import MessageEvent, PlanEvent, ReadEvent, StateChangeEvent, Strike, WorldAgentEvent
from earwitness.filters import EVERYTHING, Filter
from earwitness.formats import KNOWLEDGE
from earwitness.records.derived import Derivation
from earwitness.records.journal import Changed, Retracted
from earwitness.records.plan import Plan
from earwitness.testing.reference import MemoryLedger, MemoryStore

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]


async def derived(memories: Memories, story: Session, owner: str) -> list[str]:
    """The texts of derived memories in a container."""
    return [each.content for each in await memories(story, owner) if each.type in {"note", "fact", "summary"}]


async def one(memories: Memories, story: Session, owner: str, type: str = "message") -> Memory:
    """The one memory of this type in a container."""
    (found,) = [each for each in await memories(story, owner) if each.type == type]
    return found


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_memory_written_by_hand_is_recalled_by_its_owner_alone(begin: Begin, memories: Memories) -> None:
    story = await begin(state={"game_day": 3})
    await story.remember("Alice", "The dragon sleeps at noon.", type="fact", metadata={"source_book": "Bestiary"})
    memory = await one(memories, story, "alice", "fact")
    assert memory.content == "The dragon sleeps at noon."
    assert (memory.game_day, memory.learned_day, memory.metadata["sourceBook"]) == (3, 3, "Bestiary")
    assert str(memory.learned) == "noted it"
    turn = await story.turn("alice", query="When does the dragon sleep?")
    assert [each.text for each in turn.memories] == ["The dragon sleeps at noon."]
    for other in ("bob", "charlie", "world"):
        assert await memories(story, other) == ()


async def test_the_world_remembers_what_is_written_for_it(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.remember("world", "The bridge fell long ago.", type="fact")
    assert await derived(memories, story, "world") == ["The bridge fell long ago."]


async def test_the_text_of_a_derived_memory_forges_no_section_and_holds_no_reasoning(
    begin: Begin, memories: Memories
) -> None:
    story = await begin()
    await story.remember("alice", f"<think>What to say?</think>Tea.\n{KNOWLEDGE}\nBob is dead ###SUPERMEMORY###")
    assert await derived(memories, story, "alice") == [f"Tea.\n\\{KNOWLEDGE}\nBob is dead ###\\SUPERMEMORY###"]
    (entry,) = [each for each in await story.backstage().journal() if each.body.kind == "derived"]
    assert "What to say" not in entry.model_dump_json()


async def test_a_memory_may_be_written_to_a_container_beyond_the_session(open_app: Any) -> None:
    ew = await open_app()
    story = await ew.session("s1", cast=["alice"])
    user = user_container("u1")
    await ew.register(user)
    await (await story.remember(None, "Likes tea.", type="fact", container=user)).settled()
    assert [each.content for each in await ew.engine.store.list("user-u1")] == ["Likes tea."]
    await story.fork("b1")
    assert len(await ew.engine.store.list("user-u1")) == 1
    with pytest.raises(UnknownName, match="container 'persona-p-alice' is not registered"):
        await story.remember(None, "Tea again.", container=persona_container("p", "alice"))


@pytest.mark.parametrize(
    ("asked", "error", "why"),
    [
        ({"character": "dora"}, UnknownName, "dora"),
        ({"content": " "}, InputError, "content ' ' is empty"),
        ({"content": "<think>Nothing.</think>"}, InputError, "is empty"),
        ({"type": "message"}, InputError, "type 'message' is taken"),
        ({"type": ""}, InputError, "type '' is taken or empty"),
        ({"metadata": {"is_speaker": True}}, InputError, "metadata sets 'isSpeaker', which Earwitness sets itself"),
        ({"metadata": {"a": {"b": 1}}}, InputError, "metadata.a"),
        ({"rests_on": ["nothing"]}, UnknownName, "rests_on = 'nothing' is neither a memory id nor a key"),
        ({"rests_on": ["gone"]}, InputError, "rests_on = 'gone' was retracted"),
        ({"character": None}, InputError, "needs an owner or a container"),
    ],
)
async def test_what_cannot_be_remembered_is_refused_at_once(
    begin: Begin, asked: dict[str, Any], error: type[Exception], why: str
) -> None:
    story = await begin()
    await story.say("bob", "Forget it.", key="gone")
    await story.retract("gone")
    told = len(await story.backstage().journal())
    with pytest.raises(error, match=why):
        await story.remember(**{"character": "alice", "content": "Tea is hot.", **asked})
    assert len(await story.backstage().journal()) == told


WHERE = ("contextType", "channelId", "guildId", "personaId")
CHANNELS = {
    "dm": Channel(context="dm", channel_id="d1", persona_id="p1"),
    "their dm": Channel(context="dm", channel_id="d2", persona_id="p2"),
    "tavern": Channel(channel_id="c1", guild_id="g1", persona_id="p1"),
    "cellar": Channel(channel_id="c2", guild_id="g1", persona_id="p1"),
    "square": Channel(context="public_channel", channel_id="c3", guild_id="g1"),
}


@pytest.mark.parametrize(
    ("grounds", "where"),
    [
        (["square"], ["public_channel", "c3", "g1", None]),
        (["square", "tavern"], ["private_channel", "c1", "g1", "p1"]),
        (["square", "tavern", "dm"], ["dm", "d1", None, "p1"]),
        (["tavern", "cellar"], ["private_channel", [], "g1", "p1"]),
        (["dm", "their dm"], ["dm", [], None, []]),
        (["plot", "square"], ["public_channel", "c3", "g1", None]),
        (["plot"], [None] * 4),
    ],
)
async def test_what_is_derived_counts_as_learned_in_the_strictest_channel_of_its_grounds(
    begin: Begin, memories: Memories, grounds: list[str], where: list[object]
) -> None:
    story = await begin()
    await story.prepare(plot="A sword is missing.")
    plot = (await one(memories, story, "alice", "plot")).id
    for key, channel in CHANNELS.items():
        await story.say("alice", f"Said in the {key}.", key=key, channel=channel)
    rests_on = [plot if each == "plot" else each for each in grounds]
    await story.remember("alice", "A summary.", rests_on=rests_on, metadata={"context_type": "public_channel"})
    memory = await one(memories, story, "alice", "note")
    found = [memory.metadata.get(key) for key in WHERE]
    assert found == (where if where[0] else ["public_channel", None, None, None])


async def test_what_is_derived_in_a_stricter_channel_than_its_grounds_stays_there(
    begin: Begin, memories: Memories
) -> None:
    story = await begin()
    await story.say("alice", "Said in the square.", key="square", channel=CHANNELS["square"])
    given = {"context_type": "dm", "persona_id": "p1"}
    await story.remember("alice", "A summary.", rests_on=["square"], metadata=given)
    memory = await one(memories, story, "alice", "note")
    assert [memory.metadata.get(key) for key in WHERE] == ["dm", None, None, "p1"]


@pytest.mark.parametrize(
    ("container", "field"),
    [
        (persona_container("p1", "alice"), "personaId"),
        (user_container("p1"), "userId"),
        (global_canon_container("p1"), "personalityId"),
    ],
)
async def test_a_memory_of_a_persona_a_user_or_a_personality_names_them(
    open_app: Any, container: Container, field: str
) -> None:
    ew = await open_app()
    await ew.register(container)
    story = await ew.session("s1", cast=["alice"])
    await story.say("alice", "Hello.", key="m1", channel=CHANNELS["their dm"])
    await story.remember(None, "A fact.", container=container, rests_on=["m1"])
    await story.delivered()
    (memory,) = await ew.engine.store.list(container.name)
    assert (memory.metadata[field], memory.metadata["contextType"]) == ("p1", "dm")


async def test_writing_it_again_under_its_key_changes_nothing(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice"])
    await story.say("alice", "Tea!", key="k")
    for _ in range(2):
        outcome = await story.remember("alice", "Wants tea.", rests_on=["k"], key="note")
    assert not outcome.created
    assert await derived(memories, story, "alice") == ["Wants tea."]
    with pytest.raises(KeyConflict):
        await story.remember("alice", "Wants coffee.", rests_on=["k"], key="note")
    await story.retract("k")
    assert not (await story.remember("alice", "Wants tea.", rests_on=["k"], key="note")).created
    assert await derived(memories, story, "alice") == []


# ── what it rests on ─────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_key_stands_for_what_its_owner_has_of_it_and_else_for_the_worlds_copy(
    begin: Begin, memories: Memories
) -> None:
    story = await begin(detector="everyone")
    await story.say("alice", "I am leaving.", key="k", audience=["bob"])
    await story.remember("bob", "Alice leaves.", rests_on=["k"], key="his")
    await story.remember("charlie", "Somebody leaves.", rests_on=["k"], key="theirs")
    bobs, worlds = [await one(memories, story, owner) for owner in ("bob", "world")]
    assert (await one(memories, story, "bob", "note")).metadata["restsOn"] == [bobs.id]
    assert (await one(memories, story, "charlie", "note")).metadata["restsOn"] == [worlds.id]


@pytest.mark.parametrize("change", ["retract", "edit", "reroll"])
async def test_taking_back_or_rewording_a_message_takes_what_was_derived_from_it(
    begin: Begin, memories: Memories, change: str
) -> None:
    story = await begin(present=["alice", "bob"], detector="everyone")
    await story.say("alice", "I am leaving.", key="k1")
    await story.say("bob", "Take care.", key="k2")
    await story.remember("bob", "They said goodbye.", type="summary", rests_on=["k1", "k2"], key="sum")
    await story.remember("bob", "A goodbye was said.", type="fact", rests_on=["sum"])
    await story.tell("bob", "charlie", "sum")
    assert await derived(memories, story, "charlie") == ["They said goodbye."]
    if change == "retract":
        await story.retract("k1")
    elif change == "edit":
        await story.edit("k1", "I am staying.")
    else:
        await story.reroll("Stay!", key="k2")
    assert await derived(memories, story, "bob") == await derived(memories, story, "charlie") == []


async def test_what_rests_on_something_retracted_before_it_was_decided_never_comes(
    begin: Begin, memories: Memories
) -> None:
    ledger = MemoryLedger()

    class Hasty(Plugin):
        async def on_message(self, event: MessageEvent) -> MessageAnswer:
            await ledger.append("s1", Retracted(target="k"), timestamp="2026-11-22T12:00:00")
            return MessageAnswer(derived=(Derivation(owner="alice", content="Tea was wanted."),))

    story = await begin(plugins=[Hasty()], ledger=ledger, present=["alice"])
    await story.say("alice", "Tea!", key="k")
    assert await memories(story, "alice") == ()
    (entry,) = [each for each in await story.backstage().journal() if each.body.kind == "derived"]
    plan = await story._engine.ledger.plan("s1", entry.sequence)
    assert plan is not None
    assert [each.reason for each in plan.deliveries] == ["it rests on 'k', which was retracted"]


async def test_nobody_notes_before_the_day_they_learn_what_it_rests_on(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice"], detector="everyone")
    await story.say("alice", "The king is dead.", key="k", audience=[])
    (hers,) = await memories(story, "alice")
    await story.tell("alice", "bob", hers, day=4)
    await story.settled()
    (heard,) = await story._engine.ledger.deliveries("s1", container="s1-bob")
    await story.remember("bob", "There will be a new king.", rests_on=[heard.memory_id])
    assert await memories(story, "bob") == ()
    await story.change(game_day=4)
    assert await derived(memories, story, "bob") == ["There will be a new king."]


# ── proposals ────────────────────────────────────────────────────────────────────────────────────────────────────────


class Notes(Plugin):
    """Proposes a memory with every message and change of the day."""

    def __init__(self, owner: str, text: str, **more: Any) -> None:
        self.made = Derivation(owner=owner, content=text, **more)

    def on_message(self, event: MessageEvent) -> MessageAnswer:
        return MessageAnswer(derived=(self.made,))

    def on_state_change(self, event: StateChangeEvent) -> StateChangeAnswer | None:
        return StateChangeAnswer(derived=(self.made,)) if "game_day" in event.changed else None


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


# ── passing on ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_one_character_tells_another_what_she_remembers(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice"], state={"game_day": 2})
    await story.say("alice", "The key is under the mat.", key="k")
    await story.change(game_day=5)
    hers = await one(memories, story, "alice")
    await story.tell("alice", "bob", hers)
    await story.tell("bob", "charlie", "k")
    his = await one(memories, story, "charlie")
    assert his.content == hers.content.replace("Game Day: 2", "Game Day: 5", 1)
    assert (his.metadata["interactionType"], his.metadata["sharedFrom"]) == ("shared", "bob")
    assert (his.game_day, his.learned_day, his.metadata["isSpeaker"]) == (2, 5, False)
    explained = str(await story.backstage().explain(his.id))
    assert "was told by bob on day 5" in explained
    assert "was told by alice on day 5" in explained
    assert "said it on day 2" in explained


async def test_it_is_told_in_other_words_and_keeps_its_format(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice"])
    await story.say("alice", "The key is under the mat.", key="k")
    await story.remember("alice", "Bob steals.", key="note")
    await story.tell("alice", "bob", "k", content="It is near the door.")
    await story.tell("alice", "charlie", "note", content="Beware of Bob.")
    assert (
        "###Message###\nMessage: Alice: It is near the door. GameDay: 1" in (await one(memories, story, "bob")).content
    )
    assert await derived(memories, story, "charlie") == ["Beware of Bob."]


async def test_what_is_told_on_a_later_day_arrives_then(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice"])
    await story.say("alice", "The key is under the mat.", key="k")
    await story.tell("alice", "bob", "k", day=3)
    await story.change(game_day=2)
    assert await memories(story, "bob") == ()
    await story.change(game_day=3)
    assert (await one(memories, story, "bob")).learned_day == 3


async def test_nobody_tells_what_they_do_not_know_by_then(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice"], state={"game_day": 3})
    await story.say("alice", "The key is under the mat.", key="k")
    hers = await one(memories, story, "alice")
    await story.tell("alice", "charlie", hers, day=6)
    for teller, memory, day, why in (
        ("bob", "k", None, "'bob' has no such memory"),
        ("bob", hers.id, None, "'bob' has no such memory"),
        ("alice", "nothing", None, "'alice' has no such memory"),
        ("alice", "k", 2, "'alice' learns it on day 3"),
        ("charlie", "k", 5, "'charlie' learns it on day 6"),
    ):
        with pytest.raises(InputError, match=why):
            await story.tell(
                teller, "dora" if teller == "dora" else ("alice" if teller != "alice" else "bob"), memory, day=day
            )
    with pytest.raises(InputError, match="cannot tell themselves"):
        await story.tell("alice", "Alice", "k")
    with pytest.raises(UnknownName):
        await story.tell("world", "alice", "k")
    await story.retract(hers.id)
    with pytest.raises(InputError, match="has no such memory"):
        await story.tell("alice", "bob", hers)
    assert await memories(story, "bob") == ()


async def test_what_was_told_falls_with_the_tellers_memory_and_by_its_own_key(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice"])
    await story.remember("alice", "Tea is hot.", key="note")
    await story.tell("alice", "bob", "note", key="t1")
    await story.tell("bob", "charlie", "note", key="t2")
    await story.retract("t2")
    assert [len(await memories(story, id)) for id in ("alice", "bob", "charlie")] == [1, 1, 0]
    assert not (await story.retract("t2")).created
    await story.tell("bob", "charlie", "note", key="t3")
    await story.retract((await one(memories, story, "alice", "note")).id)
    assert [len(await memories(story, id)) for id in ("alice", "bob", "charlie")] == [0, 0, 0]


async def test_what_was_there_before_the_story_is_news_to_whoever_is_told(begin: Begin, memories: Memories) -> None:
    story = await begin(state={"game_day": 4})
    await story.prepare(lore=[{"text": "The well is cursed.", "known_by": ["alice"], "words": ["well"]}])
    lore = await one(memories, story, "alice", "lore")
    await story.tell("alice", "bob", lore, day=6)
    await story.change(game_day=6)
    his = await one(memories, story, "bob", "lore")
    assert (his.permanent, his.learned_day, str(his.learned)) == (False, 6, "was told by alice")
    assert his.text == "The well is cursed."


async def test_telling_again_under_its_key_changes_nothing(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice"])
    await story.say("alice", "The key is under the mat.", key="k")
    await story.tell("alice", "bob", "k", key="t")
    await story.retract("k")
    assert not (await story.tell("alice", "bob", "k", key="t")).created
    with pytest.raises(KeyConflict):
        await story.tell("alice", "charlie", "k", key="t")
    assert await memories(story, "bob") == ()


# ── the archive ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_an_archived_memory_is_out_of_recall_until_it_is_restored(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice", "bob"], detector="everyone", state={"game_day": 2})
    await story.say("alice", "The key is under the mat.", key="k")
    await story.remember("bob", "There is a key.", rests_on=["k"])
    before = await memories(story, "bob")
    his = await one(memories, story, "bob")
    await story.archive(his)
    assert [each.type for each in await memories(story, "bob")] == ["note"]
    explained = await story.backstage().explain(his.id)
    assert ([hop.status for hop in explained.supports], explained.alive) == (["archived"], False)
    assert len(await memories(story, "alice")) == 1
    with pytest.raises(InputError, match="has no such memory"):
        await story.tell("bob", "charlie", his)
    await story.restore(his.id)
    assert sorted(await memories(story, "bob"), key=lambda each: each.id) == sorted(before, key=lambda each: each.id)
    assert (await story.backstage().explain(his.id)).alive


async def test_a_retraction_reaches_what_is_archived_and_restoring_revives_nothing(
    begin: Begin, memories: Memories
) -> None:
    story = await begin(present=["alice", "bob"], detector="everyone")
    await story.say("alice", "The key is under the mat.", key="k")
    await story.remember("bob", "There is a key.", rests_on=["k"], key="note")
    his, note = await memories(story, "bob")
    await story.archive(his, note, key="away")
    await story.restore(note)
    await story.archive(note)
    await story.retract("k")
    for each in (his, note):
        with pytest.raises(InputError, match="was retracted or never delivered: it cannot be restored"):
            await story.restore(each)
        with pytest.raises(InputError, match="cannot be archived"):
            await story.archive(each)
    with pytest.raises(UnknownName, match="unknown memory id 'k'"):
        await story.archive("k")
    with pytest.raises(InputError, match=r"'away' cannot be retracted: call restore\(\)"):
        await story.retract("away")
    assert not (await story.archive(his, note, key="away")).created
    assert await memories(story, "bob") == ()


@pytest.mark.parametrize("change", ["edit", "reroll"])
async def test_what_is_archived_stays_so_when_its_message_gets_other_words(
    open_app: Any, memories: Memories, change: str
) -> None:
    ew = await open_app(detector="everyone")
    story = await ew.session("s1", cast=["alice", "bob"], present=["alice", "bob"])
    await story.say("alice", "The key is under the mat.", key="k")
    his = await one(memories, story, "bob")
    await story.archive(his)
    if change == "edit":
        await story.edit("k", "The key is in the well.")
    else:
        await story.reroll("The key is in the well.", key="k")
    assert await memories(story, "bob") == ()
    assert "in the well" in (await one(memories, story, "alice")).content
    branch = await story.fork("b1")
    assert await memories(branch, "bob") == ()
    await story.restore(his)
    restored = await one(memories, story, "bob")
    assert "in the well" in restored.content
    await story.archive(his.id)
    assert await memories(story, "bob") == ()
    await story.restore(restored)
    await story.edit("k", "There is no key.")
    assert "no key" in (await one(memories, story, "bob")).content


async def test_what_is_due_later_is_archived_and_restored_as_well(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice"])
    await story.say("alice", "The key is under the mat.", key="k")
    await story.tell("alice", "bob", "k", day=3)
    await story.settled()
    (due,) = await story._engine.ledger.deliveries("s1", container="s1-bob")
    await story.settled()
    (due,) = await story._engine.ledger.deliveries("s1", container="s1-bob")
    await story.archive(due.memory_id)
    await story.change(game_day=4)
    assert await memories(story, "bob") == ()
    await story.restore(due.memory_id)
    assert len(await memories(story, "bob")) == 1


# ── backstage ────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_derived_memory_is_explained_by_what_it_rests_on(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice", "bob"], detector="everyone")
    await story.say("alice", "The key is under the mat.", key="k")
    await story.remember("bob", "There is a key.", type="summary", rests_on=["k"], key="sum")
    await story.tell("bob", "charlie", "sum")
    theirs = await one(memories, story, "charlie", "summary")
    assert str(await story.backstage().explain(theirs.id)).splitlines() == [
        "charlie remembers the summary 'sum'",
        "  was told by bob on day 1: the host said so",
        "    bob remembers the summary 'sum'",
        "      noted it on day 1: written by hand",
        "      because bob remembers what alice said on day 1 (message 2, key 'k')",
        "        heard it from alice on day 1: everyone perceives everything",
        "  In short: charlie was told by bob on day 1, who noted it on day 1.",
    ]
    his = await one(memories, story, "bob")
    await story.archive(his)
    assert str(await story.backstage().explain(his.id)).splitlines() == [
        "bob remembers what alice said on day 1 (message 2, key 'k') (archived)",
        "  heard it from alice on day 1: everyone perceives everything [archived]",
    ]
    await story.retract("k")
    assert "no more" in str(await story.backstage().explain(theirs.id))


async def test_who_knows_finds_what_was_derived_though_the_world_never_heard_of_it(begin: Begin) -> None:
    story = await begin(present=["alice", "bob"], detector="everyone", state={"game_day": 2})
    await story.say("alice", "Let us drink tea by the river.", key="k", audience=["bob"])
    await story.remember("alice", "The dragon sleeps at noon.", type="fact", key="fact")
    await story.tell("alice", "bob", "fact", day=3)
    ask = "Does the dragon sleep at noon?"
    assert str(await story.backstage().who_knows(ask)).splitlines() == [
        "alice: noted it on day 2",
        "bob: nothing found",
        "charlie: nothing found",
    ]
    await story.change(game_day=3)
    assert str((await story.backstage().who_knows(ask)).knowers["bob"]) == "bob: was told by alice on day 3"
    assert not (await story.backstage().who_knows("Who drinks tea by the river?")).knowers["charlie"].knows
    await story.retract("fact")
    assert not any(each.knows for each in (await story.backstage().who_knows(ask)).knowers.values())


# ── elsewhere ────────────────────────────────────────────────────────────────────────────────────────────────────────


async def full(story: Session) -> None:
    """Something of everything."""
    await story.say("alice", "The key is under the mat.", key="k")
    await story.say("alice", "Wine!", key="w")
    await story.remember("alice", "There is a key.", rests_on=["k"], key="note")
    await story.tell("alice", "bob", "note", key="t1")
    await story.tell("alice", "charlie", "k", day=5, key="t2")
    await story.settled()
    found = await story._engine.ledger.deliveries("s1", container="s1-alice", sources=["w", "note"])
    wine, note = sorted(found, key=lambda each: each.sequence)
    await story.archive(wine.memory_id, key="a1")
    await story.archive(note.memory_id, key="a2")
    await story.restore(note.memory_id, key="r")


async def test_branches_and_imports_carry_all_of_it(open_app: Any, memories: Memories) -> None:
    ew = await open_app()
    story = await ew.session("s1", cast=["alice", "bob", "charlie"], present=["alice"])
    await full(story)
    lines = [line async for line in story.backstage().export()]
    branch = await story.fork("b1")
    copy = await ew.import_session(lines, id="i1")
    assert (await ew.import_session(lines, id="i1")).id == "i1"
    for each in (branch, copy):
        for owner in ("alice", "bob", "charlie", "world"):
            theirs, ours = await memories(each, owner), await memories(story, owner)
            assert [m.content for m in theirs] == [m.content for m in ours], owner
            for memory in theirs:
                explained = await each.backstage().explain(memory.id)
                assert explained.alive
        note = await one(memories, each, "alice", "note")
        assert note.metadata["restsOn"] == [(await one(memories, each, "alice")).id]
        (entry,) = [e for e in await each.backstage().journal() if e.key == "a2"]
        assert entry.body.memories == (note.id,)  # type: ignore[union-attr]
        await each.change(game_day=5)
        assert len(await memories(each, "charlie")) == 1
        (wine,) = await each._engine.ledger.deliveries(each.id, container=f"{each.id}-alice", status="archived")
        await each.restore(wine.memory_id)
        assert len(await memories(each, "alice")) == 3
        await each.retract("k")
        assert [len(await memories(each, id)) for id in ("alice", "bob", "charlie")] == [1, 0, 0]
    assert [len(await memories(story, id)) for id in ("alice", "bob", "charlie")] == [2, 1, 0]


async def test_a_branch_that_ends_between_a_message_and_its_proposals_makes_them_itself(
    begin: Begin, memories: Memories
) -> None:
    story = await begin(plugins=[Notes("alice", "Noted.")], present=["alice"])
    await story.say("alice", "Tea!", key="k")
    await story.settled()
    branch = await story.fork("b1", at="k")
    await branch.settled()
    assert await derived(memories, branch, "alice") == ["Noted."]
    assert [each.key for each in await branch.backstage().journal()] == ["#begin", "k", "#derived-2-0"]


def test_what_was_recorded_with_its_content_under_an_earlier_name_is_read() -> None:
    found = Derivation.model_validate_json('{"text": "Noted.", "owner": "alice"}')
    assert found.content == "Noted."
    assert "text" not in found.model_dump()
