"""How likely somebody of a small group is still there: by what they said last, and by the silence that followed.

A hint (`phone's nearly dead`) lets nobody go by itself; a hint and a long silence do. The weights were fitted on scenes
of `overheard` and FANToM, each style counting about alike (docs/detectors.md says how well, each left out).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log, log1p
from types import MappingProxyType

from earwitness.records.message import Message

SMALL = 8
"""Casts up to this size; in larger ones people are silent for other reasons (`presence_model`)."""
AT_LEAST = 0.5
"""Where a narrator tells who goes, silence alone makes nobody less likely than this to be there."""
WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "bias": -2.42,
        "hint": 0.4,
        "hint_since": 0.15,
        "silent": 1.44,
        "speakers": -0.76,
        "fade": 0.42,
        "told": -0.28,
        "cast": 0.3,
        "called": -1.28,
    }
)
"""Log odds of having gone."""
_HINTED = 0.1
"""Likelier than this to go by their words, somebody has hinted at it."""
_UNHINTED = -2.45
"""The log odds of going by words that say nothing of it."""


def last_words(id: str, recent: Sequence[Message]) -> tuple[Message, Sequence[Message]] | None:
    """What somebody said last, and what others have said since; `None` if they have not spoken of late."""
    at = next((at for at in range(len(recent) - 1, -1, -1) if recent[at].speaker == id), None)
    return None if at is None else (recent[at], recent[at + 1 :])


def still_here(
    *, hint: float, since: Sequence[str], cast: int, called: bool, faded: float | None, penalty: float = 0.0
) -> float:
    """The probability that somebody is there who spoke, and was silent while the speakers `since` spoke.

    `hint` is the probability that they were about to go by their last words, `cast` how many there are, `called` says
    that they are spoken to by name now, `faded` is what `presence_model` makes of the silence (`None` where a narrator
    tells who goes). `penalty` is taken off the log odds of their being there.
    """
    hinted = max(0.0, _odds(hint) - _UNHINTED) if hint > _HINTED else 0.0
    silent = log1p(len(since) - 1)
    found = {
        "bias": 1.0,
        "hint": hinted,
        "hint_since": hinted * silent,
        "silent": silent,
        "speakers": log(len(set(since))),
        "fade": 0.0 if faded is None else -_odds(faded),
        "told": float(faded is None),
        "cast": log(cast),
        "called": float(called),
    }
    gone = penalty + sum(WEIGHTS[name] * value for name, value in found.items())
    here = 1 / (1 + exp(max(-30.0, min(30.0, gone))))
    if faded is None:
        return max(AT_LEAST, here)
    return here if hinted else max(faded, here)


def _odds(probability: float) -> float:
    """Log odds; of certainty, those of nearly so."""
    within = min(max(probability, 1e-6), 1 - 1e-6)
    return log(within / (1 - within))
