"""Stage directions: `Enter Bob, with Lords`, `Bob exits`, `All but Bob exit`, `They exit. Bob remains`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from ..text.movements import Move
from ..text.names import may_be
from . import vocabulary as words
from .stage_state import StageState, meant

StepKind = Literal["enter", "leave"]
Steps = list[tuple[str, StepKind]]
_NEAR = 40
_MARKS = " \t\n([{*_"
_LONGEST = 500
"""A sentence of so many characters is cut."""


def is_direction(text: str) -> bool:
    """Whether a narration is written as stage directions are: `Enter Bob.`, `Exit`, `Exeunt`."""
    opening = len(text) - len(text.lstrip())
    return any(_stands_first(text, verb, opening) for verb in words.DIRECTION.finditer(text))


def _stands_first(text: str, verb: re.Match[str], opening: int) -> bool:
    """At the beginning of the text or of a part of it; `Here enters` only opens a text."""
    before = text[max(opening, verb.start() - _NEAR) : verb.start()]
    if verb.start() - opening <= _NEAR and words.OPENS.match(before):
        return True
    return not verb["here"] and bool(words.LEADS.search(before))


def directed(text: str, boards: StageState) -> tuple[Move, ...]:
    """Everybody's coming and going, in order."""
    moves: list[Move] = []
    about: tuple[str, ...] = ()
    for sentence in _sentences(words.BODY.sub(" ", text)):
        steps, about = _Sentence(sentence, boards, about).steps()
        for id, kind in steps:
            boards = boards.moved(id, here=kind == "enter")
            moves.append(Move(id, kind, None, _short(sentence)))
    return tuple(moves)


def _sentences(text: str) -> Iterator[str]:
    at = 0
    for stop in words.STOP.finditer(text):
        sentence = " ".join(text[at : stop.start()].split())
        if sentence.strip("."):
            yield from _cut(sentence)
        at = stop.end()


def _cut(sentence: str) -> Iterator[str]:
    """A sentence that has no end, piece by piece: what is read costs no more than its length."""
    at = 0
    while at < len(sentence):
        end = len(sentence) if len(sentence) - at <= _LONGEST else sentence.rfind(" ", at + 1, at + _LONGEST)
        end = end if end > at else at + _LONGEST
        yield sentence[at:end]
        at = end


@dataclass(frozen=True, slots=True)
class _Sentence:
    """One sentence of a direction, read from who is on stage before it."""

    text: str
    boards: StageState
    about: tuple[str, ...]
    """Whom the sentence before was about: `He exits`."""

    def steps(self) -> tuple[Steps, tuple[str, ...]]:
        """Who comes and goes, in order, and whom it was about."""
        if (stays := words.REMAINS.search(self.text)) and not words.GOES.search(who := _subject(self.text, stays)):
            return self._remaining(who), self._staying(who)
        steps, boards, about = Steps(), self.boards, self.about
        clauses = list(_clauses(self.text))
        for clause in clauses:
            found = clause.steps(boards, about)
            for id, kind in found:
                boards = boards.moved(id, here=kind == "enter")
            steps += found
            about = tuple(id for id, _ in found) or about
        steps += [] if clauses else self._attending()
        return steps + self._carried_off(), about

    def _remaining(self, who: str) -> Steps:
        """`Bob and Carol remain`: the others are gone, and those two are not, though all were said to go."""
        staying = self._staying(who)
        going: Steps = [(id, "leave") for id in self.boards.here if staying and id not in staying]
        return going + [(id, "enter") for id in staying if id not in self.boards.here]

    def _staying(self, who: str) -> tuple[str, ...]:
        return tuple(id for entering in (False, True) for id in meant(who, self.boards, entering=entering))

    def _attending(self) -> Steps:
        """`He is accompanied by a Messenger`, `Flavius and others are in attendance`."""
        if attended := words.ATTENDED.search(self.text):
            who = attended["who"]
        elif attending := words.ATTENDING.search(self.text):
            who = _subject(self.text, attending, ".")
        else:
            return []
        return [(id, "enter") for id in meant(who, self.boards, entering=True)]

    def _carried_off(self) -> Steps:
        off = words.CARRIES_OFF.search(self.text)
        return [(id, "leave") for id in meant(off["whom"], self.boards, entering=False)] if off else []


