"""What held on later days of a story, when what had been on its way arrived, and a walk that meets it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from pydantic import JsonValue

from earwitness.records.journal import Changed, Entry

from ..compiled.adjacency import Adjacency
from ..graph.view import GraphView
from ..propagation.lapsed import RulesOnArrival
from ..propagation.records import Seed
from ..propagation.refusals import message_refusal
from ..propagation.walk import Arrival, Offered, Walk


class PastDay(NamedTuple):
    """A day that the story came to."""

    sequence: int
    """Number of the entry that brought it."""
    day: float
    """The game day."""
    graph: GraphView
    """The graph after that entry."""
    flags: Mapping[str, JsonValue]
    """The flags after it."""


def day_entries(journal: Iterable[Entry]) -> Iterator[tuple[Entry, float]]:
    """The entries that bring another game day, each with the day. Pure."""
    for entry in journal:
        if isinstance(entry.body, Changed) and "game_day" in entry.body.changes:
            yield entry, float(entry.body.changes["game_day"])


def day_of_arrival(days: Sequence[PastDay], after: int, due: float) -> PastDay | None:
    """The first day, after an entry of the journal, on which what is due then has arrived. Pure."""
    return next((each for each in days if each.sequence > after and each.day >= due), None)


def replayed_walk(
    days: Sequence[PastDay], after: int, compiled: Callable[[GraphView], Adjacency]
) -> Callable[..., Walk]:
    """Makes walks of what was said with an entry of the journal. `compiled` are the rules on a graph."""

    def rules_then(seed: Seed, when: str, day: float) -> RulesOnArrival | None:
        then = day_of_arrival(days, after, day)
        if then is None:
            return None
        if when == "conversation":
            return RulesOnArrival(compiled(then.graph), day)
        said = seed.model_copy(update={"flags": dict(then.flags)})
        return RulesOnArrival(compiled(then.graph), day, lambda each: message_refusal(each, said, when))

    return partial(_ReplayedWalk, rules_then=rules_then)


class _ReplayedWalk(Walk):
    """A walk in which what took days arrives only if it did by the rules and the graph of the day it arrived on.

    Whom it does not reach is told by nobody else: the first telling was on its way.
    """

    def __init__(
        self,
        adjacency: Adjacency,
        seed: Seed,
        *,
        rules_then: Callable[[Seed, str, float], RulesOnArrival | None],
        when: str = "message",
        **given: Any,
    ) -> None:
        super().__init__(adjacency, seed, when=when, **given)
        self._rules_then: Callable[[float], RulesOnArrival | None] = partial(rules_then, seed, when)

    def _arrive(self, waiting: list[Offered], level: Arrival) -> list[str]:
        fresh = super()._arrive(waiting, level)
        then = self._rules_then(level[0]) if level[0] > self._seed.day else None
        return fresh if then is None else [each for each in fresh if self._is_reached(each, then)]

    def _is_reached(self, listener: str, then: RulesOnArrival) -> bool:
        """Whether one of the tellings of a listener arrives; those that do not are dropped."""
        first = self.known[listener]
        ways = [*([first] if first is not None else []), *(by for who, by in self.supports if who == listener)]
        arrived = [by for by in ways if then.lapsed(by[0], listener, by[1].carrier.rule) is None]
        if len(arrived) < len(ways):
            self.supports = [each for each in self.supports if each[0] != listener]
            self.supports += [(listener, by) for by in arrived[1:]]
            self.known[listener] = arrived[0] if arrived else None
        return bool(arrived)
