"""Models in which everybody meets one neighbour each round: push, pull, and both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from .protocol import MOST_ROUNDS, Contact, Ties


class MeetingRounds:
    """Each round everybody meets one of their neighbours."""

    pushes: ClassVar[bool] = False
    """Whether those who know it tell whom they meet."""
    pulls: ClassVar[bool] = False
    """Whether those who do not know it ask whom they meet."""

    def contacts(self, ties: Ties, informed: Sequence[str]) -> Iterator[Contact]:
        """Round by round, until nobody is left who could learn it."""
        known = set(informed)
        reachable = _reachable(ties, informed) if self.pushes else None
        everybody = sorted(ties.of)
        for number in range(1, MOST_ROUNDS + 1):
            if reachable is not None and not self.pulls and reachable <= known:
                return
            told: dict[str, str] = {}
            for id in everybody:
                other = ties.one_of(id, number)
                if other is None:
                    continue
                if self.pushes and id in known and other not in known:
                    told.setdefault(other, id)
                if self.pulls and id not in known and other in known and ties.joins(other, id):
                    told.setdefault(id, other)
            yield from (Contact(teller, listener, number) for listener, teller in sorted(told.items()))
            known |= told.keys()


def _reachable(ties: Ties, informed: Sequence[str]) -> set[str]:
    found, waiting = set(informed), list(informed)
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
