"""What a user's persona lives with a personality outlives the story, in a container of both."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Channel, Character, Earwitness, Membership, Memory, PlanEvent, ReadEvent, Session, Strike, Turn
from earwitness.filters import EVERYTHING, Filter

Open = Callable[..., Awaitable[Earwitness]]
KENJI = Character("kenji", kind="persona", user_id="u1", persona_id="p1")
MARY = Character("mary", kind="persona", user_id="u2", persona_id="p2")
ALICE = Character("al", name="Alice", personality_id="alice")
DM = Channel(context="dm", channel_id="d1", persona_id="p1")
SISTER = "My sister is called Mira."


async def begin(open_app: Open, **given: Any) -> Session:
    """A story with Alice, Bob, and Kenji's persona."""
    ew = await open_app(relationships={"canon": "personal", **given})
    return await ew.session("s1", cast=[ALICE, "bob", KENJI])


async def kept(story: Session, name: str = "persona-p1-alice") -> list[Memory]:
    """What a container beyond the session holds."""
    await story.delivered()
    return list(await story._engine.store.list(name))


async def another(story: Session, *cast: Any, **given: Any) -> Turn:
    """Alice's turn in another story with this cast, which asks for a sister."""
    other = await story._app.session("s2", cast=[ALICE, *cast])  # type: ignore[call-arg]
    return await other.turn("al", query="sister", in_prompt=[], **given)


async def test_what_a_persona_says_to_a_character_is_kept_for_both(open_app: Open) -> None:
    story = await begin(open_app)
    outcome = await story.say("kenji", SISTER, key="m1", audience=["al"], channel=DM)
    (memory,) = await kept(story)
    said = (await outcome.settled()).message
    assert said is not None
    assert memory.content == f"Kenji: {SISTER}"
    assert (
        memory.metadata.items()
        >= {
            "personaId": "p1",
            "personalityId": "alice",
            "userId": "u1",
            "canonScope": "personal",
            "interactionType": "direct",
            "contextType": "dm",
            "channelId": "d1",
            "messageIds": ["m1"],
            "createdAt": said.timestamp,
            "sessionId": "s1",
        }.items()
    )
    assert await kept(story, "persona-p1-bob") == []
    ew: Any = story._app
    assert await ew.memberships(container="persona-p1-alice") == (
        Membership(container="persona-p1-alice", member="alice"),
    )


async def test_it_is_of_the_day_of_its_message_however_soon_the_next_day_comes(open_app: Open) -> None:
    story = await begin(open_app)
    await story.say("kenji", SISTER, audience=["al"])
    await story.change(game_day=3)
    (memory,) = await kept(story)
    (own,) = await kept(story, "s1-al")
    assert [each.metadata["gameDay"] for each in (memory, own)] == [1, 1]
    assert memory.metadata["learnedDay"] == own.metadata["learnedDay"] == 1


async def test_she_remembers_it_in_another_story_with_that_persona(open_app: Open) -> None:
    story = await begin(open_app)
    await story.say("kenji", SISTER, audience=["al"])
    await story.delivered()
    turn = await another(story, KENJI)
    assert [each.text for each in turn.sections()["personal_canon"]] == [f"Kenji: {SISTER}"]
    assert "### From earlier stories with them\n1. Memory: Kenji: My sister" in turn.text()


@pytest.mark.parametrize("cast", [[], [MARY], ["kenji"]], ids=["nobody", "another persona", "a namesake"])
async def test_and_with_nobody_else(open_app: Open, cast: list[Any]) -> None:
    story = await begin(open_app)
    await story.say("kenji", SISTER, audience=["al"])
    await story.delivered()
    assert (await another(story, *cast)).memories == ()


async def test_where_others_listen_privacy_decides(open_app: Open) -> None:
    story = await begin(open_app)
    await story.say("kenji", SISTER, audience=["al"], channel=DM)
    await story.delivered()
    for channel, found in [(DM, 1), (Channel(), 0), (Channel(context="public_channel"), 0)]:
        assert len((await another(story, KENJI, channel=channel)).memories) == found
    with_others = await another(story, KENJI, MARY)
    assert with_others.memories == ()


async def test_in_the_same_story_she_remembers_it_once(open_app: Open) -> None:
    story = await begin(open_app)
    await story.say("kenji", SISTER, audience=["al"])
    await story.delivered()
    turn = await story.turn("al", query="sister", in_prompt=[])
    assert [each.section for each in turn.memories] == ["memories"]


async def test_only_what_both_perceived_is_kept(open_app: Open) -> None:
    story = await begin(open_app)
    await story.say("bob", SISTER, audience=["al"])
    await story.say("kenji", "Nobody hears this.", audience=[])
    await story.say("al", "Hello Kenji.", audience=["kenji", "bob"])
    assert [each.content for each in await kept(story)] == ["Alice: Hello Kenji."]
    assert [each.content for each in await kept(story, "persona-p1-bob")] == ["Alice: Hello Kenji."]


async def test_a_persona_in_disguise_is_nobody_she_knows(open_app: Open) -> None:
    story = await begin(open_app)
    await story.say("kenji", SISTER, audience=["al"], speak_as="Stranger")
    assert await kept(story) == []


async def test_it_goes_with_its_message(open_app: Open) -> None:
    story = await begin(open_app)
    await story.say("kenji", SISTER, key="m1", audience=["al"])
    assert len(await kept(story)) == 1
    await story.edit("m1", "My brother is called Mira.")
    assert [each.content for each in await kept(story)] == ["Kenji: My brother is called Mira."]
    await story.retract("m1")
    assert await kept(story) == []


