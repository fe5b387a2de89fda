"""The plainest ways of saying that somebody goes or comes back, in each language: own sentences."""

import pytest

from earwitness.records.character import Character
from earwitness.rehearsal import Rehearsal
from earwitness_plugins.detectors.rules import RulesDetector

CAST = ("lotte", "emil", "nora")
TELLER = Character(id="narrator", kind="narrator")


async def listeners(*lines: tuple[str, str]) -> set[str]:
    """Who perceives the last of these lines, if all are there at the beginning."""
    rehearsal = Rehearsal(RulesDetector(), [*CAST, TELLER], present=CAST)
    told = [await rehearsal.tell(speaker, text) for speaker, text in lines]
    return set(told[-1].settled.participants) & set(CAST)


@pytest.mark.parametrize(
    "text",
    [
        "Nora ging hinaus.",
        "Nora nickte und ging nach draußen.",
        "Nora stand auf und ging hinaus zu den Hunden.",
        "Nora verließ die Wohnung.",
        "*geht vor die Tür*",
        "*geht schnell aufs Klo*",
        "*läuft in den Garten*",
        "*geht eine rauchen*",
        "*verlässt wortlos das Hotel*",
        "Nora ging zu Bett.",
        "*sort*",
        "*va aux toilettes*",
        "*va se coucher*",
        "*part sans un mot*",
        "Nora s'en alla.",
        "Nora quitta l'immeuble.",
        "Nora se leva et sortit.",
        "*sale a fumar*",
        "Nora se marchó.",
        "Nora salió del piso sin decir nada.",
        "*sube a acostarse*",
        "*se va*",
        "*sai*",
        "Nora foi embora.",
        "Nora retirou-se.",
        "*vai para a cama*",
        "*выходит*",
        "Nora ушла.",
        "*ложится спать*",
        "Nora покинула квартиру.",
        "*leaves the flat*",
        "Nora left the nightclub.",
        "*goes into the next room*",
        "*goes next door*",
    ],
)
async def test_whoever_goes_in_plain_words_hears_no_more(text: str) -> None:
    assert await listeners(("nora", text), ("emil", "Hm.")) == {"lotte", "emil"}


@pytest.mark.parametrize(
    "text",
    [
        "Nora, geh nicht hinaus!",
        "Nora ging nicht hinaus.",
        "*will vor die Tür gehen*",
        "*verschwindet hinter ihrer Zeitung*",
        "*disparaît derrière son journal*",
        "*se va poniendo roja*",
        "*se va quedando dormida*",
        "*disappears behind her newspaper*",
        "*vanishes into her thoughts*",
        "Nora ist heute müde.",
    ],
)
async def test_who_only_seems_to_go_stays(text: str) -> None:
    assert "nora" in await listeners(("nora", text), ("emil", "Hm."))


@pytest.mark.parametrize(
    ("gone", "text"),
    [
        ("emil", "Gegen Mittag kehrte Emil mit drei schweren Körben zurück."),
        ("emil", "Nach einer Weile kam Emil zurück."),
        ("emil", "Une heure après, Emil revint avec le médecin."),
        ("emil", "Emil était de retour."),
        ("emil", "Emil retornou."),
        ("emil", "Emil joined Lotte and Nora at supper."),
    ],
)
async def test_whoever_is_told_to_come_back_hears_again(gone: str, text: str) -> None:
    away = ("narrator", f"{gone.title()} leaves the room.")
    assert gone in await listeners(away, ("narrator", text), ("nora", "Hm."))


async def test_whoever_sleeps_meanwhile_hears_nothing() -> None:
    told = ("narrator", "As Emil and Lotte slept, Nora searched the coats.")
    assert await listeners(told, ("nora", "Aha.")) == {"nora"}


async def test_a_door_that_falls_shut_behind_somebody_else_leaves_the_writer_here() -> None:
    text = 'Nora shrugs. The door slams behind her.\n\n"Well," says Lotte.'
    assert await listeners(("lotte", text), ("emil", "Hm.")) == {"lotte", "emil"}


async def test_a_wish_that_somebody_go_moves_nobody() -> None:
    assert "nora" in await listeners(("nora", '*I wish she would just go home*, she thinks. "Tea?"'), ("emil", "Yes."))


async def test_leaving_told_in_the_first_person_without_marks_is_a_leaving() -> None:
    assert await listeners(("nora", "I get up and leave the room."), ("emil", "Hm.")) == {"lotte", "emil"}
