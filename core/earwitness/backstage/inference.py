"""What a character's memories say of a statement beyond its own words. Pure functions, for English.

Several may prove it together (`combinations`); one may tell it with less detail (`details`), contradict it in other
words (`opposites`), or say only that there is something to know (`mentions`). Each candidate is a sentence or a
statement of its own, on which the same rules decide as on any other (`verdicts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from ..words import plain
from .claims import Claim
from .combinations import combined
from .details import LesserStatement, lesser_statements, with_somebody
from .evidence import Evidence
from .heard_texts import HeardText, base_words
from .knowers import Contrary, HeardOf, Knower
from .mentions import is_mentioned
from .needed_words import has_a_deed, needed
from .opposites import emptied, has_same_subject, names_another, only_one, opposites, ruled_out
from .plain_sentences import Equation, PlainSentence, StatedRelation
from .verdicts import ONE_THING, AskedQuestion

LONGEST = 32
"""Words and signs of the longest statement that is read so. One of `ONE_THING` words that carry meaning has about half
as many; a longer one says the same again and again, and is read for its words alone."""
MOST_RELATIONS = 48
"""Sentences that say what is what, of all that is known of a question."""
MOST_COMBINED = 12
"""Sentences that follow from two, and are read."""
FieldsOf = Callable[[list[Evidence]], dict[str, object]]
TextPair = tuple[str, str]
"""Two texts; of one that is enough by itself, twice the same."""


@dataclass(frozen=True, slots=True)
class _ReadSentence:
    """A sentence of a text, and which of the statement's words it has."""

    text: str
    sentence: PlainSentence
    has: frozenset[str]

    def following(self, relation: StatedRelation, wanted: frozenset[str], claim: Claim) -> Iterator[str]:
        """The sentences that follow from this one by a relation, and have all words that are wanted."""
        for words in combined(relation, self.sentence):
            if wanted <= base_words(words, claim.names):
                yield f"{' '.join(words)}."


