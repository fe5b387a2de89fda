"""Statements that several memories prove together, that were told with less or otherwise, or only heard of."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from earwitness import Character, Session
from earwitness.backstage.knowers import Knower

from .scene_files import Begin, played, scenes

FOLDER = Path(__file__).parent / "scenes" / "statements"
KNOWN = {"knows", "together", "both"}
CAST = [Character(id, name=id.capitalize()) for id in ("anna", "bert", "cora", "dirk")]


def answer_of(knower: Knower) -> str:
    if knower.knows:
        return "both" if knower.contrary else "together" if knower.together else "knows"
    if knower.contrary is not None:
        return "contrary"
    return "nothing" if knower.heard_of is None else "part" if knower.heard_of.lacks else "of"


def kind_of(answer: str, allowed: list[str]) -> str:
    if answer in allowed:
        return "right"
    if answer in KNOWN and KNOWN.isdisjoint(allowed):
        return "false"
    return "missed" if answer not in KNOWN and KNOWN.issuperset(allowed) else "other"


async def counted(begin: Begin, path: Path) -> tuple[Counter[str], list[str]]:
    """How many answers are a careful reader's, and which are not."""
    found: Counter[str] = Counter()
    wrong: list[str] = []
    for scene in scenes(path):
        backstage = (await played(begin, scene)).backstage()
        for question, wanted in scene.asked.items():
            knowers = (await backstage.who_knows(question)).knowers
            for id, given in wanted.items():
                answer = answer_of(knowers[id])
                kind = kind_of(answer, given.split("|"))
                found[kind] += 1
                wrong += [] if kind == "right" else [f"{scene.title}: {question} {id} {answer}, not {given}"]
    return found, wrong


async def test_the_scenes_that_were_looked_at_are_answered_as_a_reader_would(begin: Begin) -> None:
    _, wrong = await counted(begin, FOLDER / "looked_at.txt")
    assert not wrong


async def test_of_the_scenes_nobody_looked_at_most_are_answered_as_a_reader_would(begin: Begin) -> None:
    found, _ = await counted(begin, FOLDER / "unseen.txt")
    assert (found["right"] >= 154, found["false"] <= 3, found["missed"]) == (True, True, 0)


async def told(begin: Begin, *lines: str) -> Session:
    """A story of lines such as `anna > bert cora: It is so.`."""
    story = await begin(cast=CAST)
    for number, each in enumerate(lines, 1):
        who, _, text = each.partition(": ")
        speaker, hearers = who.split(" > ")
        await story.say(speaker, text, audience=hearers.split(), key=f"m{number}")
    return story


async def knowers(story: Session, question: str) -> dict[str, Knower]:
    return (await story.backstage().who_knows(question)).knowers


HID = ("anna > bert cora: I hid something in the garden.", "anna > cora dirk: What I hid is the emerald necklace.")
NECKLACE = "The emerald necklace is hidden in the garden"


async def test_two_memories_prove_a_statement_only_together_and_are_named(begin: Begin) -> None:
    found = await knowers(await told(begin, *HID), NECKLACE)
    assert [id for id, each in found.items() if each.knows] == ["anna", "cora"]
    assert len(found["cora"].together) == 2
    assert found["cora"].memory_id == found["cora"].together[1]


async def test_who_forgot_one_of_two_memories_no_longer_knows_what_they_prove(begin: Begin) -> None:
    story = await told(begin, *HID)
    await story.archive((await knowers(story, NECKLACE))["cora"].together[0])
    assert not (await knowers(story, NECKLACE))["cora"].knows


async def test_a_retracted_message_proves_nothing_together_with_another(begin: Begin) -> None:
    story = await told(begin, *HID)
    await story.retract("m1")
    assert not any(each.knows for each in (await knowers(story, NECKLACE)).values())


async def test_what_another_one_hid_is_not_what_she_hid(begin: Begin) -> None:
    story = await told(begin, HID[0], "bert > cora dirk: What I hid is the emerald necklace.")
    assert not any(each.knows for each in (await knowers(story, NECKLACE)).values())


async def test_a_note_by_hand_proves_it_together_with_what_was_heard(begin: Begin) -> None:
    story = await told(begin, HID[0])
    await story.remember("bert", "What Anna hid is the emerald necklace.")
    found = await knowers(story, NECKLACE)
    assert len(found["bert"].together) == 2
    assert not found["cora"].knows


async def test_who_heard_more_detail_knows_and_who_heard_less_cannot_tell(begin: Begin) -> None:
    story = await told(
        begin, "anna > bert: The key to the cellar is in the blue vase.", "anna > cora: The key is in the vase."
    )
    short = await knowers(story, "The key is in the blue vase")
    full = await knowers(story, "The key to the cellar is in the blue vase")
    assert str(short["bert"]) == "bert: heard it from anna on day 1"
    assert str(full["cora"]) == "cora: cannot tell: heard less of it from anna on day 1 (nothing of: cellar, blue)"
    assert full["cora"].is_unsure
    assert not full["cora"].knows
    assert str(full["dirk"]) == "dirk: nothing found"


