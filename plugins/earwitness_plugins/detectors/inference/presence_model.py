"""Who is still there when no narrator tells who goes, from who speaks, to whom, and about whom.

Somebody who spoke and then keeps silent among many grows less likely to be there. How likely is reckoned by logistic
regression over a few counts of the recent messages. The weights were fitted on labelled scenes; they are numbers about
counts, and no word of any text is in them. Silence only ever makes less sure; it puts nobody into a scene.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, log, log1p
from operator import mul
from typing import NamedTuple

from earwitness.records.moment import Moment

from ..plays.dramatis_personae import DramatisPersonae
from ..text.guards import guarded_pattern

_GOING = guarded_pattern(
    r"\b(?:I(?:['’]ll| will| must| go| am gone)|let(?:['’]s| us)|come,?|go,?|get)\s+(?:\w+\s+){0,3}?"
    r"(?:go|away|hence|in|follow|leave|gone|along|off)\b"
    r"|\b(?:farewell|adieu|away|begone|follow me|fare (?:you|thee) well|good ?night|good ?bye|attend (?:me|him|us))\b",
    re.IGNORECASE,
)
FAR = 25
WEIGHTS = (
    5.56,
    -1.95,
    -1.09,
    0.4,
    0.18,
    0.25,
    -0.52,
    -1.24,
    -0.09,
    0.33,
    -0.47,
    -1.53,
    -0.92,
    0.32,
    -0.64,
    -1.6,
    0.97,
    0.14,
)


@dataclass(frozen=True, slots=True)
class RecentLine:
    """One recent message, in short."""

    speaker: str
    addressed: frozenset[str]
    """Ids of those spoken to by name."""
    named: frozenset[str]
    """Ids of those only talked about."""
    going: bool
    """Somebody is to go, or bids farewell."""


class _Since(NamedTuple):
    """What some lines hold, the one to judge last."""

    addressed: frozenset[str]
    named: frozenset[str]
    going: float
    """How often somebody was told to go, before the last line (log)."""
    speakers: float
    """How many speak (log)."""


LineReader = Callable[[str, str], RecentLine]
"""Speaker and text → the line in short."""


def line_of(speaker: str, text: str, addressed: Sequence[str], named: Sequence[str]) -> RecentLine:
    """A message in short."""
    spoken_to = frozenset(addressed) - {speaker}
    return RecentLine(speaker, spoken_to, frozenset(named) - {speaker} - spoken_to, bool(_GOING.search(text)))


class PresenceModel:
    """The recent lines of a scene, the one to judge last."""

    def __init__(self, lines: tuple[RecentLine, ...], company: DramatisPersonae) -> None:
        """`company` are all who may be there, narrators not counted."""
        self.lines, self.company = lines, company
        self._speakers = [line.speaker for line in reversed(lines)]  # the latest first
        self._earlier_speakers = frozenset(self._speakers[1:])
        self._since: list[_Since] = []
        """What the last 0, 1, 2, … lines hold, once it is asked for; …"""
        self._sizes = (0.0, 0.0, 0.0, 0.0)
        """… and how many speak and could (log), the share of those who do, and how many lines are before (log)."""

    @classmethod
    def of(cls, moment: Moment, company: DramatisPersonae, read: LineReader) -> PresenceModel:
        """The lines of a moment."""
        known = [message for message in moment.recent[1 - FAR :] if message.speaker in company.parts]
        lines = tuple([read(each.speaker, each.content) for each in (*known, moment.message)])
        return cls(lines, company)

    def spoke(self, id: str) -> bool:
        """Whether they have spoken within the recent messages, before this one."""
        return id in self._earlier_speakers

    def unanswered(self, id: str) -> int:
        """Messages since somebody who never spoke was first spoken to by name; 0 when nobody did."""
        called = [at for at, line in enumerate(reversed(self.lines)) if id in line.addressed]
        return called[-1] if called else 0

    def still_here(self, id: str, shift: float = 0) -> float:
        """The probability that somebody who spoke is still there: the logistic of the weighted counts and the shift."""
        total = shift + sum(map(mul, WEIGHTS, self._counts(id)))
        return 1 / (1 + exp(-max(-30.0, min(30.0, total))))

    def _read_sizes(self) -> tuple[float, float, float, float]:
        heard, cast = len(set(self._speakers)), len(self.company.parts)
        return log(heard), log(cast), heard / cast, log1p(len(self.lines) - 1)

    def _read_since(self) -> list[_Since]:
        found = [_Since(frozenset(), frozenset(), 0.0, 0.0)]
        speakers: set[str] = set()
        going = 0
        for at, line in enumerate(reversed(self.lines)):
            before, counts = found[-1], line.going and at > 0
            if not (line.addressed or line.named or counts) and line.speaker in speakers:
                found.append(before)
                continue
            speakers.add(line.speaker)
            going += counts
            addressed = before.addressed | line.addressed if line.addressed else before.addressed
            named = before.named | line.named if line.named else before.named
            found.append(_Since(addressed, named, log1p(going), log(len(speakers))))
        return found

    def _counts(self, id: str) -> tuple[float, ...]:
        """Messages since they spoke (log), how often they did, how many speak, who was told to go, and the like."""
        times = self._speakers.count(id)
        ago = self._speakers.index(id) if times else len(self.lines)
        gap = log(ago) if times else log(FAR)
        last = self.lines[len(self.lines) - 1 - ago] if times else None
        if not self._since:
            self._since, self._sizes = self._read_since(), self._read_sizes()
        heard, cast, share_heard, before = self._sizes
        share, part = times / max(1, len(self.lines) - 1), self.company.parts[id]
        since = self._since[ago]
        return (
            1,
            gap,
            gap * share,
            gap * cast,
            gap * heard,
            log1p(times),
            heard,
            cast,
            share_heard,
            id in since.addressed,
            id in since.named,
            bool(last and last.going),
            since.going,
            since.speakers,
            part.several,
            part.number > 0,
            id in self.lines[-1].addressed,
            before,
        )