class Deaf:
    """A guard that lets Alice have no message."""

    def filter(self, event: ReadEvent) -> Filter:
        return EVERYTHING

    def strike(self, event: PlanEvent) -> list[Strike]:
        found = [each for each in event.plan.deliveries if each.owner == "al" and each.part == "message"]
        return [Strike(delivery_id=each.id, reason="deaf") for each in found]


async def test_what_a_guard_keeps_from_her_she_has_not_lived(open_app: Open) -> None:
    ew = await open_app(relationships={"canon": "personal"}, guards=[Deaf()])
    story = await ew.session("s1", cast=[ALICE, "bob", KENJI])
    await story.say("kenji", SISTER, audience=["al", "bob"])
    assert await kept(story) == []
    assert len(await kept(story, "persona-p1-bob")) == 1


async def test_without_personal_canon_nothing_outlives_the_story(open_app: Open) -> None:
    story = await begin(open_app, canon="session")
    await story.say("kenji", SISTER, audience=["al"])
    ew: Any = story._app
    await story.delivered()
    assert await ew.containers() == ()


async def test_it_outlives_its_story(open_app: Open) -> None:
    story = await begin(open_app)
    await story.say("kenji", SISTER, audience=["al"])
    await story.delivered()
    ew: Any = story._app
    await ew.forget("s1")
    other = await ew.session("s2", cast=[ALICE, KENJI])
    assert len((await other.turn("al", query="sister")).memories) == 1


# ── told by the rules of a pantheon ──────────────────────────────────────────────────────────────────────────────────

RULES = """
name: Hazbin Hotel
slug: hazbin_hotel
members:
  - {personality_id: charlie, rules: {share_with: [vaggie], as: gossip}}
  - {personality_id: vaggie}
"""


async def test_who_is_told_of_a_persona_knows_it_in_later_stories_as_told(open_app: Open, tmp_path: Any) -> None:
    (tmp_path / "rules.yaml").write_text(RULES, "utf-8")
    given = {"canon": "personal", "rules": str(tmp_path / "rules.yaml")}
    ew = await open_app(relationships=given, path=str(tmp_path / "e.db"))
    story = await ew.session("s1", cast=["charlie", "vaggie", KENJI])
    await story.say("kenji", SISTER, audience=["charlie"], channel=Channel(channel_id="c1", persona_id="p1"))
    (memory,) = await kept(story, "persona-p1-vaggie")
    assert (
        memory.metadata.items()
        >= {
            "interactionType": "shared",
            "sharedFrom": "charlie",
            "pantheonId": "hazbin_hotel",
            "contextType": "private_channel",
        }.items()
    )
    other = await ew.session("s2", cast=["vaggie", KENJI])
    turn = await other.turn("vaggie", query="sister", in_prompt=[], channel=DM)
    assert [str(each.learned) for each in turn.sections()["personal_canon"]] == ["was told by charlie"]
    found = await ew.personas.search("sister", persona="p1", personality="vaggie", pantheon="hazbin_hotel")
    assert [hit.memory.id for hit in found] == [memory.id]


async def test_a_branch_knows_nothing_of_what_its_parent_lived_since(open_app: Open) -> None:
    story = await begin(open_app)
    await story.say("kenji", SISTER, audience=["al"])
    branch = await story.fork("branch")
    await story.say("kenji", "My sister Mira is a spy.", audience=["al"])
    await story.delivered()
    turn = await branch.turn("al", query="sister", in_prompt=[])
    assert {each.section for each in turn.memories} == {"memories"}
    assert "spy" not in turn.text()


async def test_nor_does_the_parent_or_another_branch_know_what_a_branch_lived(open_app: Open) -> None:
    story = await begin(open_app)
    await story.say("kenji", SISTER, audience=["al"])
    branch, another = await story.fork("branch"), await story.fork("another")
    await branch.say("kenji", "My sister Mira is a spy.", audience=["al"])
    await branch.delivered()
    for each in (story, another):
        turn = await each.turn("al", query="sister", in_prompt=[])
        assert {memory.section for memory in turn.memories} == {"memories"}
        assert "spy" not in turn.text()


async def test_what_she_lived_with_two_personas_at_once_is_in_her_prompt_once(open_app: Open) -> None:
    ew = await open_app(relationships={"canon": "personal"})
    story = await ew.session("s1", cast=[ALICE, "bob", KENJI, MARY])
    square = Channel(context="public_channel", guild_id="g1")
    await story.say("kenji", "My sister sings.", audience=["al", "mary"], channel=square)
    await story.say("mary", "My sister sings.", audience=["al", "kenji"], channel=square)
    await story.say("kenji", "My sister sings.", key="m3", audience=["al", "mary"], channel=square)
    assert len(await kept(story)) == len(await kept(story, "persona-p2-alice")) == 3
    turn = await another(story, "bob", KENJI, MARY, channel=square)
    said = ["Kenji: My sister sings.", "Kenji: My sister sings.", "Mary: My sister sings."]
    assert sorted(each.text for each in turn.memories) == said
    await story.retract("m3")
    await story.delivered()
    turn = await another(story, "bob", KENJI, MARY, channel=square)
    assert sorted(each.text for each in turn.memories) == said[1:]
