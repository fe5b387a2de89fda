"""Who comes and who goes, as narration tells it."""

import pytest

from earwitness.records.character import Character
from earwitness.sentences import sentences
from earwitness_plugins.detectors.text.movements import Referents, read_movements
from earwitness_plugins.detectors.text.names import Names

NAMES = Names(tuple(Character(id) for id in ("alice", "bob", "carol", "dan", "lear")))
HERE = ("alice", "bob", "carol")


def moves(
    text: str, *, teller: str | None = None, here: tuple[str, ...] = HERE, last: str | None = "alice"
) -> set[str]:
    """`+bob` comes, `-bob` goes."""
    found = read_movements(tuple(sentences(text)), NAMES, Referents(teller, here, last))
    return {f"{'+' if move.kind == 'enter' else '-'}{move.id}" for move in found}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Enter Dan.", {"+dan"}),
        ("Enter Dan and King Lear, with a letter from Bob.", {"+dan", "+lear"}),
        ("Thunder. Enter Dan, carrying Carol's cloak.", {"+dan"}),
        ("Re-enter Dan", {"+dan"}),
        ("Enter, at one door, Dan; at another, Lear.", {"+dan", "+lear"}),
        ("Exit.", {"-alice"}),
        ("Exit Bob, pursued by a bear.", {"-bob"}),
        ("Exeunt.", {"-alice", "-bob", "-carol"}),
        ("Exeunt all but Bob.", {"-alice", "-carol"}),
        ("Exeunt Bob and Carol.", {"-bob", "-carol"}),
        ("All but Bob and Carol exit.", {"-alice"}),
        ("Everyone except Bob leaves the room.", {"-alice", "-carol"}),
        ("They exit.", {"-alice", "-bob", "-carol"}),
        ("They all leave. Carol remains.", {"-alice", "-bob"}),
        ("He exits.", {"-alice"}),
        ("Bob exits with Carol.", {"-bob", "-carol"}),
    ],
)
def test_stage_directions_are_read(text: str, expected: set[str]) -> None:
    assert moves(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bob leaves the room.", {"-bob"}),
        ("Bob quietly slips out of the room.", {"-bob"}),
        ("Bob gives Alice the letter and leaves.", {"-bob"}),
        ("Bob kisses Alice, bows to Carol, and walks away.", {"-bob"}),
        ("Bob and Carol storm off.", {"-bob", "-carol"}),
        ("As Alice speaks, Bob slips outside.", {"-bob"}),
        ("Bob is dragged away.", {"-bob"}),
        ("Alice, followed by Bob, departs.", {"-alice", "-bob"}),
        ("The door opens and Dan comes in, followed by Lear.", {"+dan", "+lear"}),
        ("Dan enters the tavern.", {"+dan"}),
        ("Dan has been away; now he is back. Dan returns.", {"+dan"}),
        ("When Dan walks in, everybody falls silent.", {"+dan"}),
        ("Dan joins the party.", {"+dan"}),
        ("Dan steps in. He looks round. Then he leaves.", {"+dan", "-dan"}),
        ("Bob said nothing and left.", {"-bob"}),
    ],
)
def test_prose_is_read(text: str, expected: set[str]) -> None:
    assert moves(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "If Dan enters, Bob will leave.",
        "Bob does not leave.",
        "Bob never leaves.",
        "Bob wants to leave the room.",
        "Dan's ghost enters.",
        "Alice says that Bob left.",
        "Alice dreams that Dan enters.",
        "Nobody leaves before Dan enters.",
        "Bob left his sword on the table.",
        "Bob turns left.",
        "Bob heads for the exit, then thinks better of it.",
        "Bob returns the smile.",
        "Bob runs out of arrows.",
        "Bob walks in circles.",
        "Bob steps into a puddle.",
        "Bob runs into trouble.",
        "Bob is left with nothing.",
        "Bob bursts into the chorus.",
        "Bob is in the middle of a story.",
        "Alice watches Bob.",
        "A stranger enters.",
        "Everybody in the kingdom hears this.",
        "",
    ],
)
def test_what_does_not_happen_moves_nobody(text: str) -> None:
    assert moves(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("leaves the room", {"-bob"}),
        ("bows and walks out", {"-bob"}),
        ("I leave.", {"-bob"}),
        ("he slips away", {"-bob"}),
        ("leaves with Carol", {"-bob", "-carol"}),
        ("comes back in", {"+bob"}),
        ("watches Dan come in", set()),
        ("Dan enters", {"+dan"}),
    ],
)
def test_whoever_tells_their_own_doings_is_the_subject(text: str, expected: set[str]) -> None:
    assert moves(text, teller="bob") == expected


def test_a_pronoun_that_could_mean_two_moves_nobody() -> None:
    assert moves("Alice waves to Bob as she leaves.") == set()


def test_where_somebody_enters_is_told() -> None:
    [move] = read_movements(("Dan walks into the old cellar with a lamp.",), NAMES, Referents(None, HERE, None))
    assert (move.id, move.place) == ("dan", "old cellar")
