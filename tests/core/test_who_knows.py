"""Backstage: who knows something, since when, and how."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from earwitness.backstage.knowers import WhoKnows
from earwitness.records.learned import Learned

from .backstage_stories import FOUR, Begin, Gossip, Memories


def knowing(answer: WhoKnows) -> list[str]:
    return [id for id, knower in answer.knowers.items() if knower.knows]


async def test_who_knows_says_of_everybody_since_when_and_how(begin: Begin, memories: Memories) -> None:
    story = await begin(state={"game_day": 2.5})
    await story.say("alice", "Let us find the Sacred Sword.", key="m1", audience=["bob"])
    await story.say("bob", "The soup is hot.", key="m2", audience=["charlie"])
    known = await story.backstage().who_knows("the Sacred Sword")
    assert str(known) == "alice: said it on day 2.5\nbob: heard it from alice on day 2.5\ncharlie: nothing found"
    (proof, *_) = await memories(story, "bob")
    bob = known.knowers["bob"]
    assert (bob.knows, bob.since, bob.memory_id, bob.text) == (True, 2.5, proof.id, proof.content)
    charlie = known.knowers["charlie"]
    assert (charlie.knows, charlie.since, charlie.memory_id, charlie.text) == (False, None, None, None)


async def test_days_are_called_as_the_calendar_says(begin: Begin, memories: Memories) -> None:
    story = await begin(calendar={"unit": "night"})
    await story.say("alice", "Let us find the Sacred Sword.", audience=["bob"])
    known = await story.backstage().who_knows("the Sacred Sword")
    assert str(known.knowers["bob"]) == "bob: heard it from alice on night 1"
    (memory,) = await memories(story, "bob")
    explained = await story.backstage().explain(memory.id)
    assert str(explained).startswith("bob remembers what alice said on night 1 ")
    assert "  heard it from alice on night 1" in str(explained)
    assert "calendar" not in explained.model_dump_json()


async def test_who_was_told_names_the_teller(begin: Begin) -> None:
    story = await begin(cast=FOUR, sharing_rules=[Gossip()])
    await story.say("alice", "Let us find the Sacred Sword.", audience=["bob"])
    known = (await story.backstage().who_knows("Sacred Sword")).knowers
    assert [str(known[id].learned) for id in ("charlie", "dana")] == ["was told by bob", "was told by charlie"]


async def test_who_was_there_is_not_said_to_have_been_told(begin: Begin) -> None:
    story = await begin(cast=FOUR, sharing_rules=[Gossip()])
    await story.say("alice", "Let us find the Sacred Sword.", audience=["bob", "dana"])
    known = (await story.backstage().who_knows("Sacred Sword")).knowers
    assert known["dana"].learned == Learned(way="heard", teller="alice")


async def test_the_day_is_the_first_on_which_somebody_learned_it(begin: Begin) -> None:
    story = await begin(cast=FOUR)
    await story.say("alice", "The Sacred Sword is broken.", audience=["bob"], key="m1")
    await story.change(game_day=2)
    await story.tell("bob", "charlie", "m1")
    await story.change(game_day=3)
    await story.say("alice", "The Sacred Sword is broken.", audience=["charlie"])
    charlie = (await story.backstage().who_knows("the Sacred Sword is broken")).knowers["charlie"]
    assert str(charlie) == "charlie: was told by bob on day 2"


async def test_what_is_due_later_is_not_known_yet(begin: Begin) -> None:
    story = await begin(cast=FOUR, sharing_rules=[Gossip(due=3)])
    await story.say("alice", "Let us find the Sacred Sword.", audience=["bob"])
    assert not (await story.backstage().who_knows("Sacred Sword")).knowers["charlie"].knows
    await story.change(game_day=3)
    charlie = (await story.backstage().who_knows("Sacred Sword")).knowers["charlie"]
    assert (charlie.learned, charlie.since) == (Learned(way="told", teller="bob"), 3)


async def test_the_subject_of_a_secret_does_not_know_it(begin: Begin) -> None:
    story = await begin()
    await story.say("charlie", "I like Alice and Bob.", audience=["alice", "bob"])
    await story.say("alice", "Charlie is a thief, Bob.", audience=["bob"])
    assert str(await story.backstage().who_knows("Charlie is a thief")) == (
        "alice: said it on day 1\nbob: heard it from alice on day 1\ncharlie: nothing found"
    )


async def test_what_was_there_before_the_story_and_news_of_the_world_are_known_too(
    begin: Begin, teller: Callable[..., Any]
) -> None:
    story = await begin(world_agent=teller(), present=["alice", "bob"])
    await story.prepare(lore=[{"text": "Dragons fear iron.", "known_by": ["charlie"]}])
    await story.change(game_day=6, current_scene="lair", description="The party moved to the lair")
    await story.say("alice", "Well.", audience=["bob"])
    backstage = story.backstage()
    assert str(await backstage.who_knows("What do dragons fear?")) == (
        "alice: nothing found\nbob: nothing found\ncharlie: knew it before the story"
    )
    known = (await backstage.who_knows("moved to the lair")).knowers
    assert str(known["bob"].learned) == "learned it as news of the world"
    assert known["bob"].text == "The party moved to the lair. GameDay: 6"
    assert not known["charlie"].knows


async def test_news_say_whom_they_are_about(begin: Begin, teller: Callable[..., Any]) -> None:
    story = await begin(world_agent=teller(), present=["alice", "bob"])
    await story.update("Alice lost the Sacred Sword", character="alice", audience="present")
    await story.say("bob", "Hm.", audience=["alice"])
    assert str(await story.backstage().who_knows("Alice lost the Sacred Sword")).splitlines() == [
        "alice: did it on day 1",
        "bob: learned it as news of alice on day 1",
        "charlie: nothing found",
    ]


async def test_of_two_ways_of_one_day_the_first_counts(begin: Begin) -> None:
    story = await begin()
    await story.say("alice", "The bridge broke down.", audience=["bob"], key="m1")
    await story.tell("bob", "charlie", "m1")
    await story.say("alice", "The bridge broke down.", audience=["charlie"])
    found = (await story.backstage().who_knows("the bridge broke down")).knowers
    assert str(found["charlie"]) == "charlie: was told by bob on day 1"


async def test_what_was_taken_back_or_corrected_is_known_to_nobody(begin: Begin) -> None:
    story = await begin()
    await story.say("alice", "The sword is blue.", key="m1", audience=["bob"])
    await story.say("alice", "The soup is poisoned.", key="m2", audience=["bob"])
    await story.edit("m1", "The shield is red.")
    await story.retract("m2")
    for question in ("blue sword", "poisoned soup"):
        assert not any(each.knows for each in (await story.backstage().who_knows(question)).knowers.values())
    assert (await story.backstage().who_knows("red shield")).knowers["bob"].knows


@pytest.mark.parametrize("question", ["Who killed the king?", "", "###SUPERMEMORY###"])
async def test_of_what_was_never_said_nothing_is_found(begin: Begin, question: str) -> None:
    story = await begin()
    await story.say("alice", "The soup is hot.", audience=["bob"])
    assert not any(each.knows for each in (await story.backstage().who_knows(question)).knowers.values())


async def test_rare_words_tell_who_knows_and_words_that_stand_everywhere_do_not(begin: Begin) -> None:
    story = await begin(cast=FOUR)
    for number in range(5):
        await story.say("dana", f"The king spoke to the people for the {number}. time.", audience=["bob"])
    await story.say("alice", "The king hid the ruby in the well of the old mill.", audience=["bob"])
    await story.say(
        "alice", "And in a speech that goes on and on about this and that: the ruby, the mill.", audience=["charlie"]
    )
    backstage = story.backstage()
    long = await backstage.who_knows("Where did the king hide the ruby? In the well of the old mill, they say.")
    assert knowing(long) == ["alice", "bob"]
    assert knowing(await backstage.who_knows("the ruby and the mill")) == ["alice", "bob", "charlie"]
    assert knowing(await backstage.who_knows("Which king killed a swan?")) == []
    assert knowing(await backstage.who_knows("the")) == []
