"""Leaving as it is told: `*puts her headphones on*`, `*verlässt den Raum*`. What `movements` cannot read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ..text.movement_patterns import REPORTED
from ..text.movements import Move, subjects_of
from ..text.names import Mention, Names
from .inventory import Inventory
from .signs import told_without_doubt
from .tokens import Tokens, tokenised, words_in

_NEAR = 300
"""Within so many characters before a deed, names belong to it."""
_SAID = 40
"""Within so many characters before a name stands who says so: `somebody said that Bob …`."""
_MOST = 3
"""Words that may stand between the beginning of a clause and a deed whose subject is not named."""


def deeds(
    sentences: Sequence[str], names: Names, teller: str | None, known: Sequence[Move], inventory: Inventory
) -> Iterator[Move]:
    """Who leaves by these sentences of action text, but for those of whom it is `known` that they come or go.

    `teller` is the character who tells it of themselves; `None` for a narrator.
    """
    moved = {move.id for move in known}
    for sentence in sentences:
        hits = inventory.deeds.find(words_in(sentence, inventory.fillers))
        if not hits:
            continue
        mentions = [mention for mention in names.find(sentence) if not mention.possessive]
        tokens = tokenised(sentence, inventory.fillers)
        for first in told_without_doubt(hits, tokens, mentions, inventory):
            for id in _subject(sentence, tokens, first, mentions, teller, inventory):
                if id not in moved:
                    moved.add(id)
                    yield Move(id, "leave", None, " ".join(sentence.split())[:60])


def _subject(
    sentence: str, tokens: Tokens, first: int, mentions: Sequence[Mention], teller: str | None, inventory: Inventory
) -> tuple[str, ...]:
    """Who does it: who is named right before it; else who the sentence is about, or who tells it.

    `nods to Bob and walks off` is about who nods.
    """
    at = tokens.starts[first]
    before = [mention for mention in mentions if at - _NEAR <= mention.start < at]
    near = [mention for mention in before if _gap(tokens, mention.end, first) == 0]
    if near and tokens.clauses[first - 1] == tokens.clauses[first]:
        return tuple(each.id for each in near if not REPORTED.search(sentence, max(0, each.start - _SAID), each.start))
    begin, _ = tokens.clause(first)
    goes_on = begin < first and tokens.words[first - 1] in inventory.joins
    if not goes_on and not _is_pronoun(tokens.words[begin:first], inventory):
        return ()
    return subjects_of(sentence[:at], before, teller)


def _gap(tokens: Tokens, end: int, first: int) -> int:
    """How many words stand between a name and a deed."""
    return first - bisect_left(tokens.starts, end)


def _is_pronoun(words: Sequence[str], inventory: Inventory) -> bool:
    return len(words) <= _MOST and all(word in inventory.pronouns or word in inventory.joins for word in words)
