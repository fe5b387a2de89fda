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
