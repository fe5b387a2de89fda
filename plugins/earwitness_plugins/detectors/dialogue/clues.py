"""What speaks for and against somebody's being spoken to, in numbers, from the line itself and what stood before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import log1p

from .conversation import Conversation
from .line_words import Titles

FAR = 24
"""As many turns ago as make no difference any more."""
_PARAGRAPH = 60
_MOST = 3

Clues = Mapping[str, float]
"""Clue → its value, in the words and the order of `weights`."""


@dataclass(frozen=True)
class Situation:
    """What is the same for every listener of a line."""

    talk: Conversation
    titles: Titles

    @cached_property
    def turns(self) -> tuple[str, ...]:
        """Those who held the floor before, the latest first."""
        return self.talk.turns

    @property
    def last(self) -> str | None:
        """Who held the floor last."""
        return self.turns[0] if self.turns else None

    @cached_property
    def company(self) -> int:
        """How many others spoke in this scene."""
        return len({line.speaker for line in self.talk.scene} - {self.talk.now.speaker})

    @cached_property
    def pair(self) -> int:
        """For how many turns only the speaker and the last who spoke have been talking."""
        both = {self.talk.now.speaker, self.last}
        return next((n for n, speaker in enumerate(self.turns) if speaker not in both), len(self.turns))

    @cached_property
    def exchanges(self) -> Mapping[str, int]:
        """Id → how often this one and the speaker followed each other."""
        me, counted = self.talk.now.speaker, dict[str, int]()
        for later, earlier in pairwise(self.talk.before):
            if (later.speaker == me) != (earlier.speaker == me):
                other = earlier.speaker if later.speaker == me else later.speaker
                counted[other] = counted.get(other, 0) + 1
        return counted

    @cached_property
    def own(self) -> frozenset[str]:
        """Whom the speaker called by name in his line before."""
        me = self.talk.now.speaker
        return next((line.words.called for line in self.talk.before if line.speaker == me), frozenset())

    def clues(self, id: str) -> Clues:
        """What is known of this listener."""
        words, before, speakers = self.talk.now.words, self.talk.before, self._speakers
        spoke = speakers.count(id)
        ago = speakers.index(id) if spoke else len(before)
        since, last = before[:ago], before[ago] if spoke else None
        newcomers = {*speakers[:ago]}.difference(speakers[ago:], (self.talk.now.speaker,))
        return {
            "bias": 1.0,
            "unheard": float(not spoke),
            "turns_ago": log1p(self.turns.index(id) if id in self.turns else FAR),
            "pause_since": _long(max([self.talk.now.pause, *[line.pause for line in since]])) if spoke else 0.0,
            "pause": _long(self.talk.now.pause),
            "spoke": log1p(spoke),
            "pair": log1p(self.pair),
            "company": float(min(self.company, _MOST + 1)),
            "first_in_scene": float(self.company == 0),
            "called": float(id in words.called),
            "another_called": float(bool(words.called - {id})),
            "talked_of": float(min(sum([id in line.words.named for line in (self.talk.now, *since)]), _MOST)),
            "you": float(words.you),
            "many": float(words.many),
            "title_fits": float(self.titles.fits(words, id)),
            "exchanges": self.exchanges.get(id, 0) / self._exchanged,
            "called_before": float(id in self.own),
            "another_called_before": float(bool(self.own - {id})),
            "calls_another": float(bool(last and last.words.called - {self.talk.now.speaker})),
            "newcomers": float(min(len(newcomers), _MOST)),
        }

    @cached_property
    def _speakers(self) -> tuple[str, ...]:
        """Who spoke each line before, the latest first."""
        return tuple([line.speaker for line in self.talk.before])

    @cached_property
    def _exchanged(self) -> int:
        """How often the speaker and others followed each other; 1 if they never did."""
        return max(1, sum(self.exchanges.values()))


def _long(pause: int) -> float:
    """How long a pause is; within a paragraph of narration it is none."""
    return 0.0 if pause <= _PARAGRAPH else log1p(pause) - log1p(_PARAGRAPH)
