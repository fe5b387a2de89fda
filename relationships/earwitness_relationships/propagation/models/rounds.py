"""Models in which everybody meets one neighbour each round: push, pull, and both."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from .protocol import Contact, Round, SpreadSoFar, Ties


class MeetingRounds:
    """Each round everybody meets one of their neighbours."""

    pushes: ClassVar[bool] = False
    """Whether those who know it tell whom they meet."""
    pulls: ClassVar[bool] = False
    """Whether those who do not know it ask whom they meet."""

    def round(self, ties: Ties, so_far: SpreadSoFar) -> Round:
        """Everybody meets somebody. It goes on while somebody is left who could learn it."""
        tellers = self._contacts(ties, so_far)
        known = so_far.known.union(tellers)
        goes_on = not self._reachable(ties, known) <= known
        contacts = tuple(Contact(teller, listener) for listener, teller in sorted(tellers.items()))
        return Round(contacts, tuple(known) if goes_on else ())

    def _contacts(self, ties: Ties, so_far: SpreadSoFar) -> dict[str, str]:
        """Listener → teller."""
        known = so_far.known
        tellers: dict[str, str] = {}
        for id in sorted(ties.of):
            other = ties.one_of(id, so_far.number)
            if other is None:
                continue
            if self.pushes and id in known and other not in known:
                tellers.setdefault(other, id)
            if self.pulls and id not in known and other in known and ties.joins(other, id):
                tellers.setdefault(id, other)
        return tellers

    def _reachable(self, ties: Ties, known: Iterable[str]) -> set[str]:
        """Those whom ties lead to, from those who know it."""
        found, waiting = set(known), list(known)
        while waiting:
            fresh = [each.listener for each in ties.of.get(waiting.pop(), ()) if each.listener not in found]
            found.update(fresh)
            waiting += fresh
        return found


class Push(MeetingRounds):
    """Whoever knows it tells one neighbour each round."""

    pushes = True


class Pull(MeetingRounds):
    """Whoever does not know it asks one neighbour each round."""

    pulls = True


class PushPull(MeetingRounds):
    """Both."""

    pushes = pulls = True
