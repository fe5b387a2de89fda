"""What is searched for to answer who knows something: a question's terms, and whom and which masks it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..long_texts import aside
from ..records.character import Cast
from ..records.snapshot import Snapshot
from ..words import STOP_WORDS, words
from .identity import AskedMask, answered, asked_masks
from .likelihood import AskedFact
from .rarity import NEAR_BEST, asked_terms, looked_up, one_word, word_set


@dataclass(frozen=True, slots=True)
class SearchedQuestion:
    """A question, with what is looked up for it."""

    text: str
    """The question; of one who is behind a mask, the answer."""
    masks: Sequence[AskedMask]
    """The masks of which it names the wearer."""
    names: Mapping[str, str]
    """Each word of a name that only one character has, in lower case → character id; none if it asks who it is."""
    same: Mapping[str, str]
    """Each term of the names and masks of those whom it names → the one it names them by."""
    terms: Sequence[str]
    """The terms to look up."""
    fact: AskedFact
    """The question and its answer apart."""

    @property
    def is_identity(self) -> bool:
        """Whether it asks who is behind a mask."""
        return any(each.is_identity for each in self.masks)

    @property
    def near(self) -> float:
        """The share of what the best memory covers that others must cover; 0 = in whose words somebody is unmasked."""
        return 0.0 if self.is_identity else NEAR_BEST


async def searched(given: str, snapshot: Snapshot) -> SearchedQuestion:
    """What is searched for to answer a question, read on a thread if it is long."""
    masks = await aside(len(given), asked_masks, given, snapshot)
    question = answered(given, masks)
    names = {} if any(each.is_identity for each in masks) else _names(snapshot.cast)
    same = await aside(len(question), _namesakes, names, question, masks)
    terms = dict.fromkeys([*await aside(len(question), looked_up, question), *same])
    fact = AskedFact("", question) if masks else await aside(len(question), AskedFact.of, question)
    return SearchedQuestion(question, masks, names, same, tuple(terms), fact)


def _namesakes(names: Mapping[str, str], question: str, masks: Sequence[AskedMask]) -> dict[str, str]:
    """Each term of the names and masks of those whom a question names → the one it names them by."""
    asked, same = dict.fromkeys(map(one_word, asked_terms(question))), dict[str, str]()
    for id in dict.fromkeys(names[word] for word in words(question) if word in names):
        named = {term for word, owner in names.items() if owner == id for term in word_set(word)}
        of_masks = {term for each in masks if each.wearer == id for term in each.of_mask if term not in names}
        first = next((term for term in asked if term in named), None)
        same.update(dict.fromkeys(named | of_masks, first) if first else {})
    return same


def _names(cast: Cast) -> dict[str, str]:
    """Each word of a name that only one character has, in lower case → character id."""
    found: dict[str, set[str]] = {}
    for member in cast:
        for name in member.names:
            for word in name.casefold().split():
                found.setdefault(word, set()).add(member.id)
    return {word: ids.pop() for word, ids in found.items() if len(ids) == 1 and word not in STOP_WORDS}
