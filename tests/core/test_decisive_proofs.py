"""Of thousands of memories that tell the same, `who_knows` weighs few, and answers as if it had weighed all."""

from __future__ import annotations

import random

import pytest

from earwitness.backstage.evidence import delivered
from earwitness.backstage.identity import Proof
from earwitness.backstage.inquiry import Inquiry
from earwitness.loading.settings import Calendar
from earwitness.records.memory import Support
from earwitness.records.plan import Delivery

NAMES = {"alice": "alice", "bob": "bob"}
TEXTS = (
    "Alice took the gold.",
    "Alice did not take the gold.",
    "Nobody took the gold.",
    "The gold is here.",
    "It is not true that Alice took the gold.",
    "Alice took the gold. That is a lie.",
    "Who took the gold?",
    "I hope that Alice takes the gold.",
    "There is **no** gold.",
    "There is n*o* gold.",
    "Bob forgot to hide the gold.",
    "It was not Bob who took the gold.",
)
QUESTIONS = (
    "gold",
    "Who took the gold?",
    "Alice took the gold",
    "Alice did not take the gold",
    "Nobody took the gold",
    "Alice took the gold that lay in the deep dark cave below the old white tower",
)

DENYING = ("Alice did not take the gold", "Nobody took the gold")
"""Any text may contradict these."""


def proof(dice: random.Random, number: int) -> Proof:
    day = dice.choice((1.0, 2.0, 2.0, 3.5))
    how = dice.choice(("direct", "shared", "witnessed"))
    support = Support(how=how, shared_from="bob" if how == "shared" else None, learned_day=day, trust=dice.random())
    metadata = {"speaker": "bob", "strength": dice.choice((1.0, 1.0, 0.5))}
    if dice.random() < 0.1:
        metadata["permanent"] = True
    made = Delivery(
        session="s1",
        sequence=number // 2,
        memory_id=f"m{number}",
        container="s1-alice",
        owner="alice",
        source=f"k{number}",
        body=f"Bob: {dice.choice(TEXTS[: dice.choice((1, len(TEXTS)))])}",
        support=support if dice.random() < 0.5 else support.model_copy(update={"trust": 1.0}),
        metadata=metadata,
        due=day,
        status="applied",
    )
    return made, False


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_is_left_out_changes_no_answer(question: str) -> None:
    dice, left_out = random.Random(question), 0
    for _ in range(40):
        proofs = [proof(dice, number) for number in range(dice.choice((16, 60)))]
        few = Inquiry(question, Calendar(), lambda text: "gold" in text, NAMES).decisive(proofs)
        every = Inquiry(question, Calendar(), lambda text: "gold" in text, NAMES)
        assert every.knower("alice", map(delivered, few)) == every.knower("alice", map(delivered, proofs))
        left_out += len(proofs) - len(few)
    assert (left_out > 0) == (question not in DENYING)
