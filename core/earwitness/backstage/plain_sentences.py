"""Sentences of English that say plainly how it is: "the key hangs in the kitchen", "what I hid is a ring". Pure.

Only what is said outright is read: no denial, choice, condition, hope or question. Whoever says "I" is called by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

from ..patterns import lazy_pattern
from .assertions import assertions_in
from .claims import ARTICLES, PLACES
from .clauses import BE, HAVE, INDEFINITE, VAGUE, is_content, is_verb_form, word_list
from .moods import NOT_SO
from .negation import MARKUP, TOKEN, base_of, is_negated

SPEAKER = lazy_pattern(r"^([^:\n]{1,80}):\s")
"""The name before what somebody says."""
_SENTENCE = lazy_pattern(r"[^.!?;:\n]+")
_COMMA = lazy_pattern(r",\s+(?:and |but )?")
LEAST_WORDS, MOST_WORDS = 3, 24
"""Words of a sentence that is read here."""
_UNREAD = word_list(
    "or either if unless whether perhaps maybe not never no nobody none nothing neither nor without almost nearly we us"
    " our you your would could should might may must can will shall before until till"
)
_FIRST = {"i": "{}", "me": "{}", "myself": "{}", "my": "{}'s", "mine": "{}'s", "am": "is"}
STANDING = word_list("hangs lies stands sits rests hung lay stood sat lives sleeps waits hides")
"""Verbs of being somewhere."""
_PLACED = word_list("hidden buried kept locked stored placed put laid hung stowed")
_PLACING = word_list("put hid placed laid buried hung stowed tucked")
"""Past tenses of putting something somewhere."""
_PERFECT = HAVE | word_list("just now already then")
_INTO: Final[Mapping[str, str]] = {"into": "in", "onto": "on", "inside": "in"}
_PLACE_PREPOSITIONS = PLACES | frozenset(_INTO)
_TIMES = word_list("on at in during since")
_INSIDE = word_list("in inside")
_HOLDING = word_list("holds contains held contained")
_NAMING = word_list("called named really actually indeed truly none other than")
DEFINITE = ARTICLES - {"a", "an", "these", "those"}
PREPOSITIONS = PLACES | word_list("of to from for with by over above about during after since into onto through")
"""Prepositions that make a phrase part of another, or of a clause."""


@dataclass(frozen=True, slots=True)
class Equation:
    """Two phrases for one person or thing: "the blacksmith is my uncle Walter"."""

    one: tuple[str, ...]
    """The first phrase."""
    other: tuple[str, ...]
    """The second phrase."""

    @property
    def phrases(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Both."""
        return self.one, self.other


@dataclass(frozen=True, slots=True)
class Cleft:
    """What somebody did something to: "what I hid is the emerald necklace"."""

    deed: tuple[str, ...]
    """Who did it, and the verb."""
    value: tuple[str, ...]
    """What it was done to."""


@dataclass(frozen=True, slots=True)
class StatedPlace:
    """Where or when something is: "the gold is in the chest"."""

    subject: tuple[str, ...]
    """What it says so of."""
    where: tuple[str, ...]
    """Preposition and phrase."""


StatedRelation = Equation | Cleft | StatedPlace


@dataclass(frozen=True, slots=True)
class PlainSentence:
    """A sentence that says something outright."""

    words: tuple[str, ...]
    """Its words in lower case."""
    proper: frozenset[str]
    """Those of them that are written as names."""
    relation: StatedRelation | None
    """What it relates to what; `None` if it is of no form that is read here."""

    @classmethod
    def of(cls, sentence: str, speaker: str = "") -> Self:
        """The sentence; without words if it says "I" and nobody knows who that is."""
        tokens = TOKEN.findall(sentence.rstrip(" .?!"))
        words = _named([each.casefold() for each in tokens], speaker)
        capitals = (each.casefold() for each in tokens if each[0].isupper())
        proper = frozenset(filter(is_content, capitals))
        return cls(words, proper, _relation(words, proper) if LEAST_WORDS <= len(words) <= MOST_WORDS else None)


def plain_sentences(text: str, names: Mapping[str, str]) -> Iterator[PlainSentence]:
    """The sentences of a message that say something outright.

    `names` maps each name in lower case to a character id.
    """
    found = SPEAKER.match(text)
    speaker = _name(found[1], names) if found else ""
    said = assertions_in(text[found.end() :] if found else text)
    for sentence in _SENTENCE.findall(said.translate(MARKUP)):
        for part in _COMMA.split(sentence):
            read = PlainSentence.of(part, speaker)
            if LEAST_WORDS <= len(read.words) <= MOST_WORDS and _is_outright(read.words):
                yield read


def stated_places(text: str, names: Mapping[str, str]) -> Iterator[str]:
    """The sentences of a message that say in other words where something is, each said with "is"."""
    for each in plain_sentences(text, names):
        if isinstance(state := each.relation, StatedPlace):
            subject, where = " ".join(state.subject), state.where
            outer = [at for at in range(2, len(where)) if where[at] in PLACES and where[0] in _INSIDE]
            places = [*([where] if BE.isdisjoint(each.words) else []), *(where[at:] for at in outer)]
            yield from (f". {subject} is {' '.join(place)}." for place in places)


