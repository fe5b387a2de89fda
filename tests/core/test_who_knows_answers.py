"""Backstage: who knows the answer to a question that is asked with its answer."""

from __future__ import annotations

from .backstage_stories import FOUR, Begin

KEY = "Where did Alice hide the key of the chapel? Beneath the third beehive."


async def test_who_heard_only_the_question_does_not_know_the_answer(begin: Begin) -> None:
    story = await begin(cast=FOUR)
    await story.say("alice", "I put the chapel key beneath the third beehive.", audience=["bob"])
    await story.say("dana", "Where did Alice hide the key of the chapel, Charlie?", audience=["charlie"])
    await story.say("charlie", "The soup is hot.", audience=["dana"])
    known = (await story.backstage().who_knows(KEY)).knowers
    assert str(known["bob"]) == "bob: heard it from alice on day 1"
    assert str(known["charlie"]) == "charlie: nothing found"
    assert [id for id, each in known.items() if each.knows] == ["alice", "bob"]


async def test_several_memories_prove_it_together(begin: Begin) -> None:
    story = await begin(cast=FOUR)
    await story.say("alice", "First fetch the rope from the mill.", audience=["bob", "charlie"])
    await story.say("dana", "The soup is hot.", audience=["charlie"])
    await story.change(game_day=2)
    await story.say("alice", "Then fetch the ladder from the barn.", audience=["bob"])
    await story.say("alice", "Last of all, fetch the lantern from the vestry.", audience=["bob", "dana"])
    asked = "What shall be fetched? The rope from the mill, the ladder from the barn, the lantern from the vestry."
    known = (await story.backstage().who_knows(asked)).knowers
    assert (known["bob"].knows, known["bob"].since, known["bob"].is_unsure) == (True, 2, False)
    assert len(known["bob"].together) == 2
    assert known["bob"].together[-1] == known["bob"].memory_id
    assert (known["charlie"].knows, known["charlie"].is_unsure) == (False, True)
    assert str(known["charlie"]) == "charlie: cannot tell"


async def test_who_was_told_otherwise_heard_the_contrary(begin: Begin) -> None:
    story = await begin(cast=FOUR)
    await story.say("alice", "I hid the chapel key beneath the third beehive.", audience=["bob"])
    await story.say("alice", "I did not hide the chapel key beneath the third beehive.", audience=["charlie"])
    charlie = (await story.backstage().who_knows(KEY)).knowers["charlie"]
    assert (charlie.knows, charlie.contrary is not None) == (False, True)
    assert charlie.contrary is not None
    assert charlie.contrary.learned.teller == "alice"


async def test_what_was_never_said_is_known_to_nobody(begin: Begin) -> None:
    story = await begin(cast=FOUR)
    await story.say("alice", "The soup is hot.", audience=["bob"])
    known = (await story.backstage().who_knows("Who stole the emerald? The bishop.")).knowers
    assert not any(each.knows or each.is_unsure for each in known.values())


async def test_who_says_a_word_of_the_answer_about_something_else_does_not_know_it(begin: Begin) -> None:
    story = await begin(cast=FOUR)
    await story.say("alice", "The silver is buried behind the old windmill.", audience=["bob"])
    await story.say("charlie", "The windmill is old.", audience=["dana"])
    known = (await story.backstage().who_knows("Where is the silver? Behind the old windmill.")).knowers
    assert [id for id, each in known.items() if each.knows] == ["alice", "bob"]


async def test_a_bare_no_is_no_answer_that_anybody_could_have_heard(begin: Begin) -> None:
    story = await begin(cast=FOUR)
    await story.say("dana", "I heard that Alice hid something valuable.", audience=["charlie"])
    known = (await story.backstage().who_knows("Did Alice hide the silver? No.")).knowers
    assert not any(each.knows for each in known.values())