@dataclass(frozen=True, slots=True)
class _DirectionClause:
    """A verb of coming or going, with what stands before and after it, from verb to verb."""

    kind: Literal["enter!", "comes", "goes"]
    before: str
    verb: str
    after: str

    def steps(self, boards: StageState, about: tuple[str, ...]) -> Steps:
        """Who comes or goes by it."""
        if words.ATTEMPT.search(self.before):
            return []
        if self.kind == "goes":
            return [(id, "leave") for id in self._going(boards, about)]
        if self.kind == "enter!" and not words.THEY.search(self.before):
            return [(id, "enter") for id in meant(self.after, boards, entering=True)]
        return [(id, "enter") for id in self._coming(boards, about)]

    def _coming(self, boards: StageState, about: tuple[str, ...]) -> Sequence[str]:
        if subject := meant(self.before, boards, entering=True):
            return [*subject, *self._along(boards, subject, entering=True)]
        if self.verb.lower().endswith("enters") and words.HERE.search(self.before):
            return meant(self.after, boards, entering=True)
        if words.HE.search(self.before) or words.OMITTED.search(self.before):
            return [*about, *self._along(boards, about, entering=True)]
        return []

    def _going(self, boards: StageState, about: tuple[str, ...]) -> Sequence[str]:
        if but := words.ALL_BUT.search(f"{self.before} {self.verb} {self.after}"):
            staying = meant(but["who"], boards, entering=False)
            return [id for id in boards.here if id not in staying]
        if words.SOME.search(self.before):
            return []
        if subject := meant(self.before, boards, entering=False):
            return [*subject, *self._along(boards, subject, entering=False)]
        if self._is_inverted() and (subject := meant(self.after, boards, entering=False)):
            return subject
        if words.OTHERS.search(self.before):
            return [id for id in boards.here if id not in about]
        if words.EVERYBODY.search(f"{self.before} {self.verb}"):
            return boards.here
        he = words.HE.search(self.before)
        one = about[-1:] or _speaker(boards, (he and he["one"]) or "")
        is_one = he or self._is_by_another_name(boards)
        return [*one, *self._along(boards, one, entering=False)] if is_one else []

    def _is_by_another_name(self, boards: StageState) -> bool:
        """`The King exits`, where the cast has nobody who is called so: it is who spoke last."""
        epithet = words.EPITHET.match(self.before) and self.verb.lower() == "exits"
        return bool(epithet) and not boards.company.best(self.before, boards.company.parts)

    def _is_inverted(self) -> bool:
        """`Exit Bob`; `Exeunt Bob and Carol`."""
        return not self.before.strip(_MARKS) and self.verb.lower().startswith("ex")

    def _along(self, boards: StageState, subject: Sequence[str], *, entering: bool) -> list[str]:
        """Those who come or go with them."""
        company = words.WITH.search(self.after)
        found = meant(company["who"], boards, entering=entering) if company else []
        return [id for id in found if id not in subject]


def _clauses(sentence: str) -> Iterator[_DirectionClause]:
    kinds: tuple[tuple[re.Pattern[str], Literal["enter!", "comes", "goes"]], ...] = (
        (words.ENTER, "enter!"),
        (words.COMES, "comes"),
        (words.GOES, "goes"),
    )
    verbs = [(match.start(), match.end(), kind) for pattern, kind in kinds for match in pattern.finditer(sentence)]
    behind, edge = 0, (len(sentence), len(sentence), None)
    for (start, end, kind), (following, _, _) in pairwise([*sorted(verbs), edge]):
        if kind is not None:
            yield _DirectionClause(kind, sentence[behind:start], sentence[start:end], sentence[end:following])
        behind = following if kind == "enter!" else end


def _subject(text: str, verb: re.Match[str], ends: str = ".;") -> str:
    """What stands before a verb, from the end of the part of the sentence before."""
    before = text[: verb.start()]
    return before[max(before.rfind(end) for end in ends) + 1 :]


def _speaker(boards: StageState, pronoun: str) -> tuple[str, ...]:
    """Whom `he` or `she` means: who spoke last, is one person, and no king where it says `she`."""
    on_stage = [boards.company.parts[id] for id in boards.spoke if id in boards.here]
    single = [part for part in on_stage if not part.several] or on_stage
    apt = [part for part in single if not pronoun or may_be(pronoun, part.words) is not False]
    return tuple(part.id for part in (apt or single)[:1])


def _short(sentence: str) -> str:
    short = " ".join(sentence.split())
    return short if len(short) <= 60 else f"{short[:57]}…"