def phrase_end(words: Sequence[str], at: int) -> int:
    """Where the phrase that begins at this place ends: `at` itself if none does."""
    end = at
    while end < len(words) and words[end] in ARTICLES:
        end += 1
    begin = end
    while end < len(words) and is_content(words[end]) and not (end > begin and _is_verb(words[end])):
        end += 1
    return end if end > begin else at


def long_phrase_end(words: Sequence[str], at: int) -> int:
    """As `phrase_end`, with what further says which one it is: "the man in the grey cloak"."""
    end = phrase_end(words, at)
    while at < end < len(words) and words[end] in PREPOSITIONS and phrase_end(words, end + 1) > end + 1:
        end = phrase_end(words, end + 1)
    return end


def _is_verb(word: str) -> bool:
    return is_verb_form(word) or word in STANDING or word in _HOLDING


def _name(speaker: str, names: Mapping[str, str]) -> str:
    return next((each for each in speaker.casefold().split() if each in names), "")


def _named(words: Sequence[str], speaker: str) -> tuple[str, ...]:
    """The words, with the speaker's name for "I"; none if that is not known."""
    if not _FIRST.keys().isdisjoint(words) and not speaker:
        return ()
    return tuple(_FIRST[each].format(speaker) if each in _FIRST else each for each in words)


def _is_outright(words: Sequence[str]) -> bool:
    return (
        all(each[0].isalnum() for each in words)
        and _UNREAD.isdisjoint(words)
        and NOT_SO.isdisjoint(map(base_of, words))
        and not is_negated(words)
    )


def _relation(words: Sequence[str], proper: frozenset[str]) -> StatedRelation | None:
    return _cleft(words) or _existence(words) or _placing(words) or _relation_at(words, proper)


def _cleft(words: Sequence[str]) -> Cleft | None:
    """Of "what Anna hid is the ring"."""
    begin = 1 if words[0] in {"what", "whatever"} else 3 if tuple(words[:3]) == ("the", "thing", "that") else 0
    link = next((at for at, each in enumerate(words) if each in {"is", "was"}), 0)
    deed, value = tuple(words[begin:link]), tuple(words[link + 1 :])
    has_deed = begin and len(deed) >= 2 and not is_content(words[0]) and phrase_end(deed, 0) >= len(deed) - 1
    return Cleft(deed, value) if has_deed and _is_phrase(value) else None


def _existence(words: Sequence[str]) -> StatedPlace | None:
    """Of "there is a package behind the stove"."""
    if words[0] != "there" or words[1] not in BE:
        return None
    end = phrase_end(words, 2)
    return _state(("the", *_bare(words[2:end])), words[end:])


def _placing(words: Sequence[str]) -> StatedPlace | None:
    """Of "Anna hid the ring in the box"."""
    verb = phrase_end(words, 0) if words[0] in ARTICLES else 1
    verb -= words[verb - 1] in _PLACING
    while 0 < verb < len(words) and words[verb] in _PERFECT:
        verb += 1
    if not 0 < verb < len(words) or words[verb] not in _PLACING:
        return None
    end = phrase_end(words, verb + 1)
    return _state(tuple(words[verb + 1 : end]), words[end:])


def _relation_at(words: Sequence[str], proper: frozenset[str]) -> StatedRelation | None:
    """Of "the gold is in the chest", "the blacksmith is Walter", "the package holds the deeds"."""
    begin = long_phrase_end(words, 0)
    subject, rest = tuple(words[:begin]), tuple(words[begin:])
    if not _is_phrase(subject) or len(rest) < 2:
        return None
    verb, after = rest[0], rest[1:]
    if verb in _HOLDING and _is_phrase(after):
        return StatedPlace(after, ("in", *subject))
    if verb not in STANDING | {"is", "was"}:
        return None
    if after[0] in PREPOSITIONS or after[0] in _PLACED:
        return _state(subject, after[after[0] in _PLACED :])
    while len(after) > 1 and after[0] in _NAMING:
        after = after[1:]
    is_equation = verb in {"is", "was"} and _is_definite(subject, proper) and _is_definite(after, proper)
    return Equation(subject, after) if is_equation else None


def _state(subject: tuple[str, ...], where: Sequence[str]) -> StatedPlace | None:
    """The state, if what is said of where or when is all of the rest."""
    where = [_INTO.get(each, each) for each in where[:1]] + list(where[1:])
    is_read = len(where) > 1 and where[0] in _PLACE_PREPOSITIONS | _TIMES and long_phrase_end(where, 1) == len(where)
    return StatedPlace(subject, tuple(where)) if subject and is_read else None


def _is_phrase(words: Sequence[str]) -> bool:
    return bool(words) and long_phrase_end(words, 0) == len(words) and not (VAGUE | INDEFINITE) & {*words}


def _is_definite(words: Sequence[str], proper: frozenset[str]) -> bool:
    """Whether it means one person or thing: "the cook", "Mathilda's brother", "Silas"."""
    is_meant = words[0] in DEFINITE or words[0].endswith("'s") or words[0] in proper
    return is_meant and _is_phrase(words)


def _bare(phrase: Sequence[str]) -> tuple[str, ...]:
    return tuple(each for each in phrase if each not in ARTICLES)
