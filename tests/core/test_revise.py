"""Edits, rerolls and retractions: what goes, what comes in its place, and that nothing later is decided anew."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Protocol

import pytest

from earwitness import Memory, MessageAnswer, MessageEvent, Moment, Plugin, Session, Update
from earwitness.errors import InputError, UnknownName
from earwitness.events import Share, SharingEvent
from earwitness.records.plan import Plan
from earwitness.testing.reference import MemoryLedger, MemoryStore

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]
KNOWLEDGE = "\n\n###Newly discovered world knowledge###\n"


class Directions(Protocol):
    moments: list[Moment]


async def said(memories: Memories, story: Session, owner: str) -> list[str]:
    """What was said in the memories of one container, the speaker's name and the day left out."""
    lines = [memory.content.partition(KNOWLEDGE)[0] for memory in await memories(story, owner)]
    return [line.rpartition("Message: ")[2].partition(": ")[2].partition(" GameDay")[0] for line in lines]


def told(memory: Memory) -> list[str]:
    """The lines of the knowledge section."""
    return memory.content.partition(KNOWLEDGE)[2].splitlines()


class Gossip:
    """Whatever Bob hears, Charlie hears from him, on the day given or at once; and Dana from Charlie."""

    def __init__(self, due: float | None = None) -> None:
        self.due = due

    def share(self, event: SharingEvent) -> Iterable[Share]:
        if "bob" in event.message.participants:
            yield Share(character="charlie", shared_from="bob", rule="gossip", due=self.due)
            yield Share(character="dana", shared_from="charlie", rule="gossip", due=self.due)


# ── edits ───────────────────────────────────────────────────────────────────────────────────────────────────────────


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


# ── rerolls ─────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_reroll_puts_another_answer_in_place_of_the_last(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.say("alice", "Who are you?", key="m1", audience=["bob"])
    await story.say("bob", "Your father.", key="m2", audience=["alice"])
    await story.reroll("A friend.")
    for owner in ("alice", "bob", "world"):
        assert await said(memories, story, owner) == ["Who are you?", "A friend."]


