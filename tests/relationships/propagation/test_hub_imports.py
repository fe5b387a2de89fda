"""A story that is imported, into this store or another one, reads in hubs what was told there before, and no more."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness
from earwitness.story_export import StoryExport

Opener = Callable[..., Awaitable[Earwitness]]
RULES = """
nile: {rules: {propagate_all: true, hub_from: FROM}, members: [isis, ra, set, horus]}
"""
SAID = "The river will rise"


def opened(open_app: Opener, folder: Path, hub_from: int) -> Awaitable[Earwitness]:
    folder.mkdir()
    (folder / "rules.yaml").write_text(RULES.replace("FROM", str(hub_from)))
    graph = {"name": "networkx", "path": str(folder / "graph.db")}
    return open_app(relationships={"rules": str(folder / "rules.yaml"), "graph": graph})


async def lived(story: Any) -> None:
    """Something stands, something was retracted, edited or taken from its teller, and a hub memory was retracted."""
    for day in range(1, 7):
        await story.say("isis", f"{SAID} {day} ells.", key=f"m{day}", audience=["ra"] if day == 5 else [])
    await story.retract("m2")
    await story.edit("m3", f"{SAID} nine ells.")
    await story.delivered()
    own = (await story.backstage().inspect("isis")).memories
    await story.retract(next(each.id for each in own if each.message_keys == ("m4",)))
    await story.relationships.pantheons.remove_member("nile", "set")
    await story.say("ra", f"{SAID} ten ells.", key="m10", audience=[])


async def known(story: Any) -> dict[str, list[tuple[str, object, object]]]:
    await story.delivered()
    found = {}
    for who in ("isis", "ra", "set", "horus"):
        turn = await story.turn(who, query=SAID, in_prompt=[])
        data = [(each.memory.text, each.memory.metadata) for each in turn.memories]
        texts = [(text[text.index(SAID) :].partition(" GameDay")[0], one) for text, one in data]
        found[who] = sorted((text, str(one.get("sharedFrom")), one.get("gameDay")) for text, one in texts)
    return found


@pytest.mark.parametrize("elsewhere", [False, True], ids=["into the same store", "into another"])
async def test_an_imported_story_reads_in_hubs_what_was_told_in_it(
    open_app: Opener, tmp_path: Path, elsewhere: bool
) -> None:
    answers = []
    for hub_from in (99, 2):
        here = await opened(open_app, tmp_path / f"{hub_from}", hub_from)
        story = await here.session("s1", cast=["isis", "ra", "set", "horus"])
        await lived(story)
        export = StoryExport.read([line async for line in story.backstage().export()])
        assert export.left_out == ()
        there = await opened(open_app, tmp_path / f"{hub_from}-there", hub_from) if elsewhere else here
        copy = await there.import_session(export, id="s1" if elsewhere else "copy")
        answers += [await known(story), await known(copy)]
        await copy.say("ra", f"{SAID} no more.", audience=[])
        assert await known(copy) != await known(story) == answers[-2]
        assert await known(await there.import_session(export, id=copy.id)) == await known(copy)
    assert len(answers[0]["horus"]) == 5
    assert answers == [answers[0]] * 4


async def test_an_import_brings_back_no_hub_memory_that_was_retracted_by_its_id(
    open_app: Opener, tmp_path: Path
) -> None:
    here = await opened(open_app, tmp_path / "here", 2)
    story = await here.session("s1", cast=["isis", "ra", "set", "horus"])
    await story.say("isis", f"{SAID}.", audience=[])
    await story.delivered()
    (told,) = await here.engine.store.list("pantheon-nile")
    await story.retract(told.id)
    copy = await here.import_session([line async for line in story.backstage().export()], id="copy")
    assert (await known(copy))["horus"] == (await known(story))["horus"] == []
    again = await here.import_session([line async for line in copy.backstage().export()], id="again")
    assert (await known(again))["horus"] == []


async def test_a_hub_that_an_import_brings_is_read_though_another_story_has_looked_for_it_in_vain(
    open_app: Opener, tmp_path: Path
) -> None:
    cast = ["isis", "ra", "set", "horus"]
    here = await opened(open_app, tmp_path / "hub", 2)
    story = await here.session("s1", cast=cast)
    await story.say("isis", f"{SAID} 7 ells.", audience=[])
    await story.delivered()
    lines = [line async for line in story.backstage().export()]
    there = await opened(open_app, tmp_path / "copies", 99)
    await (await there.session("other", cast=cast)).turn("ra", query=SAID, in_prompt=[])
    imported = await there.import_session(lines)
    await imported.delivered()
    turn = await imported.turn("ra", query=SAID, in_prompt=[])
    assert len(turn.memories) == 1
