"""Weak signs of going: each says little, several together or with a silence say much."""

import pytest

from earwitness.rehearsal import Rehearsal
from earwitness_plugins.detectors.acts.inventory import inventory
from earwitness_plugins.detectors.acts.leave_model import hinted
from earwitness_plugins.detectors.acts.signs import signs
from earwitness_plugins.detectors.inference.silence import still_here
from earwitness_plugins.detectors.rules import RulesDetector

CAST = ["Ann", "Ben", "Tom", "Eve"]
TALK = [
    "Is the roof mended?",
    "Half of it.",
    "And the chimney?",
    "Next week, they say.",
    "Then we need a tarp.",
    "I have one.",
]


async def hearing_the_secret(text: str, silence: int) -> set[str]:
    rehearsal = Rehearsal(RulesDetector(), CAST)
    for speaker, said in [("Ben", "Hello!"), ("Tom", "Hi."), ("Eve", "Hi."), ("Ann", text)]:
        await rehearsal.tell(speaker, said)
    for at, said in enumerate(TALK[:silence]):
        await rehearsal.tell(("Ben", "Tom")[at % 2], said)
    return set((await rehearsal.tell("Eve", "The key is under the third barrel.")).settled.participants)


@pytest.mark.parametrize(
    "text",
    [
        "have to milk the goats, tell me later",
        "two percent left, talk when I'm home",
        "I need to get the bread in, back by nine",
        "muss die Ziegen melken, lest später nach",
        "tengo que ordeñar las cabras, luego me cuentan",
        "надо подоить коз, потом почитаю",
    ],
)
async def test_two_weak_signs_together_are_a_leave_taking(text: str) -> None:
    assert await hearing_the_secret(text, silence=0) == {"Ben", "Tom", "Eve"}


async def test_a_weak_sign_counts_with_the_silence_that_follows() -> None:
    assert "Ann" in await hearing_the_secret("Only one bar left.", silence=0)
    assert "Ann" not in await hearing_the_secret("Only one bar left.", silence=6)


async def test_silence_without_a_sign_is_listening() -> None:
    assert "Ann" in await hearing_the_secret("The goats are well.", silence=6)


async def test_what_one_has_to_say_is_no_duty() -> None:
    assert "Ann" in await hearing_the_secret("I have to say, that took until nine.", silence=0)


def test_who_hinted_and_is_silent_grows_less_likely_to_be_there() -> None:
    likely = [still_here(hint=0.2, since=["ben", "tom"] * n, cast=4, called=False, faded=0.8) for n in range(1, 6)]
    assert likely == sorted(likely, reverse=True)
    assert likely[-1] < 0.5 < likely[0]


def test_who_is_called_by_name_is_likelier_to_be_there() -> None:
    called, other = (
        still_here(hint=0.2, since=["ben", "tom", "ben"], cast=4, called=each, faded=0.8) for each in (True, False)
    )
    assert called > other


def test_where_a_narrator_tells_silence_alone_takes_nobody_away() -> None:
    assert still_here(hint=0.2, since=["ben"] * 20, cast=4, called=False, faded=None) == 0.5


def test_a_denial_is_no_hint() -> None:
    assert hinted(signs([("My phone isn't dead.", ())], inventory())) == 0
