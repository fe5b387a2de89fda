"""Which way a verb of motion leads: out of here, to another place, back, or nowhere."""

from __future__ import annotations

from typing import Literal

from .sentence import TokenSentence

Course = Literal["away", "elsewhere", "back", "here"]
"""Out of here; to another place, which is out of here for who is here; back; nowhere that matters."""
_FAR = 7
"""Within so many tokens behind a way, the place it leads to is named."""
_CLOSED_ONLY = frozenset({"in", "inside", "indoors", "below"})
_SOMEBODY = ("he", "she", "left_behind")
_KINDS = (("doors", "door"), ("openings", "opening"), ("near", "near"), ("nowhere", "nowhere"))
_THINGS = ("others", "feet", "places", "near")


def way_of(sentence: TokenSentence, verb: int) -> Course:
    """Which way the verb at this token leads."""
    words, end = sentence.tokens.words, _end(sentence, verb)
    at = verb + 1
    while at < end and not sentence.has("back", at) and (sentence.passes(at) or _goes_on(sentence, at, end)):
        at += 1
    if _turned(sentence, verb):
        return "away"
    if at >= end or sentence.has("conjunctions", at):
        return "away" if sentence.has("ends", verb) and not words[verb].endswith("ing") else "here"
    if words[at] in sentence.lexicon.stays.get(words[verb], ()) or _puts(sentence, verb, at, end):
        return "here"
    if sentence.has("across", verb) and (way := _straight(sentence, at, end)):
        return way
    if sentence.has("back", at) and words[at] != "home":
        return _back(sentence, at, end)
    if sentence.lexicon.words["apart"] and any(sentence.has("away", here) for here in range(at, end)):
        return "away"
    return _along(sentence, verb, at, end)


def _puts(sentence: TokenSentence, verb: int, at: int, end: int) -> bool:
    """`sets out cups`, `sets off the alarm`; not `sets out for town`, `sets off early`."""
    if not sentence.has("puts", verb) or at + 1 >= end or not sentence.has("ways", at):
        return False
    return not (sentence.has("ways", at + 1) or sentence.has("conjunctions", at + 1) or sentence.passes(at + 1))


def _goes_on(sentence: TokenSentence, at: int, end: int) -> bool:
    """`went on down the stairs`."""
    return sentence.has("on", at) and at + 1 < end and (sentence.has("levels", at + 1) or sentence.has("away", at + 1))


def _end(sentence: TokenSentence, verb: int) -> int:
    """Where the clause of a verb ends; `over the sill and down the stairs` is one way."""
    _, end = sentence.bounds(verb)
    goes_on = sentence.has("conjunctions", end) and (sentence.has("ways", end + 1) or sentence.has("away", end + 1))
    return sentence.bounds(end + 1)[1] if goes_on else end


def _turned(sentence: TokenSentence, verb: int) -> bool:
    """`Off went Bob`, `out she ran`."""
    begin, _ = sentence.bounds(verb)
    if not sentence.has("away", begin) or begin == verb:
        return False
    return verb - begin <= 2 and (
        verb == begin + 1 or sentence.is_pronoun(verb - 1) or sentence.named_at(verb - 1) is not None
    )


def _straight(sentence: TokenSentence, at: int, end: int) -> Course | None:
    """`crossed the yard`, `climbs the stairs`."""
    if not sentence.has("others", at):
        return None
    kind = _place(sentence, at, end)[0]
    return "elsewhere" if kind == "place" else None


def _back(sentence: TokenSentence, at: int, end: int) -> Course:
    """`back in`, `back to the kitchen`; but not `back from the fire`."""
    if at + 1 < end and sentence.has("ways", at + 1):
        kind, _ = _place(sentence, at + 2, end)
        if kind in ("near", "nowhere", "somebody"):
            return "here"
        return "elsewhere" if kind == "place" else "back"
    return "back"


def _along(sentence: TokenSentence, verb: int, at: int, end: int) -> Course:
    """What the words behind a verb lead to, way by way: `out through the hall to the yard`."""
    while at < end:
        if sentence.has("conjunctions", at):
            at += 1
            continue
        if (way := _alone(sentence, verb, at, end)) is not None:
            return way
        if not sentence.has("ways", at):
            return "here"
        kind, behind = _place(sentence, at + 1, end)
        found = _led(sentence.tokens.words[at], kind, sentence, at)
        if found != "here" or kind == "somebody":
            return found
        at = max(at + 1, behind)
    return "here"


def _alone(sentence: TokenSentence, verb: int, at: int, end: int) -> Course | None:
    """A word that leads somewhere though no place follows it: `off`, `up`; `None` for all others."""
    follows = at + 1 < end and sentence.has("ways", at + 1)
    closes = not follows and not _names_something(sentence, at + 1, end)
    if sentence.has("away", at) and (closes or follows or not sentence.has("ways", at)):
        return _away(sentence, at, end)
    return "elsewhere" if closes and sentence.has("levels", at) and sentence.has("levelled", verb) else None


def _names_something(sentence: TokenSentence, at: int, end: int) -> bool:
    return at < end and (sentence.named_at(at) is not None or any(sentence.has(each, at) for each in _THINGS))


def _away(sentence: TokenSentence, at: int, end: int) -> Course:
    """`off`, `out of the room`; but not `away from the window`, `out of his chair`."""
    word = sentence.tokens.words[at]
    if at + 1 < end and sentence.has("ways", at + 1):
        after = sentence.tokens.words[at + 1]
        kind, _ = _place(sentence, at + 2, end)
        if after == "from" and word == "out":
            return "back"
        if after in ("from", "of") and kind in ("near", "nowhere", "somebody"):
            return "here"
        if word in _CLOSED_ONLY and kind not in ("place", "unknown"):
            return "here"
    return "elsewhere" if word in _CLOSED_ONLY else "away"


def _led(way: str, kind: str, sentence: TokenSentence, at: int) -> Course:
    """Where a way leads by what it names."""
    goes_out = way in sentence.lexicon.words["out"]
    if kind == "place":
        return "elsewhere" if goes_out or sentence.has("to", at) else "here"
    if kind == "door":
        return "away" if way in ("through", "out", "for", "of") else "here"
    if kind == "opening":
        return "elsewhere" if way in ("through", "out", "over", "of", "round", "around") else "here"
    return "elsewhere" if kind == "unknown" and goes_out and sentence.has("others", at + 1) else "here"


def _place(sentence: TokenSentence, at: int, end: int) -> tuple[str, int]:
    """What the words from here on name, and where they end.

    A `place`, a `door`, an `opening` to climb through, what is `near`, `somebody`, `nowhere`, `unknown`; or `nothing`.
    """
    if at < end and (sentence.named_at(at) or any(sentence.has(each, at) for each in _SOMEBODY)):
        return "somebody", at + 1
    if at < end and sentence.has("ways", at):
        return "nothing", at
    kind, behind = "nothing", at
    for here in range(at, min(end, at + _FAR)):
        if here > at and _ends_name(sentence, here):
            break
        behind = here + 1
        kind = _thing(sentence, here) or ("unknown" if kind == "nothing" and not sentence.has("others", here) else kind)
    return kind, behind


def _ends_name(sentence: TokenSentence, at: int) -> bool:
    if sentence.has("verb", at):
        return True
    return sentence.has("ways", at) and sentence.tokens.words[at] != "of"


def _thing(sentence: TokenSentence, at: int) -> str | None:
    """What kind of thing a noun is."""
    if sentence.is_place(at) and not (sentence.has("doors", at) or sentence.has("openings", at)):
        return "place"
    return next((kind for name, kind in _KINDS if sentence.has(name, at)), None)
