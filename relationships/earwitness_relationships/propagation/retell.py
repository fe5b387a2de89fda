"""How a message is worded when it is passed on: verbatim, as a summary, or by a reteller."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from earwitness.loading.strategies import Strategies
from earwitness.loading.strategy_spec import StrategySpec
from earwitness.protocols import Soon
from earwitness.sentences import excerpt
from earwitness.words import terms

from .records import Telling

VERBATIM, SUMMARY = "verbatim", "summary"
SHORT = 240
"""Characters of a summary."""


@runtime_checkable
class Reteller(Protocol):
    """Rewords what is passed on. The kind is `reteller`; a rule names one with `retell`."""

    def retell(self, text: str, telling: Telling) -> Soon[str]:
        """The words of the teller for the listener. If it raises, the rule tells nobody."""
        ...


class Retellers:
    """The retellers that rules name, each made when it is first needed."""

    def __init__(self, strategies: Strategies, specs: Mapping[str, StrategySpec]) -> None:
        """`specs` are those that settings name."""
        self._strategies, self._specs = strategies, specs
        self._made: dict[str, Reteller] = {}

    async def text(self, heard: str, telling: Telling) -> str | None:
        """What the listener is told, where the teller can tell what was `heard`; `None` = just that."""
        if telling.retell == VERBATIM or not heard:
            return None
        if telling.retell == SUMMARY:
            return summary([heard])
        if telling.retell not in self._made:
            self._made[telling.retell] = self._strategies.make("reteller", self._spec(telling.retell))
        found = self._made[telling.retell].retell(heard, telling)
        return await found if inspect.isawaitable(found) else found

    def _spec(self, name: str) -> StrategySpec | str:
        return self._specs.get(name, name)


def summary(texts: Sequence[str], room: int = SHORT) -> str:
    """The sentences of some texts that say most of what they are about, in at most about `room` characters."""
    whole = "\n".join(text.strip() for text in texts if text.strip())
    counts: dict[str, int] = {}
    for term in terms(whole):
        counts[term] = counts.get(term, 0) + 1
    wanted = sorted(counts, key=lambda term: (-counts[term], term))[:12]
    return excerpt(whole, room, frozenset(wanted))
