"""Branches share the past and go their own way; an export taken in again is the same story, memory by memory."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Protocol

import pytest

from earwitness import (
    Character,
    Earwitness,
    Memory,
    MessageAnswer,
    MessageEvent,
    Moment,
    Plugin,
    RecallAnswer,
    RecallEvent,
    Session,
    Update,
)
from earwitness.background import Background
from earwitness.end.applier import Applier
from earwitness.errors import ContainerCollision, InputError, InvalidId, StorageFull, StoryError, UnknownName
from earwitness.events import Share, SharingEvent
from earwitness.live import Live
from earwitness.records.plan import Plan
from earwitness.testing.reference import MemoryLedger, MemoryStore

Begin = Callable[..., Awaitable[Session]]
OpenApp = Callable[..., Awaitable[Earwitness]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]
Shelves = dict[str, list[tuple[str, dict[str, Any]]]]


class Directions(Protocol):
    moments: list[Moment]


class Gossip:
    """Whatever Bob hears, Charlie hears from him on day 5."""

    def share(self, event: SharingEvent) -> Iterable[Share]:
        if "bob" in event.message.participants:
            yield Share(character="charlie", shared_from="bob", rule="gossip", due=5)


class Counter(Plugin):
    """Counts the messages, and tells the world."""

    def on_message(self, event: MessageEvent) -> MessageAnswer:
        event.data["count"] = count = int(str(event.data.get("count", 0))) + 1
        return MessageAnswer(updates=(Update(description=f"Message {count} was said"),))


async def keys(memories: Memories, story: Session, owner: str) -> list[str]:
    return [key for memory in await memories(story, owner) for key in memory.message_keys]


async def shelves(memories: Memories, story: Session) -> Shelves:
    """Everything every container holds, in order, but for what a name of the session goes into."""
    owners = (*story.cast.ids, "world")
    return {owner: [(memory.content, memory.metadata) for memory in await memories(story, owner)] for owner in owners}


async def a_rich_story(begin: Begin, teller: Callable[..., Any], **given: Any) -> Session:
    """Somebody joins, somebody is forgotten; edits, rerolls, retractions, news, gossip yet to come."""
    story = await begin(
        cast=["alice", Character("bob", aliases=["Robert"]), "charlie"],
        state={"current_scene": "tavern"},
        present=["alice", "bob"],
        world_agent=teller(),
        sharing_rules=[Gossip()],
        plugins=[Counter()],
        **given,
    )
    await story.prepare(plot="A sword is lost.", lore=[{"text": "Dragons fear iron.", "key": "dragons"}])
    await story.update("A bell rang", key="u1", audience=["alice", "bob"])
    await story.say("alice", "The sword is blue.", key="m1", audience=["bob"])
    await story.say("bob", "Is it?", key="m2", audience=["alice"])
    await story.edit("m1", "The sword is red.")
    await story.join("dana", "eve")
    await story.say("dana", "What sword?", key="m3", audience=["alice", "eve"])
    await story.change(game_day=2, current_scene="cave", description="They went to the cave")
    await story.say("alice", "Nothing.", key="m4", audience=["dana"])
    await story.reroll("The Sacred Sword.")
    await story.say("eve", "Aha.", key="m5", audience=["dana"])
    await story.retract("m2")
    await story.prepare(lore=[{"text": "Dragons fear silver.", "key": "dragons"}])
    await story.forget("eve")
    await story.say("bob", "Who else knows?", key="m6", audience=["alice"])
    await story.settled()
    return story


# ── branches ────────────────────────────────────────────────────────────────────────────────────────────────────────


async def three_messages(begin: Begin, **given: Any) -> Session:
    story = await begin(**given)
    for n in (1, 2, 3):
        await story.say("alice", f"Word {n}.", key=f"m{n}", audience=["bob"])
    return story


@pytest.mark.parametrize(
    ("at", "shared"), [("m1", ["m1"]), (3, ["m1", "m2"]), ("#begin", []), (None, ["m1", "m2", "m3"])]
)
async def test_a_branch_shares_the_past_up_to_a_key_a_sequence_number_or_now(
    begin: Begin, memories: Memories, at: str | int | None, shared: list[str]
) -> None:
    story = await three_messages(begin)
    branch = await story.fork("s2", at=at)
    for owner in ("alice", "bob", "world"):
        assert await keys(memories, branch, owner) == shared
    assert branch.cast == story.cast


async def test_a_branch_goes_its_own_way(begin: Begin, memories: Memories) -> None:
    story = await three_messages(begin)
    branch = await story.fork("s2", at="m2")
    await branch.say("bob", "Otherwise.", key="m3", audience=["charlie"])
    await branch.change(game_day=9)
    await branch.retract("m1")
    await branch.settled()
    assert await keys(memories, branch, "bob") == ["m2", "m3"]
    assert await keys(memories, branch, "charlie") == ["m3"]
    assert await keys(memories, story, "bob") == ["m1", "m2", "m3"]
    assert await keys(memories, story, "charlie") == []
    assert (story.state.game_day, branch.state.game_day) == (1, 9)


async def test_what_happens_to_the_trunk_later_does_not_reach_the_branch(begin: Begin, memories: Memories) -> None:
    story = await three_messages(begin)
    branch = await story.fork("s2")
    await story.edit("m1", "Another word.")
    await story.retract("m2")
    await story.say("alice", "More.", key="m4", audience=["bob"])
    assert await keys(memories, branch, "bob") == ["m1", "m2", "m3"]
    assert (await memories(branch, "bob"))[0].content.endswith("Word 1. GameDay: 1")


async def test_a_branch_takes_the_state_and_the_texts_as_they_were_at_that_point(
    begin: Begin, memories: Memories
) -> None:
    story = await begin(state={"current_scene": "tavern"}, present=["alice", "bob"])
    await story.say("alice", "Blue.", key="m1", audience=["bob"])
    edited = await story.edit("m1", "Red.")
    await story.change(current_scene="cave", game_day=4)
    before, after = await story.fork("before", at="m1"), await story.fork("after", at=edited.sequence)
    assert (await memories(before, "bob"))[0].content.endswith("Message: Alice: Blue. GameDay: 1")
    assert (await memories(after, "bob"))[0].content.endswith("Message: Alice: Red. GameDay: 1")
    assert (after.state.current_scene, after.state.game_day, after.state.here) == ("tavern", 1, ("alice", "bob"))


async def test_forking_asks_nobody(begin: Begin, directions: Directions) -> None:
    story = await three_messages(begin, detector=directions)
    await story.settled()
    asked = len(directions.moments)
    await (await story.fork("s2", at="m2")).settled()
    assert len(directions.moments) == asked


async def test_a_rich_past_is_the_same_in_the_branch(
    begin: Begin, memories: Memories, teller: Callable[..., Any]
) -> None:
    store = MemoryStore()
    story = await a_rich_story(begin, teller, store=store)
    branch = await story.fork("s2")
    assert await shelves(memories, branch) == await shelves(memories, story)
    assert branch.state == story.state
    assert await store.count("s2-eve") == 0
    overview = await branch.backstage().overview()
    assert (overview.parent, overview.decided) == ("s1", (await story.backstage().overview()).decided)


async def test_what_is_due_later_arrives_in_the_branch_too(
    begin: Begin, memories: Memories, teller: Callable[..., Any]
) -> None:
    story = await a_rich_story(begin, teller)
    branch = await story.fork("s2")
    assert await keys(memories, branch, "charlie") == []
    await branch.change(game_day=5)
    assert await keys(memories, branch, "charlie") == ["m1", "m6"]
    assert await keys(memories, story, "charlie") == []


async def test_a_day_that_came_and_went_brings_nothing_planned_since(begin: Begin, memories: Memories) -> None:
    """The plans of a branch are applied together: what is due on day 5 waits, though day 9 was before it."""
    story = await begin(sharing_rules=[Gossip()])
    await story.change(game_day=9)
    await story.change(game_day=1)
    await story.say("alice", "A secret.", key="m1", audience=["bob"])
    branch = await story.fork("s2")
    assert await keys(memories, branch, "charlie") == await keys(memories, story, "charlie") == []
    await branch.change(game_day=5)
    assert await keys(memories, branch, "charlie") == ["m1"]


async def test_what_rests_on_something_rests_on_it_in_the_branch(
    begin: Begin, memories: Memories, teller: Callable[..., Any]
) -> None:
    story = await a_rich_story(begin, teller)
    branch = await story.fork("s2")
    await branch.retract("u1")
    assert "A bell rang" not in "".join(memory.content for memory in await memories(branch, "alice"))
    assert "A bell rang" in "".join(memory.content for memory in await memories(story, "alice"))


async def test_a_branch_tells_no_news_twice(begin: Begin, memories: Memories, teller: Callable[..., Any]) -> None:
    story = await a_rich_story(begin, teller)
    branch = await story.fork("s2")
    await branch.say("alice", "Well.", key="m9", audience=["bob", "dana"])
    every = "\n".join(memory.content for memory in await memories(branch, "alice"))
    assert every.count("A bell rang") == 1
    assert every.count("They went to the cave") == 1


async def test_each_branch_counts_on_from_the_same_plugin_data(begin: Begin) -> None:
    ledger = MemoryLedger()
    story = await three_messages(begin, plugins=[Counter()], ledger=ledger)
    branch = await story.fork("s2", at="m2")
    await branch.say("alice", "Otherwise.")
    await branch.settled()
    assert (await ledger.data("s1", "counter"), await ledger.data("s2", "counter")) == ({"count": 3}, {"count": 3})


async def test_the_same_key_may_stand_for_another_text_in_another_branch(begin: Begin) -> None:
    story = await three_messages(begin)
    branch = await story.fork("s2", at="m2")
    assert (await branch.say("bob", "Otherwise.", key="m3")).created
    assert not (await branch.say("alice", "Word 1.", key="m1")).created


async def test_a_branch_may_be_forked_in_turn(begin: Begin, memories: Memories) -> None:
    story = await three_messages(begin)
    branch = await story.fork("s2", at="m2")
    await branch.say("bob", "Otherwise.", key="b3", audience=["alice"])
    twig = await branch.fork("s3", at="b3")
    assert await keys(memories, twig, "alice") == ["m1", "m2", "b3"]


async def test_forking_to_the_same_id_at_the_same_point_returns_that_branch(begin: Begin, memories: Memories) -> None:
    story = await three_messages(begin)
    branch = await story.fork("s2", at="m2")
    await branch.say("bob", "Otherwise.", key="b3")
    await story.say("alice", "More.", key="m4")
    again = await story.fork("s2", at="m2")
    assert again is branch
    assert await keys(memories, again, "bob") == ["m1", "m2", "b3"]


async def test_forking_to_the_same_id_without_a_point_returns_that_branch_too(begin: Begin) -> None:
    story = await three_messages(begin)
    branch = await story.fork("s2")
    await story.say("alice", "More.", key="m4")
    assert await story.fork("s2") is branch


async def test_a_branch_cannot_take_the_id_of_another_story_or_point(open_app: OpenApp, memories: Memories) -> None:
    ew = await open_app()
    story, other = await ew.session("s1", cast=["alice"]), await ew.session("other", cast=["zoe"])
    await story.say("alice", "Hello.", key="m1")
    await story.fork("s2", at="m1")
    for id, at in (("other", None), ("s2", "#begin")):
        with pytest.raises(ContainerCollision, match=f"session '{id}' exists and is not the branch of 's1'"):
            await story.fork(id, at=at)
    with pytest.raises(ContainerCollision, match="a branch needs an id of its own: 's1' is the session"):
        await story.fork("s1")
    assert other.cast.ids == ("zoe",)
    assert await keys(memories, story, "alice") == ["m1"]


async def test_a_branch_whose_containers_would_be_another_s_is_refused_and_nothing_is_begun(open_app: OpenApp) -> None:
    ew = await open_app()
    story = await ew.session("s1", cast=["x-alice"])
    await ew.session("s2-x", cast=["alice"])
    with pytest.raises(ContainerCollision, match="'s2-x-alice'"):
        await story.fork("s2")
    assert await ew.sessions() == ("s1", "s2-x")


@pytest.mark.parametrize("at", ["m9", 99, 0])
async def test_a_branch_needs_a_point_there_is(begin: Begin, at: str | int) -> None:
    story = await three_messages(begin)
    with pytest.raises(UnknownName, match=f"session 's1' has no entry {at!r}"):
        await story.fork("s2", at=at)


async def test_a_branch_needs_an_id_that_is_none_of_ours(begin: Begin) -> None:
    story = await begin()
    with pytest.raises(InvalidId, match="'pantheon-1' starts with 'pantheon-'"):
        await story.fork("pantheon-1")


async def forgotten_and_back(begin: Begin, **given: Any) -> Session:
    """Charlie is forgotten and joins again; he hears something before and after."""
    story = await begin(**given)
    await story.prepare(lore=[{"text": "Dragons fear iron.", "key": "dragons"}])
    await story.say("alice", "Before.", key="m1", audience=["charlie"])
    await story.forget("charlie")
    await story.join("charlie")
    await story.say("alice", "After.", key="m2", audience=["charlie"])
    await story.settled()
    return story


async def test_who_was_forgotten_and_joined_again_keeps_in_a_branch_what_was_heard_since(
    begin: Begin, memories: Memories
) -> None:
    story = await forgotten_and_back(begin)
    branch = await story.fork("s2")
    assert await keys(memories, story, "charlie") == ["m2"]
    assert await shelves(memories, branch) == await shelves(memories, story)
    await branch.say("alice", "Later.", key="m3", audience=["charlie"])
    assert await keys(memories, branch, "charlie") == ["m2", "m3"]


async def test_who_was_forgotten_and_joined_again_keeps_in_an_import_what_was_heard_since(
    begin: Begin, open_app: OpenApp, memories: Memories
) -> None:
    story = await forgotten_and_back(begin)
    copy = await (await open_app()).import_session(await exported(story))
    assert await shelves(memories, copy) == await shelves(memories, story)


async def apply_late(app: Earwitness, plan: Plan) -> None:
    """Apply a plan once more, as a process does that has decided it and was held up since."""
    background = Background()
    async with background:
        applier = Applier(app.engine, await Live.load(app.engine, plan.session), background)
        applier.take(plan)
        await applier.delivered()


async def test_forgetting_that_another_process_is_late_with_takes_nothing_heard_since(
    open_app: OpenApp, memories: Memories
) -> None:
    app = await open_app()
    story = await forgotten_and_back(app.session, id="s1", cast=["alice", "bob", "charlie"])
    before = await shelves(memories, story)
    (late,) = [plan for plan in await app.engine.ledger.plans("s1") if plan.forgotten]
    other = await open_app(ledger=app.engine.ledger, store=app.engine.store)
    await apply_late(other, late)
    assert await shelves(memories, story) == before
    assert "charlie" in {held.owner for held in await app.engine.ledger.containers("s1")}


async def test_a_branch_holds_the_container_of_who_joined_again_and_not_of_who_stayed_forgotten(
    open_app: OpenApp,
) -> None:
    ledger = MemoryLedger()
    story = await (await open_app(ledger=ledger)).session("s1", cast=["alice", "bob", "charlie"])
    for name in ("bob", "charlie"):
        await story.forget(name)
    await story.join("charlie")
    await (await story.fork("s2")).settled()
    for session in ("s1", "s2"):
        assert {held.owner for held in await ledger.containers(session)} == {"world", "alice", "charlie"}


# ── export and import ───────────────────────────────────────────────────────────────────────────────────────────────


async def exported(story: Session) -> list[dict[str, Any]]:
    """The export as it comes back from a file."""
    return [json.loads(json.dumps(line)) async for line in story.backstage().export()]


@pytest.mark.parametrize("id", ["s1", "another"])
async def test_an_export_taken_in_is_the_same_story_memory_by_memory(
    begin: Begin, open_app: OpenApp, memories: Memories, teller: Callable[..., Any], id: str
) -> None:
    story = await a_rich_story(begin, teller)
    copy = await (await open_app(plugins=[Counter()])).import_session(await exported(story), id=id)
    assert copy.id == id
    assert await shelves(memories, copy) == await shelves(memories, story)
    assert (copy.cast, copy.state) == (story.cast, story.state)
    for owner in story.cast.ids:
        theirs = [memory.id for memory in await memories(copy, owner)]
        ours = [memory.id for memory in await memories(story, owner)]
        assert (theirs == ours) is (id == "s1" or not ours)


async def test_an_export_cut_short_of_what_plugins_keep_is_refused(begin: Begin, open_app: OpenApp) -> None:
    lines = await exported(await three_messages(begin, plugins=[Counter()]))
    assert lines[-1] == {"kind": "data", "plugin": "counter", "data": {"count": 3}}
    with pytest.raises(StoryError, match="the export is incomplete"):
        await (await open_app(plugins=[Counter()])).import_session(lines[:-1])


async def test_an_import_goes_on_where_the_export_ended(
    begin: Begin, open_app: OpenApp, memories: Memories, teller: Callable[..., Any]
) -> None:
    story = await a_rich_story(begin, teller)
    ew = await open_app(plugins=[Counter()], world_agent=teller())
    copy = await ew.import_session(await exported(story), id="copy")
    assert not (await copy.say("alice", "The sword is red.", key="m1")).created
    settled = await (await copy.say("alice", "And so on.", audience=["bob"])).settled()
    assert [update.body for update in settled.updates] == ["Message 9 was said. GameDay: 2"]
    await copy.change(game_day=5)
    assert await keys(memories, copy, "charlie") == ["m1", "m6"]


async def test_an_import_can_explain_and_take_back_what_it_holds(
    begin: Begin, open_app: OpenApp, memories: Memories, teller: Callable[..., Any]
) -> None:
    copy = await (await open_app()).import_session(await exported(await a_rich_story(begin, teller)), id="copy")
    await copy.change(game_day=5)
    charlies = next(memory for memory in await memories(copy, "charlie") if memory.message_keys)
    explanation = await copy.backstage().explain(charlies.id)
    (hop,) = explanation.supports
    assert (hop.shared_from, hop.rule) == ("bob", "gossip")
    await copy.retract("m1")
    await copy.retract("u1")
    assert "sword is red" not in json.dumps(await shelves(memories, copy))
    assert "A bell rang" not in json.dumps(await shelves(memories, copy))


async def test_an_import_asks_nobody(begin: Begin, open_app: OpenApp, directions: Directions) -> None:
    lines = await exported(await three_messages(begin))
    await (await (await open_app(detector=directions)).import_session(lines)).settled()
    assert directions.moments == []


async def test_what_was_exported_from_a_copy_is_the_same_export(begin: Begin, open_app: OpenApp) -> None:
    lines = await exported(await three_messages(begin))
    copy = await (await open_app()).import_session(lines)
    assert await exported(copy) == lines


async def test_importing_what_is_there_changes_nothing_however_far_it_has_gone_on(
    begin: Begin, open_app: OpenApp, memories: Memories
) -> None:
    lines = await exported(await three_messages(begin))
    ew = await open_app()
    copy = await ew.import_session(lines)
    assert await exported(await ew.import_session(lines)) == lines
    await copy.say("alice", "And then?", key="m4", audience=["bob"])
    again = await ew.import_session(lines)
    assert await keys(memories, again, "bob") == ["m1", "m2", "m3", "m4"]


async def test_an_import_does_not_write_over_another_story(open_app: OpenApp, memories: Memories) -> None:
    ew = await open_app()
    story = await ew.session("s1", cast=["alice"])
    await story.say("alice", "Hello.", key="m1")
    lines = await exported(story)
    await ew.forget("s1")
    story = await ew.session("s1", cast=["alice"])
    await story.say("alice", "Good evening.", key="m2")
    with pytest.raises(
        InputError, match=r"session 's1' already exists and is a different story. Import .* \(`--as ID`"
    ):
        await ew.import_session(lines)
    assert await keys(memories, story, "alice") == ["m2"]


async def test_an_import_does_not_write_over_the_same_story_decided_otherwise(open_app: OpenApp) -> None:
    ew = await open_app()
    story = await ew.session("s1", cast=["alice", "bob"], present=["alice", "bob"])
    await story.say("alice", "Hello.", key="m1", audience=["bob"])
    lines = await exported(story)
    plan = lines[-1]["plan"]
    plan["deliveries"] = [each for each in plan["deliveries"] if each["owner"] != "bob"]
    with pytest.raises(InputError, match="a different story"):
        await ew.import_session(lines)


def without(lines: list[dict[str, Any]], number: int) -> list[dict[str, Any]]:
    return lines[:number] + lines[number + 1 :]


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda lines: [], "line 1: not an Earwitness export"),
        (lambda lines: lines[1:], "line 1: not an Earwitness export"),
        (lambda lines: [{**lines[0], "version": 99}, *lines[1:]], "line 1: .*version 99 .*Update"),
        (
            lambda lines: without(lines, 2),
            "the export is incomplete: its first line announces 4 lines, but 3 follow",
        ),
        (lambda lines: lines[:-1], "the export is incomplete: its first line announces 4 lines, but 3 follow"),
        (lambda lines: lines[:1], "the export is incomplete: its first line announces 4 lines, but 0 follow"),
        (lambda lines: [*lines, lines[-1]], "the export is incomplete: .* 4 lines, but 5 follow"),
        (lambda lines: [{**lines[0], "lines": 3}, *without(lines[1:], 1)], "the export is incomplete: its entries"),
        (
            lambda lines: [{**lines[0], "version": 2}, *lines[1:]],
            "line 1: version 2 of the export is not one of .* 3 to",
        ),
        (lambda lines: [*lines, {"kind": "poem"}], "line 6: kind 'poem' is not one of session, entry, data"),
        (lambda lines: [*lines[:2], {**lines[2], "plan": None}], "line 3: not an exported line"),
        (lambda lines: [*lines[:2], {"kind": "entry"}], "line 3: not an exported line"),
        (lambda lines: [*lines, "a line"], "line 6: not an exported line"),
        (lambda lines: [*lines, {"kind": "data", "plugin": "p", "data": 7}], "line 6: not an exported line"),
    ],
)
async def test_what_is_no_export_is_refused_by_line_and_nothing_is_begun(
    begin: Begin, open_app: OpenApp, harm: Callable[[list[dict[str, Any]]], list[Any]], said: str
) -> None:
    lines = await exported(await three_messages(begin))
    ew = await open_app()
    with pytest.raises(StoryError, match=said):
        await ew.import_session(harm(lines))
    assert await ew.sessions() == ()


def crafted(path: str, value: Any) -> Callable[[list[dict[str, Any]]], None]:
    """Put a value into the third entry's line (the message m2), at a path like `plan.deliveries.0.owner`."""

    def craft(lines: list[dict[str, Any]]) -> None:
        *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        place: Any = lines[3]
        for step in way:
            place = place[step]
        place[last] = value

    return craft


