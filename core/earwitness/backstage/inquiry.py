"""Who knows what a question asks, by the evidence of each. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from ..loading.settings import Calendar
from ..words import plain
from .evidence import Evidence, belief, moment, text_of
from .identity import AskedMask, Proof
from .inference import Inference
from .knowers import Contrary, Forgotten, Knower
from .likelihood import KNOWS, RETOLD, UNSURE, ToldFact
from .verdicts import AskedQuestion, Verdict

MANY = 16
"""Fewer proofs are all weighed."""
Weigh = Callable[[Evidence], ToldFact | None]
"""Evidence → what it tells of a fact; `None` = nothing."""


class Inquiry:
    """A question, and which texts say it, or the contrary."""

    def __init__(
        self,
        question: str,
        calendar: Calendar,
        about: Callable[[str], bool] = lambda _: True,
        names: Mapping[str, str] | None = None,
        weigh: Weigh | None = None,
        *,
        needs_words: bool = True,
    ) -> None:
        """`about` says whether what is left of a text is about the question. `names`: name of the cast → id.

        `needs_words` says whether a text needs all words of a deed.
        `weigh` says what evidence tells of a fact that was asked with its answer; then several memories count together.
        """
        self._weigh = weigh
        self._question = AskedQuestion(question, names or {}, needs_words)
        self._calendar = calendar
        self._about = about
        self._verdicts: dict[str, Verdict] = {}  # by text: many characters heard the same
        self._hints: dict[str, bool] = {}

    def knower(self, id: str, evidence: Iterable[Evidence]) -> Knower:
        """What one character knows and the contrary, each as they first learned it, with the best reason to believe."""
        of: dict[Verdict, list[Evidence]] = {"says": [], "denies": [], "neither": []}
        for each in sorted(evidence, key=lambda each: each.rank):
            of["says" if each.is_certain else self._verdict(each.text)].append(each)
        if self._weigh is not None:
            return self._together(id, of["says"], of["denies"], self._weigh)
        against = Contrary(**_found(of["denies"])) if of["denies"] else None
        found = _found(of["says"]) if of["says"] else {}
        return Knower(character=id, contrary=against, calendar=self._calendar, **found)

    @property
    def infers(self) -> bool:
        """Whether it is a statement that memories may also tell together, or in other words."""
        return self._weigh is None and Inference.is_for(self._question)

    def inferred(self, knowers: Mapping[str, Knower], evidence: Mapping[str, Sequence[Evidence]]) -> dict[str, Knower]:
        """What each character knows, with what follows from all that they heard of it. `evidence` is by character."""
        if not self.infers:
            return {**knowers}
        inference = Inference(self._question, (each.text for several in evidence.values() for each in several))
        return {id: inference.completed(each, evidence.get(id, ()), _found) for id, each in knowers.items()}

    def decisive(self, proofs: Sequence[Proof], masks: Sequence[AskedMask] = ()) -> Sequence[Proof]:
        """Those of one character's proofs on which the answer rests.

        Left out is what comes after a proof that there is as much reason to believe, and cannot deny what was asked:
        thousands of memories may tell the same.
        """
        if self._weigh is not None or len(proofs) < MANY:
            return proofs
        found: list[Proof] = []
        dated = sorted([(moment(each), each) for each in proofs], key=itemgetter(0))
        best = [(dated[0][0], -1.0)]  # what says so, each with more reason to believe it than the ones before
        for when, proof in dated:
            reason = belief(proof)
            told_before = any(reason <= other and earlier < when for earlier, other in best)
            text = text_of(proof)
            if told_before and not self._may_deny(text):
                continue
            found.append(proof)
            if reason > best[-1][1] and self._is_shown(proof, text, masks):
                best.append((when, reason))
        return found

    def _is_shown(self, proof: Proof, text: str, masks: Sequence[AskedMask]) -> bool:
        """Whether a proof tells what is asked, in whatever words if it is the unmasking of one of these."""
        return any(mask.is_shown_by(proof[0]) for mask in masks) or self._verdict(text) == "says"

    def _may_deny(self, text: str) -> bool:
        """Whether the text may say the contrary; quicker than a verdict."""
        if text not in self._hints:
            self._hints[text] = self._question.may_be_denied_by(plain(text))
        return self._hints[text]

    def with_forgotten(self, knower: Knower, archived: Iterable[Evidence]) -> Knower:
        """What one character knows; and if that is nothing, what their archived memories tell of it."""
        if knower.knows:
            return knower
        once = self.knower(knower.character, archived)
        if once.learned is None or once.memory_id is None or once.text is None:
            return knower
        forgotten = Forgotten(learned=once.learned, since=once.since, memory_id=once.memory_id, text=once.text)
        return knower.model_copy(update={"forgotten": forgotten})

    def _together(self, id: str, says: list[Evidence], denies: list[Evidence], weigh: Weigh) -> Knower:
        """What one character knows, where the evidence counts by what each memory tells of the fact."""
        against = Contrary(**_found(denies)) if denies else None
        seen, counted, likely, again = set[str](), list[Evidence](), 0.0, False
        proving: list[Evidence] | None = None
        for each in says:
            told, source = weigh(each), each.source or each.memory_id
            if told is None or source in seen:
                continue
            seen.add(source)
            counted.append(each)
            likely, again = likely + told.likelihood, again or told.again
            if proving is None and (likely >= KNOWS or told.again):
                proving = [each] if told.again else [*counted]
        is_unsure = UNSURE[0] < max(likely, RETOLD if again else 0.0) < UNSURE[1]
        found = _found(proving[-1:]) if proving else {}
        together = tuple(each.memory_id for each in proving or ()) if len(proving or ()) > 1 else ()
        known = {**found, "together": together, "is_unsure": is_unsure}
        return Knower(character=id, contrary=against, calendar=self._calendar, **known)

    def _verdict(self, text: str) -> Verdict:
        said = plain(text)
        if said not in self._verdicts:
            read = self._question.verdict if self._weigh is None else self._question.verdict_of_words
            self._verdicts[said] = read(said, self._about)
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
