"""An export taken in again is the same story, memory by memory; what is not an export is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from earwitness.errors import InputError, StoryError
from earwitness.testing.reference import MemoryStore

from .branched_stories import (
    Begin,
    Counter,
    Directions,
    Memories,
    OpenApp,
    a_rich_story,
    exported,
    keys,
    shelves,
    three_messages,
)


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


async def test_memories_of_a_story_that_went_back_in_days_keep_their_order(
    begin: Begin, open_app: OpenApp, memories: Memories, teller: Callable[..., Any]
) -> None:
    story = await three_messages(begin)
    await story.change(game_day=4)
    await story.say("bob", "Later.", key="later", audience=["alice"])
    await story.change(game_day=-5)
    await story.say("bob", "Long before.", key="before", audience=["alice"])
    copy = await (await open_app()).import_session(await exported(story), id="copy")
    assert await keys(memories, story, "alice") == ["m1", "m2", "m3", "later", "before"]
    assert await keys(memories, copy, "alice") == ["m1", "m2", "m3", "later", "before"]


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
        (lambda lines: [*lines[:2], {"kind": "entry"}], "line 3: not an exported line: it has no 'entry'"),
        (lambda lines: [*lines, "a line"], "line 6: not an exported line"),
        (
            lambda lines: [*lines, {"kind": "data", "plugin": "p", "data": 7}],
            "line 6: not an exported line: 7 cannot be",
        ),
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
        (
            crafted("plan.state", {"game_day": "soon"}),
            r"line 4: not an exported line: game_day = 'soon' cannot be",
        ),
        (crafted("entry.body.kind", "sung"), r"its 'kind' is 'sung', not one of 'said', 'changed'"),
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