@pytest.mark.parametrize(
    ("craft", "said"),
    [
        (crafted("plan.deliveries.0.owner", "x-bob"), "'x-bob' was never in the cast"),
        (crafted("plan.forgotten", ["x-bob"]), "'x-bob' was never in the cast"),
        (crafted("plan.forgotten", ["world"]), "'world' was never in the cast"),
        (crafted("plan.session", "s1-x"), "not all of key 'm2' and session 's1'"),
        (crafted("plan.sequence", 2), "not all of key 'm2' and session 's1'"),
        (crafted("plan.key", "m1"), "not all of key 'm2' and session 's1'"),
        (crafted("plan.deliveries.0.sequence", 99), "not all of key 'm2' and session 's1'"),
        (crafted("plan.deliveries.0.session", "s1-x"), "not all of key 'm2' and session 's1'"),
        (crafted("entry.session", "s1-x"), "not all of key 'm2' and session 's1'"),
        (crafted("entry.key", "m1"), "its key 'm1' is an earlier entry's"),
        (crafted("entry.key", "#7"), "its key '#7' is not '#3'"),
        (crafted("plan.state", {"game_day": "soon"}), "line 4: not an exported line"),
    ],
)
async def test_an_export_that_no_story_can_have_made_is_refused_before_anything_is_written(
    begin: Begin, open_app: OpenApp, craft: Callable[[list[dict[str, Any]]], None], said: str
) -> None:
    lines = await exported(await three_messages(begin))
    craft(lines)
    store = MemoryStore()
    ew = await open_app(store=store)
    await (await ew.session("s1-x", cast=["bob"])).settled()
    with pytest.raises(StoryError, match=said):
        await ew.import_session(lines)
    assert await ew.sessions() == ("s1-x",)
    assert await store.count("s1-x-bob") == 0