async def test_who_was_told_otherwise_is_named_with_the_one_who_told_it(begin: Begin) -> None:
    story = await told(
        begin,
        "anna > bert: The key is in the vase.",
        "anna > cora: The vase is empty, the key hangs in the kitchen.",
        "bert > dirk: The key is in the vase.",
    )
    vase, kitchen = await knowers(story, "The key is in the vase"), await knowers(story, "The key is in the kitchen")
    assert str(vase["cora"]) == "cora: heard otherwise from anna on day 1"
    assert str(kitchen["dirk"]) == "dirk: heard otherwise from bert on day 1"
    assert kitchen["dirk"].contrary is not None
    assert kitchen["dirk"].contrary.in_other_words
    assert kitchen["cora"].knows


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("The gate is locked.", "The gate is open"),
        ("The market is on Tuesday.", "The market is on Monday"),
        ("The captain of the guard is Rasmus.", "Leopold is the captain of the guard"),
        ("The sword is in the armoury.", "The sword is in the kitchen"),
        ("The mare costs sixty crowns.", "The mare costs forty crowns"),
        ("The key is in the red vase.", "The key is in the blue vase"),
    ],
)
async def test_what_excludes_a_statement_contradicts_it(begin: Begin, said: str, asked: str) -> None:
    found = (await knowers(await told(begin, f"anna > bert: {said}"), asked))["bert"]
    assert found.contrary is not None
    assert not found.knows


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("The count is in the castle.", "The count is in the library"),
        ("The expedition had three sledges and forty dogs.", "The expedition had forty dogs"),
        ("The south gate is locked.", "The north gate is open"),
        ("Peter is the brother of Anna.", "Simon is the brother of Anna"),
        ("There are guards in the cellar.", "There are guards in the kitchen"),
        ("Dirk told me who the captain is.", "Leopold is the captain"),
    ],
)
async def test_what_may_be_so_besides_contradicts_nothing(begin: Begin, said: str, asked: str) -> None:
    assert (await knowers(await told(begin, f"anna > bert: {said}"), asked))["bert"].contrary is None


@pytest.mark.parametrize(
    "said",
    [
        "Dirk knows where the treasure is buried.",
        "Dirk told me where the treasure is.",
        "There is a secret about the treasure.",
        "I know what happened to the treasure.",
    ],
)
async def test_who_heard_that_there_is_something_to_know_heard_of_it(begin: Begin, said: str) -> None:
    found = await knowers(await told(begin, f"anna > bert: {said}"), "The treasure is buried under the oak")
    assert str(found["bert"]) == "bert: heard of it from anna on day 1"
    assert str(found["anna"]) == "anna: spoke of it on day 1"
    assert not found["bert"].is_unsure


@pytest.mark.parametrize(
    "said",
    [
        "Nobody knows where the treasure is.",
        "Where is the treasure?",
        "Dirk knows where the mill is.",
        "Dirk knows why the treasure hunter left.",
    ],
)
async def test_who_heard_nothing_of_it_is_not_said_to_have(begin: Begin, said: str) -> None:
    found = await knowers(await told(begin, f"anna > bert: {said}"), "The treasure is buried under the oak")
    assert str(found["bert"]) == "bert: nothing found"


@pytest.mark.parametrize(
    ("said", "asked", "is_known"),
    [
        ("The key hangs in the kitchen.", "The key is in the kitchen", True),
        ("I put the pistol into the drawer.", "The pistol is in the drawer", True),
        ("If I put the pistol into the drawer, he finds it.", "The pistol is in the drawer", False),
        ("I did not put the pistol into the drawer.", "The pistol is in the drawer", False),
        ("The gold is in the chest under the stairs.", "The gold is under the stairs", True),
        ("The vase is empty, the key hangs in the kitchen.", "The key is in the vase", False),
        ("Pia is the niece of the heir.", "Pia is the heir", False),
        ("The heir is the niece of Pia.", "Pia is the heir", False),
        ("Pia told me who the heir is.", "Pia is the heir", False),
        ("The baker's daughter is ill.", "The baker is ill", False),
        ("The attack begins at dawn.", "The attack begins at dawn", True),
        ("The attack does not begin at dawn.", "The attack begins at dawn", False),
    ],
)
async def test_a_statement_is_known_in_other_words_and_not_from_its_words_alone(
    begin: Begin, said: str, asked: str, is_known: bool
) -> None:
    assert (await knowers(await told(begin, f"anna > bert: {said}"), asked))["bert"].knows == is_known


async def test_who_heard_of_somebody_cannot_tell_who_it_was_and_who_heard_of_another_did_not_hear_of_it(
    begin: Begin,
) -> None:
    story = await told(begin, "anna > bert: Somebody stole the ring.", "anna > cora: Carl stole the ring.")
    found = await knowers(story, "Dirk stole the ring")
    assert str(found["bert"]) == "bert: cannot tell: heard less of it from anna on day 1 (nothing of: dirk)"
    assert str(found["cora"]) == "cora: nothing found"
