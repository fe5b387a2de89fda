"""A message as segments: what is said aloud, done, whispered, thought, spoken aside; and who alone perceives each.

A direction holds for what follows, up to the next direction: `*whispers to Bob* "Run!" *aloud* "Nothing!"`. A tag
holds for the quotes around it: `"Run!" she whispers to Bob.` Where it is open how far a whisper or a thought goes,
it goes further: a line lost is a smaller harm than a secret told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from earwitness.patterns import lazy_pattern
from earwitness.sentences import sentences

from ..discretion import languages
from .marks import PRIVATE
from .names import Names
from .privacy import Confinement, confinement
from .stretches import Fragment, Stretch
from .thoughts import turns_back

SegmentKind = Literal["spoken", "action", "whisper", "thought", "ooc", "aside"]
_DIRECTED = frozenset({"star", "paren", "under", "italic", "bracket"})
_FLAT = frozenset({"star", "under", "italic"})
_TAG = lazy_pattern(r"\s*(?:[,—–-]\s*)?(?:[a-z]|(?:I|[A-Z][\w'’-]+(?:\s+[A-Z][\w'’-]+){0,3})\s+[a-z]\w+\b)")
_SAYS_FIRST = lazy_pattern(
    r"\s*(?:I|[A-Z][\w'’-]+(?:\s+[A-Z][\w'’-]+){0,2})\s+(?:\w+ly\s+)?(?:sa(?:id|ys?)|whisper|murmur|mutter|mumbl|breath|hiss|ask|add|repl|tells?|told)"
)
_MERE_TAG = lazy_pattern(
    r"[\s,]*(?:(?:I|he|she|they|[A-Z][\w'’-]+)\s+)?(?:sa(?:id|ys?)|tells?|told|adds?|added|goes\s+on|went\s+on|continues?d?|breathes?d?|"
    r"murmurs?|murmured|whispers?|whispered|finishe[sd])(?:\s+(?:I|he|she|him|her|them|[A-Z][\w'’-]+))?[.,\s]*"
)
_GOES_ON = lazy_pattern(r"[,—–\w-]\Z")
_TO_ALL = lazy_pattern(
    r"\W*(?:to\s+(?:all|every(?:one|body)|the\s+(?:room|group|others|crowd|table|party|rest|company))|aloud|out\s+loud|loudly)\b",
    re.IGNORECASE,
)
_FINISHED = lazy_pattern(r"[.!?…]\s*\Z")
_GREETING = lazy_pattern(
    r"[\W_]*(?:hello|hi|hey|hail|greetings|welcome|cheers|good\s*(?:morning|day|afternoon|evening|night|bye)|farewell)"
    r"[\s,]+(?:to\s+)?(?:you\s+)?(?:(?:my|dear|good)\s+){0,2}"
    r"(?:all(?:\s+of\s+you)?|every(?:one|body)|friends|folks|ladies(?:\s+and\s+gentlemen)?|gentlemen)[\W_]*",
    re.IGNORECASE,
)
_UTTERED = lazy_pattern(
    r"\b(?:sa(?:id|ys?)|sp(?:oke|eaks?)|ask|add|repl|answer|cr(?:y|ie)|call|whisper|murmur|mutter|mumbl|breath|hiss|sigh|told|tells?|"
    r"mouth(?:s|ed)|sign(?:s|ed)|(?:over)?hear[ds]?\b|audibl|meant|voice|words?\b|telepath|warn|beg|urg|confid|continu|go(?:es)?\s+on|went\s+on|"
    r"promis|explain|confess|admit|snap|laugh|insist|lie[sd]?\b|agree)",
    re.IGNORECASE,
)
_TELLS_WHAT = lazy_pattern(
    r"\b(?:whisper|murmur|mutter|mumbl|breath|hiss|told|tells?|confid|warn|explain|confess|said|says?)\w*\s+(?:[^.!?\n,]{0,40},?\s+)??"
    r"(?:that|how|what|where|why|who|whether|about|of)\s+(?!only\b|nobody\b|no\s+one\b|none\b)\w|:\s*\w",
    re.IGNORECASE,
)
_APPROACHES = lazy_pattern(
    r"\b(?:(?:lean|bend|bent|turn|mov|edg|sidl|shuffl|slid|step|walk|go|goes|went|slip|com|cam|crouch|kneel|knelt|sit|sat|fall|fell|stoop|incline?)\w*\s+"
    r"(?:[\w'’]+\s+){0,4}?(?:to|towards?|with|over|beside|next\s+to|near|by)|(?:tak|took|squeez|grip|grab|catch|caught|pull|draw|drew|touch|nudg|tug|hug|"
    r"embrac|beckon|elbow|steer|lead|led|clasp|h[eo]ld|poke|tap)\w*(?:\s+(?:at|on|hold\s+of|the|arm|hand|of))*)\s+(?:the\s+|old\s+|young\s+)?\Z",
    re.IGNORECASE,
)
_WHAT = lazy_pattern(r"\b(?:that|about|how|what|whether)\b", re.IGNORECASE)
_STEPS = 2
"""So many stretches before a whisper may say whom its speaker came close to."""
_NEAR_NAME = 48
_NEAR = 20
_UNNAMED = ("",)
"""Stands for whoever hears a direction that names nobody, until what it is about has been read."""
_LOWER = lazy_pattern(r"\s*[a-z]")
_CONFINING = PRIVATE | {"whisper", "secret"}


@dataclass(frozen=True, slots=True)
class HeardSegment:
    """One segment, and who alone perceives it."""

    text: str
    """As written."""
    kind: SegmentKind
    """How it is meant."""
    audience: tuple[str, ...] | None
    """Ids of those it is for, besides the speaker; `None` = everybody."""
    sent: bool = False
    """It reaches them wherever they are, as a text message does."""


def segments(
    found: Sequence[Stretch],
    names: Names,
    called: Callable[[Sequence[Fragment]], tuple[str, ...]],
    between: Sequence[str] = (),
) -> tuple[HeardSegment, ...]:
    """The segments of a character's message, neighbours of a kind joined.

    `called` says who is spoken to by name in some of its fragments; `between` are those for whom a whisper is that
    names nobody.
    """
    confined = [_confined(stretch, names, _UNNAMED) for stretch in found]
    governing: list[int] = []  # the last of them says how the next is meant
    for at, stretch in enumerate(found):
        governing = [] if stretch.fresh else governing
        if (scope := confined[at]) is not None:
            hearers = _hearers(found, at, names, called) or tuple(between)
            confined[at] = scope = _governed(found, at, scope, hearers, confined, governing[-1:])
            for earlier in _reached_back(found, at):
                confined[earlier] = _narrowed(confined[earlier], scope)
                governing = [each for each in governing if each < earlier or not stretch.tags]
        elif (whose := _shared(found, at)) is not None:
            confined[at] = confined[whose]
        elif _greets_all(found, at) and (greeted := confined[at - 1]) is not None and not greeted.listeners:
            governing = []
        elif governing and confined[governing[-1]] is not None and _carries_on(found, governing[-1], at):
            confined[at] = confined[governing[-1]]
            if found[governing[-1]].mark == "narrated" or _is_written_out(found, governing[-1], at):
                governing.pop()
                continue
        governing += [at] if stretch.governs and not _is_mere_tag(found, at) else []
    _recant(found, confined)
    return _joined([_heard(stretch, scope) for stretch, scope in zip(found, confined, strict=True)])


def _shared(found: Sequence[Stretch], at: int) -> int | None:
    """Which stretch this one goes with, for the same people: what was broken off, or what a tag is about."""
    if found[at].carried_on:
        return _broken_off(found, at)
    return at - 1 if _is_mere_tag(found, at) else None


def _is_mere_tag(found: Sequence[Stretch], at: int) -> bool:
    """Whether a stretch only says who speaks, between two quotes: `"Run," I tell him. "Now."`."""
    between = at and at + 1 < len(found) and found[at - 1].mark == found[at + 1].mark == "quote"
    return bool(between) and found[at].mark == "bare" and _MERE_TAG.fullmatch(found[at].text) is not None


def _recant(found: Sequence[Stretch], confined: list[Confinement | None]) -> None:
    """What is between asterisks is a thought where the text says so behind it."""
    for at in range(1, len(found)):
        if _is_thought_of(found[at - 1], found[at]):
            confined[at - 1] = _narrowed(confined[at - 1], Confinement("thought"))


def _hearers(
    found: Sequence[Stretch], at: int, names: Names, called: Callable[[Sequence[Fragment]], tuple[str, ...]]
) -> tuple[str, ...]:
    """Who is spoken to by name in what a direction is about, and in nothing else: `@Bob (privately) …` too."""
    back = list(_reached_back(found, at))
    told = [
        at,
        *back,
        *(
            ()
            if _ends_paragraph(found, at) or (back and not _GOES_ON.search(found[at].text.rstrip()[-1:]))
            else _next(found, at)
        ),
    ]
    hearers = called([piece for each in told for piece in found[each].fragments if piece.kind in ("spoken", "quoted")])
    return hearers or (_at_name(found[at - 1].text, names) if at else ()) or _approached(found, at, names)


def _approached(found: Sequence[Stretch], at: int, names: Names) -> tuple[str, ...]:
    """Whom the speaker has just come close to: `I squeezed Bob's arm. "Run," I breathed.`; nobody of two."""
    own = _WHAT.split(found[at].text, maxsplit=1)[0]
    told = [own, *reversed([each.text for each in found[max(0, at - _STEPS) : at] if each.mark != "quote"])]
    for text in told:
        near = [
            each for each in names.find(text) if _APPROACHES.search(text[max(0, each.start - _NEAR_NAME) : each.start])
        ]
        if near:
            return (near[-1].id,) if len({each.id for each in near}) == 1 else ()
    return ()


def _ends_paragraph(found: Sequence[Stretch], at: int) -> bool:
    """Whether what follows a direction stands in a paragraph of its own, and the direction leads to nothing."""
    text = found[at].text
    return text.rstrip()[-1:] not in (":", ",") and "\n\n" in text[len(text.rstrip()) :]


def _next(found: Sequence[Stretch], at: int) -> Iterator[int]:
    """The next stretch with words in it, if it is said."""
    for later in range(at + 1, len(found)):
        if found[later].text.strip():
            if all(each.kind in ("spoken", "quoted") for each in found[later].fragments):
                yield later
            return


def _at_name(text: str, names: Names) -> tuple[str, ...]:
    """Whom `… @Bob` calls at its end."""
    sign = text.rfind("@")
    if sign < 0:
        return ()
    called = names.find(text[sign + 1 :])
    alone = len(called) == 1 and not called[0].start and not text[sign + 1 + called[0].end :].strip(" \t,:")
    return (called[0].id,) if alone else ()


def _confined(stretch: Stretch, names: Names, spoken_to: Sequence[str]) -> Confinement | None:
    private = [each for each in stretch.fragments if each.kind in _CONFINING]
    return confinement(private, names, spoken_to, narrator=False) if private else None


def _governed(
    found: Sequence[Stretch],
    at: int,
    scope: Confinement,
    hearers: Sequence[str],
    confined: Sequence[Confinement | None],
    governing: Sequence[int],
) -> Confinement:
    """What is written to somebody is read by nobody whom the direction that holds for it leaves out.

    A direction that names nobody is for the `hearers`, or for those of the one right before it:
    `*leans to Bob* (whispering) …`.
    """
    around = confined[governing[0]] if governing else None
    if set(_UNNAMED) <= {*scope.listeners}:
        parted = not governing or any(each.text.strip() for each in found[governing[0] + 1 : at])
        inherited = around.listeners if around and around.how == "whisper" and not parted else ()
        scope = replace(scope, listeners=tuple(hearers or inherited))
    return _narrowed(around, scope) if found[at].mark == "written" else scope


def _narrowed(scope: Confinement | None, other: Confinement) -> Confinement:
    """Who perceives what two directions are about: nobody whom either leaves out."""
    if scope is None:
        return other
    common = tuple(id for id in scope.listeners if id in other.listeners)
    return replace(scope if scope.how != "whisper" else other, listeners=common, sent=scope.sent or other.sent)


def _reached_back(found: Sequence[Stretch], at: int) -> Iterator[int]:
    """What a tag is about: the stretch before it, with all that thoughts within it broke off."""
    if not _reaches_back(found, at):
        return
    before = at - 1
    yield before
    while before and (found[before].carried_on or found[before - 1].mark == found[before].mark in _DIRECTED):
        before -= 1
        yield before


def _broken_off(found: Sequence[Stretch], at: int) -> int:
    """The part before the thoughts that break a stretch off."""
    return next(earlier for earlier in range(at - 1, -1, -1) if found[earlier].mark == found[at].mark)


def _is_thought_of(marked: Stretch, told: Stretch) -> bool:
    """`*I buried it.* The thought would not leave her.`."""
    return told.mark == "bare" and marked.mark in _FLAT and turns_back(told.text)


def _reaches_back(found: Sequence[Stretch], at: int) -> bool:
    """`"Run!" she whispers to Bob.`, `"Run!" *he whispers to Bob*`, `_Fool,_ she thought.`."""
    if not at or found[at - 1].mark == "bare" or {each.kind for each in found[at].fragments} == {"ooc"}:
        return False
    if found[at].thought:
        return found[at].tags or (found[at - 1].mark in _FLAT and turns_back(found[at].text))
    if any(each.kind == "secret" for each in found[at].fragments):
        return False
    if found[at - 1].mark not in ("quote", "written"):
        return False
    if found[at].mark == "bare":
        return bool(_TAG.match(found[at].text)) and _is_about_speech(found[at].text) and not _leads(found, at)
    is_tag = at + 1 == len(found) or _GOES_ON.search(found[at - 1].text.rstrip('"”»“」』*_ ')[-_NEAR:])
    return found[at].mark in _DIRECTED - {"bracket"} and bool(is_tag)


def _leads(found: Sequence[Stretch], at: int) -> bool:
    """Whether a sentence behind what was said leads to what is said next: `"Yes." She turns, whispering, "No."`."""
    text, said = found[at].text, found[at - 1].text.rstrip('"”»“」』*_ ')
    if said[-1:] not in (".", "!", "?", "…") or text.rstrip()[-1:] not in (",", ":") or at + 1 == len(found):
        return False
    follows = found[at + 1].text.lstrip('"“«„「『*_ ')
    return text.lstrip()[:1].isupper() and follows[:1].isupper() and _SAYS_FIRST.match(text) is None


def _is_about_speech(told: str) -> bool:
    """Whether a sentence says how something was said, and does not tell what: `she said it for Bob alone`."""
    first = next(sentences(told), told)
    if first.lstrip(" ,—–")[:1].islower():
        return _TELLS_WHAT.search(first) is None
    if _UTTERED.search(first) is None:
        return languages.manner(first) is not None
    return _TELLS_WHAT.search(first) is None


def _carries_on(found: Sequence[Stretch], last: int, at: int) -> bool:
    """What follows a direction is said as it says, until another direction."""
    before, stretch = found[last], found[at]
    if before.mark == "narrated":
        return True
    if before.mark == "quote" and stretch.mark == "bare" and _LOWER.match(stretch.text):
        return True
    if before.mark in _DIRECTED and stretch.mark == "bare":
        return True
    if _is_written_out(found, last, at):
        return True
    if stretch.mark in _DIRECTED:
        return not _TO_ALL.match(stretch.text) and all(each.kind == "spoken" for each in stretch.fragments)
    return stretch.mark == "quote" or all(each.kind in ("spoken", "quoted") for each in stretch.fragments)


def _is_written_out(found: Sequence[Stretch], last: int, at: int) -> bool:
    """Whether it is what a direction right before it leads to: `types, where only Bob can read it: *Run.*`."""
    return found[at].mark in _DIRECTED and at - last == 1 and found[last].text.rstrip().endswith(":")


def _greets_all(found: Sequence[Stretch], at: int) -> bool:
    """`*whispers* I hate him. "Hello everyone!"`: a finished sentence, then nothing but a greeting to everybody.

    Whoever greets everybody does not whisper to nobody. With more words, or a tag after it, nothing is sure.
    """
    stretch, before = found[at], found[at - 1] if at else None
    if stretch.mark != "quote" or before is None or before.mark != "bare" or not _FINISHED.search(before.text):
        return False
    tagged = at + 1 < len(found) and found[at + 1].mark not in _DIRECTED
    return not tagged and bool(_GREETING.fullmatch(stretch.text))


def _heard(stretch: Stretch, scope: Confinement | None) -> HeardSegment:
    if scope is not None:
        return HeardSegment(stretch.text, _kind(scope), scope.listeners, sent=scope.sent)
    spoken = any(piece.kind in ("spoken", "quoted") for piece in stretch.fragments)
    return HeardSegment(stretch.text, "spoken" if spoken or not stretch.fragments else "action", None)


def _kind(scope: Confinement) -> SegmentKind:
    if scope.how == "secret":
        return "action"
    for kind in ("whisper", "thought", "aside", "ooc"):
        if scope.how == kind:
            return kind
    raise ValueError(scope.how)


def _joined(found: Sequence[HeardSegment]) -> tuple[HeardSegment, ...]:
    alike = (list(group) for _, group in groupby(found, key=lambda each: (each.kind, each.audience, each.sent)))
    return tuple(replace(group[0], text=_text_of(group)) if len(group) > 1 else group[0] for group in alike)


def _text_of(group: Iterable[HeardSegment]) -> str:
    """The segments' text, with a blank between two where neither has one."""
    parts: list[str] = []
    for each in group:
        if parts and not parts[-1][-1:].isspace() and not each.text[:1].isspace():
            parts.append(" ")
        if each.text:
            parts.append(each.text)
    return "".join(parts)
