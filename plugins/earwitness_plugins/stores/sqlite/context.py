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


class Context(NamedTuple):
    """Who stands beside whom among n memories that were found."""

    before: NDArray[np.intp]
    """Place of the message before each; n where that was not found, or there is none. Shape (n,)."""
    after: NDArray[np.intp]
    """The same of the message after it."""

    @classmethod
    def of(cls, spoken: Flags, found: Integers) -> Self:
        """The context of those found.

        Args:
            spoken: which of the memories that may be seen are messages, in the order they were first written.
            found: the places of the n that were found among them, ascending.
        """
        n = len(found)
        place = np.full(len(spoken), n, np.intp)
        place[found] = np.arange(n)
        said = np.concatenate([[n], place[spoken], [n]])
        beside = np.full((2, n + 1), n, np.intp)
        beside[0, said[1:-1]] = said[:-2]
        beside[1, said[1:-1]] = said[2:]
        return cls(beside[0, :n], beside[1, :n])

    def lifted(self, scores: Doubles) -> Doubles:
        """The scores, each lifted towards those beside it that are higher; shape (n,)."""
        beside = np.append(scores, 0.0)
        more: Doubles = BEFORE * np.maximum(beside[self.before] - scores, 0.0)
        more += AFTER * np.maximum(beside[self.after] - scores, 0.0)
        more += scores
        return more
