"""Whether a telling that took days still stands when it arrives: by the rule that carried it, as it is on that day.

What was decided when the teller told it stays decided: coins, fan-outs, budgets, hops and strength are not asked again.
What is asked is whether the teller may still tell the listener of this message by that rule: memberships, relationships
and relations of that day, and what the rule says of the message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from earwitness.records.prose import number

from ..compiled.adjacency import Adjacency, ListenerRun
from ..compiled.carriers import Carrier

MessageRefusal = Callable[[Carrier], str | None]
"""Carrier → why it does not carry the message, whoever tells it; `None` if it does."""
NO_RULE = "by {rule}, {teller} no longer tells {listener} on day {day}"
REFUSED = "by {rule}, {teller} no longer tells it on day {day}: {why}"


class RulesOnArrival:
    """The rules of the day on which something arrives."""

    def __init__(self, adjacency: Adjacency, day: float, refusal: MessageRefusal = lambda _: None) -> None:
        self._adjacency, self._day, self._refusal = adjacency, day, refusal
        self._found: dict[tuple[str, str], tuple[set[str], dict[str, str]]] = {}

    def lapsed(self, teller: str, listener: str, rule: str) -> str | None:
        """Why a telling does not arrive; `None` if it stands. Characters are personality ids."""
        told, refused = self._listeners(teller, rule)
        if listener in told:
            return None
        given = {"rule": rule, "teller": teller, "listener": listener, "day": number(self._day)}
        return REFUSED.format(**given, why=refused[listener]) if listener in refused else NO_RULE.format(**given)

    def hub_lapsed(self, teller: str, slug: str, rule: str) -> str | None:
        """Why what a hub is told does not arrive there; `None` if the teller still tells members of the pantheon."""
        told, refused = self._listeners(teller, rule)
        return None if told - {teller} else self.lapsed(teller, min(refused, default=f"the members of {slug}"), rule)

    def _listeners(self, teller: str, rule: str) -> tuple[set[str], dict[str, str]]:
        """Those whom a teller tells by a rule, and those whom they would tell of another message → why not of this."""
        if (teller, rule) not in self._found:
            told, refused = set[str](), dict[str, str]()
            for carrier, run in self._runs(teller, rule):
                if (why := self._refusal(carrier)) is not None:
                    refused |= dict.fromkeys(run.listeners, why)
                else:
                    told.update(run.listeners)
            self._found[teller, rule] = (told, refused)
        return self._found[teller, rule]

    def _runs(self, teller: str, rule: str) -> Iterable[tuple[Carrier, ListenerRun]]:
        found = ((self._adjacency.carriers[run.carrier], run) for run in self._adjacency.runs[teller])
        return ((each, run) for each, run in found if each.rule == rule and each.holds_on(self._day))
