"""What the World Agent `rules` makes of actions: who has what now, and what was done to whom or to whose things."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Character, Earwitness, Session

Begin = Callable[..., Awaitable[Session]]
CAST = ("alice", "bob", "charlie", Character("voice", kind="narrator"))


@pytest.fixture
async def begin(tmp_path: Path) -> AsyncIterator[Begin]:
    """Begins a story of Alice, Bob and Charlie, all of them here, with the shipped strategies."""
    async with Earwitness.open(tmp_path / "story.db", embedder="none", strict=True) as ew:

        async def begin(**state: Any) -> Session:
            return await ew.session("s1", cast=CAST, state=state, present=("alice", "bob", "charlie"))

        yield begin


async def say(story: Session, speaker: str, text: str, **how: Any) -> dict[str, list[str]]:
    """Say it; what each participant is told along, without the day."""
    settled = await (await story.say(speaker, text, **how)).settled()
    told = {id: [line.rpartition(". GameDay")[0] for line in lines] for id, lines in settled.knowledge.items()}
    return {id: lines for id, lines in told.items() if lines}


async def updates(story: Session) -> list[tuple[str, dict[str, Any]]]:
    """The world's character updates, and what stands in their metadata of things."""
    kept = (await story.backstage().inspect("world", filter="type=character_update")).memories
    fields = ("updateType", "characterId", "item", "from")
    return [(each.content, {key: each.metadata[key] for key in fields if key in each.metadata}) for each in kept]


# ── who has what now ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("speaker", "text", "told", "metadata"),
    [
        (
            "bob",
            "*picks up the Sacred Sword*",
            "Bob picked up the Sacred Sword. GameDay: 6",
            {"updateType": "item_acquired", "characterId": "bob", "item": "Sacred Sword"},
        ),
        (
            "alice",
            "Alice gives Bob the map",
            "Alice gave the map to Bob. GameDay: 6",
            {"updateType": "item_given", "characterId": "bob", "item": "map", "from": "alice"},
        ),
        (
            "alice",
            "*hands the map to Bob*",
            "Alice handed the map to Bob. GameDay: 6",
            {"updateType": "item_given", "characterId": "bob", "item": "map", "from": "alice"},
        ),
        (
            "voice",
            "Charlie steals Alice's purse.",
            "Charlie stole Alice's purse. GameDay: 6",
            {"updateType": "item_acquired", "characterId": "charlie", "item": "purse", "from": "alice"},
        ),
        (
            "bob",
            '"Ouch!" *drops the lamp*',
            "Bob dropped the lamp. GameDay: 6",
            {"updateType": "item_lost", "characterId": "bob", "item": "lamp"},
        ),
    ],
)
async def test_a_plain_action_becomes_a_character_update(
    begin: Begin, speaker: str, text: str, told: str, metadata: dict[str, str]
) -> None:
    story = await begin(game_day=6)
    await say(story, speaker, text)
    assert await updates(story) == [(told, metadata)]


async def test_those_who_saw_it_are_told_with_the_next_message_and_nobody_else_is(begin: Begin) -> None:
    story = await begin()
    await story.leave("charlie")
    await say(story, "bob", "*picks up the Sacred Sword*")
    assert await say(story, "alice", "Careful!") == {
        "alice": ["Bob picked up the Sacred Sword"],
        "bob": ["Bob picked up the Sacred Sword"],
    }
    await story.enter("charlie")
    assert await say(story, "alice", "There you are.") == {}


async def test_nothing_is_made_of_what_is_only_said(begin: Begin) -> None:
    story = await begin()
    await say(story, "bob", "I picked up the Sacred Sword. Alice gives me the map.")
    assert await updates(story) == []


async def test_nothing_is_given_to_somebody_who_is_not_there(begin: Begin) -> None:
    story = await begin()
    await story.move("bob", "cave")
    await say(story, "alice", "*hands the map to Bob*")
    assert await updates(story) == []


