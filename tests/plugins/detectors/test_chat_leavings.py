"""Leave-takings and look-alikes as people write them in chats."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from earwitness.rehearsal import Rehearsal
from earwitness_plugins.detectors.rules import RulesDetector

FOLDER = Path(__file__).parent / "leave_takings" / "fresh"
BEFORE = [("Tom", "hi Eve."), ("Eve", "Hello everybody."), ("Ben", "hi"), ("Ann", "Good to see you all.")]


async def gone_after(*said: tuple[str, str]) -> set[str]:
    """Those who do not hear what Ben says next."""
    cast = ["Ann", "Ben", "Tom", "Eve"]
    rehearsal = Rehearsal(RulesDetector(), cast)
    for speaker, text in (*BEFORE, *said):
        await rehearsal.tell(speaker, text)
    after = await rehearsal.tell("Ben", "The key is under the third barrel.")
    return {*cast} - {*after.settled.participants}


async def counted(name: str) -> tuple[Sequence[bool], Sequence[bool]]:
    """For each leave-taking of a file, and each look-alike, whether Ann is gone after it."""
    lines = [line for line in (FOLDER / f"{name}.txt").read_text("utf-8").splitlines() if line[:2] in ("+ ", "- ")]
    read = [(line[0] == "+", "Ann" in await gone_after(("Ann", line[2:]))) for line in lines]
    return [gone for goes, gone in read if goes], [gone for goes, gone in read if not goes]


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("chats_mended_on", 0.98, 0.02), ("chats_counted", 0.95, 0.1), ("look_alikes_mended_on", 0, 0.08)],
)
async def test_most_leavings_in_chats_are_read_and_few_look_alikes(name: str, least: float, most: float) -> None:
    leaving, staying = await counted(name)
    assert sum(leaving) >= least * len(leaving)
    assert sum(staying) <= most * len(staying)


@pytest.mark.parametrize("text", ["byeee", "Laterrrr", "gooodnight all", "gnnn"])
async def test_stretched_letters_are_no_other_word(text: str) -> None:
    assert await gone_after(("Ann", text)) == {"Ann"}


@pytest.mark.parametrize("text", ["I have to go... no, wait, it can wait.", "gtg. jk", "ok bye, or not lol"])
async def test_who_takes_leave_back_in_the_same_breath_stays(text: str) -> None:
    assert not await gone_after(("Ann", text))


async def test_who_says_first_that_they_stay_and_then_that_they_go_is_gone() -> None:
    assert await gone_after(("Ann", "I'll stay another minute. No, sorry, gtg.")) == {"Ann"}


@pytest.mark.parametrize("text", ["mum says bye", "dad says goodnight", "I was about to say goodnight but ok"])
async def test_a_farewell_that_is_told_of_takes_nobody_away(text: str) -> None:
    assert not await gone_after(("Ann", text))


@pytest.mark.parametrize("text", ["my brother has to go now, he says hi", "she gotta go", "mom's leaving for work"])
async def test_who_tells_that_another_goes_stays(text: str) -> None:
    assert not await gone_after(("Ann", text))


async def test_who_is_wished_good_night_by_name_without_a_comma_has_gone() -> None:
    assert await gone_after(("Ann", "night tom, sleep tight")) == {"Tom"}
