"""An edit or reroll delivers nothing that was struck on its day, and takes nothing from those whom it had reached."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness
from earwitness.end import decider
from earwitness.story_export import StoryExport

Opener = Callable[..., Awaitable[Earwitness]]
OLD, NEW = "The old words.", "The old words!"
CAST = ("ann", "ben", "dan", "eve")
MEMBERS = "town: {rules: {propagate_all: true, delay: 1}, members: [ann, ben, dan]}"
COUPLE = """
town:
  members: [ann, ben, dan]
  relationships:
    - {from: ben, to: dan, type: couple, rules: [share_direct_interactions, {delay: 1}]}
"""
CURFEW = MEMBERS.replace("delay: 1", "delay: 1, conditions: {flags: {curfew: false}}")
HOPS = """
town: {rules: {propagate_all: true, delay: 1, max_hops: 1}, members: [ben, dan]}
inn: {rules: {gossip_about_others: true, delay: 1, max_hops: 9}, members: [dan, eve]}
"""
RULES = {"couple": COUPLE, "flag": CURFEW}


async def heard(story: Any, who: str = "dan") -> list[str]:
    """What somebody recalls of it, as a copy or in a hub."""
    await story.delivered()
    turn = await story.turn(who, query="words", in_prompt=[])
    return [each.memory.text for each in turn.memories if "words" in each.memory.text]


async def gone(story: Any, how: str) -> str:
    """Dan can no longer be told. The key of the change."""
    match how:
        case "member":
            await story.relationships.pantheons.remove_member("town", "dan", key="gone")
        case "ended":
            await story.relationships.pantheons.end_member("town", "dan", until=1, key="gone")
        case "pantheon":
            await story.relationships.pantheons.remove("town", key="gone")
        case "couple":
            await story.relationships.end("ben", "dan", "couple", until=1, key="gone")
        case "flag":
            await story.change(flags={"curfew": True}, key="gone")
    return "gone"


async def begun(village: Any, how: str, hubs: bool = False) -> Any:
    rules = RULES.get(how, MEMBERS)
    story = await village(rules.replace("delay: 1", "delay: 1, hub_from: 1") if hubs else rules, *CAST)
    await story.change(flags={"curfew": False})
    await story.say("ben", OLD, key="k0", audience=[])
    await story.delivered()
    return story


@pytest.mark.parametrize("revise", ["edit", "reroll"])
@pytest.mark.parametrize("how", ["member", "ended", "pantheon", "couple", "flag"])
async def test_what_was_struck_on_its_day_stays_so(village: Any, how: str, revise: str) -> None:
    story = await begun(village, how)
    await gone(story, how)
    await story.change(game_day=2)
    assert await heard(story) == []
    await story.change(game_day=9)
    await story.edit("k0", NEW) if revise == "edit" else await story.reroll(NEW)
    assert await heard(story) == []
    branch = await story.fork("branch")
    await branch.edit("k0", OLD)
    assert await heard(branch) == []


@pytest.mark.parametrize("hubs", [False, True], ids=["copies", "hubs"])
@pytest.mark.parametrize("how", ["member", "pantheon", "flag"])
async def test_also_if_the_reason_is_gone_since(village: Any, how: str, hubs: bool) -> None:
    story = await begun(village, how, hubs)
    key = await gone(story, how)
    await story.change(game_day=2)
    if how == "flag":
        await story.change(flags={"curfew": False})
    else:
        await story.retract(key)
    await story.change(game_day=9)
    await story.edit("k0", NEW)
    assert await heard(story) == []
    await story.edit("k0", OLD)
    assert await heard(story) == []


@pytest.mark.parametrize("hubs", [False, True], ids=["copies", "hubs"])
@pytest.mark.parametrize("how", ["member", "pantheon", "flag", "couple"])
async def test_what_had_arrived_is_kept_in_the_new_words(village: Any, how: str, hubs: bool) -> None:
    story = await begun(village, how, hubs)
    await story.change(game_day=2)
    (words,) = await heard(story)
    assert OLD in words
    await gone(story, how)
    await story.change(game_day=9)
    await story.edit("k0", NEW)
    (words,) = await heard(story)
    assert NEW in words


@pytest.mark.parametrize("hubs", [False, True], ids=["copies", "hubs"])
async def test_nothing_hops_on_from_what_was_struck(village: Any, hubs: bool) -> None:
    story = await village(HOPS.replace("delay: 1", "delay: 1, hub_from: 1") if hubs else HOPS, *CAST)
    await story.say("ben", OLD, key="k0", audience=[])
    await story.relationships.pantheons.remove_member("town", "dan")
    await story.change(game_day=2)
    await story.change(game_day=3)
    await story.relationships.pantheons.add_member("town", "dan")
    await story.edit("k0", NEW)
    assert [await heard(story, who) for who in ("dan", "eve")] == [[], []]


async def test_a_newcomer_is_told_nothing_of_days_before_by_an_edit(village: Any) -> None:
    story = await village(MEMBERS.replace("dan]", "dan, gus]"), *CAST)
    await story.say("ben", OLD, key="k0", audience=[])
    await story.change(game_day=2)
    await story.join("gus")
    await story.change(game_day=3)
    await story.edit("k0", NEW)
    assert [len(await heard(story, who)) for who in ("dan", "gus")] == [1, 0]


async def test_who_was_taken_out_in_all_stories_and_came_back_is_told_nothing_late(
    open_app: Opener, tmp_path: Path
) -> None:
    ew = await opened(open_app, tmp_path)
    story = await ew.session("s1", cast=[*CAST])
    outcome = await story.say("ben", OLD, key="k0", audience=[])
    await outcome.decided()
    await ew.relationships.pantheons.remove_member("town", "dan")
    await story.change(game_day=2)
    await story.delivered()
    await ew.relationships.pantheons.add_member("town", "dan")
    await story.edit("k0", NEW)
    assert [len(await heard(story, who)) for who in ("ann", "dan")] == [1, 0]


async def test_also_by_another_process_after_a_restart_and_in_an_imported_story(
    open_app: Opener, tmp_path: Path
) -> None:
    path, plain = str(tmp_path / "story.db"), {"store": "sqlite", "ledger": "sqlite"}
    one = await opened(open_app, tmp_path, path=path, **plain)
    story = await one.session("s1", cast=[*CAST])
    await story.say("ben", OLD, key="k0", audience=[])
    other = await opened(open_app, tmp_path, path=path, **plain)
    there = await other.session("s1")
    await there.relationships.pantheons.remove_member("town", "dan")
    await story.change(game_day=2)
    await there.edit("k0", NEW)
    assert [len(await heard(story, who)) for who in ("ann", "dan")] == [1, 0]
    await there.relationships.pantheons.add_member("town", "dan")
    await one.close()
    await other.close()
    again = await opened(open_app, tmp_path, path=path, **plain)
    story = await again.session("s1")
    await story.edit("k0", OLD)
    assert [len(await heard(story, who)) for who in ("ann", "dan")] == [1, 0]
    export = StoryExport.read([line async for line in story.backstage().export()])
    imported = await again.import_session(export, id="s2")
    await imported.edit("k0", NEW)
    assert [len(await heard(imported, who)) for who in ("ann", "dan")] == [1, 0]


@pytest.mark.parametrize("hubs", [False, True], ids=["copies", "hubs"])
async def test_who_was_out_in_all_stories_when_it_was_decided_is_told_nothing_by_an_edit(
    open_app: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hubs: bool
) -> None:
    ew = await opened(open_app, tmp_path, hubs=hubs)
    story = await ew.session("s1", cast=[*CAST])
    await story.settled()
    go_on, decide = asyncio.Event(), decider.decide

    async def gated(*given: Any) -> Any:
        await go_on.wait()
        return await decide(*given)

    monkeypatch.setattr(decider, "decide", gated)
    await story.say("ben", OLD, key="k0", audience=[])
    await ew.relationships.pantheons.remove_member("town", "dan")
    go_on.set()
    await story.change(game_day=2)
    assert [len(await heard(story, who)) for who in ("ann", "dan")] == [1, 0]
    await ew.relationships.pantheons.add_member("town", "dan")
    await story.change(game_day=9)
    await story.edit("k0", NEW)
    assert [len(await heard(story, who)) for who in ("ann", "dan")] == [1, 0]


@pytest.mark.parametrize("hubs", [False, True], ids=["copies", "hubs"])
@pytest.mark.parametrize("delay", [0, 1])
async def test_who_is_taken_out_in_all_stories_keeps_what_had_arrived_in_the_new_words(
    open_app: Opener, tmp_path: Path, delay: int, hubs: bool
) -> None:
    ew = await opened(open_app, tmp_path, hubs=hubs, delay=delay)
    story = await ew.session("s1", cast=[*CAST])
    await story.say("ben", OLD, key="k0", audience=[])
    await story.delivered()
    await story.change(game_day=2)
    assert len(await heard(story)) == 1
    await ew.relationships.pantheons.remove_member("town", "dan")
    await story.say("ben", "Further words?", key="k1", audience=[])
    await story.change(game_day=9)
    await story.edit("k0", NEW)
    (words,) = await heard(story)
    assert NEW in words


def opened(
    open_app: Opener, folder: Path, *, hubs: bool = False, delay: int = 1, **given: Any
) -> Awaitable[Earwitness]:
    rules = f"delay: {delay}, hub_from: 1" if hubs else f"delay: {delay}"
    (folder / "rules.yaml").write_text(MEMBERS.replace("delay: 1", rules))
    graph = {"name": "networkx", "path": str(folder / "graph.db")}
    return open_app(relationships={"rules": str(folder / "rules.yaml"), "graph": graph}, **given)
