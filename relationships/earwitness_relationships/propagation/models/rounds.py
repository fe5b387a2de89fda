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
        """Listener → teller. Whoever asks meets one of those who may tell them."""
        known, number = so_far.known, so_far.number
        tellers: dict[str, str] = {}
        for id in ties.everybody:
            knows = id in known
            if not (self.pushes if knows else self.pulls):
                continue
            other = (ties if knows else ties.turned).one_of(id, number)
            if other is None or knows == (other in known):
                continue
            teller, listener = (id, other) if knows else (other, id)
            if listener not in tellers and ties.passes(teller, listener, number):
                tellers[listener] = teller
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
