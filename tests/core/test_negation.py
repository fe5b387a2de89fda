"""Who was told the contrary does not know it: explicit negations, of what they deny, and of what they do not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Session
from earwitness.backstage.evidence import delivered
from earwitness.backstage.inquiry import Inquiry
from earwitness.backstage.negation import Statement
from earwitness.ids import memory_id
from earwitness.loading.settings import Calendar
from earwitness.records.memory import Support
from earwitness.records.plan import Delivery

from ..durations import ever_below

Begin = Callable[..., Awaitable[Session]]
FEVER = "the old count died of fever"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (FEVER, "The old count did *not* die of fever."),
        (FEVER, "The old count did _not_ die of fever."),
        (FEVER, "The old count didn’t die of fever: he was poisoned."),
        (FEVER, "The old count never died of fever!"),
        (FEVER, "He could not have died of a fever."),
        (FEVER, "The old count is gone. He did not really die of fever."),
        (FEVER, "He died of poison, not of fever."),
        (FEVER, "It is false that the old count died of fever."),
        (FEVER, "It isn't true that the old count died of fever."),
        (FEVER, "It's a lie that the old count died of fever."),
        (FEVER, "It would be a lie to say that the old count died of fever."),
        (FEVER, "I don't believe the old count died of fever."),
        (FEVER, "She denied that the old count died of fever."),
        (FEVER, "They say the old count died of fever. He did not."),
        (FEVER, "The old count died of fever. That is a lie!"),
        (FEVER, "Did the old count die of fever? No, he didn't."),
        ("Did the old count die of fever?", "The old count did not die of fever."),
        ("the count lives in Rome", "The count no longer lives in Rome."),
        ("the count is dead", "The count isn't dead."),
        ("Bob stole the ring", "Bob did not steal the ring."),
        ("Bob saw the thief", "Nobody saw the thief."),
        ("Bob has the key", "Bob has no key."),
        ("the old count did not die of fever", "The old count died of fever."),
        ("Bob never stole the ring", "Bob stole the ring!"),
    ],
)
def test_an_explicit_not_says_the_contrary(question: str, text: str) -> None:
    assert Statement(question).contradicted_by(text)
    assert Statement(question).contradicted_by(f"###Message###\nMessage: Alice: {text} GameDay: 1")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (FEVER, "The old count died of fever."),
        (FEVER, "Do not tell Bob that the old count died of fever."),
        (FEVER, "No one must know the old count died of fever."),
        (FEVER, "Never tell Charlie: the old count died of fever."),
        (FEVER, "I did not kill him. The old count died of fever."),
        (FEVER, "The old count died of fever, did he not?"),
        (FEVER, "It is not true that the old count did not die of fever."),
        (FEVER, "It would not be a lie to say that the old count died of fever."),
        (FEVER, "It is true that the old count died of fever."),
        (FEVER, "No doubt the old count died of fever."),
        (FEVER, "If he did not die of fever, who killed the old count?"),
        (FEVER, "Did the old count not die of fever?"),
        (FEVER, "The old count did not die of fever, I said. I lied: the old count died of fever."),
        ("the old count did not die of fever", "The old count did not die of fever."),
        ("Bob never stole the ring", "Bob did not steal the ring."),
        ("the Sacred Sword", "We did not find the Sacred Sword."),
        ("the Sacred Sword", "That was not the Sacred Sword."),
        ("the key", "Bob has no key."),
        ("who", "Nobody knows."),
    ],
)
def test_what_denies_something_else_does_not(question: str, text: str) -> None:
    assert not Statement(question).contradicted_by(text)


async def test_who_heard_a_denial_does_not_know_it(begin: Begin) -> None:
    story = await begin(cast=("alice", "bob", "charlie", "dana"))
    await story.say("alice", "The old count did *not* die of fever.", audience=["bob"])
    await story.say("charlie", "The old count died of fever.", audience=["dana"])
    known = await story.backstage().who_knows(FEVER)
    assert str(known) == (
        "alice: said the contrary on day 1\n"
        "bob: heard the contrary from alice on day 1\n"
        "charlie: said it on day 1\n"
        "dana: heard it from charlie on day 1"
    )
    assert [knower.knows for knower in known.knowers.values()] == [False, False, True, True]
    other = await story.backstage().who_knows("the old count did not die of fever")
    assert [knower.knows for knower in other.knowers.values()] == [True, True, False, False]


async def test_who_heard_both_knows_it_and_the_contrary(begin: Begin) -> None:
    story = await begin()
    await story.say("alice", "The old count did not die of fever.", audience=["bob"])
    await story.say("charlie", "The old count died of fever.", audience=["bob"])
    bob = (await story.backstage().who_knows(FEVER)).knowers["bob"]
    assert str(bob) == "bob: heard it from charlie on day 1, and heard the contrary from alice on day 1"
    assert bob.contrary is not None
    assert "did not die" in bob.contrary.text


async def test_who_was_told_of_a_denial_was_told_the_contrary(begin: Begin) -> None:
    story = await begin()
    await story.say("alice", "The old count did not die of fever.", key="m", audience=["bob"])
    await story.tell("bob", "charlie", "m")
    charlie = (await story.backstage().who_knows(FEVER)).knowers["charlie"]
    assert str(charlie) == "charlie: was told the contrary by bob on day 1"


async def test_a_note_can_deny_as_well(begin: Begin) -> None:
    story = await begin()
    await story.remember("bob", "The old count did not die of fever.")
    assert str((await story.backstage().who_knows(FEVER)).knowers["bob"]) == "bob: noted the contrary on day 1"


def test_among_many_who_heard_one_denial_it_is_judged_once(memory_delivery: Any, monkeypatch: Any) -> None:
    judged: list[str] = []
    monkeypatch.setattr(Statement, "contradicted_by", lambda self, text: judged.append(text) or True)
    inquiry = Inquiry(FEVER, Calendar())
    for number in range(100):
        proof = (memory_delivery(number, "He did not die of fever."), False)
        assert not inquiry.knower("bob", [delivered(proof)]).knows
    assert len(judged) == 1


def test_200_different_denials_take_no_half_second_to_judge(memory_delivery: Any) -> None:
    said = [f"In the year {n}, the old count did not die of fever." for n in range(200)]
    proofs = [(memory_delivery(n, text), False) for n, text in enumerate(said)]

    def judge() -> None:
        assert Inquiry(FEVER, Calendar()).knower("bob", map(delivered, proofs)).contrary is not None

    assert ever_below(0.5, judge)  # 40 to 100 ms, by the machine; seconds, where each pair is read again


@pytest.fixture
def memory_delivery() -> Callable[[int, str], Delivery]:
    """Makes deliveries to Bob."""

    def make(number: int, text: str) -> Delivery:
        id = memory_id("s1", f"#{number}", 0, "s1-bob", "message")
        return Delivery(
            session="s1",
            sequence=number,
            memory_id=id,
            container="s1-bob",
            owner="bob",
            source=f"#{number}",
            body=f"Message: Alice: {text} GameDay: {number}",
            metadata={"speaker": "alice"},
            support=Support(learned_day=number),
            due=number,
        )

    return make
