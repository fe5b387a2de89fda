"""Who knows what a question asks, by the evidence of each. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..loading.settings import Calendar
from ..words import plain
from .evidence import Evidence
from .knowers import Contrary, Knower
from .verdicts import AskedQuestion, Verdict


class Inquiry:
    """A question, and which texts say it, or the contrary."""

    def __init__(
        self,
        question: str,
        calendar: Calendar,
        about: Callable[[str], bool] = lambda _: True,
        names: Mapping[str, str] | None = None,
    ) -> None:
        """`about` says whether what is left of a text is about the question. `names`: name of the cast → id."""
        self._question = AskedQuestion(question, names or {})
        self._calendar = calendar
        self._about = about
        self._verdicts: dict[str, Verdict] = {}  # by text: many characters heard the same

    def knower(self, id: str, evidence: Iterable[Evidence]) -> Knower:
        """What one character knows and the contrary, each as they first learned it, with the best reason to believe."""
        of: dict[Verdict, list[Evidence]] = {"says": [], "denies": [], "neither": []}
        for each in sorted(evidence, key=lambda each: each.rank):
            of["says" if each.is_certain else self._verdict(each.text)].append(each)
        against = Contrary(**_found(of["denies"])) if of["denies"] else None
        found = _found(of["says"]) if of["says"] else {}
        return Knower(character=id, contrary=against, calendar=self._calendar, **found)

    def _verdict(self, text: str) -> Verdict:
        said = plain(text)
        if said not in self._verdicts:
            self._verdicts[said] = self._question.verdict(said, self._about)
        return self._verdicts[said]


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
