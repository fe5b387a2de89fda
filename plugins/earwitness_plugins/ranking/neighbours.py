"""A message that stands beside one that fits better is lifted part of the way towards it.

In a conversation the question and its answer stand side by side, and often only one of them has the words that are
asked for. The better one loses nothing, and equals stay equal. Plot, lore and cards have no neighbours.
On questions about long conversations this found a tenth more of the evidence (docs/benchmarks.md).
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from earwitness.filters import equals

from .arrays import Doubles, Flags, Integers

BEFORE = 0.5
"""How far towards the message before it."""
AFTER = 0.25
"""How far towards the message after it."""
SPOKEN = equals("type", "message")
"""Only messages have neighbours."""


def beside(spoken: Flags, places: Integers) -> Flags:
    """Flag the memories at these places, and the messages just before and after those of them that are messages.

    Args:
        spoken: which of the memories that may be seen are messages, in the order they were first written; shape (n,).
        places: places of some of them, shape (m,).
    """
    there = np.zeros(len(spoken), np.bool_)
    there[places] = True
    said = there[spoken]
    near = said.copy()
    near[1:] |= said[:-1]
    near[:-1] |= said[1:]
    there[spoken] = near
    return there


class Neighbours(NamedTuple):
    """Which of n memories stand beside each other."""

    before: NDArray[np.intp]
    """The place of the message before each; n where there is none among them. Shape (n,)."""
    after: NDArray[np.intp]
    """The same for the message after each."""

    @classmethod
    def of(cls, spoken: Flags, places: Integers) -> Self:
        """The neighbours among the memories at these ascending places; arguments as in `beside`."""
        n = len(places)
        before, after = np.full(n, n, np.intp), np.full(n, n, np.intp)
        said = np.flatnonzero(spoken[places])
        ranks = np.cumsum(spoken)[places[said]]
        adjacent = np.flatnonzero(ranks[1:] - ranks[:-1] == 1)
        before[said[adjacent + 1]] = said[adjacent]
        after[said[adjacent]] = said[adjacent + 1]
        return cls(before, after)

    def lifted(self, scores: Doubles) -> Doubles:
        """The scores, each lifted towards the higher ones beside it; shape (n,)."""
        padded = np.append(scores, 0.0)
        more: Doubles = BEFORE * np.maximum(padded[self.before] - scores, 0.0)
        more += AFTER * np.maximum(padded[self.after] - scores, 0.0)
        more += scores
        return more
