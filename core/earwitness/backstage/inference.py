"""What a character's memories say of a statement beyond its own words. Pure functions, for English.

Several may prove it together (`combinations`); one may tell it with less detail (`details`), contradict it in other
words (`opposites`), or say only that there is something to know (`mentions`). Each candidate is a sentence or a
statement of its own, on which the same rules decide as on any other (`verdicts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice

from ..words import plain
from .claims import Claim, folded
from .combinations import combined
from .details import LesserStatement, lesser_statements, with_somebody
from .evidence import Evidence
from .knowers import Contrary, HeardOf, Knower
from .mentions import is_mentioned
from .needed_words import has_a_deed, needed
from .negation import base_of
from .opposites import emptied, has_same_subject, names_another, only_one, opposites, ruled_out
from .plain_sentences import SPEAKER, Equation, PlainSentence, plain_sentences
from .verdicts import ONE_THING, AskedQuestion

MOST_RELATIONS = 48
"""Sentences that say what is what, of all that is known of a question."""
MOST_COMBINED = 12
"""Sentences that follow from two, and are read."""
FieldsOf = Callable[[list[Evidence]], dict[str, object]]


class Inference:
    """One statement, and what texts say of it that do not say it themselves."""

    def __init__(self, asked: AskedQuestion, texts: Iterable[str]) -> None:
        """`texts` are all that anybody heard of it."""
        self._asked = asked
        self._texts = tuple(dict.fromkeys(map(plain, texts)))
        self._needed_words: dict[str, frozenset[str]] = {}
        self._words_of: dict[str, frozenset[str]] = {}
        self._sentences: dict[str, Sequence[PlainSentence]] = {}
        self._says: dict[tuple[str, str], bool] = {}
        self._lacking: dict[str, tuple[str, ...]] = {}
        self._otherwise: dict[str, bool] = {}
        self._mentioned: dict[str, bool] = {}

    @staticmethod
    def is_for(asked: AskedQuestion) -> bool:
        """Whether it is a statement of few words; not a topic, nor a denial."""
        is_statement = asked.needs_words and has_a_deed(asked.claim) and asked.claim.is_statement
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
        for pair in self._joint:
            if pair[0] not in first or pair[1] not in first:
                continue
            both = sorted({first[each].memory_id: first[each] for each in pair}.values(), key=lambda each: each.rank)
            together = tuple(each.memory_id for each in both) if len(both) > 1 else ()
            weakest = min(both, key=lambda each: each.belief)
            known = {**found(both[-1:]), "trust": weakest.trust, "strength": weakest.strength, "together": together}
            known["forgotten"] = None
            return knower.model_copy(update=known)
        return knower

    def _with_hearsay(self, knower: Knower, evidence: Sequence[Evidence], texts: Sequence[str]) -> Knower:
        pairs = [*zip(evidence, texts, strict=True)]
        closest = sorted(pairs, key=lambda each: -len(self._needed(self._claim) & self._words(each[1])))
        less = next(((each, lacks) for each, text in closest if (lacks := self._lacks(text))), None)
        if less is not None:
            return knower.model_copy(update={"heard_of": _heard_of(*less), "is_unsure": True})
        mention = next((each for each, text in pairs if self._mentions(text)), None)
        return knower if mention is None else knower.model_copy(update={"heard_of": _heard_of(mention, ())})

    def _lacks(self, text: str) -> tuple[str, ...]:
        """The words that a text lacks which tells it with less detail; none if it does not tell it."""
        if text not in self._lacking:
            words = folded(text)
            told = (each.lacks for each in self._lesser if each.may_be_in(words) and self._is_said(each.claim, text))
            self._lacking[text] = () if self._mentions(text) else next(told, ())
        return self._lacking[text]

    def _contradicts(self, text: str) -> bool:
        if text not in self._otherwise:
            is_opposite = any(self._is_said(each, text) for each in self._opposites(text))
            one = self._only_one
            is_other = one is not None and any(names_another(one, each) for each in self._plain(text))
            self._otherwise[text] = is_opposite or is_other
        return self._otherwise[text]

    def _opposites(self, text: str) -> Iterator[Claim]:
        words = folded(SPEAKER.sub("", text))
        for claim in (self._claim, *self._lesser_of_same):
            if len(self._needed(claim) - self._words(text)) <= 1:
                yield from opposites(claim, words, self._ruled_out)
            if "empty" in words and (empty := emptied(claim)) is not None:
                yield empty

    def _mentions(self, text: str) -> bool:
        if text not in self._mentioned:
            self._mentioned[text] = is_mentioned(self._claim, SPEAKER.sub("", text))
        return self._mentioned[text]

    @property
    def _claim(self) -> Claim:
        return self._asked.claim

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
    def _joint(self) -> Sequence[tuple[str, str]]:
        """The pairs of texts that prove the statement together; a pair of one text proves it alone."""
        if self._claim.is_open:
            return ()
        following: dict[str, list[tuple[str, str]]] = {}
        for one, other, sentence in self._following():
            following.setdefault(sentence, []).append((one, other))
            if len(following) == MOST_COMBINED:
                break
        said = (pairs for sentence, pairs in following.items() if self._is_said(self._claim, sentence))
        return tuple(dict.fromkeys(pair for pairs in said for pair in pairs))

    def _following(self) -> Iterator[tuple[str, str, str]]:
        """Two texts and a sentence that follows from both, and has the statement's words, which neither has."""
        wanted = self._needed(self._claim)
        about = [each for each in self._texts if not wanted.isdisjoint(self._words(each))]
        read = [(text, each, self._bases(each.words)) for text in about for each in self._plain(text)]
        read = [each for each in read if not wanted <= each[2] and not wanted.isdisjoint(each[2])]
        related = islice(((text, each.relation, has) for text, each, has in read if each.relation), MOST_RELATIONS)
        for one, relation, has in related:
            for other, sentence, has_too in read:
                if wanted <= has | has_too:
                    found = (each for each in combined(relation, sentence) if wanted <= self._bases(each))
                    yield from ((one, other, f"{' '.join(each)}.") for each in found)

    def _plain(self, text: str) -> Sequence[PlainSentence]:
        if text not in self._sentences:
            self._sentences[text] = tuple(plain_sentences(text, self._claim.names))
        return self._sentences[text]

    def _is_said(self, claim: Claim, text: str) -> bool:
        """Whether a text says what is claimed; texts without its words are not read."""
        if (claim.question, text) not in self._says:
            has_words = self._needed(claim) <= self._words(text)
            asked = AskedQuestion(claim.question, claim.names)
            self._says[claim.question, text] = has_words and asked.verdict(text, lambda _: True) == "says"
        return self._says[claim.question, text]

    def _needed(self, claim: Claim) -> frozenset[str]:
        if claim.question not in self._needed_words:
            self._needed_words[claim.question] = frozenset(needed(claim))
        return self._needed_words[claim.question]

    def _words(self, text: str) -> frozenset[str]:
        if text not in self._words_of:
            self._words_of[text] = self._bases(folded(text))
        return self._words_of[text]

    def _bases(self, words: Iterable[str]) -> frozenset[str]:
        """The words in their base form, and the ids of those they name."""
        bare, names = [each.removesuffix("'s") for each in words], self._claim.names
        return frozenset(map(base_of, bare)).union(names[each] for each in bare if each in names)


def _heard_of(evidence: Evidence, lacks: tuple[str, ...]) -> HeardOf:
    return HeardOf(
        learned=evidence.learned,
        since=evidence.since,
        memory_id=evidence.memory_id,
        text=evidence.text,
        lacks=lacks,
    )
