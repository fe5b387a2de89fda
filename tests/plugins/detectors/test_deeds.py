"""Leaving as it is told, in words that no verb of motion holds, and in other languages."""

import pytest

from earwitness.rehearsal import Rehearsal
from earwitness_plugins.detectors.rules import RulesDetector


async def is_there_after(speaker: str, text: str, who: str = "Ann") -> bool:
    rehearsal = Rehearsal(RulesDetector(), ["Ann", "Ben", "Tom"])
    for each, said in [("Ann", "Hello!"), ("Ben", "Hi."), ("Tom", "Hi."), (speaker, text)]:
        await rehearsal.tell(each, said)
    return who in (await rehearsal.tell("Tom", "The key is under the third barrel.")).settled.participants


@pytest.mark.parametrize(
    "text",
    [
        "*puts her headphones on*",
        "*switches her phone off*",
        "*verlässt den Raum*",
        "*sale de la habitación*",
        "*quitte la pièce*",
        "*sai da sala*",
        "*выходит из комнаты*",
        "*部屋を出ていく*",
        "*离开了房间*",
        "*nods to Ben and puts her headphones on*",
    ],
)
async def test_who_tells_that_they_leave_or_hear_nothing_more_has_gone(text: str) -> None:
    assert not await is_there_after("Ann", text)
    assert await is_there_after("Ann", text, "Ben")


@pytest.mark.parametrize(
    "text", ["*wenn Ben geht, verlässt sie den Raum*", "*does not put her headphones on*", "*watches Ben*"]
)
async def test_what_is_not_told_as_done_moves_nobody(text: str) -> None:
    assert await is_there_after("Ann", text)


async def test_the_one_who_is_named_goes() -> None:
    assert not await is_there_after("Ann", "*Ben verlässt den Raum*", "Ben")
    assert await is_there_after("Ann", "*Ben verlässt den Raum*")


@pytest.mark.parametrize(
    "text",
    [
        '*hangs up his scarf* "Evening, all."',
        "*ran out of words*",
        "*goes out of her way to be kind to Ben*",
        "*wriggles out of the heavy boots*",
        "*walks off the cramp* It is nothing.",
        "*climbs out of the bath* Who ate my cake?",
        "*excuses herself for the noise*",
        "*is off the hook and knows it*",
        '*shuts the door behind her* "Right. Ben, pour me one."',
        '*takes the steps three at a time* "Tom! They are coming!"',
        '*switches off the radio* "At last, some quiet."',
        '*closes the laptop* "Enough. Who wants supper?"',
    ],
)
async def test_what_only_looks_like_a_going_moves_nobody(text: str) -> None:
    assert await is_there_after("Ann", text)


@pytest.mark.parametrize(
    "text",
    [
        "*shuts the door behind her*",
        '*closes the laptop* "Good night!"',
        "*hangs up the phone*",
        "*steps out of the room*",
        "*is gone*",
        "*is off like a shot*",
    ],
)
async def test_who_really_goes_by_such_words_has_gone(text: str) -> None:
    assert not await is_there_after("Ann", text)
