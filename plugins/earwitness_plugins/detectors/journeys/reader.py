"""Who comes and goes by the sentences of a narration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..acts.phrases import PhraseFound
from ..acts.tokens import Tokens, tokenised
from ..text.movements import Move, MoveKind, Referents
from ..text.names import Names, lists
from .lexicon import Lexicon, lexicon_of
from .sentence import NamedTokens, TokenSentence, in_names
from .subject import StoryThread, subject_of
from .way import way_of

_AFTER_OBJECT = ("ways", "away", "passing", "conjunctions")
_NEAR_BEHIND = 5
"""What somebody disappears behind is named within so many tokens."""
_FAR = 10
"""Tokens within which somebody is led to where they go."""
_KINDS: dict[str, MoveKind] = {"phrases": "leave", "sleeps": "asleep", "arrives": "enter"}


def journeys(told: Sequence[tuple[str, bool]], names: Names, stage: Referents) -> Iterator[Move]:
    """Comings and goings told in these sentences, in order; each with whether its teller says something after it.

    Who goes on speaking has gone to another place, perhaps, but not out of hearing.
    """
    talk = StoryThread(stage, names)
    for text, spoken_after in told:
        sentence = _read(text, names)
        if sentence is not None:
            if not (_asks(sentence.tokens) or _excepts(sentence) or sentence.has("conditions", 0)):
                yield from _moves(text, sentence, talk, spoken_after=spoken_after)
            talk = talk.after(sentence)


def _read(text: str, names: Names) -> TokenSentence | None:
    tokens = tokenised(text, frozenset())
    if not tokens.words:
        return None
    mentions = names.find(text)
    named = in_names(tokens, lists(text, [mention for mention in mentions if not mention.possessive]))
    lexicon = lexicon_of(tokens.words)
    named = [*named, *_by_epithet(tokens, named, names, lexicon)]
    owners = in_names(tokens, [[mention] for mention in mentions if mention.possessive])
    return TokenSentence(tokens, sorted(named, key=_first), frozenset(each.first for each in owners), lexicon)


def _by_epithet(tokens: Tokens, named: Sequence[NamedTokens], names: Names, lexicon: Lexicon) -> Iterator[NamedTokens]:
    """`the courier`, where only one is called so."""
    taken = {at for each in named for at in range(each.first, each.behind)}
    for at, word in enumerate(tokens.words):
        if word in names.epithets and at and at not in taken and tokens.words[at - 1] in lexicon.words["the"]:
            yield NamedTokens(at - 1, at + 1, (names.epithets[word],))


def _first(named: NamedTokens) -> int:
    return named.first


def _asks(tokens: Tokens) -> bool:
    return len(tokens.questions) > tokens.sentences[-1]


def _excepts(sentence: TokenSentence) -> bool:
    """`All but Bob leave`: read by `movements`."""
    words = sentence.tokens.words
    return any(word in sentence.lexicon.words["except"] for word in words) and any(
        word in sentence.lexicon.words["everybody"] for word in words
    )


def _moves(text: str, sentence: TokenSentence, talk: StoryThread, *, spoken_after: bool) -> Iterator[Move]:
    words, verbs = sentence.tokens.words, sentence.lexicon.verbs
    evidence = " ".join(text.split())[:60]
    for at, word in enumerate(words):
        if word in verbs and sentence.named_at(at) is None and not _is_noun(sentence, at) and _is_so(sentence, at):
            for id, kind in _told(sentence, at, talk, spoken_after=spoken_after):
                if spoken_after and kind == "leave" and id == talk.stage.teller and id not in talk.stage.here:
                    continue  # who comes in so speaks here: `climbs out of the hatch. Morning!`
                yield Move(id, kind, None, evidence, to=_place_of(sentence, at) if kind == "leave" else None)
        elif sentence.has("closes", at):
            yield from (Move(id, "leave", None, evidence) for id in _shut_out(sentence, at, talk))
    for hit in sentence.lexicon.phrases.find(words):
        if _is_so(sentence, hit.first) and _stands(sentence, hit):
            yield from (
                Move(id, _KINDS[hit.act], None, evidence) for id in subject_of(sentence, hit.first, talk) or () if id
            )


def _is_noun(sentence: TokenSentence, at: int) -> bool:
    """`the set`, `a walk`."""
    return at > 0 and sentence.has("articles", at - 1) and sentence.named_at(at - 1) is None


def _place_of(sentence: TokenSentence, at: int) -> str | None:
    """The place that is named behind a verb."""
    behind = range(at + 1, min(sentence.bounds(at)[1], at + _FAR))
    return next((sentence.tokens.words[here] for here in behind if sentence.is_place(here)), None)


def _stands(sentence: TokenSentence, hit: PhraseFound) -> bool:
    begin, end = sentence.bounds(hit.first)[0], sentence.bounds(hit.behind - 1)[1]
    if sentence.has("goes_so", hit.behind):  # `se va poniendo roja`
        return False
    return (hit.closes is None or hit.behind >= end) and (hit.opens is None or hit.first <= begin)


def _told(sentence: TokenSentence, at: int, talk: StoryThread, *, spoken_after: bool) -> Iterator[tuple[str, MoveKind]]:
    """What one verb tells: who goes, and who is taken along."""
    if (taken := _taken(sentence, at, talk)) is not None:
        yield from ((id, "leave") for id in taken if id)
        return
    if sentence.has("follows", at) and _follows(sentence, at):
        yield from ((id, "leave") for id in subject_of(sentence, at, talk) or () if id)
        return
    kind = _kind(sentence, at, spoken_after=spoken_after and talk.stage.teller is not None)
    if kind is None:
        return
    subject = subject_of(sentence, at, talk) or ()
    yield from ((id, kind) for id in dict.fromkeys((*subject, *(_along(sentence, at) if subject else ()))) if id)


def _kind(sentence: TokenSentence, at: int, *, spoken_after: bool) -> MoveKind | None:
    word = sentence.tokens.words[at]
    closed = at + 1 >= sentence.bounds(at)[1]
    if sentence.has("leaves", at) and _is_screened(sentence, at):
        return None
    if sentence.has("leaves", at) and (closed or not sentence.has("others", at + 1)):
        return "leave"
    if sentence.has("leaves_what", at) and not sentence.has("moves", at):
        return "leave" if closed or _leaves_all(sentence, at) else None
    if sentence.has("comes", at):
        return None if word.endswith("ing") or not _comes(sentence, at) else "enter"
    if not sentence.has("moves", at) and not sentence.has("across", at) and not sentence.has("ends", at):
        return None
    way = way_of(sentence, at)
    if way == "back":
        return None if word.endswith("ing") else "enter"
    return "leave" if way == "away" or (way == "elsewhere" and not spoken_after) else None


def _is_screened(sentence: TokenSentence, at: int) -> bool:
    """`disappears behind her newspaper`, `vanishes into his thoughts`."""
    _, end = sentence.bounds(at)
    return sentence.has("ways", at + 1) and any(
        sentence.has("screens", here) for here in range(at + 2, min(end, at + _NEAR_BEHIND))
    )


def _follows(sentence: TokenSentence, at: int) -> bool:
    """`followed Bob out`, `follows her into the yard`."""
    named = sentence.named_at(at + 1)
    if named is None and not sentence.has("objects", at + 1):
        return False
    return _way_behind(sentence, named.behind if named else at + 2, sentence.bounds(at)[1])


def _comes(sentence: TokenSentence, at: int) -> bool:
    """`returns`, `came in`, `comes down the stairs`; not `came to`, `came true`."""
    word, (_, end) = sentence.tokens.words[at], sentence.bounds(at)
    if not word.startswith(("com", "came")):
        return at + 1 >= end or not sentence.named_at(at + 1)
    after = at + 1
    while after < end and sentence.passes(after):
        after += 1
    return after < end and (
        sentence.has("back", after)
        or sentence.has("away", after)
        or sentence.has("levels", after)
        or sentence.has("entries", after)
    )


def _leaves_all(sentence: TokenSentence, at: int) -> bool:
    """`left the room`, `left them to it`, `leaves by the back door`; not `left the letter on the table`."""
    _, end = sentence.bounds(at)
    after = at + 1
    while after < end and sentence.passes(after):
        after += 1
    if after >= end:
        return True
    if sentence.has("left_behind", after) or sentence.named_at(after):
        named = sentence.named_at(after)
        behind = named.behind if named else after + 1
        return behind >= end or not sentence.has("left_so", behind)
    if sentence.has("leaves_by", after):
        return True
    if not sentence.lexicon.words["the"] and (sentence.is_place(after) or sentence.has("company", after)):
        return True  # Russian has no article
    if not sentence.has("others", after) or any(sentence.has("left_state", here) for here in range(after, end)):
        return False
    return any(
        sentence.is_place(here) or sentence.has("company", here) for here in range(after + 1, min(end, after + 4))
    ) and not any(sentence.has("ways", here) for here in range(after + 1, min(end, after + 2)))


def _taken(sentence: TokenSentence, at: int, talk: StoryThread) -> tuple[str, ...] | None:
    """Those who go where one takes another away, or sends them; `None` where nobody is taken."""
    sends = sentence.has("sends", at)
    if not sends and not sentence.has("takes", at):
        return None
    _, end = sentence.bounds(at)
    if at and sentence.has("helpers", at - 1) and not sentence.tokens.words[at].endswith("ing"):
        way = _way_behind(sentence, at + 1, end)
        return tuple(subject_of(sentence, at, talk) or ()) if way else None
    named = sentence.named_at(at + 1)
    if named is None and not sentence.has("objects", at + 1):
        return tuple(subject_of(sentence, at, talk) or ()) if _carries_out(sentence, at, end) else None
    if named is None and at + 2 < end and not any(sentence.has(each, at + 2) for each in _AFTER_OBJECT):
        return None if sentence.has("moves", at) else ()
    if not _way_behind(sentence, named.behind if named else at + 2, end):
        return () if named is None else None
    subject = tuple(subject_of(sentence, at, talk) or ())
    whom = named.ids if named else _object(sentence, at + 1, subject, talk)
    return whom if sends else (*subject, *whom)


def _carries_out(sentence: TokenSentence, at: int, end: int) -> bool:
    """`carried the plates out`, `lugs a chest off to the cellar`: who carries something out goes out."""
    if not sentence.has("carries", at) or not sentence.has("others", at + 1):
        return False
    way = next((here for here in range(at + 2, min(end, at + 6)) if sentence.has("carried_off", here)), None)
    if way is None or any(sentence.has("ways", here) for here in range(at + 2, way)):
        return False
    behind = range(way + 1, min(end, way + _NEAR_BEHIND))
    if sentence.tokens.words[way] == "out" and not any(sentence.is_place(here) for here in behind):
        return False  # `carries the tray out`, perhaps to those who are here
    return not any(sentence.has("near", here) for here in behind)


def _way_behind(sentence: TokenSentence, at: int, end: int) -> bool:
    """Whether a way out of here follows at once, or behind `by the hand`."""
    for here in range(at, min(end, at + _FAR)):
        if sentence.has("together", here) or (sentence.has("with", here) and sentence.has("objects", here + 1)):
            return True
        if sentence.has("away", here) and sentence.tokens.words[here] != "in":
            follows = here + 1
            return not (
                follows < end and sentence.has("near", min(end - 1, follows + 2)) and sentence.has("ways", follows)
            )
        if (sentence.has("out", here) or sentence.has("to", here)) and any(
            sentence.is_place(place) for place in range(here + 1, min(end, here + 5))
        ):
            return True
        if sentence.has("aside", here) and not sentence.has("with", here + 1):
            return False
    return False


def _object(sentence: TokenSentence, at: int, subject: tuple[str, ...], talk: StoryThread) -> tuple[str, ...]:
    """Whom `him` and `them` mean as those who are taken: the last ones named who do not take."""
    named = (*talk.named, *(id for each in sentence.before(at) for id in each.ids))
    others = [id for id in dict.fromkeys(reversed(named)) if id not in subject]
    if sentence.has("they", at) or sentence.tokens.words[at] == "them":
        return tuple(others[:2]) if len(others) > 1 else ()
    if others:
        return (others[0],)
    here = [id for id in talk.stage.here if id not in subject]
    return tuple(here) if len(here) == 1 else ()


def _along(sentence: TokenSentence, at: int) -> tuple[str, ...]:
    """Those who go with the mover: `with Bob`, `followed by Ann`."""
    _, end = sentence.tokens.clause(at)
    for each in sentence.after(at):
        if each.first < min(end, at + _FAR):
            before = each.first - 1
            while before > at and sentence.has("others", before):
                before -= 1
            if sentence.has("with", before) or (sentence.has("with", before - 1) and sentence.has("ways", before)):
                return each.ids
    return ()


def _shut_out(sentence: TokenSentence, at: int, talk: StoryThread) -> tuple[str, ...]:
    """Behind whom a door falls shut."""
    if not any(sentence.has("doors", before) for before in range(max(0, at - 3), at)):
        return ()
    _, end = sentence.bounds(at)
    for here in range(at + 1, min(end, at + 5)):
        if sentence.has("behind", here) and here + 1 < end:
            named = sentence.named_at(here + 1)
            if named:
                return named.ids
            if sentence.tokens.words[here + 1] == "them":
                return _pair(talk)
            return _single_of(sentence, here + 1, talk)
    return ()


def _pair(talk: StoryThread) -> tuple[str, ...]:
    return next((ids for ids in reversed(talk.subjects) if len(ids) > 1), ())


def _single_of(sentence: TokenSentence, at: int, talk: StoryThread) -> tuple[str, ...]:
    if not sentence.has("left_behind", at):
        return ()
    within = [each.ids for each in sentence.before(at)]
    told = (*talk.subjects, *within)
    if told:
        return told[-1] if len(told[-1]) == 1 else ()
    if sentence.has("others", 0) and not sentence.has("doors", 1) and not sentence.has("doors", 2):
        return ()
    last = talk.stage.teller or talk.stage.last
    return (last,) if last else ()


def _is_so(sentence: TokenSentence, at: int) -> bool:
    """Told as a fact: not supposed, wished, denied, or only said by somebody."""
    begin, _ = sentence.bounds(at)
    behind = sentence.bounds(at)[1] if sentence.lexicon.words["apart"] else at
    if any(sentence.has("unreal", here) for here in range(begin, at)):
        return False
    if any(sentence.has("unreal", here) and not sentence.has("before_only", here) for here in range(at, behind)):
        return False
    if begin and sentence.has("unreal", begin - 1):
        return False
    opening, _ = sentence.tokens.clause(at)
    for here in range(opening, at):
        if sentence.has("claims", here):
            told = sentence.named_at(here + 1)
            if here >= begin and not (told and told.behind >= at - 1 and here <= begin):
                return False
            if here < begin and sentence.has("that", here + 1):
                return False
    return True
