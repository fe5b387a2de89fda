"""A retracted change or piece: the sections of knowledge that rested on it are rebuilt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from earwitness import Memory, MessageAnswer, MessageEvent, Plugin, Session, Update
from earwitness.errors import InputError

from .revised_stories import KNOWLEDGE, Begin, Memories


def told(memory: Memory) -> list[str]:
    """The lines of the knowledge section."""
    return memory.content.partition(KNOWLEDGE)[2].splitlines()


# ── retractions of a change: what rested on it is rebuilt ─────────────────────────────────────────────────────────────


async def with_news(begin: Begin, teller: Callable[..., Any]) -> Session:
    story = await begin(world_agent=teller(), present=["alice", "bob"])
    await story.update("A bell rang", key="u1", audience=["alice", "bob"])
    await story.update("A door fell shut", key="u2", audience=["alice", "bob"])
    await story.say("alice", "Did you hear that?", key="m1", audience=["bob"])
    await story.say("bob", "No.", key="m2", audience=["alice"])
    return story


async def test_a_retracted_update_is_gone_from_every_knowledge_section(
    begin: Begin, memories: Memories, teller: Callable[..., Any]
) -> None:
    story = await with_news(begin, teller)
    for id in ("alice", "bob"):
        assert told((await memories(story, id))[0]) == ["A bell rang. GameDay: 1", "A door fell shut. GameDay: 1"]
    await story.retract("u1")
    for id in ("alice", "bob"):
        first, second = await memories(story, id)
        assert told(first) == ["A door fell shut. GameDay: 1"]
        assert KNOWLEDGE not in second.content
    assert not [memory for memory in await memories(story, "world") if "bell" in memory.content]


async def test_a_section_with_nothing_left_goes_altogether_and_the_message_stays(
    begin: Begin, memories: Memories, teller: Callable[..., Any]
) -> None:
    story = await with_news(begin, teller)
    await story.retract("u1")
    await story.retract("u2")
    for id in ("alice", "bob"):
        first, _ = await memories(story, id)
        assert first.content.endswith("Message: Alice: Did you hear that? GameDay: 1")


async def test_an_edit_keeps_what_was_told_along_and_what_fell_stays_fallen(
    begin: Begin, memories: Memories, teller: Callable[..., Any]
) -> None:
    story = await with_news(begin, teller)
    await story.retract("u1")
    await story.edit("m1", "What was that?")
    for id in ("alice", "bob"):
        first = next(memory for memory in await memories(story, id) if "What was that?" in memory.content)
        assert told(first) == ["A door fell shut. GameDay: 1"]


async def test_news_told_along_with_a_message_that_is_retracted_is_told_again(
    begin: Begin, memories: Memories, teller: Callable[..., Any]
) -> None:
    story = await with_news(begin, teller)
    await story.retract("m1")
    await story.say("alice", "Listen!", key="m3", audience=["bob"])
    for id in ("alice", "bob"):
        assert told((await memories(story, id))[-1]) == ["A bell rang. GameDay: 1", "A door fell shut. GameDay: 1"]


async def test_news_told_to_one_who_did_not_perceive_the_edited_text_is_told_to_her_again(
    begin: Begin, memories: Memories, teller: Callable[..., Any]
) -> None:
    story = await with_news(begin, teller)
    await story.edit("m1", "Hm.", audience=[])
    await story.say("alice", "Listen!", key="m3", audience=["bob"])
    assert told((await memories(story, "bob"))[-1]) == ["A bell rang. GameDay: 1", "A door fell shut. GameDay: 1"]
    assert told((await memories(story, "alice"))[-1]) == []


async def test_the_world_an_edited_message_brought_about_is_told_anew(begin: Begin, memories: Memories) -> None:
    class Narrates(Plugin):
        def on_message(self, event: MessageEvent) -> MessageAnswer:
            return MessageAnswer(updates=(Update(description=f"Alice said {event.moment.message.content}"),))

    story = await begin(plugins=[Narrates()])
    await story.say("alice", "one", key="m1")
    await story.edit("m1", "two")
    contents = [memory.content for memory in await memories(story, "world")]
    assert sorted(contents) == ["Alice said two. GameDay: 1", "Message: Alice: two GameDay: 1"]


# ── what was there before the story ───────────────────────────────────────────────────────────────────────────────────


async def test_preparing_the_same_piece_again_replaces_it(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.prepare(lore=[{"text": "Dragons fear iron.", "key": "dragons"}, "The moon is cursed."])
    await story.prepare(lore=[{"text": "Dragons fear silver.", "key": "dragons"}, "The moon is cursed."])
    contents = sorted(memory.content for memory in await memories(story, "bob"))
    assert contents == ["Dragons fear silver.", "The moon is cursed."]


async def test_what_was_prepared_may_be_taken_back_by_its_key(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.prepare(plot="A sword is lost.", lore=["Dragons fear iron."], key="p1")
    await story.prepare(lore=["The moon is cursed."], key="p2")
    await story.retract("p1")
    for owner in ("alice", "world"):
        assert [memory.content for memory in await memories(story, owner)] == ["The moon is cursed."]


async def test_an_edit_is_no_thing_to_retract(begin: Begin) -> None:
    story = await begin()
    await story.say("alice", "One.", key="m1")
    await story.edit("m1", "Two.", own_key="e1")
    with pytest.raises(InputError, match="'e1' is itself a revision of 'm1'"):
        await story.retract("e1")


# ── retractions of a move: everybody is back where they were ──────────────────────────────────────────────────────────


async def test_who_was_moved_is_back_where_they_were(begin: Begin) -> None:
    story = await begin(present=["alice"])
    before = story.state.whereabouts
    left, entered = await story.leave("alice", to="mill"), await story.enter("bob")
    await story.change(game_day=2)
    for each in (left, entered):
        await (await story.retract(each.key)).settled()
    assert story.state.whereabouts.get("alice") == before.get("alice")
    assert not (bob := story.state.whereabouts.get("bob")) or not bob.here


async def test_who_has_moved_on_since_stays_there(begin: Begin) -> None:
    story = await begin(present=["alice", "bob"])
    moved = await story.move("alice", "mill")
    await story.move("alice", "yard")
    await (await story.retract(moved.key)).settled()
    assert story.state.whereabouts["alice"].place == "yard"


async def test_nobody_is_moved_back_from_another_scene(begin: Begin) -> None:
    story = await begin(present=["alice", "bob"])
    moved = await story.move("alice", "mill")
    await story.change(current_scene="yard")
    await (await story.retract(moved.key)).settled()
    assert story.state.whereabouts["alice"].place == "mill"
