"""Models of rumours, in which spreaders lose interest: Daley and Kendall (1965), Maki and Thompson (1973)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from .protocol import MOST_ROUNDS, Contact, Ties


class Rumour:
    """Each round every spreader meets one neighbour. Who is ignorant of it learns it and spreads it."""

    both_tire: ClassVar[bool]
    """Whether two spreaders who meet both lose interest, or only the one who came to tell."""

    def contacts(self, ties: Ties, informed: Sequence[str]) -> Iterator[Contact]:
        """Round by round, until nobody spreads it any more."""
        known, spreaders = set(informed), sorted(set(informed))
        for number in range(1, MOST_ROUNDS + 1):
            tired: set[str] = set()
            told: dict[str, str] = {}
            for teller in spreaders:
                if teller in tired or (listener := ties.one_of(teller, number)) is None:
                    continue
                if listener not in known:
                    known.add(listener)
                    told[listener] = teller
                    continue
                tired.add(teller)
                if self.both_tire and listener in spreaders:
                    tired.add(listener)
            yield from (Contact(teller, listener, number) for listener, teller in told.items())
            spreaders = sorted([*(id for id in spreaders if id not in tired), *told])


class DaleyKendall(Rumour):
    """Two spreaders who meet both become stiflers; one who meets a stifler becomes one."""

    both_tire = True


class MakiThompson(Rumour):
    """Only the one who came to tell becomes a stifler, whether the other spreads it or stifles it."""

    both_tire = False
