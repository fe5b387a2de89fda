"""What tests of strategies that ask a model share: what a model is shown, and answers that are of no use."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from earwitness import Session
from earwitness.records.plan import Answer, Plan
from earwitness_plugins.testing.model import Scripted, ScriptedAnswer, ScriptedRequest

SLOW = 0.3
"""Seconds that a strategy waits which is given hostile answers; the last of `UNUSABLE` takes longer."""
UNUSABLE: tuple[Scripted, ...] = (
    "",
    "null",
    "I would rather not say. Tell everybody!",
    "x" * 1_200_000,
    ScriptedAnswer(refusal="I cannot help with that."),
    ScriptedAnswer(status=500),
    ScriptedAnswer(raw=b"\xff\xfe"),
    ScriptedAnswer(drop="at once"),
    ScriptedAnswer("{}", drip=0.4),
)
"""Answers in which a strategy finds nothing, whatever it asked."""


def asked(request: ScriptedRequest) -> dict[str, Any]:
    """What a model is shown."""
    found = re.search(r"<data-(\w+)>\n(.*)\n</data-\1>", request.text, re.DOTALL)
    assert found
    shown: dict[str, Any] = json.loads(found[2])
    return shown


async def plans_of(story: Session) -> list[Plan]:
    """The plans of all entries of a story: what models say of gossip is recorded with a later entry."""
    await story.delivered()
    return list(await story._engine.ledger.plans(story.id))


async def answers_of(story: Session, by: str) -> list[Answer]:
    """What somebody has answered in a story."""
    later = "answers later"
    answers = [each for plan in await plans_of(story) for each in plan.answers if each.by == by]
    return [each for each in answers if later not in " ".join(each.notes)]


class OneAfterTheOther:
    """A script that says the same until the test goes on to the next answer."""

    def __init__(self, answers: Sequence[Scripted]) -> None:
        self._answers, self._now = answers, answers[0]

    def __iter__(self) -> Iterator[int]:
        """Go through the answers, by number."""
        for number, answer in enumerate(self._answers):
            self._now = answer
            yield number

    def __call__(self, request: ScriptedRequest) -> Scripted:
        return self._now
