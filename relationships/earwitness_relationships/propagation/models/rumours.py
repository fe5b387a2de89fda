"""Models of rumours, in which spreaders lose interest: Daley and Kendall (1965), Maki and Thompson (1973)."""

from __future__ import annotations

from typing import ClassVar

from .protocol import Contact, Round, SpreadSoFar, Ties


class Rumour:
    """Each round every spreader meets one neighbour. Who is ignorant of it learns it and spreads it."""

    both_tire: ClassVar[bool]
    """Whether two spreaders who meet both lose interest, or only the one who came to tell."""

    def round(self, ties: Ties, so_far: SpreadSoFar) -> Round:
        """Every spreader who has not lost interest meets somebody."""
        known, tired = set(so_far.known), set[str]()
        tellers: dict[str, str] = {}
        for teller in so_far.active:
            if teller in tired or (listener := ties.one_of(teller, so_far.number)) is None:
                continue
            if listener not in known:
                known.add(listener)
                tellers[listener] = teller
                continue
            tired.add(teller)
            if self.both_tire and listener in so_far.active:
                tired.add(listener)
        still = [id for id in so_far.active if id not in tired]
        return Round(tuple(Contact(teller, listener) for listener, teller in tellers.items()), (*still, *tellers))


class DaleyKendall(Rumour):
    """Two spreaders who meet both become stiflers; one who meets a stifler becomes one."""

    both_tire = True


class MakiThompson(Rumour):
    """Only the one who came to tell becomes a stifler, whether the other spreads it or stifles it."""

    both_tire = False
