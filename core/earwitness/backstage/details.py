"""What a statement says with less detail: "the key is in the vase" of "the key to the cellar is in the blue vase".

Pure functions, for English. Who heard less than was asked has heard of it; their memories do not decide the rest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from .claims import ARTICLES, Claim
from .clauses import BE, INDEFINITE, Agent, is_content, word_list
from .negation import TOKEN, base_of
from .plain_sentences import PREPOSITIONS

MOST = 3
"""Details that are left out at the same time."""
MOST_DETAILS = 10
"""Details of one statement that may be left out. One of eight words that carry meaning has hardly as many."""
_NUMBERS = word_list(
    "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty seventy eighty ninety"
    " hundred thousand"
)
TokenSpan = tuple[int, int]


@dataclass(frozen=True)
class LesserStatement:
    """A statement without some of its details."""

    claim: Claim
    """What is left."""
    lacks: tuple[str, ...]
    """The words that were left out and carry meaning."""
    by_somebody: bool = False
    """Whether it leaves out who did it, so that only who speaks of "somebody" says it."""

    def may_be_in(self, words: Collection[str]) -> bool:
        """Whether a text of these words, in lower case, may say no more than this."""
        return not self.by_somebody or not INDEFINITE.isdisjoint(words)


def lesser_statements(claim: Claim) -> Iterator[LesserStatement]:
    """The statement without one detail, without two, …, as far as it still tells of whom or what it is."""
    tokens = TOKEN.findall(claim.question.rstrip(" .?!"))
    spans = _details([each.casefold() for each in tokens], claim)[:MOST_DETAILS]
    for many in range(1, min(MOST, len(spans)) + 1):
        for left_out in combinations(spans, many):
            gone = {at for begin, end in left_out for at in range(begin, end)}
            lesser = Claim(" ".join(each for at, each in enumerate(tokens) if at not in gone), claim.names)
            if _is_same_deed(claim, lesser):
                lacks = (tokens[at].casefold() for at in sorted(gone))
                yield LesserStatement(lesser, tuple(each.removesuffix("'s") for each in lacks if is_content(each)))


def with_somebody(claim: Claim) -> LesserStatement | None:
    """The statement without who did it: "Somebody stole the ring" of "Anna stole the ring"."""
    if claim.link or claim.agent is None or claim.is_open:
        return None
    tokens = [*claim.tokens]
    end = next((at for at, each in enumerate(tokens) if base_of(each) in claim.verbs & claim.sure), 0)
    subject = [each for each in tokens[:end] if is_content(each)]
    if not subject or not BE.isdisjoint(tokens[:end]) or not PREPOSITIONS.isdisjoint(tokens[:end]):
        return None
    return LesserStatement(Claim(" ".join(["somebody", *tokens[end:]]), claim.names), tuple(subject), by_somebody=True)


def _details(tokens: Sequence[str], claim: Claim) -> list[TokenSpan]:
    """The phrases that say more closely who, where, when or how: "to the cellar", "blue", "fifty crowns"."""
    found: list[TokenSpan] = []
    for begin, end in _runs(tokens, claim):
        at = begin
        while at and tokens[at - 1] in ARTICLES:
            at -= 1
        lead = tokens[at - 1] if at else ""
        if lead in PREPOSITIONS or (lead and tokens[begin] in _NUMBERS and is_content(lead)):
            found.append((at - (lead in PREPOSITIONS), end))
        found += [(place, place + 1) for place in range(begin, end - 1) if tokens[place] not in claim.names]
    return found


def _runs(tokens: Sequence[str], claim: Claim) -> Iterator[TokenSpan]:
    """Words that carry meaning and stand together, without verbs."""
    verbs, begin = claim.verbs & claim.sure, 0
    for at in range(len(tokens) + 1):
        is_inside = at < len(tokens) and is_content(tokens[at]) and base_of(tokens[at]) not in verbs
        if not is_inside or (tokens[at] in _NUMBERS and at > begin):
            if at > begin:
                yield begin, at
            begin = at if is_inside else at + 1


def _is_same_deed(claim: Claim, lesser: Claim) -> bool:
    """Whether what is left still tells of the same one that they did, were or had something."""
    if claim.link != lesser.link or claim.verbs & claim.sure != lesser.verbs & lesser.sure:
        return False
    if claim.link:
        (one, _), (other, left) = claim.linked, lesser.linked
        return bool(left) and _heads(one) == _heads(other)
    agents = {verb: _heads(each) for verb, each in claim.agents.items()}
    objects = {verb for verb, each in claim.objects.items() if each}
    return agents == {verb: _heads(each) for verb, each in lesser.agents.items()} and objects == {
        verb for verb, each in lesser.objects.items() if each
    }


def _heads(agent: Agent | None) -> frozenset[str]:
    return agent.heads if agent else frozenset()
