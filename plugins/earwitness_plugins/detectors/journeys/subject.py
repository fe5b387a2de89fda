"""Who does what a verb tells: whoever is named before it, whom a pronoun means, or who did what went before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from ..text.movements import Referents
from ..text.names import Names
from .sentence import TokenSentence

_OPENING = 3
"""A pronoun within so many tokens may stand for names that follow: `Off they went, Ann and Bob.`"""
WhoActs = tuple[str, ...] | None
"""Ids of those it is about; empty where it is somebody or something else; `None` where it does not say."""


@dataclass(frozen=True, eq=False, slots=True)
class StoryThread:
    """Whom the sentences before were about."""

    stage: Referents
    names: Names
    subjects: tuple[tuple[str, ...], ...] = field(default=())
    """The last ones, the latest last."""
    named: tuple[str, ...] = field(default=())
    """Who was named of late, the latest last."""

    def after(self, sentence: TokenSentence) -> StoryThread:
        """With one sentence more."""
        last = sentence.before(len(sentence.tokens.words))
        led = tuple(each.ids for each in last if _leads(sentence, each.first))
        named = tuple(id for each in last for id in each.ids)
        return replace(self, subjects=(*self.subjects, *led)[-4:], named=(*self.named, *named)[-6:])


def subject_of(sentence: TokenSentence, verb: int, talk: StoryThread) -> WhoActs:
    """Who does what the verb at this token tells."""
    begin, _ = sentence.bounds(verb)
    at = verb - 1
    going = sentence.tokens.words[verb].endswith("ing")
    while at >= begin and (_helps(sentence, at) or (going and sentence.has("moves", at))):
        at -= 1
    if sentence.lexicon.words["turned"] and not sentence.named_at(at) and (named := sentence.named_at(verb + 1)):
        return named.ids
    if at < begin:
        return _behind(sentence, verb, talk) or _carried_on(sentence, begin, talk)
    if named := sentence.named_at(at):
        return _named(sentence, begin, named.first, named.ids)
    if (meant := _meant(sentence, at, talk)) is not None:
        return meant
    if sentence.has("feet", at) and at not in sentence.owners:
        return _owner(sentence, begin, at, talk)
    return _of_clause(sentence, begin, talk)


def _of_clause(sentence: TokenSentence, begin: int, talk: StoryThread) -> WhoActs:
    """Whom a clause is about whose verb has other words before it: `Bob, in his best hat`, `quietly leaves`."""
    first = _past_openings(sentence, begin)
    if (named := sentence.named_at(first)) and _describes(sentence, named.behind):
        return named.ids
    if (meant := _meant(sentence, first, talk)) is not None and _describes(sentence, first + 1):
        return meant
    if sentence.has("others", first) or first in sentence.owners or not _omits(sentence, first, talk):
        return ()
    return _carried_on(sentence, begin, talk)


def _helps(sentence: TokenSentence, at: int) -> bool:
    return sentence.passes(at) or sentence.has("helpers", at) or sentence.has("away", at)


def _describes(sentence: TokenSentence, at: int) -> bool:
    """`Bob, in his best hat`, `Bob with his lantern`."""
    return sentence.has("ways", at) or sentence.has("with", at)


def _named(sentence: TokenSentence, begin: int, first: int, ids: tuple[str, ...]) -> WhoActs:
    """Who is named right before the verb; `nods to Bob and goes` is about another, `said Bob and went` is not."""
    before = first - 1
    while before >= begin and sentence.has("others", before):
        before -= 1
    if before == begin and sentence.has("openers", before):
        return ids
    if before >= begin and (sentence.has("ways", before) or sentence.has("with", before)):
        return _of_opening(sentence, begin)
    return ids


def _of_opening(sentence: TokenSentence, begin: int) -> WhoActs:
    named = sentence.named_at(_past_openings(sentence, begin))
    return named.ids if named else ()


def _behind(sentence: TokenSentence, verb: int, talk: StoryThread) -> WhoActs:
    """`Off went Bob`, `Da lief sie davon`."""
    turned = verb and sentence.has("away", verb - 1)
    if not (turned or sentence.lexicon.words["turned"]) or verb + 1 >= len(sentence.tokens.words):
        return None
    named = sentence.named_at(verb + 1)
    return named.ids if named else _meant(sentence, verb + 1, talk)


def _owner(sentence: TokenSentence, begin: int, at: int, talk: StoryThread) -> WhoActs:
    """Whose feet they are: `Bob's slippers`, `her keys`, `the soft feet` of who was told of last."""
    return () if any(here in sentence.owners for here in range(begin, at)) else _last(talk)


def _carried_on(sentence: TokenSentence, begin: int, talk: StoryThread) -> WhoActs:
    """Who did what stands before in the sentence; at its beginning, who tells it."""
    opening, _ = sentence.tokens.sentence(begin)
    at = begin - 1
    while at >= opening:
        first, behind = sentence.bounds(at)
        lead = _past_openings(sentence, first)
        if lead < behind and not sentence.has("relative", lead):
            if (named := sentence.named_at(lead)) is not None:
                return named.ids
            if (meant := _meant(sentence, lead, talk)) is not None:
                return meant
            if (turned := _behind_opening(sentence, lead, behind)) is not None:
                return turned
            if sentence.has("others", lead) and behind - lead >= 3:
                return ()
        at = first - 1
    said = next((each for each in sentence.before(begin) if _is_tag(sentence, each.first)), None)
    if said is not None:
        return said.ids
    return (talk.stage.teller,) if talk.stage.teller else ()


def _behind_opening(sentence: TokenSentence, lead: int, behind: int) -> WhoActs:
    """Who is named last before the verb where the clause opens with a place: `Across from him Ben nodded`."""
    if not sentence.has("ways", lead):
        return None
    named = [each for each in sentence.before(behind) if each.first > lead and each.behind < behind]
    return named[-1].ids if named and not sentence.has("ways", named[-1].first - 1) else None


def _is_tag(sentence: TokenSentence, first: int) -> bool:
    """`said Bob`."""
    return first > 0 and sentence.has("claims", first - 1)


def _past_openings(sentence: TokenSentence, at: int) -> int:
    """Past `and then suddenly`."""
    while at < len(sentence.tokens.words) and (sentence.has("conjunctions", at) or sentence.passes(at)):
        at += 1
    if sentence.has("claims", at) and sentence.named_at(at + 1):
        return at + 1
    if sentence.has("the", at) and sentence.named_at(at + 1):
        return at + 1
    return at


def _omits(sentence: TokenSentence, first: int, talk: StoryThread) -> bool:
    """Whether a clause that begins so has no subject of its own: role play's `quietly leaves`."""
    return talk.stage.teller is not None and sentence.tokens.words[first].endswith(("s", "ed", "ing"))


