"""A bubble that knows the pantheons reads what the hubs of its story had told each character when it began."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Channel, Earwitness, Session

Open = Callable[..., Awaitable[Earwitness]]
RULES = """
circle:
  members: [ann, ben, dan, {id: eve, since: 3}, newcomer]
  rules: {propagate_all: true, hub_from: 2, delay: DELAY}
"""
SQUARE = Channel(context="public_channel", channel_id="square", guild_id="town")
MILL, INN = "Kim: The mill has burnt down.", "Kim: The inn has burnt down."


@pytest.fixture
def begin(open_app: Open, tmp_path: Path) -> Callable[..., Awaitable[Session]]:
    async def begun(delay: int = 0) -> Session:
        file = tmp_path / "rules.yaml"
        file.write_text(RULES.replace("DELAY", str(delay)))
        graph = {"name": "networkx", "path": str(tmp_path / "graph.db")}
        ew = await open_app(relationships={"rules": str(file), "graph": graph})
        return await ew.session("s", cast=["ann", "ben", "dan", "eve", "zoe", "kim"])

    return begun


async def say(told: Any, message: str, to: str = "ann") -> None:
    await told.say("kim", message.removeprefix("Kim: "), audience=[to], channel=SQUARE)
    await told.delivered()


async def known(told: Any, character: str) -> list[str]:
    turn = await told.turn(character, query="What has burnt down?", in_prompt=[], channel=SQUARE)
    assert turn.failures == ()
    return [each.text for each in turn.memories]


async def test_a_bubble_that_knows_the_pantheons_reads_the_hubs_of_its_story(begin: Any) -> None:
    story = await begin()
    await say(story, MILL)
    bubble = await story.bubble("open", knows=["pantheons"])
    assert await known(bubble, "ben") == [MILL]
    assert await known(bubble, "eve") == []  # no member on that day
    assert await known(bubble, "zoe") == []  # no member at all
    assert await known(await story.bubble("walled"), "ben") == []


@pytest.mark.parametrize("channel", [Channel(), Channel(context="dm")], ids=["private", "dm"])
async def test_what_was_told_in_the_unnamed_channel_of_the_story_is_read_in_that_of_the_bubble(
    begin: Any, channel: Channel
) -> None:
    story = await begin()
    await story.say("kim", "The mill has burnt down.", audience=["ann"], channel=channel)
    await story.delivered()
    bubble = await story.bubble("open", knows=["pantheons"])
    walled = await story.bubble("walled")
    for told, heard in ((story, [MILL]), (bubble, [MILL]), (walled, [])):
        turn = await told.turn("ben", query="What has burnt down?", in_prompt=[], channel=channel)
        assert [each.text for each in turn.memories] == heard
    named = channel.model_copy(update={"channel_id": "other"})
    turn = await bubble.turn("ben", query="What has burnt down?", in_prompt=[], channel=named)
    assert turn.memories == ()


async def test_what_is_said_on_either_side_later_stays_on_its_side(begin: Any) -> None:
    story = await begin()
    await say(story, MILL)
    bubble = await story.bubble("open", knows=["pantheons"])
    await say(story, INN)
    await say(bubble, "Kim: The stable has burnt down.")
    inside = " ".join(await known(bubble, "ben"))
    assert (MILL in inside, "stable" in inside, INN in inside) == (True, True, False)
    assert sorted(await known(story, "ben")) == [INN, MILL]
    other = await story._app.session("s2", cast=["ann", "ben", "kim"])
    assert await known(other, "ben") == []


async def test_who_joins_the_bubble_or_its_pantheons_reads_nothing_of_the_storys_hubs(begin: Any) -> None:
    story = await begin()
    await say(story, MILL)
    bubble = await story.bubble("open", knows=["pantheons"])
    await bubble.join("newcomer")
    await bubble.relationships.pantheons.add_member("circle", "zoe")
    await story.relationships.pantheons.add_member("circle", "kim")
    assert await known(bubble, "newcomer") == []
    assert await known(bubble, "zoe") == []
    await bubble.relationships.pantheons.remove_member("circle", "ben")
    assert await known(bubble, "ben") == [MILL]


async def test_who_joined_the_story_late_reads_in_the_bubble_what_they_read_in_the_story(begin: Any) -> None:
    story = await begin()
    await say(story, MILL)
    await story.join("newcomer")
    await say(story, INN)
    bubble = await story.bubble("open", knows=["pantheons"])
    assert await known(story, "newcomer") == await known(bubble, "newcomer") == [INN]


async def test_what_had_not_arrived_when_the_bubble_began_is_not_known_in_it(begin: Any) -> None:
    story = await begin(delay=2)
    await say(story, MILL)
    bubble = await story.bubble("open", knows=["pantheons"])
    for told in (story, bubble):
        await told.change(game_day=4)
        await told.delivered()
    assert await known(story, "ben") == [MILL]
    assert await known(bubble, "ben") == []


async def test_a_bubble_of_a_forgotten_story_reads_nothing_of_a_later_one_of_the_same_id(begin: Any) -> None:
    story = await begin()
    await say(story, MILL)
    await story.bubble("open", knows=["pantheons"])
    ew: Any = story._app
    await ew.forget("s")
    again = await ew.session("s", cast=["ann", "ben", "dan", "eve", "zoe", "kim"])
    await say(again, INN)
    assert await known(again, "ben") == [INN]
    assert await known(await ew.open_session("s~open"), "ben") == []


async def test_a_branch_that_is_a_bubble_reads_what_it_took_along(begin: Any) -> None:
    story = await begin()
    await say(story, MILL)
    bubble = await story.bubble("open", knows=["story", "pantheons"])
    await bubble.delivered()
    assert await known(bubble, "ben") == [MILL]


async def test_a_bubble_that_is_imported_under_another_id_reads_no_other_storys_hubs(begin: Any) -> None:
    strangers = await begin()
    await say(strangers, INN)
    story = await begin()
    await say(story, MILL)
    bubble = await story.bubble("open", knows=["pantheons"])
    ew: Any = strangers._app
    for id, told in {"copy": story, "copy~open": bubble}.items():
        await ew.import_session([line async for line in told.backstage().export()], id=id)
    assert INN not in await known(await ew.open_session("copy~open"), "ben")