class CutShort(MemoryLedger):
    """Has room for so many more plans."""

    left = 99

    async def record(self, *given: Any) -> Any:
        self.left -= 1
        if self.left < 0:
            raise StorageFull("no room")
        return await super().record(*given)


@pytest.mark.parametrize("left", [0, 2, 3])
async def test_an_import_cut_short_is_not_opened_and_is_taken_up_again(
    begin: Begin, open_app: OpenApp, left: int
) -> None:
    lines = await exported(await three_messages(begin))
    ledger = CutShort()
    app = await open_app(ledger=ledger)
    ledger.left = left
    with pytest.raises(StorageFull):
        await app.import_session(lines)
    ledger.left = 99
    for opening in (app.session("s1", cast=["alice"]), app.open_session("s1")):
        with pytest.raises(InputError, match=r"'s1' is incomplete: its import was interrupted\. Import it again"):
            await opening
    assert await exported(await app.import_session(lines)) == lines


@pytest.mark.parametrize("left", [0, 2, 3])
async def test_a_branch_cut_short_is_not_opened_and_is_taken_up_again(
    open_app: OpenApp, memories: Memories, left: int
) -> None:
    ledger = CutShort()
    app = await open_app(ledger=ledger, plugins=[Counter()])
    story = await three_messages(app.session, id="s1", cast=["alice", "bob"])
    await story.settled()
    ledger.left = left
    with pytest.raises(StorageFull):
        await story.fork("s2")
    ledger.left = 99
    with pytest.raises(InputError, match=r"'s2' is incomplete: forking it from 's1' at 4 .* Fork 's1' to 's2' at 4"):
        await app.session("s2", cast=["alice"])
    with pytest.raises(InputError, match="'s2' already exists"):
        await app.import_session(await exported(story), id="s2")
    await story.say("alice", "Later.", key="m4", audience=["bob"])
    branch = await story.fork("s2")
    assert await keys(memories, branch, "bob") == ["m1", "m2", "m3"]
    assert (await ledger.data("s2", "counter")) == {"count": 3}


async def test_a_branch_takes_along_what_recalls_have_kept(begin: Begin) -> None:
    class Counts(Plugin):
        def on_recall(self, event: RecallEvent) -> RecallAnswer:
            event.data["n"] = int(str(event.data.get("n", 0))) + 1
            return RecallAnswer(notes=(f"recall {event.data['n']}",))

    s1 = await begin(plugins=[Counts()])
    await s1.turn("alice")
    assert (await (await s1.fork("s2")).turn("alice")).notes == ("recall 2",)


async def test_whoever_watches_a_branch_or_an_import_being_written_sees_every_entry(
    begin: Begin, open_app: OpenApp
) -> None:
    story = await begin()
    for number in range(100):
        await story.say("alice", f"Step {number}.")
    written: list[int] = []
    branch = await story.fork("s2", seen=written.append)
    assert (sum(written), branch.state.message_count) == (101, 100)
    written.clear()
    await (await open_app()).import_session(await exported(story), seen=written.append)
    assert sum(written) == 101
