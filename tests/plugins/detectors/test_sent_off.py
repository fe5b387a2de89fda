"""Who is bid farewell, or is spoken of as gone, is no longer there for what follows."""

from earwitness.rehearsal import Rehearsal
from earwitness_plugins.detectors.rules import RulesDetector

CAST = ["Ann", "Ben", "Tom"]
HELLO = [("Ann", "Hello!"), ("Ben", "Hi."), ("Tom", "Hi.")]
SECRET = ("Ann", "The key is under the third barrel.")


async def hearing_the_secret(*lines: tuple[str, str]) -> set[str]:
    rehearsal = Rehearsal(RulesDetector(), CAST)
    for speaker, text in [*HELLO, *lines]:
        await rehearsal.tell(speaker, text)
    return set((await rehearsal.tell(*SECRET)).settled.participants)


async def test_who_is_bid_farewell_and_wished_well_has_gone() -> None:
    assert await hearing_the_secret(("Ann", "Bye Ben, drive safe!")) == {"Ann", "Tom"}


async def test_they_still_hear_the_farewell() -> None:
    rehearsal = Rehearsal(RulesDetector(), CAST)
    for speaker, text in HELLO:
        await rehearsal.tell(speaker, text)
    assert "Ben" in (await rehearsal.tell("Ann", "Bye Ben, drive safe!")).settled.participants


async def test_who_hinted_at_going_has_gone_once_the_others_are_by_themselves() -> None:
    assert await hearing_the_secret(("Ben", "It's getting late."), ("Tom", "So, now it's just us.")) == {"Ann", "Tom"}
    assert await hearing_the_secret(("Ben", "It's getting late.")) == {"Ann", "Ben", "Tom"}


async def test_a_greeting_sends_nobody_off() -> None:
    assert await hearing_the_secret(("Ann", "Good evening, Ben!")) == {"Ann", "Ben", "Tom"}


async def test_who_is_bid_farewell_and_speaks_again_is_there() -> None:
    lines = [("Ann", "Bye Ben, drive safe!"), ("Ben", "No, I'll stay for another.")]
    assert await hearing_the_secret(*lines) == {"Ann", "Ben", "Tom"}


async def test_one_hint_alone_lets_nobody_go() -> None:
    lines = [("Ben", "It's getting late."), ("Tom", "The moon is up."), ("Ann", "So it is.")]
    assert "Ben" in await hearing_the_secret(*lines)
