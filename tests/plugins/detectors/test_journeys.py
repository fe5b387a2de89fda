"""Comings and goings as prose tells them: own sentences, in the ways of novels, role play, scripts and game masters."""

import pytest

from earwitness.records.character import Character
from earwitness.rehearsal import Rehearsal
from earwitness.sentences import sentences
from earwitness_plugins.detectors.journeys.reader import journeys
from earwitness_plugins.detectors.rules import RulesDetector
from earwitness_plugins.detectors.text.movements import Referents
from earwitness_plugins.detectors.text.names import Names

CAST = ("Mara", "Tobin", "Ines", "Captain Orlov", "the sailors")
NAMES = Names([Character(id=name, name=name) for name in CAST])


def told(teller: str | None, last: str | None, text: str) -> dict[str, str]:
    """Who moves by a narration, and how. `teller` tells it of themselves; `last` is who spoke before."""
    stage = Referents(teller=teller, here=CAST, last=last)
    moves = journeys([(sentence, False) for sentence in sentences(text)], NAMES, stage)
    return {move.id: move.kind for move in moves}


def wanted(written: str) -> dict[str, str]:
    return dict((each.split(":") if ":" in each else (each, "leave")) for each in written.split(";"))


GOES = [
    ("Mara", None, "And she buttoned her coat and ran.", "Mara"),
    ("Mara", None, "She went in, and pulled the shutter down after her.", "Mara"),
    (None, "Tobin", "He went out by the side gate with the lamp under his arm, humming.", "Tobin"),
    (None, None, "Tobin climbed down the ladder after his hat.", "Tobin"),
    (None, None, "Ines strolled round to the north parapet to look at the sea.", "Ines"),
    ("Mara", None, "winds her scarf twice round and lurches off the landing stage", "Mara"),
    ("Mara", None, "bows to each of them, hitches up her skirt and climbs over the rail into the boat", "Mara"),
    ("Mara", None, "ducks under the awning and out into the rain", "Mara"),
    ("Tobin", None, "said Tobin, and was out of the door before anybody could stop him.", "Tobin"),
    ("Tobin", None, "And he hung up without a word.", "Tobin"),
    (
        None,
        None,
        "Mara beckoned to Ines, they both climbed through, and she pulled the hatch shut behind them.",
        "Mara;Ines",
    ),
    (None, None, "The sailors lifted Tobin up and carried him away down the lane to the quay.", "the sailors;Tobin"),
    (None, "Mara", "She pulls him away across the square and round the corner.", "Mara"),
    (
        None,
        None,
        "Captain Orlov bowed and went down the stairs, and they heard the lower gate shut behind him.",
        "Captain Orlov",
    ),
    (None, None, "The Captain went up to bed.", "Captain Orlov"),
    ("Mara", None, "The soft feet went over the sill and down the stairs.", "Mara"),
    (None, "Tobin", "He didn't like it, but he went.", "Tobin"),
    (None, "Tobin", "He went at once.", "Tobin"),
    (None, None, "Off they went, Mara and Ines, arm in arm.", "Mara;Ines"),
    (None, None, "Tobin drifted off to sleep.", "Tobin:asleep"),
    (None, None, "Ines was already snoring.", "Ines:asleep"),
    (None, None, "Tobin took Mara by the hand and led her out.", "Tobin;Mara"),
    (None, None, "Ines sent Tobin to the kitchen for bread.", "Tobin"),
    (None, None, "Mara followed them out.", "Mara"),
    (None, None, "Tobin slipped out through the back while nobody was looking.", "Tobin"),
    (None, None, "The two guards marched Tobin off to the cells.", "Tobin"),
    (None, None, "Tobin was led away.", "Tobin"),
    (None, None, "Tobin hurried to the pantry.", "Tobin"),
    (None, None, "Ines headed for the stairs.", "Ines"),
    (None, None, "Ines let herself out.", "Ines"),
    (None, None, "Ines disappeared into the crowd.", "Ines"),
    (None, None, "Ines was gone.", "Ines"),
    (None, None, "Mara left with Tobin.", "Mara;Tobin"),
    (None, None, "Mara left them to it.", "Mara"),
    (None, None, "Ines took the back stairs two at a time.", "Ines"),
    (None, None, "Mara had gone down to the shore.", "Mara"),
    (None, None, "Mara came back with a jug.", "Mara:enter"),
    (None, None, "Ines returned from the cellar, dusty.", "Ines:enter"),
    (None, None, "Tobin came down the stairs again.", "Tobin:enter"),
    (None, None, "Tobin stumbled back in, dripping.", "Tobin:enter"),
    ("Mara", None, "goes", "Mara"),
    ("Mara", None, "Goes.", "Mara"),
    ("Mara", None, "nods to Tobin and walks off", "Mara"),
    ("Mara", None, "watches Tobin walk off", "Tobin"),
    ("Mara", None, "picks up the bucket, shoulders the door open and heads for the well", "Mara"),
    ("Mara", None, "I get up and go into the kitchen.", "Mara"),
    ("Mara", None, "I went upstairs.", "Mara"),
    ("Mara", None, "I pull my coat tight and go off north so fast that I lose a glove.", "Mara"),
    (None, None, "Out went Tobin.", "Tobin"),
    (None, None, "The door closed behind Tobin.", "Tobin"),
    ("Tobin", None, "The door closed on him very gently.", "Tobin"),
    ("Tobin", None, "storms off, slamming the door", "Tobin"),
    ("Tobin", None, "is already on the stairs", "Tobin"),
    (None, None, "Mara was already halfway down the hill.", "Mara"),
    (None, None, "With a sigh Mara went upstairs.", "Mara"),
    (None, None, "Mara, who had a train to catch, went out.", "Mara"),
    (None, None, "Mara got up, took her bag, and went out.", "Mara"),
    (None, None, "Tobin and Ines walked down to the beach.", "Tobin;Ines"),
    (None, "Tobin", "He ran.", "Tobin"),
    (None, None, "As Mara left the room, Ines began to laugh.", "Mara"),
    (None, None, "When Tobin had gone, Ines laughed.", "Tobin"),
    (None, None, "After Tobin left, nobody spoke.", "Tobin"),
    (None, None, "Tobin excused himself.", "Tobin"),
    (None, None, "Ines came in from the garden and Mara went out.", "Ines:enter;Mara"),
    (None, None, "The bell rang, and Tobin went to answer it.", "Tobin"),
    (None, None, "Tobin slid down off the wall and wandered off.", "Tobin"),
    (None, None, "Ines got into the car and drove off.", "Ines"),
    ("Mara", None, "climbs over the rail to where her boatman is waiting", "Mara"),
    ("Mara", None, "wriggled out through the window", "Mara"),
    (
        None,
        None,
        "The captain bowed and went down the stairs, and they heard the gate shut behind him.",
        "Captain Orlov",
    ),
    ("Mara", None, "took Tobin down with her to carry", "Mara;Tobin"),
    ("Mara", None, "He got up, because the stove wanted wood, and started down the three flights of stairs.", "Mara"),
    (None, None, "They saw Tobin get out and go limping into the mill.", "Tobin"),
    (None, "Tobin", "He nodded, and went on down with one hand on the wall.", "Tobin"),
    ("Tobin", None, "off out across the yard at a trot", "Tobin"),
]
STAYS = [
    ("Mara", None, "The door let her out."),
    (None, None, "The cart rolled off down the road."),
    (None, None, "The servant bowed and went out."),
    (None, None, "Mara watched the train go away."),
    (None, None, "If Tobin leaves the room, the alarm goes off."),
    (None, None, "Tobin would have left the room."),
    (None, None, "Mara said that Tobin had gone home."),
    (None, None, "Mara thought Tobin had gone out."),
    (None, None, "Tobin did not go out."),
    (None, None, "Tobin wanted to go home."),
    (None, None, "Tobin walked over to the window and looked out."),
    (None, None, "Mara went to the table and sat down."),
    (None, None, "Ines stepped back from the fire."),
    (None, None, "Tobin went pale."),
    (None, None, "Ines went on knitting."),
    (None, None, "Mara ran her finger down the list."),
    (None, None, "Tobin's voice went up."),
    (None, None, "Mara left the letter on the table."),
    (None, None, "Mara turned away and bit her lip."),
    (None, None, "The rain came down."),
    ("Mara", None, "kicks the brake off"),
    ("Mara", None, "takes her hat off"),
    ("Mara", None, "walks up to Tobin"),
    ("Mara", None, "steps aside"),
    ("Mara", None, "jumps up and down"),
    (None, None, "They all went out but Tobin."),
    (None, None, "Smoke drifted out of the window."),
    (None, None, "Mara's mother went out."),
    (None, None, "The question went round and round in Tobin's head."),
    (None, None, "Tobin jumped off the table."),
    (None, None, "Tobin goes over to where Mara is sitting."),
    (None, None, "Mara gets up and goes over to the window."),
    (None, None, "A shot went off."),
    (None, None, "Ines burst into tears."),
    (None, "Tobin", "The servant bowed and left, and the door shut behind him."),
    ("Mara", None, "She leaned out of the window."),
    (None, None, "Tobin looked over the wall."),
    (None, None, "He nodded, and went on down with one hand on the wall."),
]
OTHER_LANGUAGES = [
    ("Mara", None, "Sie nimmt die Kerze und steigt die Leiter hinauf.", "Mara"),
    (None, None, "Tobin ging mit der Lampe in den Hof hinaus.", "Tobin"),
    (None, None, "Tobin kam mit zwei Krügen zurück.", "Tobin:enter"),
    (None, None, "Tobin schlief am Ofen ein.", "Tobin:asleep"),
    ("Mara", None, "Elle prit son manteau et sortit.", "Mara"),
    (None, None, "Tobin s'en alla au bout de la place.", "Tobin"),
    (None, None, "Ines salió por la puerta de atrás.", "Ines"),
    ("Mara", None, "pega o chapéu e sai pela porta dos fundos", "Mara"),
    (None, None, "Tobin voltou da cozinha.", "Tobin:enter"),
    ("Mara", None, "Она взяла фонарь и вышла во двор.", "Mara"),
]


