"""Models of rumours, in which spreaders lose interest: Daley and Kendall (1965), Maki and Thompson (1973)."""

from __future__ import annotations

from typing import ClassVar

from .protocol import Contact, Round, SpreadSoFar, Ties


class Rumour:
    """Each round every spreader meets one neighbour. Who is ignorant of it learns it and spreads it."""

    both_tire: ClassVar[bool]
    """Whether two spreaders who meet both lose interest, or only the one who came to tell."""

    def round(self, ties: Ties, so_far: SpreadSoFar) -> Round:
        """Every spreader who has not lost interest meets somebody, one after the other, in an order that coins make."""
        known, tired = set(so_far.known), set[str]()
        tellers: dict[str, str] = {}
        for teller in sorted(so_far.active, key=lambda id: (ties.coin(id, "turn", so_far.number), id)):
            if teller in tired or (listener := ties.one_of(teller, so_far.number)) is None:
                continue
            if listener not in known:
                if ties.passes(teller, listener, so_far.number):
                    known.add(listener)
                    tellers[listener] = teller
            elif listener not in so_far.active:
                tired.add(teller)
            else:
                tired.update(self._tired(ties, teller, listener, so_far.number))
        still = [id for id in so_far.active if id not in tired]
        return Round(tuple(Contact(teller, listener) for listener, teller in tellers.items()), (*still, *tellers))

    def _tired(self, ties: Ties, teller: str, listener: str, number: int) -> tuple[str, ...]:
        """Who loses interest when two spreaders meet. Where each may come to the other, one such meeting in two is one
        that the pair has already: a pair meets as often as a spreader and somebody who is ignorant."""
        if not self.both_tire:
            return (teller,)
        is_twice = ties.joins(listener, teller) and ties.coin(teller, listener, f"twice {number}") < 0.5
        return () if is_twice else (teller, listener)


class DaleyKendall(Rumour):
    """Two spreaders who meet both become stiflers; one who meets a stifler becomes one."""

    both_tire = True


class MakiThompson(Rumour):
    """Only the one who came to tell becomes a stifler, whether the other spreads it or stifles it."""

    both_tire = False
