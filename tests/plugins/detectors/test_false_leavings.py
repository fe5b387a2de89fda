"""What only looks like a leaving: things put somewhere, doors left open, and those who come and speak."""

import pytest

from earwitness.records.character import Character
from earwitness.rehearsal import Rehearsal
from earwitness_plugins.detectors.rules import RulesDetector

CAST = ("Nell", "Otto", "Pia", "Matouš")


async def hearers(*lines: tuple[str, str], away: str = "") -> set[str]:
    """Who hears the last of these lines; all but who is `away` have been there from the beginning."""
    cast = [Character(id=name, name=name) for name in CAST]
    cast.append(Character(id="narrator", name="narrator", kind="narrator"))
    rehearsal = Rehearsal(RulesDetector(), cast, present=[name for name in CAST if name != away])
    for speaker, text in lines[:-1]:
        await rehearsal.tell(speaker, text)
    return set((await rehearsal.tell(*lines[-1])).settled.participants) - {"narrator"}


STAYS = [
    "*sets out cups along the table* There.",
    "*sets down the lamp* There.",
    "*leaves the door wide open* It talks better when it is warm.",
    "*left the window ajar* Better.",
    "Nell shook her head. Then she took the set list and wrote on it, and held it up for the two of them: SORRY.",
    '"I need it till we land," said Nell. Across from her Otto nodded and moved over a little.',
    "— Está muy oscuro — dijo Nell, y deja la puerta abierta.",
    'Nell came down from the car and walked over to the engine. "There are forty of them," she said.',
    'I step out of the confessional with the boots in my hand. "Blisters."',
]
GOES = [
    "*sets out for the village* ",
    "*sets off early*",
    "*leaves the room* I need some air.",
    "*storms out of the room* I hate you all!",
    'Nell stormed out. "I hate you all!"',
    "*slams the door behind her* Never again.",
    "Nell stürmt hinaus. „Ich hasse euch alle!“",
    "Nell geht in den Garten hinaus. „Ich hasse euch alle!“",
    "*walks over to the door and out into the yard* Has anybody seen the dog?",
    '"Good night." Nell went up to bed.',
]


@pytest.mark.parametrize("text", STAYS)
async def test_who_only_seems_to_leave_hears_what_is_said_next(text: str) -> None:
    assert "Nell" in await hearers(("Nell", text), ("Pia", "The key is in the well."))


@pytest.mark.parametrize("text", GOES)
async def test_who_leaves_hears_nothing_of_what_is_said_next(text: str) -> None:
    assert "Nell" not in await hearers(("Nell", text), ("Pia", "The key is in the well."))


async def test_who_comes_out_of_a_hatch_and_speaks_is_here() -> None:
    comes = ("Otto", "OTTO (climbs up out of the trapdoor with a ledger). Good morning.")
    assert "Otto" in await hearers(comes, ("Pia", "Why must he sign?"), away="Otto")


async def test_who_takes_another_along_and_speaks_there_has_left_the_rest() -> None:
    apart = ("Nell", 'Nell took Otto by the sleeve and pulled him into the pantry. "She ate a minister," she said.')
    assert await hearers(apart) == {"Nell", "Otto"}
    assert await hearers(apart, ("Pia", "Where are they?")) == {"Pia", "Matouš"}


async def test_a_short_english_sentence_is_read_as_english() -> None:
    assert "Otto" not in await hearers(("narrator", "Otto snores like a saw."), ("Pia", "At last."))


async def test_a_name_with_letters_of_another_language_makes_no_whisper_of_what_is_said() -> None:
    assert await hearers(("Matouš", '"I am the glazier from the hill," said Matouš.')) == set(CAST)


@pytest.mark.parametrize("text", ["*düşünür, ağlar* Nell geldi.", "*Šeptá Ottovi přes stůl* Nell krade."])
async def test_a_direction_that_nobody_can_read_still_withholds(text: str) -> None:
    assert await hearers(("Pia", text)) == {"Pia"}


async def test_who_goes_on_talking_among_those_who_tell_deeds_has_not_left() -> None:
    lines = [
        ("Nell", '"I have to go," said Nell.'),
        ("Otto", '"Nell, wait," said Otto.'),
        ("Nell", '"Ten men were lost," said Nell, and sat down again.'),
        ("Pia", '"Lost where?" asked Pia.'),
    ]
    assert "Nell" in await hearers(*lines)