@pytest.mark.parametrize(("teller", "last", "text", "whom"), [*GOES, *OTHER_LANGUAGES])
def test_who_comes_and_goes_is_read_clause_by_clause(
    teller: str | None, last: str | None, text: str, whom: str
) -> None:
    assert told(teller, last, text) == wanted(whom)


@pytest.mark.parametrize(
    ("teller", "last", "text"),
    [
        *STAYS,
        (None, None, "Tobin ging nicht hinaus."),
        (None, None, "Ines ging zum Fenster."),
        (None, None, "Mara disse que Tobin saiu."),
    ],
)
def test_what_is_supposed_denied_near_or_done_by_things_moves_nobody(
    teller: str | None, last: str | None, text: str
) -> None:
    assert told(teller, last, text) == {}


async def listeners_after(speaker: str, text: str) -> set[str]:
    """Who hears what Ines says next."""
    rehearsal = Rehearsal(RulesDetector(), ["Mara", "Tobin", "Ines"])
    for each, said in [("Mara", "Hello!"), ("Tobin", "Hi."), ("Ines", "Hi."), (speaker, text)]:
        await rehearsal.tell(each, said)
    return set((await rehearsal.tell("Ines", "The key is under the third barrel.")).settled.participants)


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ('"Coming!" And she buttoned her coat and ran.', {"Mara"}),
        ('"Tobin, with me. Bring the lamp." She was already on the stairs.', {"Mara", "Tobin"}),
        ('"Tobin, run and fetch the doctor." He went at once.', {"Tobin"}),
        ("She laughed. ‘Not today, my dear Tobin.’ And she bustled to the kitchen.", {"Mara"}),
        ("Mara laughed, and so did the parrot. She climbed over the rail and slid down the rope.", {"Mara"}),
        ("Not again.\n[exit Mara and Tobin, by the side door]", {"Mara", "Tobin"}),
        ("Touch nothing.\n[SPRITE: MARA off. SFX: heels.]", {"Mara"}),
        ('mara grin "Only waffles."\nhide mara with stairs', {"Mara"}),
        ("Right, I need some air.\n[Mara walks off down the whole length of the pier.]", {"Mara"}),
        ("Hello!\n[Sprite Mara fades in, out of breath]", set()),
        ("*steps out from behind the curtain* Boo!", set()),
        ("*goes into the kitchen* Does anybody want tea?", set()),
        ("[Tobin walks off. Good.]", set()),
        ("*thinks: Tobin has gone out*", set()),
    ],
)
async def test_who_goes_by_a_message_hears_no_more(text: str, gone: set[str]) -> None:
    assert await listeners_after("Mara", text) == {"Mara", "Tobin", "Ines"} - gone


async def test_he_may_be_whom_a_quote_in_a_narration_speaks_to() -> None:
    cast = [Character(id=name, name=name) for name in ("Mara", "Tobin", "Ines")]
    rehearsal = Rehearsal(RulesDetector(), [*cast, Character(id="narrator", name="narrator", kind="narrator")])
    for each, said in [("Mara", "Hello!"), ("Tobin", "Hi."), ("Ines", "Hi.")]:
        await rehearsal.tell(each, said)
    await rehearsal.tell("narrator", 'A nurse looked in. "Tobin to the doctor, please." He got up and was led off.')
    heard = (await rehearsal.tell("Ines", "The key is under the third barrel.")).settled.participants
    assert set(heard) - {"narrator"} == {"Mara", "Ines"}