def _meant(sentence: TokenSentence, at: int, talk: StoryThread) -> WhoActs:
    """Whom a pronoun means; `None` where it is none."""
    if at >= len(sentence.tokens.words):
        return None
    if sentence.has("i", at):
        return (talk.stage.teller,) if talk.stage.teller else ()
    for pronoun in ("he", "she"):
        if sentence.has(pronoun, at):
            return _single(sentence, at, talk, pronoun)
    if sentence.has("they", at):
        return _several(sentence, at, talk)
    return None


def _single(sentence: TokenSentence, at: int, talk: StoryThread, pronoun: str) -> WhoActs:
    """Whom `she` means: who is surely a woman; the last one told of whom it may mean; who tells it, or spoke last."""
    named = [id for each in sentence.before(at) for id in each.ids]
    known = (*talk.stage.named, *talk.named, *named)
    if sure := [id for id in known if talk.names.may_be(pronoun, id)]:
        return (sure[-1],)
    within = [each.ids for each in sentence.before(at) if _leads(sentence, each.first)]
    told = (*reversed(within), *(() if talk.stage.teller and not talk.subjects else talk.subjects[::-1]))
    for ids in told:
        if len(ids) == 1 and talk.names.may_be(pronoun, ids[0]) is not False:
            return ids
    wrong = [id for id in known if talk.names.may_be(pronoun, id) is False]
    left = [id for id in dict.fromkeys(known) if id not in wrong]
    if wrong and not talk.stage.teller:
        return tuple(left[-1:])
    return _last(talk, pronoun)


def _last(talk: StoryThread, pronoun: str = "he") -> WhoActs:
    """Who tells it, or else the last one told of, or the last to speak."""
    if talk.stage.teller:
        return (talk.stage.sent or talk.stage.teller,)
    last = (
        *(each[0] for each in talk.subjects[::-1] if len(each) == 1),
        talk.stage.sent or "",
        *talk.stage.subjects[-1:],
        talk.stage.last or "",
    )
    found = (id for id in last if id and (pronoun == "he" or talk.names.may_be(pronoun, id) is not False))
    return tuple(islice(found, 1))


def _several(sentence: TokenSentence, at: int, talk: StoryThread) -> WhoActs:
    """Whom `they` means: the last ones named together; else the last two told of one by one."""
    within = [each.ids for each in sentence.before(at)]
    if (
        not within
        and at < _OPENING
        and not any(sentence.has("except", here) for here in range(at, sentence.tokens.sentence(at)[1]))
    ):
        within = [each.ids for each in sentence.after(at)]
    told: Sequence[tuple[str, ...]] = (*talk.subjects, *within)
    if (together := next((ids for ids in reversed(told) if len(ids) > 1), None)) is not None:
        return together
    one_by_one = tuple(dict.fromkeys(id for ids in told for id in ids))
    if len(one_by_one) >= 2:
        return one_by_one[-2:]
    return one_by_one if len(one_by_one) == 1 and not talk.stage.teller else ()


def _leads(sentence: TokenSentence, first: int) -> bool:
    """Whether a name stands where a subject does: where a clause begins, or behind `said`."""
    begin, _ = sentence.bounds(first)
    lead = _past_openings(sentence, begin)
    return lead == first or _is_tag(sentence, first) or (first == lead + 1 and sentence.has("the", lead))
