"""What was said just before and after: a message beside one that fits better is lifted part of the way to it.

In a conversation the question and its answer stand side by side, and often only one of them has the words that are
asked for. The better one loses nothing, and equals stay equal; what is no message (plot, lore, cards) stands alone.
On questions to long conversations this found a tenth more of the evidence (docs/benchmarks.md).
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from earwitness.filters import equals

from .bm25 import Doubles, Flags, Integers

BEFORE = 0.5
"""How far towards the message before it."""
AFTER = 0.25
"""How far towards the message after it."""
SPOKEN = equals("type", "message")
"""Only these have a before and an after."""


def beside(spoken: Flags, places: Integers) -> Flags:
    """Which memories are at these places, or messages just before and after a message that is.

    Args:
        spoken: which of the memories that may be seen are messages, in the order they were first written.
        places: of some of them.
    """
    there = np.zeros(len(spoken), np.bool_)
    there[places] = True
    said = there[spoken]
    near = said.copy()
    near[1:] |= said[:-1]
    near[:-1] |= said[1:]
    there[spoken] = near
    return there


class Context(NamedTuple):
    """Who stands beside whom among n memories."""

    before: NDArray[np.intp]
    """Place of the message before each; n where that is not among them, or there is none. Shape (n,)."""
    after: NDArray[np.intp]
    """The same of the message after it."""

    @classmethod
    def of(cls, spoken: Flags, places: Integers) -> Self:
        """The context of the memories at these places, ascending; see `beside`."""
        n = len(places)
        before, after = np.full(n, n, np.intp), np.full(n, n, np.intp)
        said = np.flatnonzero(spoken[places])
        ranks = np.cumsum(spoken)[places[said]]
        adjacent = np.flatnonzero(ranks[1:] - ranks[:-1] == 1)
        before[said[adjacent + 1]] = said[adjacent]
        after[said[adjacent]] = said[adjacent + 1]
        return cls(before, after)

    def lifted(self, scores: Doubles) -> Doubles:
        """The scores, each lifted towards those beside it that are higher; shape (n,)."""
        beside = np.append(scores, 0.0)
        more: Doubles = BEFORE * np.maximum(beside[self.before] - scores, 0.0)
        more += AFTER * np.maximum(beside[self.after] - scores, 0.0)
        more += scores
        return more
