"""How likely somebody goes by what they say: the logistic of what its signs weigh."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from types import MappingProxyType

from .signs import BARELY_DOUBTED, Signs

_GOING = frozenset({"leaves", "stated", "farewell"})

WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "bias": -2.45,
        "leaves": 4.28,
        "leaves_again": 1.07,
        "leaves_late": -0.97,
        "leaves_doubted": 0.62,
        "stated": 3.38,
        "stated_doubted": 0.68,
        "farewell": 3.39,
        "farewell_doubted": 0.18,
        "perhaps": 0.52,
        "duty": -0.3,
        "until": 0.5,
        "device": 1.15,
        "together": 2.0,
        "stays": -1.46,
        "retracts": -6.0,
        "returns": -1.28,
        "sends_off": -0.99,
        "to_one": -2.05,
        "answers": -2.73,
    }
)
"""Log odds; fitted as `docs/detectors.md` says, but for `retracts`, which was set by hand."""


def clues(signs: Signs, *, to_one: bool, answers: bool) -> Mapping[str, float]:
    """What speaks for and against going, in the words of `WEIGHTS`.

    A farewell is `to_one` when not all the others are meant, and `answers` when somebody has just gone.
    """
    stated = [doubts for act, doubts in signs.found if act == "stated"]
    obliged = any(doubts <= BARELY_DOUBTED for doubts in stated)
    leaves = [doubts for act, doubts in signs.found if act == "leaves"]
    sure = [doubts for doubts in leaves if doubts <= BARELY_DOUBTED]
    farewells = [doubts for act, doubts in signs.found if act == "farewell"]
    bid = any(doubts <= BARELY_DOUBTED for doubts in farewells) or signs.any("bids")
    said = bool(sure) or obliged
    return {
        "bias": 1.0,
        "leaves": float(bool(sure)),
        "leaves_again": float(len(sure) > 1),
        "leaves_late": float(bool(sure) and all("late" in doubts for doubts in sure)),
        "leaves_doubted": float(bool(leaves) and not sure),
        "stated": float(obliged),
        "stated_doubted": float(bool(stated) and not obliged),
        "farewell": float(bid),
        "farewell_doubted": float(bool(farewells) and not bid),
        "perhaps": float(min(2, signs.clean("perhaps"))),
        **_hints(signs),
        "stays": float(signs.any("stays")),
        "retracts": float(_retracts(signs)),
        "returns": float(signs.any("returns")),
        "sends_off": float(signs.any("sends_off") and not said),
        "to_one": float(to_one and bid and not said),
        "answers": float(answers and bid and not said),
    }


def _retracts(signs: Signs) -> bool:
    """Whether leave is taken back by what is said last: `I have to go… no, wait`."""
    told = [act for act, doubts in signs.found if act in _GOING or (act == "retracts" and not doubts)]
    return bool(told) and told[-1] == "retracts"


def _hints(signs: Signs) -> Mapping[str, float]:
    """What says little alone and much together: `have to milk, talk when I'm back`."""
    duty = signs.clean("duty") > signs.clean("no_duty")
    found = {"duty": duty, "until": signs.clean("until") > 0, "device": signs.clean("device") > 0}
    together = sum(found.values()) + (signs.clean("perhaps") > 0)
    return {"together": float(together > 1), **{act: float(each) for act, each in found.items()}}


def probability(found: Mapping[str, float], weights: Mapping[str, float] = WEIGHTS) -> float:
    """The logistic of the weighted clues."""
    total = sum(weights[name] * value for name, value in found.items())
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


def hinted(signs: Signs) -> float:
    """How likely somebody goes by words that may be a while ago; 0 where they say nothing of it, or deny it."""
    if not signs.found or any("not" in doubts for _, doubts in signs.found):
        return 0.0
    return probability(clues(signs, to_one=False, answers=False))
