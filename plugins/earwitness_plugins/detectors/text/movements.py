"""Who comes, goes, sleeps, hides, read from narration: `Enter Bob`, `Bob leaves the room`, `Exeunt all but Hamlet`.

Only what happens in the text counts. What might happen (`if Bob enters`), what does not (`Bob does not leave`) and
what somebody owns (`Bob's ghost enters`) moves nobody; nor does what is said in quotes, which never gets here.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from earwitness.records.state import PERCEIVES_NOTHING, Condition

from . import condition_patterns
from . import movement_patterns as words
from .names import Mention, Names, lists

MoveKind = Literal["enter", "leave"] | Condition
_NEAR = 300
"""Within so many characters of a verb, names belong to it."""


@dataclass(frozen=True, slots=True)
class Move:
    """The text says that somebody comes, goes, falls asleep, hides and so on."""

    id: str
    """Character id."""
    kind: MoveKind
    """Which way; or what they become."""
    place: str | None
    """The place as written (`dark cellar`), where it is named; for `leave`, the one left."""
    evidence: str
    """The words it was read from."""
    to: str | None = None
    """The place somebody leaves for, as written; a leaving only where the story knows no such place."""
    otherwise: bool = False
    """It holds only for who was here, where an earlier move of theirs does not say to which place they go."""


@dataclass(frozen=True, slots=True)
class Referents:
    """Whom the pronouns of a narration can mean."""

    teller: str | None
    """The character who narrates their own doings; `None` for a narrator."""
    here: tuple[str, ...]
    """Ids of those here, in the order they came."""
    last: str | None
    """Who spoke last: `he exits` is about them unless somebody was named since."""
    subjects: tuple[str, ...] = field(default=())
    """Whom the sentence before was about."""
    named: tuple[str, ...] = field(default=())
    """Who was named in it."""
    gone: tuple[str, ...] = field(default=())
    """Ids of those who left of late; empty where a character tells."""
    sent: str | None = field(default=None)
    """Whom the teller has just told to go somewhere: `He went at once.` may be about them."""
    moved: MoveKind | None = field(default=None)
    """What the last one to move did: `Bob follows`."""

    def after(self, move: Move) -> Referents:
        """The stage once somebody has moved."""
        if move.kind != "leave" and move.kind != "enter" and move.kind not in PERCEIVES_NOTHING:
            return self
        others = tuple(id for id in self.here if id != move.id)
        gone = tuple(id for id in self.gone if id != move.id)
        return replace(self, here=(*others, move.id) if move.kind == "enter" else others, moved=move.kind, gone=gone)

    def after_narration(self, text: str, names: Names) -> Referents:
        """The stage once something was told in an earlier message: `The Queen rises.`, then `She leaves.`."""
        mentions = names.find(text)
        named = tuple(dict.fromkeys(mention.id for mention in mentions if not mention.possessive))
        return replace(self, subjects=subjects_of(text, mentions, self.teller), named=named)


def read_movements(sentences: Sequence[str], names: Names, stage: Referents) -> tuple[Move, ...]:
    """Everybody's coming and going told in these sentences, in order."""
    moves: list[Move] = []
    for sentence in sentences:
        mentions = names.find(sentence)
        if words.REMAIN.search(sentence):
            staying = {mention.id for mention in mentions if not mention.possessive}
            moves = [move for move in moves if move.kind != "leave" or move.id not in staying]
        found = tuple(_sentence_moves(sentence, mentions, stage, names))
        for move in found:
            stage = stage.after(move)
        named = tuple(mention.id for mention in mentions if not mention.possessive)
        subjects = tuple(dict.fromkeys(move.id for move in found)) or subjects_of(sentence, mentions, stage.teller)
        stage = replace(stage, subjects=subjects or stage.subjects, named=named or stage.named)
        moves += found
    return tuple(moves)


def subjects_of(sentence: str, mentions: Sequence[Mention], teller: str | None) -> tuple[str, ...]:
    """Whom a sentence names first, all of them: `Bob and Charlie argue`; `nods to Bob` is about who tells it."""
    named = [mention for mention in mentions if not mention.possessive]
    if teller and not (named and words.SUBJECT_LEADS.match(sentence[: named[0].start])):
        return (teller,)
    return tuple(dict.fromkeys(mention.id for mention in lists(sentence, named)[0])) if named else ()


def has_movement(text: str) -> bool:
    """Whether the text has a word of coming or going in it, whoever does it."""
    return bool(words.ENTER.search(text) or words.LEAVE.search(text))


