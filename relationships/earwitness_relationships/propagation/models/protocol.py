"""What a spreading model is given, and what it answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol, runtime_checkable

from pydantic import JsonValue

from ...compiled.coins import Coins

MOST_ROUNDS = 64
"""A model ends after so many rounds, if it has not come to an end by itself."""


class Tie(NamedTuple):
    """Whom somebody may tell, and how strong what joins them is."""

    listener: str
    weight: float
    chance: float | None = None
    """The `chance` of the rule by which it tells; `None` = that of all ties."""


@dataclass(frozen=True)
class Ties:
    """Who may tell whom, and the coins of one message."""

    of: Mapping[str, Sequence[Tie]]
    """Teller → ties, in the order of listeners."""
    chance: float | None
    """The `chance` of ties that have none of their own; `None` = each model's own."""
    coins: Coins
    """The coins of the message."""

    def probability(self, tie: Tie) -> float:
        """The probability that a tie carries the message: its `chance`, else its weight, at most 1."""
        chance = self.chance if tie.chance is None else tie.chance
        return min(tie.weight, 1.0) if chance is None else chance

    @cached_property
    def turned(self) -> Ties:
        """The same ties from the other end: for each listener, who may tell them, as `Tie.listener`."""
        of: dict[str, list[Tie]] = {}
        for teller, ties in sorted(self.of.items()):
            for tie in ties:
                of.setdefault(tie.listener, []).append(tie._replace(listener=teller))
        return Ties(of, self.chance, self.coins)

    @cached_property
    def everybody(self) -> tuple[str, ...]:
        """Those whom a tie joins, by id."""
        return tuple(sorted({*self.of, *self.turned.of}))

    def coin(self, *what: object) -> float:
        """A number from 0 to 1 that is always the same for the same thing."""
        first, second, third, *_ = (*map(str, what), "", "", "")
        return self.coins.value(first, second, third)

    def joins(self, teller: str, listener: str) -> bool:
        """Whether somebody may tell somebody."""
        return any(each.listener == listener for each in self.of.get(teller, ()))

    def passes(self, teller: str, listener: str, round: int) -> bool:
        """Whether the message passes when two meet: always, unless a rule has a `chance`."""
        own = next((each.chance for each in self.of.get(teller, ()) if each.listener == listener), None)
        chance = self.chance if own is None else own
        return chance is None or self.coin(teller, listener, round) < chance

    def one_of(self, id: str, round: int) -> str | None:
        """Whom somebody meets in a round: one of those they may tell, each as probable as its weight."""
        ties = self.of.get(id, ())
        total = sum(each.weight for each in ties)
        left = self.coin(id, "meets", round) * total
        for each in ties:
            left -= each.weight
            if left < 0:
                return each.listener
        return None


class Contact(NamedTuple):
    """Somebody learns the message."""

    teller: str
    listener: str


@dataclass(frozen=True)
class SpreadSoFar:
    """Where the spread of one message stands before a round."""

    number: int
    """Number of the round; 1 is the first."""
    known: frozenset[str]
    """Everybody who knows the message by now."""
    active: tuple[str, ...]
    """Those who spread it, by id: those who learned it first, and then those whom the last round named."""
    notes: Mapping[str, JsonValue] = field(default_factory=dict)
    """What the model noted in the rounds before."""


@dataclass(frozen=True)
class Round:
    """What happens in one round."""

    contacts: tuple[Contact, ...] = ()
    """The tellings by which somebody learns it; each listener once."""
    active: tuple[str, ...] = ()
    """Those who spread it in the next round. Nobody = there is none."""
    notes: Mapping[str, JsonValue] = field(default_factory=dict)
    """What the model notes for later rounds."""


@runtime_checkable
class SpreadingModel(Protocol):
    """Ties, and who knows a message → who tells whom next. The kind is `spreading`."""

    def round(self, ties: Ties, so_far: SpreadSoFar) -> Round:
        """One round. Pure: each round is asked for on its own day, with that day's ties."""
        ...


def contacts(model: SpreadingModel, ties: Ties, informed: Iterable[str]) -> Iterator[Contact]:
    """All rounds, where ties stay as they are, from those who know it first."""
    active = tuple(sorted(set(informed)))
    so_far = SpreadSoFar(1, frozenset(active), active)
    while so_far.active and so_far.number <= MOST_ROUNDS:
        found = model.round(ties, so_far)
        yield from found.contacts
        so_far = after(so_far, found)


def after(so_far: SpreadSoFar, found: Round) -> SpreadSoFar:
    """Where it stands after a round."""
    known = so_far.known.union(each.listener for each in found.contacts)
    return SpreadSoFar(so_far.number + 1, known, tuple(sorted(found.active)), found.notes)
