"""Who hears the very first words of a story, before anybody has been placed."""

import pytest

from earwitness.rehearsal import Rehearsal
from earwitness_plugins.detectors.rules import RulesDetector


async def hearing_first(text: str, *cast: str) -> set[str]:
    return set((await Rehearsal(RulesDetector(), cast).tell("Ann", text)).settled.participants)


async def test_of_three_both_others_are_meant_where_several_are_spoken_to() -> None:
    assert await hearing_first("Hey guys, I found the map!", "Ann", "Bob", "Cid") == {"Ann", "Bob", "Cid"}
    assert await hearing_first("Na, ihr beiden, wie war der Urlaub?", "Ann", "Bob", "Cid") == {"Ann", "Bob", "Cid"}


async def test_leave_is_taken_of_those_who_stay() -> None:
    assert await hearing_first("I have to go, the bus is here.", "Ann", "Bob", "Cid") == {"Ann", "Bob", "Cid"}


@pytest.mark.parametrize(
    "text",
    [
        "Cid does not know that Bob and I will go.",
        "Cid has no idea that Bob and I will go.",
        "Cid said Bob and I should go.",
        "Without Cid, Bob and I will go.",
        "I have to go, or Cid will see me.",
    ],
)
async def test_leave_is_not_taken_of_somebody_who_is_only_talked_about(text: str) -> None:
    assert "Cid" not in await hearing_first(text, "Ann", "Bob", "Cid")


async def test_of_four_nobody_knows_who_is_meant() -> None:
    assert await hearing_first("Hey guys, I found the map!", "Ann", "Bob", "Cid", "Dan") == {"Ann"}


async def test_everyone_who_is_only_talked_about_is_not_spoken_to() -> None:
    assert await hearing_first("I think everyone has a price, Bob.", "Ann", "Bob", "Cid") == {"Ann", "Bob"}


async def test_a_wish_before_but_does_not_unsay_what_follows() -> None:
    rehearsal = Rehearsal(RulesDetector(), ["Ann", "Bob", "Cid"])
    await rehearsal.tell("Ann", "I wish I could stay, guys, but I have to go.")
    assert set((await rehearsal.tell("Bob", "It is in the old mill.")).settled.participants) == {"Bob", "Cid"}