def _sentence_moves(sentence: str, mentions: Sequence[Mention], stage: Referents, names: Names) -> Iterator[Move]:
    if (only := words.ONLY.search(sentence)) and not _is_unreal(sentence[: only.start()]):
        staying = {m.id for m in mentions if only.start() <= m.start < only.end() and not m.possessive}
        going = [id for id in stage.here if id not in staying] if staying else []
        yield from (Move(id, "leave", None, _quoted(sentence)) for id in going)
    elif words.EXIT_DIRECTION.match(sentence):
        yield from _directed_off(sentence, mentions, stage)
    elif enter := words.ENTER_DIRECTION.search(sentence):
        coming = [m for m in mentions if m.start >= enter.end() and _comes(sentence, m)]
        yield from (Move(m.id, "enter", None, _quoted(sentence)) for m in coming)
    else:
        yield from _stated_moves(sentence, mentions, stage, names)


def _is_unreal(before: str) -> bool:
    return bool(words.UNREAL.search(before) or condition_patterns.CLAIMED.search(before))


def _comes(sentence: str, mention: Mention) -> bool:
    """`Enter Bob, with a letter from Alice`: Bob comes, Alice does not."""
    return not mention.possessive and not words.NOT_ENTERING.search(_before(sentence, mention.start))


def _directed_off(sentence: str, mentions: Sequence[Mention], stage: Referents) -> Iterator[Move]:
    """`Exit`, `Exit Bob`, `Exeunt`, `Exeunt all but Bob`."""
    but = words.BUT.search(sentence)
    named = [m.id for m in mentions if not m.possessive]
    if but:
        going = [id for id in stage.here if id not in named]
    elif named:
        going = named
    else:
        going = list(stage.here) if "exeunt" in sentence.casefold() else list(_antecedent(stage))
    yield from (Move(id, "leave", None, _quoted(sentence)) for id in going)


def _stated_moves(sentence: str, mentions: Sequence[Mention], stage: Referents, names: Names) -> Iterator[Move]:
    """Every coming or going that the text states as a fact, with its character; and changes of somebody's condition."""
    behind, movers = 0, tuple[str, ...]()
    moved, named = stage.moved, _Named.of(mentions)
    for verb, verb_kind, of in sorted(_verbs(sentence, mentions), key=lambda found: found[0].start()):
        if verb.start() < behind or words.NOT_FINITE.search(_before(sentence, verb.start())):
            continue
        clause = _Clause(sentence, behind, verb, mentions, named, names, affects=of is condition_patterns.DOES_TO)
        behind = verb.end()
        if verb_kind != "enter" and verb_kind != "leave":
            movers = clause.affected() or clause.who_becomes(stage, movers)
            yield from (Move(id, verb_kind, None, _quoted(sentence)) for id in movers)
            continue
        kind = moved if of is words.FOLLOWS else verb_kind
        if kind is None:
            continue
        movers = clause.movers(stage, movers, comes=verb_kind == "enter")
        moved = kind if movers else moved
        found = words.PLACE.match(sentence, verb.end())
        place = found and found["place"]
        if kind == "leave" or words.SURE.match(verb[0]) or _leads_somewhere(verb[0], place):
            yield from (Move(id, kind, place, _quoted(sentence)) for id in movers)


def _verbs(sentence: str, mentions: Sequence[Mention]) -> Iterator[tuple[re.Match[str], MoveKind, re.Pattern[str]]]:
    """Verbs with what they tell, and the pattern that found them. What one becomes precedes what looks like going."""
    named = {mention.start for mention in mentions}
    for pattern in (condition_patterns.DOES_TO, condition_patterns.BECOMES):
        for match in pattern.finditer(sentence):
            if pattern is condition_patterns.BECOMES or match.end() in named:
                yield match, _condition(match), pattern
    yield from ((match, "enter", words.ENTER) for match in words.ENTER.finditer(sentence))
    for pattern in (words.LEAVE, words.FOLLOWS):
        yield from ((match, "leave", pattern) for match in pattern.finditer(sentence))


def _condition(match: re.Match[str]) -> Condition:
    kinds: tuple[Condition, ...] = ("asleep", "unconscious", "dead", "awake", "hiding")
    found = match.groupdict()
    return next(kind for kind in kinds if found.get(kind) is not None)


def _leads_somewhere(verb: str, place: str | None) -> bool:
    """`walks in`, `walks into the cellar`; not `runs into trouble`, `steps into a trap`."""
    return is_place(place) if place else not verb.casefold().endswith("into")


def is_place(written: str) -> bool:
    """Whether the words name a place one can walk into (`old cellar`, `Leaking Flagon`), not trouble or a trap."""
    return written[:1].isupper() or bool(words.PLACE_NOUN.search(written))


