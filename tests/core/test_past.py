"""A turn as before an earlier message: for swipes and rerolls, without the rejected answer and all that followed."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Channel, Session
from earwitness.errors import InputError, UnknownName
from earwitness.filters import EVERYTHING
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness.testing.scripted import Faulty
from earwitness.turn import Turn

Begin = Callable[..., Awaitable[Session]]
BOTH: dict[str, Any] = {"audience": ["alice", "bob"]}


def texts(turn: Turn) -> list[str]:
    """What was recalled, without the frame of a memory."""
    lines = [line for each in turn.memories for line in each.text.splitlines()]
    return [line.removeprefix("Message: ").rpartition(" GameDay:")[0] for line in lines if " GameDay: " in line]


async def everything(story: Session, before: str | None, character: str = "bob", **more: Any) -> list[str]:
    """All that a character could recall then."""
    given = {"query": "anything", "in_prompt": [], "memories": 50, **more}
    return sorted(texts(await story.turn(character, before=before, **given)))


async def told(begin: Begin, **given: Any) -> Session:
    story = await begin(present=["alice", "bob"], **given)
    await story.say("alice", "The sword is in the well.", key="m1", **BOTH)
    await story.say("bob", "I shall tell the baron.", key="m2", **BOTH)
    return story


async def test_the_rejected_answer_is_in_neither_the_query_nor_the_memories(begin: Begin) -> None:
    story = await told(begin)
    turn = await story.turn("bob", before="m2")
    assert "in the well" in turn.query
    assert "baron" not in turn.query
    assert await everything(story, "m2") == ["Alice: The sword is in the well."]
    assert "baron" in (await story.turn("bob")).query


async def test_nothing_that_followed_is_recalled_and_the_day_and_place_are_those_of_then(begin: Begin) -> None:
    story = await told(begin, state={"game_day": 3, "current_scene": "tavern"})
    await story.change(game_day=9, current_scene="lair")
    await story.say("alice", "There is the dragon!", key="m3", **BOTH)
    await story.update("The dragon woke")
    turn = await story.turn("bob", before="m2")
    assert turn.query.startswith("###Current time###\nGame Day: 3\n")
    assert await everything(story, "m2") == ["Alice: The sword is in the well."]
    assert await everything(story, "m3") == ["Alice: The sword is in the well.", "Bob: I shall tell the baron."]


async def test_before_the_first_message_there_is_what_was_prepared(begin: Begin) -> None:
    story = await begin()
    await story.prepare(plot="A sword is lost. GameDay: 0")
    await story.say("alice", "Hello.", key="m1", **BOTH)
    await story.prepare(plot="A crown is lost. GameDay: 0")
    assert await everything(story, "m1") == ["A crown is lost."]


async def test_an_earlier_message_that_was_edited_since_reads_as_it_now_does(begin: Begin) -> None:
    story = await told(begin)
    await story.edit("m1", "The sword is in the lake.")
    await story.reroll("I shall tell nobody.", key="m2")
    assert await everything(story, "m2") == ["Alice: The sword is in the lake."]
    assert "in the lake" in (await story.turn("bob", before="m2")).query
    await story.retract("m1")
    assert await everything(story, "m2") == []


async def test_what_was_passed_on_since_is_not_known_then(begin: Begin) -> None:
    story = await begin(present=["alice", "bob"])
    await story.say("alice", "The sword is in the well.", key="m1", **BOTH)
    await story.say("bob", "Hm.", key="m2", **BOTH)
    await story.tell("bob", "charlie", "m1")
    await story.remember("charlie", "Bob has a secret. GameDay: 1", key="note")
    assert await everything(story, None, "charlie") == ["Alice: The sword is in the well.", "Bob has a secret."]
    assert await everything(story, "m2", "charlie") == []
    assert await everything(story, "note", "charlie") == ["Alice: The sword is in the well."]


async def test_a_memory_told_again_in_full_reads_then_as_it_was_first_heard(begin: Begin, directions: Any) -> None:
    story = await begin(present=["alice", "bob"])
    await story.say("alice", "Something.", key="m1", **BOTH)
    await story.say("bob", "Hm.", key="m2", **BOTH)
    await story.tell("alice", "bob", "m1", content="The sword is in the well, and the key to it in the tower.")
    assert await everything(story, "m2") == ["Alice: Something."]
    assert len((await everything(story, None))[0]) > len("Alice: Something.")


async def test_a_name_that_was_seen_through_since_is_the_mask_then(begin: Begin) -> None:
    story = await begin(present=["alice", "bob"])
    await story.say("alice", "I bought the mill.", key="m1", speak_as="Roux", audience=["bob"])
    await story.say("bob", "Hm.", key="m2", audience=["alice"])
    await story.unmask("alice", audience=["bob"], key="c1")
    await story.say("bob", "Oh!", key="m3", audience=["alice"])
    assert await everything(story, "m2") == ["Roux: I bought the mill."]
    assert "Roux: I bought the mill." in await everything(story, "c1")
    assert "Alice (as Roux): I bought the mill." in await everything(story, "m3")
    await story.retract("m1")
    assert await everything(story, "m2") == []


async def test_it_is_the_same_in_a_story_opened_again_and_in_a_branch(begin: Begin) -> None:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": MemoryStore()}
    story = await told(begin, **kept)
    for number in range(3, 90):
        await story.say("alice", f"And {number}.", key=f"m{number}", **BOTH)
    await story.settled()
    again = await begin(**kept)
    branch = await again.fork("s2")
    for each in (story, again, branch):
        assert await everything(each, "m3") == ["Alice: The sword is in the well.", "Bob: I shall tell the baron."]


async def test_a_store_that_is_away_changes_nothing_about_that(begin: Begin) -> None:
    async def away(*_: object, **__: object) -> None:
        raise OSError("away")

    story = await told(begin, store=Faulty(MemoryStore(), search=away), strict=False)
    assert await everything(story, "m2") == ["Alice: The sword is in the well."]


async def test_asking_as_before_changes_nothing(begin: Begin) -> None:
    story = await told(begin)
    await story.settled()
    before = (story.state, await story.backstage().journal(), (await story.turn("bob")).query)
    await story.turn("bob", before="m1")
    assert (story.state, await story.backstage().journal(), (await story.turn("bob")).query) == before


async def test_the_turn_is_in_the_channel_of_that_message(begin: Begin) -> None:
    seen: list[Channel] = []

    class Noting:
        def filter(self, event: Any) -> Any:
            seen.append(event.channel)
            return EVERYTHING

        def strike(self, event: Any) -> dict[str, str]:
            return {}

    story = await begin(guards=[Noting()])
    dm = Channel(context="dm", channel_id="7")
    await story.say("alice", "Psst.", key="m1", channel=dm)
    await story.settled()
    seen.clear()
    await story.turn("alice", before="m1")
    await story.turn("alice", before="m1", context="public_channel")
    assert [each.context for each in seen] == ["dm", "public_channel"]


async def test_who_joined_later_has_no_turn_then(begin: Begin) -> None:
    story = await told(begin)
    await story.join("dana")
    with pytest.raises(InputError, match="'dana' joined after 'm2', and has no turn before it"):
        await story.turn("dana", before="m2")


async def test_an_unknown_key_and_one_of_an_edit_say_so(begin: Begin) -> None:
    story = await told(begin)
    await story.edit("m1", "The sword is in the lake.", own_key="e1")
    with pytest.raises(UnknownName, match="unknown key 'm9' in session 's1'"):
        await story.turn("bob", before="m9")
    with pytest.raises(InputError, match="'e1' is itself a revision of 'm1'"):
        await story.turn("bob", before="e1")


async def test_saying_in_a_turn_of_the_past_is_refused_with_what_to_call(begin: Begin) -> None:
    story = await told(begin)
    turn = await story.turn("bob", before="m2")
    with pytest.raises(InputError, match=r"story\.reroll\(text, key='m2'\)"):
        await turn.say("I shall tell nobody.")
    await story.reroll("I shall tell nobody.", key="m2")
    assert [each.content for each in await story.messages()] == ["The sword is in the well.", "I shall tell nobody."]
