"""Models in which whoever learns something tries each neighbour once: independent cascade, linear threshold, SIR."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from .protocol import Contact, Round, SpreadSoFar, Tie, Ties


class IndependentCascade:
    """Whoever has just learned it tells each neighbour once, with the tie's probability (Kempe, Kleinberg and Tardos
    2003, as live edges)."""

    def round(self, ties: Ties, so_far: SpreadSoFar) -> Round:
        """Those who have just learned it try their neighbours."""
        tellers: dict[str, str] = {}
        for teller in so_far.active:
            for tie in ties.of.get(teller, ()):
                if tie.listener not in so_far.known and tie.listener not in tellers and _is_open(ties, teller, tie):
                    tellers[tie.listener] = teller
        return Round(_contacts(tellers), tuple(tellers))


def _is_open(ties: Ties, teller: str, tie: Tie) -> bool:
    return ties.coin(teller, tie.listener) < ties.probability(tie)


class LinearThreshold:
    """Somebody believes it once the weights of those who tell them reach their threshold, a coin of their own (Kempe,
    Kleinberg and Tardos 2003). Weights count as shares of all that point to a listener, if these are more than 1."""

    def round(self, ties: Ties, so_far: SpreadSoFar) -> Round:
        """Those who were just convinced add their weight. The notes hold what each listener has heard so far."""
        pointing = _pointing(ties)
        heard = {id: float(str(weight)) for id, weight in so_far.notes.items()}
        first: dict[str, str] = {}
        for teller in so_far.active:
            for tie in ties.of.get(teller, ()):
                heard[tie.listener] = heard.get(tie.listener, 0.0) + tie.weight / max(1.0, pointing[tie.listener])
                first.setdefault(tie.listener, teller)
        convinced = [id for id in sorted(first) if id not in so_far.known and heard[id] >= ties.coin("threshold", id)]
        return Round(_contacts({id: first[id] for id in convinced}), tuple(convinced), {**heard})


def _pointing(ties: Ties) -> dict[str, float]:
    """Listener → the weight of all ties that point to them."""
    pointing: dict[str, float] = defaultdict(float)
    for each in (tie for several in ties.of.values() for tie in several):
        pointing[each.listener] += each.weight
    return pointing


class Sir:
    """Susceptible, infected, recovered: each round the infected tell each susceptible neighbour with the tie's
    probability, and then recover with the probability `recovery`."""

    def __init__(self, *, recovery: float = 0.5) -> None:
        self._recovery = recovery

    def round(self, ties: Ties, so_far: SpreadSoFar) -> Round:
        """The infected tell, and some of them recover."""
        tellers: dict[str, str] = {}
        for teller in so_far.active:
            for tie in ties.of.get(teller, ()):
                is_open = ties.coin(teller, tie.listener, so_far.number) < ties.probability(tie)
                if is_open and tie.listener not in so_far.known:
                    tellers.setdefault(tie.listener, teller)
        return Round(_contacts(tellers), (*self._still(ties, so_far), *tellers))

    def _still(self, ties: Ties, so_far: SpreadSoFar) -> Iterable[str]:
        return (id for id in so_far.active if ties.coin(id, "recovers", so_far.number) >= self._recovery)


def _contacts(tellers: dict[str, str]) -> tuple[Contact, ...]:
    return tuple(Contact(teller, listener) for listener, teller in tellers.items())