@dataclass(frozen=True, slots=True)
class _Named:
    """Where those whom a sentence names are named; a long one names them many times."""

    first: Mapping[str, int]
    """Character id → where they are named first, other than as the owner of something."""
    last: Mapping[str, int]
    """Character id → where they are named last."""

    @classmethod
    def of(cls, mentions: Sequence[Mention]) -> _Named:
        """By the mentions of a sentence, in order."""
        first: dict[str, int] = {}
        for mention in mentions:
            if not mention.possessive:
                first.setdefault(mention.id, mention.start)
        return cls(first, {mention.id: mention.start for mention in mentions})

    def before(self, at: int) -> tuple[str, ...]:
        """Ids of those named before a place in the sentence, in the order in which they were first."""
        return tuple(id for id, start in self.first.items() if start < at)

    def behind(self, at: int) -> set[str]:
        """Ids of those named there or later."""
        return {id for id, start in self.last.items() if start >= at}


@dataclass(frozen=True, slots=True)
class _Clause:
    """A verb of movement and the text before it, from the previous verb on."""

    sentence: str
    begin: int
    verb: re.Match[str]
    mentions: Sequence[Mention]
    named: _Named
    names: Names
    affects: bool

    @property
    def before(self) -> str:
        return self.sentence[self.begin : self.verb.start()]

    @property
    def _end(self) -> int:
        return self.verb.end() + _NEAR

    def movers(self, stage: Referents, moved: tuple[str, ...], *, comes: bool = False) -> tuple[str, ...]:
        """Who does it. `moved` are those who did what the verb before says: `Bob comes in and leaves again`."""
        if words.UNREAL.search(self.before):
            return ()
        if (crowd := self._crowd(stage, comes=comes)) is not None:
            return () if condition_patterns.CLAIMED.search(self.before) else crowd
        found = self.verb.groupdict()
        if found.get("taken") and (found.get("sends") or not self._taken()):
            return self._taken()
        if (subject := self._subject()) is not None:
            return tuple(dict.fromkeys((*subject, *self._company()))) if subject else ()
        if pronoun := self._pronoun(stage, moved):
            return tuple(dict.fromkeys((*pronoun, *self._company())))
        return ()

    def _between(self, start: int, end: int) -> Sequence[Mention]:
        """Those named from one place in the sentence to another: a long text has many."""
        first, last = (bisect_left(self.mentions, at, key=lambda mention: mention.start) for at in (start, end))
        return self.mentions[first:last]

    def affected(self) -> tuple[str, ...]:
        """Whom it is done to: `Alice wakes Bob`; told as a fact."""
        if not self.affects or not self._is_so():
            return ()
        named = lists(self.sentence, self._between(self.verb.end(), self.verb.end() + _NEAR))
        return tuple(mention.id for mention in named[0] if not mention.possessive) if named else ()

    def who_becomes(self, stage: Referents, moved: tuple[str, ...]) -> tuple[str, ...]:
        """Who falls asleep, hides, …: whoever is named right before it, else as with any verb."""
        if self.affects or not self._is_so():
            return ()
        named = [
            group
            for group in lists(self.sentence, self._between(self.verb.start() - _NEAR, self.verb.start()))
            if not condition_patterns.NO_SUBJECT.search(_before(self.sentence, group[0].start))
            and condition_patterns.BETWEEN.fullmatch(self.sentence[group[-1].end : self.verb.start()])
        ]
        if named and not words.UNREAL.search(self.before):
            return () if named[-1][-1].possessive else tuple(mention.id for mention in named[-1])
        return self.movers(stage, moved)

    def _is_so(self) -> bool:
        """Told as happening now: not claimed, dreamt, supposed, past or to come."""
        before = self.sentence[max(0, self.verb.start() - 120) : self.verb.start()]
        claimed = condition_patterns.CLAIMED.search(before) or condition_patterns.NOT_REALLY.search(before)
        unreal = words.UNREAL.search(before.rpartition(".")[2])
        return not (claimed or unreal or condition_patterns.NOT_NOW.match(self.sentence, self.verb.end()))

    def _crowd(self, stage: Referents, *, comes: bool) -> tuple[str, ...] | None:
        """`Everybody`, `all but Bob`, `the others`, who are those gone when they come; `None` if not told of many."""
        if words.EVERYBODY.match(self.before) or words.ALL_BUT.search(self.sentence, self.begin, self._end):
            return self._everybody(stage.gone if comes and stage.gone else stage.here)
        if words.OTHERS.search(words.CLAUSE.split(self.before)[-1]):
            return self._others(stage, comes=comes)
        return None

    def _everybody(self, of: Sequence[str]) -> tuple[str, ...]:
        but = words.BUT.search(self.sentence, self.begin, self._end)
        staying = self.named.behind(but.end()) if but else set()
        return tuple(id for id in of if id not in staying)

    def _others(self, stage: Referents, *, comes: bool) -> tuple[str, ...]:
        """All but those whom this sentence names, or else the one before, or who spoke last; else it is open who."""
        named = set(self.named.first)
        staying = named or {*stage.named, *stage.subjects} or ({stage.last} if stage.last in stage.here else set())
        staying = staying | ({stage.teller} if stage.teller else set())
        if comes and stage.gone:
            return tuple(id for id in stage.gone if id not in named)
        return tuple(id for id in stage.here if id not in staying) if staying else ()

    def _taken(self) -> tuple[str, ...]:
        """`leads Bob away`: who is named within the verb's words."""
        if not self.verb.groupdict().get("taken"):
            return ()
        return tuple(m.id for m in self._between(*self.verb.span("taken")) if not m.possessive)

    def _subject(self) -> tuple[str, ...] | None:
        """Named movers; empty when they are named in what somebody only says or thinks; `None` when nobody is named."""
        within = [m for m in self._between(self.begin, self.verb.start()) if not m.possessive]
        subject: tuple[str, ...] | None = None
        carries_on: bool | None = None
        before = self.before
        cuts = [0, *(cut.end() for cut in words.CLAUSE.finditer(before))]
        for group in lists(self.sentence, within):
            ids = tuple(m.id for m in group)
            at = group[0].start - self.begin
            begin = cuts[bisect_right(cuts, at) - 1]
            lead = before[begin:at] if at - begin <= _NEAR else None  # between the clause's beginning and the name
            if lead is not None and words.SUBJECT_LEADS.match(lead):
                subject = ids
            elif words.REPORTED.search(_before(self.sentence, group[0].start)):
                carries_on = bool(words.CARRIED_ON.search(self.before)) if carries_on is None else carries_on
                subject = subject if carries_on else ()
            elif subject and lead is not None and words.ALONG.match(lead):
                subject += ids
        last = words.CLAUSE.split(before)[-1]
        return None if words.ONE.match(last) or words.THEY.match(last) else subject

    def _pronoun(self, stage: Referents, moved: tuple[str, ...]) -> tuple[str, ...]:
        last = words.CLAUSE.split(self.before)[-1]
        if words.OMITTED.match(last):
            if not moved and self.verb[0].endswith("out") and words.THING_LEADS.match(self.sentence):
                return ()
            return moved or _antecedent(stage) if self.begin == 0 or bool(words.CARRIED_ON.search(self.before)) else ()
        if (they := words.THEY.match(last)) and (not stage.teller or len(stage.subjects) > 1):
            meant = stage.subjects if len(stage.subjects) > 1 else stage.here
            return meant if not they["two"] or len(meant) == 2 else ()
        if not (one := words.ONE.match(last)) and not (they and not they["two"]):
            return ()
        return self._antecedent(stage, one["one"] if one else "they")

    def _antecedent(self, stage: Referents, pronoun: str) -> tuple[str, ...]:
        """Whom a pronoun means: the last woman named, for `she`; of several who might be meant, nobody knows which."""
        within = self.named.before(self.verb.start())
        named = within or stage.named
        sure = [id for id in named if self.names.may_be(pronoun, id)] if pronoun.lower() in ("he", "she") else []
        speaks_of_themselves = stage.teller and (not stage.subjects or stage.teller in stage.subjects)
        if stage.teller and (pronoun.lower() == "i" or (speaks_of_themselves and not sure)):
            return (stage.teller,)
        if sure and not (speaks_of_themselves and self.names.may_be(pronoun, stage.teller or "")):
            return (sure[-1],)
        wrong = {id for id in (*named, *stage.subjects) if self.names.may_be(pronoun, id) is False}
        left = [id for id in (within or stage.subjects) if id not in wrong]
        left = left or [id for id in named if id not in wrong]
        if left or named:
            return tuple(left) if len(left) == 1 else ()
        return _antecedent(stage)

    def _company(self) -> tuple[str, ...]:
        """Those who come or go along: `leaves with Bob`, `leads Bob away`."""
        if taken := self._taken():
            return taken
        after = [m for m in self._between(self.verb.end(), self.verb.end() + _NEAR) if not m.possessive]
        group = next(iter(lists(self.sentence, after)), [])
        along = bool(group) and words.WITH.match(self.sentence[self.verb.end() : group[0].start])
        return tuple(m.id for m in group) if along else ()


def _antecedent(stage: Referents) -> tuple[str, ...]:
    """Whom `he` means: who tells it of themselves, who was just named, who spoke last."""
    if stage.teller:
        return (stage.teller,)
    if stage.subjects:
        return stage.subjects[-1:]
    return (stage.last,) if stage.last else ()


def _before(sentence: str, at: int) -> str:
    return sentence[max(0, at - 60) : at]


def _quoted(sentence: str) -> str:
    short = " ".join(sentence[:_NEAR].split())
    return short if len(short) <= 60 else f"{short[:57]}…"
