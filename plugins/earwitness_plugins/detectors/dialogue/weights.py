"""How much each clue weighs: two logistic models, one for who held the floor last and one for everybody else.

Each comes twice. In a `book` a host notes where the words stand, so that pauses are known; those weights were fitted
on the quotations of fourteen novels, each novel counting alike. `talk` is all else (chats, role play, scripts, games);
its weights were fitted on the part dev of `overheard`, each style counting alike. They are log-odds,
`ln(p / (1 - p))`: positive speaks for being spoken to. `scripts/fit_addressees.py` fits and scores them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import exp
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from .clues import Clues

TalkKind = Literal["book", "talk"]
_FILE = Path(__file__).with_name("weights.toml")

_IN_WORDS = MappingProxyType(
    {
        "called": "called by name",
        "title_fits": "called by a title that fits",
        "called_before": "called by name in the speaker's line before",
        "exchanges": "they answer each other",
        "many": "said to several",
        "talked_of": "talked about",
        "another_called": "another is called by name",
        "pause_since": "a long pause lies between",
        "unheard": "has not spoken lately",
        "newcomers": "others have joined since",
    }
)
_WORTH_TELLING = 0.25


@dataclass(frozen=True, slots=True)
class AddresseeBelief:
    """How likely somebody is spoken to, and why."""

    probability: float
    """0 to 1."""
    evidence: tuple[str, ...]
    """Why, in words; never empty."""


@cache
def weights_of(kind: TalkKind) -> Mapping[str, Mapping[str, float]]:
    """`last` and `others` → clue → weight, read once."""
    found: Mapping[str, Mapping[str, float]] = tomllib.loads(_FILE.read_text("utf-8"))[kind]
    return found


def likelihood(clues: Clues, kind: TalkKind, *, last: bool, lean: float = 0.0) -> float:
    """How likely somebody is spoken to. `last` = held the floor last; `lean` is added to the log-odds of all others."""
    weights = weights_of(kind)["last" if last else "others"]
    odds = sum([weight * clues[clue] for clue, weight in weights.items()]) + (0.0 if last else lean)
    return 1 / (1 + exp(-odds))


def believed(clues: Clues, kind: TalkKind, *, last: bool, lean: float = 0.0) -> AddresseeBelief:
    """What the clues come to, and why; the same words as `likelihood`."""
    weights = weights_of(kind)["last" if last else "others"]
    return AddresseeBelief(likelihood(clues, kind, last=last, lean=lean), tuple(_evidence(clues, weights, last=last)))


def _evidence(clues: Clues, weights: Mapping[str, float], *, last: bool) -> Iterator[str]:
    if last:
        yield "spoke last"
    elif not clues["unheard"]:
        yield "spoke lately"
    for clue, words in _IN_WORDS.items():
        if abs(weights.get(clue, 0.0) * clues[clue]) >= _WORTH_TELLING:
            yield words
