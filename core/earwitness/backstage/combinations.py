"""What two memories say only together: "I hid something in the garden", "what I hid is the necklace". Pure, English.

One of them says of something which one it is, or where; the other one speaks of the same. The sentence in which the
first is put into the second is then read like any other one. Descriptions must agree in every word: the small box is
not the box.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .claims import ARTICLES
from .plain_sentences import Cleft, Equation, PlainSentence, StatedPlace, StatedRelation

_INSIDE = frozenset({"in", "inside"})
_VAGUE_PEOPLE = frozenset({"man", "woman", "stranger", "boy", "girl", "person", "one", "thing", "other"})
"""Who is called no more than this is not the same in another message."""
SentenceWords = tuple[str, ...]


def combined(one: StatedRelation, other: PlainSentence) -> Iterator[SentenceWords]:
    """The sentences that follow from another one, by what one relates."""
    match one:
        case Equation():
            for phrase, value in ((one.one, one.other), (one.other, one.one)):
                if _is_particular(phrase):
                    yield from _put(other.words, phrase, value)
        case Cleft():
            yield from _put(other.words, (*one.deed, "something"), (*one.deed, *one.value))
        case StatedPlace():
            if isinstance(second := other.relation, StatedPlace):
                yield from _states(one, second)


def _states(one: StatedPlace, other: StatedPlace) -> Iterator[SentenceWords]:
    """Where something in something is, and two things said of one."""
    if _bare(one.where[1:]) == _bare(other.subject) and one.where[0] in _INSIDE:
        yield (*one.subject, "is", *other.where)
    if one.subject == other.subject and one.where != other.where:
        yield (*one.subject, "is", *one.where, *other.where)


def _put(words: SentenceWords, phrase: SentenceWords, value: SentenceWords) -> Iterator[SentenceWords]:
    """The sentence with a value in place of each such phrase."""
    wide = len(phrase)
    for at in range(len(words) - wide + 1):
        if words[at : at + wide] == phrase:
            yield (*words[:at], *value, *words[at + wide :])


def _is_particular(phrase: SentenceWords) -> bool:
    bare = _bare(phrase)
    return bool(bare) and not (len(bare) == 1 and bare[0] in _VAGUE_PEOPLE)


def _bare(phrase: Sequence[str]) -> SentenceWords:
    return tuple(each for each in phrase if each not in ARTICLES)
