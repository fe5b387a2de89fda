"""Edits: what goes, what comes in its place, and that nothing later is decided again."""

from __future__ import annotations

import pytest

from earwitness.errors import InputError, UnknownName

from .revised_stories import Begin, Directions, Gossip, Memories, said

# ── edits ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_an_edit_replaces_the_old_text_wherever_it_was_remembered(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.say("alice", "The sword is blue.", key="m1", audience=["bob"])
    await story.say("bob", "Is it?", key="m2", audience=["alice"])
    outcome = await story.edit("m1", "The sword is red.")
    settled = await outcome.settled()
    assert settled.message is not None
    assert (settled.message.key, settled.message.revision) == ("m1", 1)
    for owner in ("alice", "bob", "world"):
        assert sorted(await said(memories, story, owner)) == ["Is it?", "The sword is red."]
    assert await said(memories, story, "charlie") == []


async def test_an_edit_keeps_the_day_the_place_and_the_time_it_was_said_at(begin: Begin, memories: Memories) -> None:
    story = await begin(state={"current_scene": "tavern", "game_day": 1.5})
    await story.say("alice", "The sword is blue.", key="m1", audience=["bob"])
    (before,) = await memories(story, "bob")
    await story.change(game_day=7, current_scene="cave")
    await story.edit("m1", "The sword is red.")
    (after,) = await memories(story, "bob")
    assert after.metadata == before.metadata
    assert after.content == before.content.replace("blue", "red")
    assert after.id != before.id


async def test_who_perceives_the_new_text_is_decided_anew(
    begin: Begin, memories: Memories, directions: Directions
) -> None:
    story = await begin(detector=directions)
    await story.say("alice", "(to bob) I trust you.", key="m1")
    await (await story.edit("m1", "(to charlie) I trust you.")).settled()
    assert [len(await memories(story, id)) for id in ("alice", "bob", "charlie")] == [1, 0, 1]


@pytest.mark.parametrize(("present", "hear"), [(["charlie"], [1, 0, 1]), ([], [1, 0, 0]), (None, [1, 1, 0])])
async def test_the_host_s_word_on_who_was_there_may_be_corrected_too(
    begin: Begin, memories: Memories, present: list[str] | None, hear: list[int]
) -> None:
    story = await begin()
    await story.say("alice", "I trust you.", key="m1", audience=["bob"])
    await story.edit("m1", "I trust you!", audience=present)
    assert [len(await memories(story, id)) for id in ("alice", "bob", "charlie")] == hear


async def test_an_edit_of_an_early_message_sees_the_moment_as_it_was(begin: Begin, directions: Directions) -> None:
    story = await begin(detector=directions, state={"current_scene": "tavern"}, present=["alice", "bob"])
    await story.say("alice", "Hello.", key="m1")
    await story.say("bob", "Hello.", key="m2")
    await story.change(current_scene="cave", game_day=3)
    await story.leave("bob")
    await story.join("dana")
    await story.enter("dana")
    await story.say("alice", "Who is there?", key="m3")
    await (await story.edit("m2", "Good evening.")).settled()
    then = directions.moments[-1]
    assert (then.message.key, then.message.content) == ("m2", "Good evening.")
    assert [message.key for message in then.recent] == ["m1"]
    assert (then.state.current_scene, then.state.game_day, then.state.here) == ("tavern", 1, ("alice", "bob"))
    assert then.cast.ids == ("alice", "bob", "charlie")


async def test_no_later_turn_is_decided_anew(begin: Begin, memories: Memories, directions: Directions) -> None:
    story = await begin(detector=directions, present=["alice", "bob", "charlie"])
    await story.say("alice", "(charlie leaves)", key="m1")
    later = await (await story.say("alice", "Now that he is gone.", key="m2")).settled()
    asked = len(directions.moments)
    await (await story.edit("m1", "Stay, Charlie.")).settled()
    assert [moment.message.key for moment in directions.moments[asked:]] == ["m1"]
    assert "charlie" not in later.participants
    assert await said(memories, story, "charlie") == ["Stay, Charlie."]
    assert story.state.here == ("alice", "bob", "charlie")  # from the next message on


async def test_a_message_may_be_edited_again_and_again(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.say("alice", "One.", key="m1", audience=["bob"])
    for words in ("Two.", "Three.", "Two."):
        await story.edit("m1", words)
    assert await said(memories, story, "bob") == ["Two."]
    assert await said(memories, story, "world") == ["Two."]


async def test_gossip_is_taken_back_and_told_anew(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=["alice", "bob", "charlie", "dana"], sharing_rules=[Gossip()])
    await story.say("alice", "The sword is blue.", key="m1", audience=["bob"])
    await story.edit("m1", "The sword is red.")
    for owner in ("bob", "charlie", "dana"):
        assert await said(memories, story, owner) == ["The sword is red."]
    await story.edit("m1", "The sword is gone.", audience=[])
    for owner in ("bob", "charlie", "dana"):
        assert await said(memories, story, owner) == []


async def test_an_edit_told_twice_under_its_own_key_happens_once(begin: Begin) -> None:
    story = await begin()
    await story.say("alice", "One.", key="m1")
    first = await story.edit("m1", "Two.", own_key="e1")
    again = await story.edit("m1", "Two.", own_key="e1")
    assert (again.created, again.sequence) == (False, first.sequence)


async def test_a_message_nobody_said_cannot_be_edited(begin: Begin) -> None:
    story = await begin()
    await story.change(game_day=2, key="c1")
    for key in ("m1", "c1"):
        with pytest.raises(UnknownName, match=f"no message has the key '{key}'"):
            await story.edit(key, "Two.")


async def test_a_message_that_was_retracted_cannot_be_edited(begin: Begin) -> None:
    story = await begin()
    await story.say("alice", "One.", key="m1")
    await story.retract("m1")
    with pytest.raises(InputError, match="'m1' was retracted"):
        await story.edit("m1", "Two.")


# ── the same again ────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_an_edit_or_reroll_to_the_text_that_is_there_changes_nothing(begin: Begin) -> None:
    story = await begin()
    said = await story.say("alice", "The sword is gone.", key="m1", audience=["bob"])
    assert (await story.edit("m1", "The sword is gone.")).sequence == said.sequence
    edited = await story.edit("m1", "The sword is here.")
    await story.say("bob", "Good.", key="m2", audience=["alice"])
    again = [await story.edit("m1", "The sword is here."), await story.reroll("The sword is here.", key="m1")]
    assert [(each.sequence, each.created) for each in again] == [(edited.sequence, False)] * 2
    assert len(await story.backstage().journal()) == 4
    assert (await story.edit("m1", "The sword is here.", audience=["bob", "charlie"])).created
    assert (await story.edit("m1", "The sword is here.", own_key="once more")).created


async def test_what_is_noted_with_other_words_is_over_what_was_noted_with_the_first(
    begin: Begin, memories: Memories
) -> None:
    story = await begin()
    await story.say("alice", "The dragon sleeps.", key="m1", audience=["bob"], metadata={"calls": [1], "mood": "calm"})
    await story.edit("m1", "The dragon snores.", metadata={"calls": [1, 2]})
    assert (await story.messages())[-1].message.metadata == {"calls": [1, 2], "mood": "calm"}
    await story.reroll("The dragon is awake.", metadata={"calls": [3]})
    await story.reroll("The dragon is awake.", metadata={"calls": [4]})
    (message,) = await story.messages()
    assert (message.content, message.message.metadata["calls"]) == ("The dragon is awake.", [3])
    (copy,) = await memories(story, "bob")
    assert "calls" not in copy.metadata
