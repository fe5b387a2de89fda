"""Models in which whoever learns something tries each neighbour once: independent cascade, linear threshold, SIR."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from .protocol import MOST_ROUNDS, Contact, Tie, Ties


class IndependentCascade:
    """Whoever has just learned it tells each neighbour once, with the tie's probability (Kempe, Kleinberg and Tardos
    2003, as live edges)."""

    def contacts(self, ties: Ties, informed: Sequence[str]) -> Iterator[Contact]:
        """Round by round, until nobody new learned it."""
        known, fresh = set(informed), sorted(set(informed))
        for number in range(1, MOST_ROUNDS + 1):
            told: dict[str, str] = {}
            for teller in fresh:
                for tie in ties.of.get(teller, ()):
                    if tie.listener not in known and tie.listener not in told and _is_open(ties, teller, tie):
                        told[tie.listener] = teller
            yield from (Contact(teller, listener, number) for listener, teller in told.items())
            known |= told.keys()
            fresh = sorted(told)


def _is_open(ties: Ties, teller: str, tie: Tie) -> bool:
    return ties.coin(teller, tie.listener) < ties.probability(tie)


class LinearThreshold:
    """Somebody believes it once the weights of those who tell them reach their threshold, a coin of their own (Kempe,
    Kleinberg and Tardos 2003). Weights count as shares of all that point to a listener, if these are more than 1."""

    def contacts(self, ties: Ties, informed: Sequence[str]) -> Iterator[Contact]:
        """Round by round, until nobody new is convinced."""
        pointing: dict[str, float] = defaultdict(float)
        for each in (tie for several in ties.of.values() for tie in several):
            pointing[each.listener] += each.weight
        known, fresh = set(informed), sorted(set(informed))
        heard: dict[str, float] = defaultdict(float)
        for number in range(1, MOST_ROUNDS + 1):
            first: dict[str, str] = {}
            for teller in fresh:
                for tie in ties.of.get(teller, ()):
                    heard[tie.listener] += tie.weight / max(1.0, pointing[tie.listener])
                    first.setdefault(tie.listener, teller)
            convinced = {id for id in first if id not in known and heard[id] >= ties.coin("threshold", id)}
            yield from (Contact(first[id], id, number) for id in sorted(convinced))
            known |= convinced
            fresh = sorted(convinced)


class Sir:
    """Susceptible, infected, recovered: each round the infected tell each susceptible neighbour with the tie's
    probability, and then recover with the probability `recovery`."""

    def __init__(self, *, recovery: float = 0.5) -> None:
        self._recovery = recovery

    def contacts(self, ties: Ties, informed: Sequence[str]) -> Iterator[Contact]:
        """Round by round, until nobody is infected."""
        known, infected = set(informed), sorted(set(informed))
        for number in range(1, MOST_ROUNDS + 1):
            told: dict[str, str] = {}
            for teller in infected:
                for tie in ties.of.get(teller, ()):
                    is_open = ties.coin(teller, tie.listener, number) < ties.probability(tie)
                    if is_open and tie.listener not in known:
                        told.setdefault(tie.listener, teller)
            yield from (Contact(teller, listener, number) for listener, teller in told.items())
            known |= told.keys()
            still = [id for id in infected if ties.coin(id, "recovers", number) >= self._recovery]
            infected = sorted([*still, *told])
