"""The order in which the memories of one work are put."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..records.plan import Delivery
from .deliveries import Work


class PutOrder:
    """The memories of a work that are still to be put, each as its active deliveries. Who perceived comes first."""

    def __init__(self, work: Work) -> None:
        self._groups = list(work.put)
        self._perceived = work.perceived
        """The place after the last memory of those who perceived the message."""
        self._next = 0

    @property
    def has_begun(self) -> bool:
        """Whether some were taken."""
        return self._next > 0

    @property
    def is_over(self) -> bool:
        """Whether all were taken."""
        return self._next >= len(self._groups)

    @property
    def is_perceived(self) -> bool:
        """Whether those of everybody who perceived the message were taken."""
        return self._next >= self._perceived

    def bring_forward(self, containers: Collection[str], *, of_all: bool = False) -> int:
        """Put next what these containers get, among those who perceived the message or `of_all`; returns how many."""
        end = len(self._groups) if of_all else self._perceived
        places = [at for at in range(self._next, end) if self._groups[at][0].container in containers]
        for first, place in enumerate(places, self._next):
            self._groups.insert(first, self._groups.pop(place))
            self._perceived += place >= self._perceived
        return len(places)

    def take(self, count: int) -> Sequence[Sequence[Delivery]]:
        """So many more."""
        begin, self._next = self._next, self._next + count
        return self._groups[begin : self._next]
