"""Stories with lies, denials, questions, commands, plans and masks: who knows something, as a reader would say."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from earwitness import Character, Session
from earwitness.backstage.verdicts import AskedQuestion

from ..durations import ever_below

Begin = Callable[..., Awaitable[Session]]
Line = tuple[str, str, str]
"""Speaker, audience, text."""
MEANS = {"knows": (True, False), "contrary": (False, True), "both": (True, True), "nothing": (False, False)}
RING: list[Line] = [
    ("anna", "carl", "Carl, I stole Berta's ring. Tell nobody."),
    ("anna", "berta", "Berta, I did not steal your ring."),
    ("berta", "dora", "Who stole my ring, Dora?"),
    ("dora", "berta", "Perhaps Carl stole it, I do not know."),
]
BRIDGE: list[Line] = [
    ("anna", "berta", "If the bridge breaks, the village is lost."),
    ("berta", "carl", "Carl, burn the bridge tonight!"),
    ("carl", "anna", "I burned the bridge last night."),
    ("carl", "dora", "I never burned the bridge."),
]
KING: list[Line] = [
    ("anna", "berta", "I will kill the king tomorrow."),
    ("berta", "carl", "Anna wants to kill the king."),
    ("anna", "dora", "I killed the king."),
]
GATE: list[Line] = [
    ("berta", "anna", "I locked the gate myself."),
    ("anna", "dora", "It is not true that Berta did not lock the gate."),
    ("carl", "dora", "Berta forgot to lock the gate."),
]
TOWER: list[Line] = [
    ("anna", "berta", "Nobody entered the tower last night."),
    ("carl", "dora", "Petra entered the tower last night."),
    ("dora", "berta", "Somebody entered the tower last night."),
]
BREAD: list[Line] = [
    ("anna", "berta", "The bread is poisoned."),
    ("anna", "berta", "I lied when I said that the bread is poisoned."),
    ("anna", "carl", "Dora claims that the bread is not poisoned."),
]
CUP: list[Line] = [
    ("anna", "carl", "The golden cup was stolen by Berta."),
    ("carl", "dora", "Was the golden cup stolen by Berta?"),
    ("berta", "dora", "I have not stolen the golden cup. Anna stole it."),
]
TREASURE: list[Line] = [
    ("anna", "berta", "The treasure lies under the oak."),
    ("anna", "carl", "The treasure does not lie under the oak."),
]
SISTER: list[Line] = [
    ("anna", "berta", "Carl does not know that his sister took the crown."),
    ("anna", "dora", "Carl knows that his sister took the crown."),
]
MAYOR: list[Line] = [
    ("anna", "berta", "I saw Carl kill the mayor."),
    ("anna", "dora", "Carl killed the mayor."),
]
MURDER: list[Line] = [("anna", "carl", "Carl killed the baker. The mayor wept.")]
LOVE: list[Line] = [("anna", "carl", "Berta loves Dora.")]
MILL: list[Line] = [
    ("anna", "berta", "I have bought the old mill."),
    ("dora", "carl", "Napoleon bought the old mill."),
]
ASKED = [
    (RING, "Anna stole the ring", "anna both, berta contrary, carl knows, dora nothing"),
    (RING, "Did Anna steal the ring?", "anna both, berta contrary, carl knows, dora nothing"),
    (RING, "Who stole the ring?", "anna knows, berta nothing, carl knows, dora nothing"),
    (RING, "the ring was not stolen by Anna", "anna both, berta knows, carl contrary, dora nothing"),
    (RING, "Anna has the ring", "berta nothing, dora nothing"),
    (BRIDGE, "Carl burned the bridge", "anna knows, berta nothing, carl both, dora contrary"),
    (BRIDGE, "Was the bridge burned?", "anna knows, berta nothing, carl both, dora contrary"),
    (BRIDGE, "the bridge broke", "anna nothing, berta nothing, dora nothing"),
    (KING, "Anna killed the king", "anna knows, berta nothing, carl nothing, dora knows"),
    (KING, "Who killed the king?", "anna knows, berta nothing, carl nothing, dora knows"),
    (KING, "Anna wants to kill the king", "berta knows, carl knows"),
    (GATE, "Berta locked the gate", "anna knows, berta knows, carl contrary, dora both"),
    (GATE, "Berta did not lock the gate", "anna contrary, berta contrary, carl knows, dora both"),
    (TOWER, "Petra entered the tower", "anna contrary, carl knows, dora knows"),
    (TOWER, "nobody entered the tower", "anna knows, carl contrary, dora contrary"),
    (TOWER, "Did anybody enter the tower?", "anna contrary, berta both, carl knows, dora knows"),
    (BREAD, "Is the bread poisoned?", "anna both, berta both, carl contrary"),
    (CUP, "Who stole the golden cup?", "anna knows, berta knows, carl knows, dora knows"),
    (CUP, "Berta stole the golden cup", "anna knows, berta contrary, carl knows, dora contrary"),
    (CUP, "the golden cup was not stolen by Berta", "anna contrary, berta knows, carl contrary, dora knows"),
    (
        SISTER,
        "Carl does not know that his sister took the crown",
        "anna both, berta knows, carl nothing, dora contrary",
    ),
    (MAYOR, "Carl killed the mayor", "anna knows, berta knows, carl nothing, dora knows"),
    (MAYOR, "Did Carl kill the mayor?", "anna knows, berta knows, carl nothing, dora knows"),
    (MAYOR, "Who killed the mayor?", "anna knows, berta knows, carl nothing, dora knows"),
    (MAYOR, "Anna killed the mayor", "anna nothing, berta nothing, dora nothing"),
    (MAYOR, "Did Anna kill the mayor?", "anna nothing, berta nothing, dora nothing"),
    (MAYOR, "Berta killed the mayor", "anna nothing, berta nothing, dora nothing"),
    (MAYOR, "the mayor killed Carl", "anna nothing, berta nothing, dora nothing"),
    (MURDER, "Carl killed the mayor", "anna nothing, carl nothing"),
    (MURDER, "Carl killed the baker", "anna knows, carl knows"),
    (LOVE, "Berta loves Dora", "anna knows, carl knows"),
    (LOVE, "Dora loves Berta", "anna nothing, carl nothing"),
    (LOVE, "Who loves Dora?", "anna knows, carl knows"),
    (LOVE, "Who loves Berta?", "anna nothing, carl nothing"),
    (LOVE, "Whom does Berta love?", "anna knows, carl knows"),
    (MILL, "Anna bought the old mill", "anna knows, berta knows, dora nothing, carl nothing"),
    (MILL, "Did Napoleon buy the old mill?", "anna nothing, berta nothing, dora knows, carl knows"),
    (MILL, "Napoleon has bought the old mill", "anna nothing, berta nothing, dora knows, carl knows"),
    (MILL, "My aunt bought the old mill", "anna nothing, berta nothing, dora nothing, carl nothing"),
    (MILL, "somebody bought the old mill", "anna knows, berta knows, dora knows, carl knows"),
    (TREASURE, "the treasure lies under the oak", "anna both, berta knows, carl contrary"),
]


@pytest.mark.parametrize(("lines", "question", "wanted"), ASKED, ids=[each[1] for each in ASKED])
async def test_a_story_is_answered_as_a_reader_would(
    begin: Begin, lines: list[Line], question: str, wanted: str
) -> None:
    story = await begin(cast=[Character(id, name=id.capitalize()) for id in ("anna", "berta", "carl", "dora")])
    for speaker, audience, text in lines:
        await story.say(speaker, text, audience=[audience])
    found = (await story.backstage().who_knows(question)).knowers
    expected = {id: MEANS[what] for id, what in (each.split() for each in wanted.split(", "))}
    assert {id: (found[id].knows, found[id].contrary is not None) for id in expected} == expected


@pytest.mark.parametrize(
    "piece",
    [
        *("not do ", "i steal ", "forgot to ", "lied ", "i lied that ", ": ", "and i ", "no, she stole it. "),
        *("it was ", "it was anna who ", "that is ", " ", "'", "anna he ", "or ", "anna or ", "stole, ", "nor anna "),
        *("which is a lie ", "the of ", "i hope that ", "who stole the ", "anna is ", "stole the x, ", "before "),
    ],
)
def test_a_long_text_is_judged_in_linear_time(piece: str) -> None:
    question = AskedQuestion("Who stole the ring?", {"anna": "anna"})
    text = "Anna: " + piece * (24_000 // len(piece)) + "stole the ring."
    assert ever_below(0.7, lambda: question.verdict(text, lambda _: True))  # quadratic, it took 1.7


async def test_who_said_the_contrary_of_who_is_behind_a_mask_said_the_contrary(begin: Begin) -> None:
    cast = [Character("duke", name="Duke Orsino"), Character("viola"), Character("feste"), Character("toby")]
    story = await begin(cast=cast)
    await story.say("duke", "I have hidden the crown in the chapel.", speak_as="Brother Ambrose", audience=["feste"])
    await story.say("viola", "Brother Ambrose is Duke Orsino!", audience=["toby"])
    await story.say("feste", "Brother Ambrose is not the Duke.", audience=["toby"])
    found = (await story.backstage().who_knows("Brother Ambrose is Duke Orsino")).knowers
    assert {id: (each.knows, each.contrary is not None) for id, each in found.items() if id != "duke"} == {
        "viola": (True, False),
        "feste": (False, True),
        "toby": (True, True),
    }