async def test_who_hears_it_from_another_place_does_not_learn_what_was_done(begin: Begin) -> None:
    story = await begin(current_scene="castle/kitchen")
    await story.move("charlie", "castle/kitchen/pantry")
    settled = await (await story.say("alice", '*picks up the Sacred Sword* "GUARDS! HELP!"')).settled()
    assert list(settled.participants) == ["alice", "bob", "charlie"]
    assert set(await say(story, "bob", "Quiet!", audience=["alice", "charlie"])) == {"alice", "bob"}


async def test_what_is_done_in_a_whisper_becomes_no_update(begin: Begin) -> None:
    story = await begin()
    await say(story, "alice", "*whispers to Bob and hands Bob the map* Keep it. *aloud* Fine weather!")
    assert await updates(story) == []


async def test_an_edit_takes_the_update_with_it(begin: Begin) -> None:
    story = await begin()
    await story.say("bob", "*picks up the Sacred Sword*", key="m1")
    await (await story.edit("m1", "*picks up the lamp*")).settled()
    assert [content for content, _ in await updates(story)] == ["Bob picked up the lamp. GameDay: 1"]
    await (await story.retract("m1")).settled()
    assert await updates(story) == []


# ── what was done to whom ───────────────────────────────────────────────────────────────────────────────────────────


async def test_a_character_is_told_what_others_did_to_them_citing_the_message(begin: Begin) -> None:
    story = await begin(game_day=2)
    await say(story, "bob", "*slaps Alice* How dare you!")
    assert await say(story, "charlie", "Stop it!") == {"alice": ["Bob slapped Alice"]}
    memory = (await story.backstage().inspect("alice")).memories[-1]
    assert memory.content.endswith("###Newly discovered world knowledge###\nBob slapped Alice. GameDay: 2")
    (line,) = (await story.backstage().explain(memory.id)).knowledge
    assert line.rests_on == ("Message: Bob: *slaps Alice* How dare you! GameDay: 2",)


async def test_it_is_told_once(begin: Begin) -> None:
    story = await begin()
    await say(story, "bob", "*slaps Alice*")
    assert await say(story, "charlie", "Stop it!") == {"alice": ["Bob slapped Alice"]}
    assert await say(story, "charlie", "Both of you!") == {}


async def test_who_did_not_perceive_it_is_told_nothing(begin: Begin) -> None:
    story = await begin(quest="Find the Sacred Sword")
    await say(story, "bob", "*hides the Sacred Sword under the floor*", audience=["charlie"])
    assert await say(story, "alice", "What was that?", audience=["bob", "charlie"]) == {
        "charlie": ["Bob hid the Sacred Sword"]
    }


async def test_what_is_done_to_somebody_s_things_concerns_them(begin: Begin) -> None:
    story = await begin()
    await say(story, "bob", "*breaks Alice's lute*")
    assert await say(story, "charlie", "Oh no.") == {"alice": ["Bob broke Alice's lute"]}


async def test_who_has_a_thing_is_known_from_the_updates(begin: Begin) -> None:
    story = await begin()
    await say(story, "alice", "*picks up the old lute*")
    await story.update("Charlie acquired a violin", character="charlie", type="item_acquired")
    await say(story, "charlie", "Nice.")
    await say(story, "bob", "*breaks the lute*")
    assert await say(story, "charlie", "Oh no.") == {"alice": ["Bob broke the lute"]}
    await say(story, "bob", "*smashes the violin*")
    assert await say(story, "alice", "That too?") == {"charlie": ["Bob smashed the violin"]}
    await say(story, "alice", "*drops the lute*")
    await say(story, "bob", "*burns the lute*")
    assert await say(story, "alice", "Never mind.") == {}


async def test_what_is_done_to_what_is_sought_concerns_everybody_but_the_doer(begin: Begin) -> None:
    story = await begin(quest="Find the Sacred Sword")
    await say(story, "bob", "*breaks the sword*")
    assert await say(story, "alice", "Bob?") == {"alice": ["Bob broke the sword"], "charlie": ["Bob broke the sword"]}


async def test_what_falls_with_a_message_falls_from_what_was_told_of_it(begin: Begin) -> None:
    story = await begin()
    await story.say("bob", "*slaps Alice*", key="m1")
    await say(story, "charlie", "Stop it!")
    await (await story.retract("m1")).settled()
    assert "slapped" not in (await story.backstage().inspect("alice")).memories[-1].content
