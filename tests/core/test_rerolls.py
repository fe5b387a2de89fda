"""Rerolls put another answer in place of one, and where everybody is follows the new text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from earwitness.errors import InputError
from earwitness.records.plan import Plan
from earwitness.testing.reference import MemoryLedger, MemoryStore

from .revised_stories import Begin, Directions, Memories, said


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
