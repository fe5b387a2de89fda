"""How much each clue weighs: two logistic models, one for who held the floor last and one for everybody else.

The numbers were fitted (logistic regression, L2 with C = 0.3) on the quotations of fourteen novels, each novel counting
alike. Leaving one novel out moves a weight by 0.1 in the median, and leaves the probabilities calibrated on that novel
(expected calibration error 0.02 over all). They are log-odds, `ln(p / (1 - p))`: positive speaks for being spoken to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import exp
from types import MappingProxyType

from .clues import Clues

LAST: Mapping[str, float] = MappingProxyType(
    {
        "bias": 2.58,
        "pause_since": -1.18,
        "spoke": 0.31,
        "pair": 0.26,
        "company": -0.14,
        "first_in_scene": 0.43,
        "called": 2.25,
        "another_called": -0.97,
        "talked_of": -0.69,
        "you": 0.45,
        "title_fits": 1.04,
        "exchanges": 0.65,
        "another_called_before": -0.37,
        "calls_another": -0.21,
    }
)
"""For who held the floor last."""
OTHERS: Mapping[str, float] = MappingProxyType(
    {
        "bias": 2.26,
        "unheard": -2.71,
        "turns_ago": -0.24,
        "pause_since": -0.70,
        "pause": 0.10,
        "spoke": 0.10,
        "pair": -0.91,
        "called": 2.74,
        "another_called": -0.37,
        "talked_of": -0.24,
        "many": 0.34,
        "title_fits": 0.46,
        "exchanges": 0.74,
        "called_before": 0.82,
        "calls_another": -0.41,
        "newcomers": -0.16,
    }
)
"""For everybody else."""
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


def believed(clues: Clues, *, last: bool, lean: float = 0.0) -> AddresseeBelief:
    """What the clues come to. `last` = held the floor last; `lean` is added to the log-odds of everybody else."""
    weights = LAST if last else OTHERS
    odds = sum(weight * clues[clue] for clue, weight in weights.items()) + (0.0 if last else lean)
    return AddresseeBelief(1 / (1 + exp(-odds)), tuple(_evidence(clues, weights, last=last)))


def _evidence(clues: Clues, weights: Mapping[str, float], *, last: bool) -> Iterator[str]:
    if last:
        yield "spoke last"
    elif not clues["unheard"]:
        yield "spoke lately"
    for clue, words in _IN_WORDS.items():
        if abs(weights.get(clue, 0.0) * clues[clue]) >= _WORTH_TELLING:
            yield words
