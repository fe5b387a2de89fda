"""Retractions of messages and of single memories: everything that rested on them goes."""

from __future__ import annotations

import pytest

from earwitness import MessageAnswer, MessageEvent, Plugin, Update
from earwitness.errors import InputError, UnknownName

from .revised_stories import Begin, Directions, Gossip, Memories, said

# ── retractions of a message ──────────────────────────────────────────────────────────────────────────────────────────


async def test_a_retracted_message_is_gone_from_everybody_and_the_world(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=["alice", "bob", "charlie", "dana"], sharing_rules=[Gossip()])
    await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])
    assert await said(memories, story, "dana") == ["The sword is in the cave."]
    await story.retract("m1")
    for owner in (*story.cast.ids, "world"):
        assert await memories(story, owner) == ()


async def test_who_lost_it_with_a_teller_who_was_forgotten_since_has_no_new_wording_of_it(
    begin: Begin, memories: Memories
) -> None:
    story = await begin(cast=["alice", "bob", "charlie", "dana"], sharing_rules=[Gossip()])
    await story.say("alice", "The sword is blue.", key="m1", audience=["bob"])
    (his,) = await memories(story, "bob")
    await story.retract(his.id)
    await story.forget("bob")
    await story.edit("m1", "The sword is red.")
    assert [await said(memories, story, id) for id in ("alice", "charlie", "dana")] == [["The sword is red."], [], []]


async def test_a_retraction_cancels_what_is_due(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=["alice", "bob", "charlie", "dana"], sharing_rules=[Gossip(due=5)])
    await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])
    await story.say("alice", "The soup is hot.", key="m2", audience=["bob"])
    await story.retract("m1")
    await story.change(game_day=5)
    assert await said(memories, story, "charlie") == ["The soup is hot."]
    assert await said(memories, story, "dana") == ["The soup is hot."]


async def test_telling_it_again_under_its_key_does_not_revive_it(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.say("alice", "I love you.", key="m1", audience=["bob"])
    await story.retract("m1")
    again = await story.say("alice", "I love you.", key="m1", audience=["bob"])
    await again.settled()
    assert not again.created
    assert await memories(story, "bob") == ()


async def test_a_retraction_decides_no_later_turn_anew(
    begin: Begin, memories: Memories, directions: Directions
) -> None:
    story = await begin(detector=directions, present=["alice", "bob"])
    await story.say("alice", "(bob leaves)", key="m1")
    await (await story.say("alice", "Alone at last.", key="m2")).settled()
    asked = len(directions.moments)
    await (await story.retract("m1")).settled()
    assert len(directions.moments) == asked
    assert await memories(story, "bob") == ()
    assert await said(memories, story, "alice") == ["Alone at last."]


async def test_the_comings_and_goings_of_the_last_message_go_with_it(begin: Begin, directions: Directions) -> None:
    story = await begin(detector=directions, present=["alice", "bob"])
    await story.say("alice", "Hello.", key="m1")
    await story.say("alice", "(to charlie) (bob leaves) (charlie enters)", key="m2")
    await (await story.reroll("(bob leaves)")).settled()
    assert [*story.state.here] == ["alice"]
    await (await story.retract("m2")).settled()
    assert [*story.state.here] == ["alice", "bob"]
    assert story.state.last_perceivers == ("alice", "bob")


async def test_whoever_left_in_an_earlier_message_is_here_now_when_it_goes(
    begin: Begin, directions: Directions
) -> None:
    story = await begin(detector=directions, present=["alice", "bob"])
    await story.say("alice", "(bob leaves)", key="m1")
    await story.say("alice", "Alone at last.", key="m2")
    await (await story.retract("m1")).settled()
    assert story.state.here == ("alice", "bob")


async def test_what_was_retracted_is_not_retracted_again(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice", "bob"])
    await story.say("alice", "The sword is blue.", key="m1", audience=["bob"])
    await story.update("A bell rang", key="u1")
    await story.prepare(lore=["Dragons fear iron."], key="p1")
    (bobs, *_), (worlds, *_) = await memories(story, "bob"), await memories(story, "world")
    first = {target: await story.retract(target) for target in (bobs.id, "m1", "u1", "p1")}
    assert all(outcome.created for outcome in first.values())
    for target, outcome in first.items():
        again = await story.retract(target)
        assert (again.created, again.sequence) == (False, outcome.sequence)
    assert not (await story.retract(worlds.id)).created
    assert (await story.retract("m1", own_key="r1")).created  # a host may want an entry of its own


async def test_what_nobody_has_cannot_be_retracted(begin: Begin) -> None:
    story = await begin()
    with pytest.raises(UnknownName, match="unknown message key or memory id 'm1'"):
        await story.retract("m1")


async def test_a_retraction_names_who_did_it(begin: Begin) -> None:
    story = await begin()
    await story.say("alice", "Oops.", key="m1")
    backstage = story.backstage(role="designer")
    (memory,) = (await backstage.inspect("alice")).memories
    await backstage.retract("m1")
    explanation = await backstage.explain(memory.id)
    assert not explanation.alive
    assert explanation.supports[0].reason == "retracted by designer"


# ── retractions of one memory ─────────────────────────────────────────────────────────────────────────────────────────


async def test_one_memory_may_go_with_what_was_told_on_from_it(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=["alice", "bob", "charlie", "dana"], sharing_rules=[Gossip()])
    await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])
    (charlies,) = await memories(story, "charlie")
    await story.retract(charlies.id)
    assert [len(await memories(story, id)) for id in ("alice", "bob", "charlie", "dana", "world")] == [1, 1, 0, 0, 1]


