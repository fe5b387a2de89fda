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

from .fragments import Fragment, Stretch
from .marks import PRIVATE
from .names import Names
from .privacy import Confinement, confinement

SegmentKind = Literal["spoken", "action", "whisper", "thought", "ooc", "aside"]
_DIRECTED = frozenset({"star", "paren", "under", "italic", "bracket"})
_TAG = lazy_pattern(r"\s*(?:[,—–]\s*)?(?:[a-z]|(?:I|[A-Z][\w'’-]+(?:\s+[A-Z][\w'’-]+){0,3})\s+[a-z]\w+\b)")
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
        if (scope := confined[at]) is not None:
            hearers = _hearers(found, at, names, called) or tuple(between)
            confined[at] = scope = _governed(found, at, scope, hearers, confined, governing[-1:])
            for earlier in _reached_back(found, at):
                confined[earlier] = _narrowed(confined[earlier], scope)
                governing = [each for each in governing if each < earlier or not stretch.tags]
        elif stretch.carried_on:
            confined[at] = confined[_broken_off(found, at)]
        elif _greets_all(found, at) and (greeted := confined[at - 1]) is not None and not greeted.listeners:
            governing = []
        elif governing and confined[governing[-1]] is not None and _carries_on(found, governing[-1], at):
            confined[at] = confined[governing[-1]]
            if found[governing[-1]].mark == "narrated":
                governing.pop()
                continue
        governing += [at] if stretch.governs else []
    return _joined([_heard(stretch, scope) for stretch, scope in zip(found, confined, strict=True)])


def _hearers(
    found: Sequence[Stretch], at: int, names: Names, called: Callable[[Sequence[Fragment]], tuple[str, ...]]
) -> tuple[str, ...]:
    """Who is spoken to by name in what a direction is about, and in nothing else: `@Bob (privately) …` too."""
    back = list(_reached_back(found, at))
    told = [at, *back, *(() if back and not _GOES_ON.search(found[at].text.rstrip()[-1:]) else _next(found, at))]
    hearers = called([piece for each in told for piece in found[each].fragments if piece.kind in ("spoken", "quoted")])
    return hearers or (_at_name(found[at - 1].text, names) if at else ())


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


def _reaches_back(found: Sequence[Stretch], at: int) -> bool:
    """`"Run!" she whispers to Bob.`, `"Run!" *he whispers to Bob*`, `_Fool,_ she thought.`."""
    if not at or found[at - 1].mark == "bare" or {each.kind for each in found[at].fragments} == {"ooc"}:
        return False
    if found[at].thought:
        return found[at].tags
    if any(each.kind == "secret" for each in found[at].fragments):
        return False
    if found[at - 1].mark not in ("quote", "written"):
        return False
    if found[at].mark == "bare":
        return bool(_TAG.match(found[at].text))
    is_tag = at + 1 == len(found) or _GOES_ON.search(found[at - 1].text.rstrip('"”»“」』*_ ')[-_NEAR:])
    return found[at].mark in _DIRECTED - {"bracket"} and bool(is_tag)


def _carries_on(found: Sequence[Stretch], last: int, at: int) -> bool:
    """What follows a direction is said as it says, until another direction."""
    before, stretch = found[last], found[at]
    if before.mark == "narrated":
        return True
    if before.mark == "quote" and stretch.mark == "bare" and _LOWER.match(stretch.text):
        return True
    if before.mark in _DIRECTED and stretch.mark == "bare":
        return True
    if stretch.mark in _DIRECTED:
        return not _TO_ALL.match(stretch.text) and all(each.kind == "spoken" for each in stretch.fragments)
    return stretch.mark == "quote" or all(each.kind in ("spoken", "quoted") for each in stretch.fragments)


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
