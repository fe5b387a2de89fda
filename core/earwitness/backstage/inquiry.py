"""A question, and which texts say it, or the contrary. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from ..loading.settings import Calendar
from ..words import plain
from .assertions import told_in
from .evidence import Evidence
from .knowers import Contrary, Knower
from .negation import Statement

Verdict = Literal["says", "denies", "asks"]
"""What a text about a question does: it says so, says the contrary, or only asks or supposes it."""
ONE_THING = 8
"""Words of a question that is about one thing. A longer one may be answered in part by what a question implies."""


class Inquiry:
    """A question, and which texts say it, or the contrary."""

    def __init__(self, question: str, calendar: Calendar, about: Callable[[str], bool] = lambda _: True) -> None:
        """`about` says whether a text, of which what it only asks or supposes was left out, is about the question."""
        self._statement = Statement(question)
        self._calendar = calendar
        self._about = about
        self._verdicts: dict[str, Verdict] = {}  # by text: many characters heard the same

    def knower(self, id: str, evidence: Iterable[Evidence]) -> Knower:
        """What one character knows and the contrary, each as they first learned it, with the best reason to believe."""
        of: dict[Verdict, list[Evidence]] = {"says": [], "denies": [], "asks": []}
        for each in sorted(evidence, key=lambda each: each.rank):
            of[self._verdict(each.text)].append(each)
        against = Contrary(**_found(of["denies"])) if of["denies"] else None
        found = _found(of["says"]) if of["says"] else {}
        return Knower(character=id, contrary=against, calendar=self._calendar, **found)

    def _verdict(self, text: str) -> Verdict:
        said = plain(text)
        if said not in self._verdicts:
            self._verdicts[said] = self._judged(said)
        return self._verdicts[said]

    def _judged(self, said: str) -> Verdict:
        told = said if len(self._statement.words) > ONE_THING else told_in(said)
        if told is not said and not self._about(told):
            return "asks"
        return "denies" if self._statement.contradicted_by(told) else "says"


def _found(evidence: list[Evidence]) -> dict[str, Any]:
    """The first way in which it was learned, and the trust of the one that there is most reason to believe."""
    first, best = evidence[0], max(evidence, key=lambda each: each.belief)
    return {
        "learned": first.learned,
        "since": first.since,
        "memory_id": first.memory_id,
        "text": first.text,
        "trust": best.trust,
        "strength": best.strength,
        "read_in": first.container.words if first.container else None,
        "until": first.until,
    }
