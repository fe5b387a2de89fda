"""Whether a text has the words that a question needs, however rare they are in the story. Pure functions, for English.

What somebody said in a story of three lines is not what they said in a story of a thousand. So a question that has a
verb needs each of its words that carry meaning: who hears "I went to Rome" does not know that Anna went to Paris.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from .claims import LINKS, NOBODY_WORDS, Claim, folded
from .clauses import INDEFINITE, VAGUE, Agent, is_content, word_list
from .negation import SENTENCE, base_of
from .plain_sentences import DEFINITE

_LET_US = (("let", "us"), ("let's",), ("lets",))
"""The beginnings of a proposal."""
_LIGHT = word_list(
    "let let's lets us please really true false lie case fact happen happened doing where when why how"
    " myself yourself himself herself itself ourselves themselves"
)
"""Words of a question that need not be said, besides pronouns, articles, prepositions and auxiliaries."""
_BACK = word_list("it him her them he she they there this that these those one ones so")
"""A sentence with one of these speaks of what others name."""
_HAVING = frozenset(map(base_of, LINKS["have"]))
"""The words for having something, each of which says the same."""
_POINTING = word_list("what which whose")
"""Behind one of these, a word says what kind of thing is asked for: "which tower"."""


def has_a_deed(claim: Claim) -> bool:
    """Whether the question says what is done: it has a verb, or proposes or commands something."""
    words = [each for each in claim.tokens if each[0].isalnum() and each not in claim.names]
    return claim.is_statement or bool(claim.loose) or is_proposal(words) or words[:1] == ["to"]


def is_proposal(words: Sequence[str]) -> bool:
    """Whether it begins with "let us"."""
    return any(tuple(words[: len(each)]) == each for each in _LET_US)


def is_worded_in(claim: Claim, said: str, asserted: str, speaker: Agent | None) -> bool:
    """Whether one sentence of what was `said` has the words that the question needs.

    Who did it may be named in another, and what a pronoun stands for anywhere in what was `asserted`.
    """
    deeds = ((claim.verbs | claim.sure) or claim.loose) - _HAVING
    wanted = frozenset(needed(claim))
    everything = claim.present(asserted, speaker)
    doers = frozenset[str]().union(*(each.words | each.heads for each in claim.agents.values() if each))
    for sentence in SENTENCE.findall(said):
        there = claim.present(sentence, speaker)
        if not claim.link and deeds and deeds.isdisjoint(there):
            continue
        if claim.link or not deeds or not _BACK.isdisjoint(folded(sentence)):
            there |= everything
        is_nobody = not NOBODY_WORDS.isdisjoint(there)
        if wanted <= there | (doers if is_nobody else doers & everything):
            return True
    return False


def is_of_another(claim: Claim, asserted: str) -> bool:
    """Whether the text names only another thing than a topic does: the fourth barrel, where the third is meant."""
    words = [".", *folded(asserted)]
    there = set(map(base_of, words))
    for at, (word, thing) in enumerate(pairwise(claim.tokens)):
        if base_of(word) in there or base_of(thing) not in there or not _describes(claim.tokens, at):
            continue
        if all(is_content(one) for one, other in pairwise(words) if base_of(other) == base_of(thing)):
            return True
    return False


def _describes(tokens: Sequence[str], at: int) -> bool:
    """Whether a word stands between "the" and the word behind it: "red" in "the old red barrel"."""
    begin = at
    while begin and is_content(tokens[begin - 1]):
        begin -= 1
    return begin > 0 and tokens[begin - 1] in DEFINITE and is_content(tokens[at]) and is_content(tokens[at + 1])


def needed(claim: Claim) -> Iterator[str]:
    """The words that a text needs, in their base form; of somebody of the cast the id, since each name will do."""
    tokens = [each for each in claim.tokens if each[0].isalnum()]
    for at, given in enumerate(tokens):
        token, after = given.removesuffix("'s"), tokens[at + 1] if at + 1 < len(tokens) else ""
        if token in claim.names:
            yield claim.names[token]
        elif after.removesuffix("'s") in claim.names and base_of(token) not in claim.verbs | claim.sure:
            continue  # a title: "Count Fosco"
        elif _is_needed(token) and not (at and tokens[at - 1] in _POINTING):
            yield base_of(token)


def _is_needed(token: str) -> bool:
    is_light = (
        token in _LIGHT or token in INDEFINITE or token in VAGUE or token in LINKS["have"] or token.endswith("ly")
    )
    return is_content(token) and not is_light