async def test_a_reroll_may_name_its_message(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.say("alice", "Who are you?", key="m1")
    await story.say("alice", "Answer!", key="m2")
    await story.reroll("Who is there?", key="m1")
    assert sorted(await said(memories, story, "alice")) == ["Answer!", "Who is there?"]


async def test_a_reroll_of_the_last_message_reads_no_story_of_plans(begin: Begin) -> None:
    ledger = Counting()
    story = await begin(ledger=ledger)
    for number in range(3):
        await story.say("alice", f"Word {number}.", audience=["bob"])
    await (await story.reroll("Another word.")).settled()
    await (await story.edit("#4", "One more.")).settled()
    assert ledger.folded == 0


async def test_the_story_of_plans_is_read_once_for_rerolls_after_taking_it_up_again(begin: Begin) -> None:
    kept: dict[str, Any] = {"ledger": Counting(), "store": MemoryStore()}
    await (await (await begin(**kept)).say("alice", "Word.")).settled()
    again = await begin(**kept)
    for number in range(3):
        await (await again.reroll(f"Word {number}.")).settled()
    assert kept["ledger"].folded == 1


async def test_an_edit_of_an_earlier_message_sees_the_story_as_it_was(begin: Begin, directions: Directions) -> None:
    story = await begin(detector=directions, present=["alice", "bob"])
    await story.say("alice", "Hello.", key="m1")
    await story.say("alice", "(bob leaves)", key="m2")
    await story.say("alice", "Alone.", key="m3")
    heres = []
    for number, key in enumerate(("m3", "m2", "m1", "m3")):
        await (await story.edit(key, f"{key}, edited {number}.")).settled()
        heres.append(directions.moments[-1].state.here)
    assert heres == [("alice",), ("alice", "bob"), ("alice", "bob"), ("alice",)]


class Counting(MemoryLedger):
    """Counts how many plans were read, of those told earlier."""

    folded = 0

    async def plans(self, session: str, *, up_to: int | None = None) -> Sequence[Plan]:
        self.folded += up_to or len(await self.entries(session))
        return await super().plans(session, up_to=up_to)

    async def plan(self, session: str, sequence: int) -> Plan | None:
        self.folded += 1
        return await super().plan(session, sequence)


async def test_an_edit_far_back_reads_the_plans_shortly_before_it(begin: Begin) -> None:
    kept: dict[str, Any] = {"ledger": (ledger := Counting()), "store": MemoryStore()}
    story = await begin(**kept)
    for number in range(200):
        await story.say("alice", f"Word {number}.", key=f"m{number}")
    for key, most in (("m150", 64), ("m199", 0), ("m20", 64)):
        ledger.folded = 0
        await (await story.edit(key, f"Another {key}.")).settled()
        assert ledger.folded <= most
    again = await begin(**kept)
    for key, most in (("m150", 153), ("m140", 64), ("m20", 64)):
        ledger.folded = 0
        await (await again.edit(key, f"Yet another {key}.")).settled()
        assert ledger.folded <= most


async def test_what_was_retracted_is_not_the_last_message(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.say("alice", "One.", key="m1")
    await story.say("alice", "Two.", key="m2")
    await story.retract("m2")
    await story.reroll("Three.")
    assert await said(memories, story, "alice") == ["Three."]


async def test_without_a_message_there_is_nothing_to_reroll(begin: Begin) -> None:
    with pytest.raises(InputError, match="there is no message to reroll yet"):
        await (await begin()).reroll("Hello.")


async def test_a_reroll_of_the_last_message_undoes_its_movements(begin: Begin, directions: Directions) -> None:
    story = await begin(detector=directions, present=["alice", "bob"])
    await story.say("alice", "(bob leaves) (charlie enters)")
    await story.settled()
    assert story.state.here == ("alice", "charlie")
    await (await story.reroll("Stay a while.")).settled()
    assert story.state.here == ("alice", "bob")
    assert story.state.last_perceivers == ("alice", "bob")


async def test_so_does_the_next_reroll_of_it(begin: Begin, directions: Directions) -> None:
    story = await begin(detector=directions, present=["alice", "bob"])
    await story.say("alice", "Hm.")
    here = []
    for words in ("(bob leaves)", "(charlie enters)", "Stay a while."):
        await (await story.reroll(words)).settled()
        here.append(story.state.here)
    assert here == [("alice",), ("alice", "bob", "charlie"), ("alice", "bob")]


async def test_an_edit_of_the_last_message_does_so_too(begin: Begin, directions: Directions) -> None:
    story = await begin(detector=directions, present=["alice", "bob"])
    await story.say("alice", "(bob leaves)", key="m1")
    await (await story.edit("m1", "Stay a while.")).settled()
    assert story.state.here == ("alice", "bob")


async def test_what_the_host_changed_since_is_not_undone(begin: Begin, directions: Directions) -> None:
    story = await begin(detector=directions, present=["alice", "bob"])
    await story.say("alice", "(bob leaves)", key="m1")
    await story.enter("charlie")
    await (await story.reroll("Stay a while.")).settled()
    assert story.state.here == ("alice", "bob", "charlie")


async def test_whoever_left_by_the_old_text_of_an_earlier_message_is_here_now(
    begin: Begin, directions: Directions, memories: Memories
) -> None:
    story = await begin(detector=directions, present=["alice", "bob"])
    await story.say("alice", "(bob leaves)", key="m1")
    await story.say("alice", "Alone at last.", key="m2")
    await (await story.reroll("Stay a while.", key="m1")).settled()
    assert story.state.here == ("alice", "bob")
    assert story.state.last_perceivers == ("alice",)  # of the last message, which is not decided again
    await (await story.say("alice", "Three.")).settled()
    assert await said(memories, story, "bob") == ["Stay a while.", "Three."]
    here = []
    for words in ("(bob leaves)", "Stay after all.", "(bob leaves) (charlie enters)"):
        await (await story.reroll(words, key="m1")).settled()
        here.append(story.state.here)
    assert here == [("alice", "bob"), ("alice", "bob"), ("alice", "bob", "charlie")]  # Bob has heard "Three."


async def test_who_came_or_left_again_since_stays_where_that_left_them(begin: Begin, directions: Directions) -> None:
    story = await begin(detector=directions, present=["alice", "bob"])
    await story.say("alice", "(bob leaves)", key="m1")
    await story.say("alice", "(bob enters)", key="m2")
    await story.say("alice", "(bob leaves)", key="m3")
    await (await story.reroll("Stay a while.", key="m1")).settled()
    assert story.state.here == ("alice",)
    await (await story.edit("m3", "Do stay.")).settled()
    assert story.state.here == ("alice", "bob")


async def test_who_has_perceived_something_since_does_not_leave_by_a_correction(
    begin: Begin, directions: Directions
) -> None:
    story = await begin(detector=directions, present=["alice", "bob"])
    await story.say("alice", "Hm. (charlie enters)", key="m1")
    await story.say("alice", "Two.", key="m2")
    await (await story.edit("m1", "(bob leaves)")).settled()
    assert story.state.here == ("alice", "bob", "charlie")


async def test_who_stays_by_a_correction_has_come_along_since(begin: Begin, directions: Directions) -> None:
    story = await begin(detector=directions, present=["alice", "bob"])
    await story.say("alice", "(bob leaves)", key="m1")
    await story.change(current_scene="market")
    await story.say("alice", "Two.", key="m2")
    await (await story.edit("m1", "Stay a while.")).settled()
    assert story.state.here == ("alice", "bob")
    assert story.state.whereabouts["bob"].place == "market"


async def test_a_reroll_counts_as_no_further_message(begin: Begin) -> None:
    story = await begin()
    await story.say("alice", "One.")
    await (await story.reroll("Two.")).settled()
    assert story.state.message_count == 1


# ── retractions of a message ────────────────────────────────────────────────────────────────────────────────────────


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


# ── retractions of one memory ───────────────────────────────────────────────────────────────────────────────────────


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


# ── retractions of a change: what rested on it is rebuilt ───────────────────────────────────────────────────────────


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


# ── what was there before the story ─────────────────────────────────────────────────────────────────────────────────


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


# ── the same again ──────────────────────────────────────────────────────────────────────────────────────────────────


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
