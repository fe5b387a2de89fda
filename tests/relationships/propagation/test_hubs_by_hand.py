"""What a host does by hand with a message comes out alike with a hub and with copies."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from earwitness import Character, Earwitness, Session
from earwitness.errors import InputError

Opener = Callable[..., Awaitable[Earwitness]]
CAST = ["ann", "ben", "cyd", "eve"]
WORDS = "The vulture is here."
COPIES, HUB = 99, 3


async def begin(open_app: Opener, folder: Path, hub_from: int, delay: int = 0) -> Session:
    file = folder / f"{hub_from}.yaml"
    rules = f"{{propagate_all: true, hub_from: {hub_from}, delay: {delay}}}"
    file.write_text(f"g:\n  members: [ann, ben, cyd]\n  rules: {rules}\n")
    graph = {"name": "networkx", "path": str(folder / f"{hub_from}.db")}
    ew = await open_app(relationships={"rules": str(file), "graph": graph})
    story = await ew.session("s", cast=[Character(each) for each in CAST], present=["ann"])
    await story.say("ann", WORDS, key="k")
    await story.delivered()
    return story


async def read(story: Session) -> dict[str, list[str]]:
    """Character → the lines about it in their prompt."""
    await story.delivered()
    turns = {each: await story.turn(each, query="vulture eagle", in_prompt=[]) for each in CAST}
    return {
        who: re.findall(r"^\d+\. (.*)$", turn.fill("###SUPERMEMORY###"), re.MULTILINE) for who, turn in turns.items()
    }


@pytest.mark.parametrize("hub_from", [COPIES, HUB])
async def test_archiving_a_message_takes_it_from_those_who_read_it_in_a_hub_too(
    open_app: Opener, tmp_path: Path, hub_from: int
) -> None:
    story = await begin(open_app, tmp_path, hub_from)
    before = await read(story)
    assert before["cyd"]
    await story.archive("k")
    assert await read(story) == {each: [] for each in CAST}
    await story.edit("k", "The eagle is here.")
    assert await read(story) == {each: [] for each in CAST}
    await story.restore("k")
    after = await read(story)
    assert after == {who: [line.replace("vulture", "eagle") for line in lines] for who, lines in before.items()}


@pytest.mark.parametrize("hub_from", [COPIES, HUB])
async def test_a_branch_archives_and_restores_for_itself(open_app: Opener, tmp_path: Path, hub_from: int) -> None:
    story = await begin(open_app, tmp_path, hub_from)
    before = await read(story)
    await story.say("eve", "Nothing to see.", audience=[], key="last")
    await story.archive("k", key="away")
    earlier, later = await story.fork("earlier", at="last"), await story.fork("later")
    assert (await read(earlier))["cyd"] == before["cyd"]
    assert (await read(later))["cyd"] == []
    await later.restore("k")
    assert (await read(later))["cyd"] == before["cyd"]
    assert (await read(story))["cyd"] == []


async def test_who_reads_it_in_a_hub_tells_it_as_with_a_copy(open_app: Opener, tmp_path: Path) -> None:
    copies, hub = [await begin(open_app, tmp_path, each) for each in (COPIES, HUB)]
    for story in (copies, hub):
        await story.tell("cyd", "eve", "k", key="t")
    assert (await read(copies))["eve"] == ["Cyd told you (day 1): Ann, on day 1: The vulture is here."]
    assert await read(hub) == await read(copies)
    turn = await hub.turn("eve", query="vulture", in_prompt=[])
    assert "In short: eve was told by cyd on day 1 (the host said so), who was told by ann" in str(
        await hub.backstage().explain(turn.memories[0].memory.id)
    )
    for story in (copies, hub):
        await story.retract("t")
    assert await read(hub) == await read(copies)


@pytest.mark.parametrize("hub_from", [COPIES, HUB])
async def test_what_is_recalled_from_a_hub_is_told_by_its_id(open_app: Opener, tmp_path: Path, hub_from: int) -> None:
    story = await begin(open_app, tmp_path, hub_from)
    turn = await story.turn("cyd", query="vulture", in_prompt=[])
    await story.tell("cyd", "eve", turn.memories[0])
    told = await read(story)
    assert told["eve"] == ["Cyd told you (day 1): Ann, on day 1: The vulture is here."]
    await story.retract("k")
    assert await read(story) == {each: [] for each in CAST}


@pytest.mark.parametrize("hub_from", [COPIES, HUB])
async def test_nobody_tells_what_has_not_arrived_in_a_hub_or_what_others_read_there(
    open_app: Opener, tmp_path: Path, hub_from: int
) -> None:
    story = await begin(open_app, tmp_path, hub_from, delay=2)
    with pytest.raises(InputError, match="'cyd' learns it on day 3"):
        await story.tell("cyd", "eve", "k")
    with pytest.raises(InputError, match="'eve' has no such memory"):
        await story.tell("eve", "cyd", "k")
    await story.tell("cyd", "eve", "k", day=4)
    assert (await read(story))["cyd"] == []
    for day, lines in ((3, []), (4, ["Cyd told you (day 4): Ann, on day 1: The vulture is here."])):
        await story.change(game_day=day)
        assert (await read(story))["eve"] == lines
        assert (await read(story))["cyd"] == ["Ann told you (day 3): Ann, on day 1: The vulture is here."]


async def test_who_is_told_what_they_read_in_a_hub_keeps_who_told_them_first(open_app: Opener, tmp_path: Path) -> None:
    copies, hub = [await begin(open_app, tmp_path, each) for each in (COPIES, HUB)]
    for story in (copies, hub):
        await story.change(game_day=2)
        await story.tell("ann", "ben", "k")
        await story.tell("cyd", "ben", "k")
    assert (await read(copies))["ben"] == ["Ann told you (day 1): Ann, on day 1: The vulture is here."]
    assert await read(hub) == await read(copies)


async def test_what_was_told_out_of_a_hub_follows_an_edit(open_app: Opener, tmp_path: Path) -> None:
    copies, hub = [await begin(open_app, tmp_path, each) for each in (COPIES, HUB)]
    for story in (copies, hub):
        await story.tell("cyd", "eve", "k")
        await story.edit("k", "The eagle is here.")
    assert (await read(copies))["eve"] == ["Cyd told you (day 1): Ann, on day 1: The eagle is here."]
    assert await read(hub) == await read(copies)
