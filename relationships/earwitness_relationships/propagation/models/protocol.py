"""What a spreading model is given, and what it answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from ..coins import Coins

MOST_ROUNDS = 64
"""A model ends after so many rounds, if it has not come to an end by itself."""


class Tie(NamedTuple):
    """Whom somebody may tell, and how strong what joins them is."""

    listener: str
    weight: float


@dataclass(frozen=True)
class Ties:
    """Who may tell whom, and the coins of one message."""

    of: Mapping[str, Sequence[Tie]]
    """Teller → ties, in the order of listeners."""
    chance: float | None
    """The `chance` of the rule; `None` = each model's own: the weight of a tie, at most 1."""
    coins: Coins
    """The coins of the message."""

    def probability(self, tie: Tie) -> float:
        """The probability that a tie carries the message."""
        return min(tie.weight, 1.0) if self.chance is None else self.chance

    def coin(self, *what: object) -> float:
        """A number from 0 to 1 that is always the same for the same thing."""
        first, second, third, *_ = (*map(str, what), "", "", "")
        return self.coins.value(first, second, third)

    def joins(self, teller: str, listener: str) -> bool:
        """Whether somebody may tell somebody: whoever asks is only told what they may be told."""
        return any(each.listener == listener for each in self.of.get(teller, ()))

    def one_of(self, teller: str, round: int) -> str | None:
        """Whom somebody meets in a round: one of those they may tell, each as probable as its weight."""
        ties = self.of.get(teller, ())
        total = sum(each.weight for each in ties)
        left = self.coin(teller, "meets", round) * total
        for each in ties:
            left -= each.weight
            if left < 0:
                return each.listener
        return None


class Contact(NamedTuple):
    """Somebody learns the message."""

    teller: str
    listener: str
    round: int
    """1 = from somebody who knew it at the beginning."""


@runtime_checkable
class SpreadingModel(Protocol):
    """Ties, and who knows a message → who tells whom, in which round. The kind is `spreading`."""

    def contacts(self, ties: Ties, informed: Sequence[str]) -> Iterable[Contact]:
        """The tellings by which somebody learns it, in the order of rounds; each listener once. Pure."""
        ...