async def test_who_heard_it_herself_keeps_it_when_what_she_was_told_goes(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=["alice", "bob", "charlie", "dana"], sharing_rules=[Gossip()])
    await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob", "dana"])
    (charlies,) = await memories(story, "charlie")
    await story.retract(charlies.id)
    (danas,) = await memories(story, "dana")
    assert danas.metadata["interactionType"] == "direct"
    assert "sharedFrom" not in danas.metadata


async def test_the_world_s_copy_of_a_message_goes_with_everybody_s(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=["alice", "bob", "charlie", "dana"], sharing_rules=[Gossip()])
    await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])
    (worlds,) = await memories(story, "world")
    await story.retract(worlds.id)
    for owner in (*story.cast.ids, "world"):
        assert await memories(story, owner) == ()
    with pytest.raises(InputError, match="'m1' was retracted"):
        await story.edit("m1", "The sword is here.")


async def test_the_world_s_copy_of_what_was_prepared_goes_with_everybody_s(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.prepare(lore=["Dragons sleep badly.", "Elves never sleep."])
    dragons, _ = await memories(story, "world")
    await story.retract(dragons.id)
    for owner in (*story.cast.ids, "world"):
        assert [memory.content for memory in await memories(story, owner)] == ["Elves never sleep."]


async def test_the_world_s_copy_of_an_update_goes_without_the_message_that_brought_it(
    begin: Begin, memories: Memories
) -> None:
    story = await begin(plugins=[Rains()])
    await story.say("alice", "Look at the clouds.", key="m1", audience=["bob"])
    (rain,) = [each for each in await memories(story, "world") if each.metadata["type"] == "world_state_update"]
    await story.retract(rain.id)
    assert await said(memories, story, "bob") == ["Look at the clouds."]
    assert await said(memories, story, "world") == ["Look at the clouds."]


class Rains(Plugin):
    async def on_message(self, event: MessageEvent) -> MessageAnswer:
        return MessageAnswer(updates=(Update(description="It rains"),))


@pytest.mark.parametrize("times", [1, 2])
async def test_an_edit_brings_nothing_back_to_whose_copy_was_retracted(
    begin: Begin, memories: Memories, times: int
) -> None:
    story = await begin(cast=["alice", "bob", "charlie", "dana"], sharing_rules=[Gossip()])
    await story.say("alice", "The sword is blue.", key="m1", audience=["bob"])
    (bobs,) = await memories(story, "bob")
    await story.retract(bobs.id)
    for time in range(times):
        await story.edit("m1", f"The sword is red {time}.", audience=["bob"])
    assert await said(memories, story, "alice") == [f"The sword is red {times - 1}."]
    for id in ("bob", "charlie", "dana"):
        assert await said(memories, story, id) == []
    assert "sword" not in (await story.turn("bob")).query


async def test_an_edit_reaches_who_lost_hearsay_and_is_there_now(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=["alice", "bob", "charlie", "dana"], sharing_rules=[Gossip()])
    await story.say("alice", "The sword is blue.", key="m1", audience=["bob"])
    (bobs,) = await memories(story, "bob")
    await story.retract(bobs.id)
    await story.edit("m1", "The sword is red.", audience=["bob", "charlie"])
    assert await said(memories, story, "charlie") == ["The sword is red."]
    assert await said(memories, story, "bob") == []


async def test_in_a_branch_too_an_edit_brings_nothing_back(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.say("alice", "The sword is blue.", key="m1", audience=["bob"])
    (bobs,) = await memories(story, "bob")
    await story.retract(bobs.id)
    branch = await story.fork("s2")
    await branch.edit("m1", "The sword is red.", audience=["bob"])
    assert await said(memories, branch, "bob") == []
