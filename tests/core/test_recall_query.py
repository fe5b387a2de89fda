"""The query of a recall: the current day and the last messages that the character may recall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from earwitness import (
    Character,
)
from earwitness.errors import SettingsError, UnknownName
from earwitness.events import PlanEvent, ReadEvent, ReadProviderEvent, ReadRequest, Strike
from earwitness.filters import Filter, Not, equals
from earwitness.testing.reference import MemoryLedger

from .recall_stories import Begin, keys, tell


async def test_the_query_is_to_the_letter(begin: Begin) -> None:
    story = await begin(cast=[Character("alice"), Character("bob", name="Sir Bob"), "charlie"])
    await tell(story, "m1 Bob and I agreed to find the Sacred Sword!")
    await (await story.change(game_day=2.5)).settled()
    await tell(story, "m2 Then let us go.\nAt once!", by="bob")
    await tell(story, "m3 Go where?", by="charlie")
    assert (await story.turn("bob")).query == (
        "###Current time###\n"
        "Game Day: 2.5\n"
        "\n"
        "###Recent messages###\n"
        "Message: Alice: Bob and I agreed to find the Sacred Sword! GameDay: 1\n"
        "Message: Sir Bob: Then let us go.\n"
        "At once! GameDay: 2.5\n"
        "Message: Charlie: Go where? GameDay: 2.5\n"
        "\n"
        "What are the relevant memories that are not in the recent three messages to construct Sir Bob's message?"
    )


async def test_before_anything_is_said_the_query_has_no_messages(begin: Begin) -> None:
    assert (await (await begin()).turn("alice")).query == (
        "###Current time###\nGame Day: 1\n\n"
        "What are the relevant memories that are not in the recent three messages to construct Alice's message?"
    )


@pytest.mark.parametrize("recent", [1, 2, 3])
async def test_one_to_three_recent_messages_make_the_query(begin: Begin, recent: int) -> None:
    story = await begin(recall={"recent": recent})
    await tell(story, "m1 One.", "m2 Two.", "m3 Three.", "m4 Four.")
    query = (await story.turn("alice")).query
    assert [words for words in ("One", "Two", "Three", "Four") if words in query] == ["Two", "Three", "Four"][-recent:]


@pytest.mark.parametrize("recent", [0, 4, 1.5, True])
async def test_any_other_number_of_recent_messages_is_refused(begin: Begin, recent: Any) -> None:
    with pytest.raises(SettingsError, match=r"recall\.recent"):
        await begin(recall={"recent": recent})


async def test_only_what_she_perceived_is_in_the_query(begin: Begin) -> None:
    story = await begin()
    await tell(story, "m1 We meet at dawn.")
    await tell(story, "m2 Charlie is the thief.", "m3 Say nothing.", "m4 He must not know.", audience=["bob"])
    query = (await story.turn("charlie")).query
    assert "We meet at dawn." in query
    assert "thief" not in query
    assert "know" not in query


async def test_the_query_has_a_message_as_it_was_last_edited_and_none_that_was_retracted(begin: Begin) -> None:
    story = await begin()
    await tell(story, "m1 The sword is blue.", "m2 I hate you.", "m3 Let us go.")
    await story.edit("m1", "The sword is red.")
    await story.retract("m2")
    query = (await story.turn("bob")).query
    assert "The sword is red." in query
    assert "blue" not in query
    assert "hate" not in query


async def test_the_query_has_no_message_of_a_later_day(begin: Begin) -> None:
    story = await begin(state={"game_day": 3})
    await tell(story, "m1 The sword is here.")
    await story.change(game_day=9)
    await tell(story, "m2 The sword is broken.")
    await story.change(game_day=3)
    turn = await story.turn("bob")
    assert "The sword is here. GameDay: 3" in turn.query
    assert "broken" not in turn.query


async def test_the_query_has_no_message_that_she_was_made_to_forget_until_she_remembers_it_again(begin: Begin) -> None:
    story = await begin()
    await tell(story, "m1 The sword is here.", "m2 The soup is hot.")
    (sword,) = (await story.turn("bob", query="sword", in_prompt=[], memories=1)).memories
    assert "sword" in (await story.turn("bob")).query
    await (await story.archive(sword.memory)).settled()
    assert "sword" not in (await story.turn("bob")).query
    assert "sword" in (await story.turn("charlie")).query
    await (await story.restore(sword.memory)).settled()
    assert "sword" in (await story.turn("bob")).query
    await (await story.retract(sword.memory.id)).settled()
    await tell(story, "m3 And now?")
    assert "sword" not in (await story.turn("bob")).query
    await story.edit("m1", "The sword was here.")  # revives nothing
    assert "sword" not in (await story.turn("bob")).query
    assert "The sword was here." in (await story.turn("charlie")).query


class Discreet:
    """A guard that withholds what was said of the sword, and strikes nothing."""

    def filter(self, event: ReadEvent) -> Filter:
        return Not(equals("messageIds", "m1"))

    def strike(self, event: PlanEvent) -> Sequence[Strike]:
        return []


async def test_the_query_reaches_back_behind_a_message_that_a_guard_withholds(begin: Begin) -> None:
    story = await begin(guards=[Discreet()], recall={"recent": 1})
    await tell(story, "m0 Good evening.", "m1 The sword is here.")
    turn = await story.turn("bob")
    assert "sword" not in turn.query
    assert "Good evening." in turn.query
    assert keys(turn) == []


async def test_read_providers_and_plugins_see_the_query_without_what_is_withheld(begin: Begin) -> None:
    asked = []

    class Provider:
        def reads(self, event: ReadProviderEvent) -> Sequence[ReadRequest]:
            asked.append(event.query)
            return []

    story = await begin(guards=[Discreet()], read_providers=[Provider()])
    await tell(story, "m1 The sword is here.", "m2 The soup is hot.")
    turn = await story.turn("bob")
    assert asked == [turn.query]
    assert "sword" not in turn.query


async def test_without_guards_and_withdrawals_the_query_costs_no_read_of_the_ledger(begin: Begin) -> None:
    ledger = MemoryLedger()
    story = await begin(ledger=ledger)
    await tell(story, "m1 The sword is here.")
    await story.delivered()
    read = ledger.deliveries

    async def refuse(*given: object, **more: object) -> Any:
        raise AssertionError("nothing to look up")

    ledger.deliveries = refuse  # type: ignore[method-assign]
    assert "sword" in (await story.turn("bob")).query
    ledger.deliveries = read  # type: ignore[method-assign]


async def test_a_host_may_ask_in_words_of_its_own(begin: Begin) -> None:
    story = await begin()
    await tell(story, "m1 The sword is in the cave.", "m2 The soup is hot.")
    turn = await story.turn("bob", query="Where is the sword?", in_prompt=[], memories=1)
    assert turn.query == "Where is the sword?"
    assert keys(turn) == ["m1"]


async def test_an_unknown_character_has_no_turn(begin: Begin) -> None:
    with pytest.raises(UnknownName, match="unknown character 'zoe'"):
        await (await begin()).turn("zoe")
