"""Groups that move together: who leaves with another is with them afterwards, and who stays behind is not."""

import pytest

from earwitness.records.character import Character
from earwitness.rehearsal import Rehearsal
from earwitness_plugins.detectors.rules import RulesDetector

CAST = ("Nell", "Otto", "Pia")


async def hearers(*lines: tuple[str, str]) -> set[str]:
    """Who hears the last of these lines; all three have spoken before."""
    cast = [Character(id=name, name=name) for name in CAST]
    rehearsal = Rehearsal(RulesDetector(), [*cast, Character(id="narrator", name="narrator", kind="narrator")])
    for name in CAST:
        await rehearsal.tell(name, "Hello, everybody.")
    for speaker, text in lines[:-1]:
        await rehearsal.tell(speaker, text)
    return set((await rehearsal.tell(*lines[-1])).settled.participants) - {"narrator"}


ALL = [
    ("narrator", "They leave the inn."),
    ("narrator", "They leave the inn and walk home."),
    ("narrator", "Nell, Otto and Pia go into the cellar."),
    ("narrator", "They all go to bed."),
    ("narrator", "Everybody goes out."),
    ("narrator", "Nell, Otto und Pia gehen in den Garten."),
    ("narrator", "Nell, Otto y Pia salen de la casa."),
    ("Nell", "*They all go out into the yard.*"),
]


@pytest.mark.parametrize(("teller", "text"), ALL)
async def test_where_everybody_goes_everybody_stays_together(teller: str, text: str) -> None:
    assert await hearers((teller, text), ("Otto", "Is that thunder?")) == set(CAST)


async def test_who_goes_along_hears_what_is_said_on_the_way() -> None:
    assert await hearers(("Nell", '*They all go out into the yard.* "Mind the step."')) == set(CAST)


@pytest.mark.parametrize("text", ["They leave one by one.", "Exeunt."])
async def test_who_parts_is_not_together(text: str) -> None:
    assert await hearers(("narrator", text), ("Otto", "Is that thunder?")) == {"Otto"}


PAIRS = [
    "Nell and Otto go into the cellar.",
    "Nell und Otto gehen in den Keller.",
    "Nell et Otto vont dans la cave.",
    "Nell y Otto se van a la cocina.",
    "Nell e Otto vão para a cozinha.",
]


@pytest.mark.parametrize("text", PAIRS)
async def test_two_who_leave_together_hear_each_other_and_nobody_else_does(text: str) -> None:
    assert await hearers(("narrator", text), ("Nell", "It is under the third barrel.")) == {"Nell", "Otto"}


@pytest.mark.parametrize("text", PAIRS)
async def test_who_is_left_behind_and_speaks_is_not_with_those_who_left(text: str) -> None:
    left = ("narrator", text), ("Nell", "It is under the third barrel."), ("Pia", "What are they up to?")
    assert await hearers(*left) == {"Pia"}
    assert await hearers(*left, ("Nell", "Not a word to the miller.")) == {"Nell", "Otto"}


@pytest.mark.parametrize("deed", ["*follows her into the cellar*", "*follows Nell*", "*follows her*"])
async def test_who_follows_somebody_is_with_them(deed: str) -> None:
    lines = ("Nell", "*goes down into the cellar*"), ("Otto", f'{deed} "What is it?"')
    assert await hearers(*lines) == {"Nell", "Otto"}
    assert await hearers(*lines, ("Nell", "It is under the third barrel.")) == {"Nell", "Otto"}
    assert await hearers(*lines, ("Pia", "Where are they off to?")) == {"Pia"}


async def test_an_opening_says_who_is_alone_where() -> None:
    cast = [Character(id=name, name=name) for name in CAST]
    rehearsal = Rehearsal(RulesDetector(), [*cast, Character(id="narrator", name="narrator", kind="narrator")])
    await rehearsal.tell("narrator", "Nell and Otto are alone in the library. Pia is in the garden.")
    heard = (await rehearsal.tell("Nell", "It is under the third barrel.")).settled.participants
    assert set(heard) - {"narrator"} == {"Nell", "Otto"}
