"""Who is bid farewell, or is spoken of as gone, is no longer there for what follows."""

import pytest

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


async def test_who_is_told_to_go_has_gone() -> None:
    assert await hearing_the_secret(("Ann", "Ben, go to your room!")) == {"Ann", "Tom"}
    assert await hearing_the_secret(("Ann", "Ben, geh ins Bett!")) == {"Ann", "Tom"}
    assert await hearing_the_secret(("Ann", "Ben, vete a dormir.")) == {"Ann", "Tom"}


async def test_who_refuses_to_go_is_there() -> None:
    assert "Ben" in await hearing_the_secret(("Ann", "Ben, go to your room!"), ("Ben", "I won't."))


WHILE_BEN_IS_SILENT = [("Ann", "Well."), ("Tom", "It rains."), ("Ann", "So it does.")]


async def after_silence(text: str) -> set[str]:
    return await hearing_the_secret(*WHILE_BEN_IS_SILENT, ("Tom", text))


@pytest.mark.parametrize(
    "text",
    [
        "Ben is asleep by now.",
        "Ben schläft schon.",
        "Ben est parti.",
        "Ben went home an hour ago.",
        "Ben has left.",
        "Ben is in bed, you know.",
    ],
)
async def test_who_has_long_been_silent_and_is_said_to_be_gone_hears_nothing_from_then_on(text: str) -> None:
    assert await after_silence(text) == {"Ann", "Tom"}


@pytest.mark.parametrize(
    "text",
    [
        "Ben went to the fireplace.",
        "Ben left the lamp on the table.",
        "Everyone but Ben left the barn.",
        "All but Ben have gone home.",
        "Ben headed the watch.",
        "Ben is off to a flying start.",
        "Ben went to school with my brother.",
        "Ben just went for it!",
        "Ben's driving us up the wall.",
        "Ben is gone on the miller's girl.",
        "Ben is away with the fairies.",
        "Ben ist weg vom Fenster.",
        "Ben est parti d'un éclat de rire.",
        "Ben was in bed with a fever.",
        "Ben went home with the first prize.",
    ],
)
async def test_talk_about_somebody_takes_nobody_out(text: str) -> None:
    assert "Ben" in await after_silence(text)


@pytest.mark.parametrize(
    "text",
    [
        '"Ben went home," Tom lied.',
        '"Ben is asleep," Tom claimed with a wink.',
        "Ben is asleep. Just kidding!",
        "*thinks* Ben went home.",
        "*imagines it* Ben is gone.",
        "Tom told me that Ben went home.",
        "I bet Ben is asleep.",
    ],
)
async def test_what_is_only_claimed_or_thought_takes_nobody_out(text: str) -> None:
    assert "Ben" in await after_silence(text)


async def test_who_spoke_a_few_lines_ago_has_not_gone_by_what_is_told() -> None:
    assert "Ben" in await hearing_the_secret(("Ann", "Well."), ("Tom", "Ann, Ben went home."))


async def test_whom_the_host_put_there_stays_whatever_is_told_of_them() -> None:
    rehearsal = Rehearsal(RulesDetector(), CAST)
    await rehearsal.tell("Ann", "Hello!", present=CAST)
    for speaker, text in [*WHILE_BEN_IS_SILENT, ("Tom", "Ben went home.")]:
        await rehearsal.tell(speaker, text)
    assert "Ben" in (await rehearsal.tell(*SECRET)).settled.participants


async def test_who_has_just_spoken_is_not_asleep() -> None:
    assert "Ben" in await hearing_the_secret(("Ann", "Well."), ("Ben", "So what?"), ("Tom", "Ben is asleep."))


async def test_what_would_be_if_they_slept_sends_nobody_off() -> None:
    assert "Ben" in await after_silence("If Ben is asleep, we whisper.")
    assert "Ben" in await after_silence('She wrote: "Ben is asleep."')


async def test_a_wish_after_a_hint_lets_them_go() -> None:
    assert "Ben" not in await hearing_the_secret(("Ben", "Phone is dying."), ("Tom", "Sleep well!"))


async def test_whom_the_host_put_there_goes_when_they_are_sent_away() -> None:
    rehearsal = Rehearsal(RulesDetector(), CAST)
    await rehearsal.tell("Ann", "Hello!", present=CAST)
    await rehearsal.tell("Ann", "Ben, go home.")
    assert set((await rehearsal.tell(*SECRET)).settled.participants) == {"Ann", "Tom"}