class Inference:
    """One statement, and what texts say of it that do not say it themselves."""

    def __init__(self, asked: AskedQuestion, texts: Iterable[str]) -> None:
        """`texts` are all that anybody heard of it."""
        self._asked = asked
        self._texts = tuple(dict.fromkeys(map(plain, texts)))
        self._heard: dict[str, HeardText] = {}
        self._questions: dict[str, AskedQuestion] = {}
        self._needed_words: dict[str, frozenset[str]] = {}
        self._says: dict[TextPair, bool] = {}
        self._lacking: dict[str, tuple[str, ...]] = {}
        self._otherwise: dict[str, bool] = {}
        self._mentioned: dict[str, bool] = {}

    @staticmethod
    def is_for(asked: AskedQuestion) -> bool:
        """Whether it is a statement of few words; not a topic, nor a denial."""
        if not asked.needs_words or len(asked.claim.tokens) > LONGEST:
            return False
        is_statement = has_a_deed(asked.claim) and asked.claim.is_statement
        return is_statement and len(asked.claim.statement.words) <= ONE_THING and not asked.claim.statement.denies

    def completed(self, knower: Knower, evidence: Sequence[Evidence], found: FieldsOf) -> Knower:
        """What one character knows, with what their memories tell beyond the statement's words.

        `found` puts evidence into a record's fields.
        """
        evidence = sorted(evidence, key=lambda each: each.rank)
        texts = [plain(each.text) for each in evidence]
        if not knower.knows:
            knower = self._proved(knower, evidence, texts, found)
        if knower.contrary is None:
            against = [each for each, text in zip(evidence, texts, strict=True) if self._contradicts(text)]
            contrary = Contrary.model_validate({**found(against), "in_other_words": True}) if against else None
            knower = knower.model_copy(update={"contrary": contrary})
        is_open = not knower.knows and knower.contrary is None and knower.forgotten is None
        return self._with_hearsay(knower, evidence, texts) if is_open else knower

    def _proved(self, knower: Knower, evidence: Sequence[Evidence], texts: Sequence[str], found: FieldsOf) -> Knower:
        first = {text: each for each, text in reversed([*zip(evidence, texts, strict=True)])}
        pair = next((each for each in self._joint if first.keys() >= {*each}), None)
        if pair is None:
            return knower
        both = sorted({first[each].memory_id: first[each] for each in pair}.values(), key=lambda each: each.rank)
        together = tuple(each.memory_id for each in both) if len(both) > 1 else ()
        weakest = min(both, key=lambda each: each.belief)
        known = {**found(both[-1:]), "trust": weakest.trust, "strength": weakest.strength, "together": together}
        return knower.model_copy(update={**known, "forgotten": None})

    def _with_hearsay(self, knower: Knower, evidence: Sequence[Evidence], texts: Sequence[str]) -> Knower:
        pairs = [*zip(evidence, texts, strict=True)]
        closest = sorted(pairs, key=lambda each: -len(self._wanted & self._of(each[1]).bases))
        less = next(((each, lacks) for each, text in closest if (lacks := self._lacks(text))), None)
        if less is not None:
            return knower.model_copy(update={"heard_of": _heard_of(*less), "is_unsure": True})
        mention = next((each for each, text in pairs if self._mentions(text)), None)
        return knower if mention is None else knower.model_copy(update={"heard_of": _heard_of(mention, ())})

    def _lacks(self, text: str) -> tuple[str, ...]:
        """The words that a text lacks which tells it with less detail; none if it does not tell it."""
        if text not in self._lacking:
            words = self._of(text).words
            told = (each.lacks for each in self._lesser if each.may_be_in(words) and self._is_said(each.claim, text))
            self._lacking[text] = () if self._mentions(text) else next(told, ())
        return self._lacking[text]

    def _contradicts(self, text: str) -> bool:
        if text not in self._otherwise:
            is_opposite = any(self._is_said(each, text) for each in self._opposites(self._of(text)))
            one = self._only_one
            is_other = one is not None and any(names_another(one, each) for each in self._of(text).sentences)
            self._otherwise[text] = is_opposite or is_other
        return self._otherwise[text]

    def _opposites(self, heard: HeardText) -> Iterator[Claim]:
        is_empty = "empty" in heard.spoken.every
        for claim in (self._claim, *self._lesser_of_same):
            if len(self._needed(claim) - heard.bases) <= 1:
                yield from opposites(claim, heard.spoken, self._ruled_out)
            if is_empty and (empty := emptied(claim)) is not None:
                yield empty

    def _mentions(self, text: str) -> bool:
        if text not in self._mentioned:
            self._mentioned[text] = is_mentioned(self._claim, self._of(text).said)
        return self._mentioned[text]

    @property
    def _claim(self) -> Claim:
        return self._asked.claim

    @cached_property
    def _wanted(self) -> frozenset[str]:
        return self._needed(self._claim)

    @cached_property
    def _lesser(self) -> Sequence[LesserStatement]:
        if self._claim.is_open:
            return ()
        somebody = with_somebody(self._claim)
        return (*lesser_statements(self._claim), *([somebody] if somebody else ()))

    @cached_property
    def _only_one(self) -> Equation | None:
        return only_one(self._claim)

    @cached_property
    def _lesser_of_same(self) -> Sequence[Claim]:
        return tuple(each.claim for each in self._lesser if has_same_subject(self._claim, each.claim))

    @cached_property
    def _ruled_out(self) -> frozenset[str]:
        """The places where it is not, as those say who say the statement."""
        said = (each for each in self._texts if self._is_said(self._claim, each))
        return frozenset(place for each in said for place in ruled_out(each))

    @cached_property
    def _joint(self) -> Sequence[TextPair]:
        """The pairs of texts that prove the statement together; a pair of one text proves it alone."""
        if self._claim.is_open:
            return ()
        following: dict[str, dict[TextPair, None]] = {}
        for pair, sentence in self._following():
            following.setdefault(sentence, {})[pair] = None
            if len(following) == MOST_COMBINED:
                break
        said = (pairs for sentence, pairs in following.items() if self._is_said(self._claim, sentence))
        return tuple(dict.fromkeys(pair for pairs in said for pair in pairs))

    def _following(self) -> Iterator[tuple[TextPair, str]]:
        """Two texts and a sentence that follows from both, and has the statement's words, which neither has."""
        read = [*self._sentences_about()]
        related = ((each, each.sentence.relation) for each in read if each.sentence.relation)
        for one, relation in islice(related, MOST_RELATIONS):
            lacking = self._wanted - one.has
            for other in read:
                if lacking <= other.has:
                    found = other.following(relation, self._wanted, self._claim)
                    yield from (((one.text, other.text), each) for each in found)

    def _sentences_about(self) -> Iterator[_ReadSentence]:
        """The sentences that have some of the statement's words, and not all."""
        for heard in map(self._of, self._texts):
            for each in () if self._wanted.isdisjoint(heard.bases) else heard.sentences:
                has = self._wanted & base_words(each.words, self._claim.names)
                if has and has != self._wanted:
                    yield _ReadSentence(heard.text, each, has)

    def _of(self, text: str) -> HeardText:
        if text not in self._heard:
            self._heard[text] = HeardText(text, self._claim.names)
        return self._heard[text]

    def _is_said(self, claim: Claim, text: str) -> bool:
        """Whether a text says what is claimed; texts without its words are not read."""
        if (claim.question, text) not in self._says:
            has_words = self._needed(claim) <= self._of(text).bases
            said = has_words and self._question(claim).verdict(text, lambda _: True) == "says"
            self._says[claim.question, text] = said
        return self._says[claim.question, text]

    def _needed(self, claim: Claim) -> frozenset[str]:
        if claim.question not in self._needed_words:
            self._needed_words[claim.question] = frozenset(needed(claim))
        return self._needed_words[claim.question]

    def _question(self, claim: Claim) -> AskedQuestion:
        if claim.question not in self._questions:
            self._questions[claim.question] = AskedQuestion(claim.question, claim.names)
        return self._questions[claim.question]


def _heard_of(evidence: Evidence, lacks: tuple[str, ...]) -> HeardOf:
    return HeardOf(
        learned=evidence.learned,
        since=evidence.since,
        memory_id=evidence.memory_id,
        text=evidence.text,
        lacks=lacks,
    )
