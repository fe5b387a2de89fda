"""The leak suite catches an engine in which one thing is wrong: each of these is planted, and found."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from earwitness.testing.reference import MemoryStore
from earwitness_relationships.compiled.adjacency import Adjacency
from earwitness_relationships.compiled.carriers import Carrier
from earwitness_relationships.compiled.coins import Coins
from earwitness_relationships.compiled.tribe import Tribe
from earwitness_relationships.propagation.hub_walk import HubWalk
from earwitness_relationships.propagation.models import spread as models
from earwitness_relationships.propagation.passing_on import PassingOn
from earwitness_relationships.propagation.retell import Retellers
from earwitness_relationships.propagation.triage import TriageOutcome, Triages
from earwitness_relationships.propagation.walk import Walk
from earwitness_relationships.testing.cases import further_case
from earwitness_relationships.testing.leaks import Disagreement, disagreements

from .test_the_engine import COMPILED, OurEngine

MOST = 4_000
"""In so many cases each of them is found, most in the first hundred."""
Mutate = Callable[[pytest.MonkeyPatch], None]


def found() -> Iterator[Disagreement]:
    COMPILED.clear()
    ours = OurEngine()
    for number in range(MOST):
        yield from disagreements(further_case(number), ours.spread, ours.readable, ours.parts)


def forgetting(**what: Any) -> Mutate:
    """Carriers say something else than the rules."""
    number = Adjacency._number

    def mutate(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(Adjacency, "_number", lambda self, carrier: number(self, replace(carrier, **what)))

    return mutate


def instead(owner: Any, name: str, made: Callable[[Any], Any]) -> Mutate:
    """Something is done otherwise."""
    return lambda patch: patch.setattr(owner, name, made(getattr(owner, name)))


def overspent(heard: Callable[[int], int]) -> Mutate:
    """What others have told is counted wrongly."""

    def made(right: Any) -> Any:
        def wrong(self: Walk, carrier: Carrier, listener: str, day: float, tellings: int) -> Any:
            counted = self._heard
            self._heard = None if counted is None else lambda listener, day: heard(counted(listener, day))
            try:
                return right(self, carrier, listener, day, tellings)
            finally:
                self._heard = counted

        return wrong

    return instead(Walk, "_overspent", made)


async def unheard(self: Retellers, heard: str, telling: Any, *given: Any) -> str | None:
    return None


async def always_told(self: Triages, *given: Any) -> TriageOutcome:
    return TriageOutcome()


async def as_the_first_says(self: PassingOn, heard: str, telling: Any) -> str | None:
    return "The whole truth."


def zero_is_no_limit(right: Any) -> Any:
    def wrong(self: Walk, carrier: Carrier, *given: Any) -> Any:
        return right(self, replace(carrier, per_listener_day=carrier.per_listener_day or None), *given)

    return wrong


def observers_tell(right: Any) -> Any:
    def wrong(self: Tribe, teller: str) -> Any:
        held = self.memberships.get(teller, ())
        self.memberships[teller] = tuple(each.model_copy(update={"role": "member"}) for each in held)
        return right(self, teller)

    return wrong


def untouched(right: Any) -> Any:
    return lambda self, teller, rule, listeners, day: [*listeners]


def finding(half: str) -> Callable[[Any], Any]:
    """A store looks at one half of the filter: the day, or the place."""

    def made(right: Any) -> Any:
        def wrong(self: MemoryStore, container: str, filter: Any) -> Any:
            day, place = filter.parts
            return right(self, container, day if half == "day" else place)

        return wrong

    return made


def lasting(right: Any) -> Any:
    return lambda self, teller, way, *given: right(self, teller, replace(way, lasts=True), *given)


MUTATIONS: dict[str, Mutate] = {
    "a budget of 0 for a listener and day is not a limit": instead(Walk, "_overspent", zero_is_no_limit),
    "budgets for a listener and day are forgotten": forgetting(per_listener_day=None),
    "what other messages told is not counted": overspent(lambda count: 0),
    "one telling too many counts": overspent(lambda count: count - 1),
    "one telling too few counts": overspent(lambda count: count + 1),
    "budgets of messages are forgotten": forgetting(per_message=None),
    "fan-outs are forgotten": forgetting(fan_out=None),
    "coins always fall": instead(Coins, "falls", lambda _: lambda *given: True),
    "direct messages are passed on": forgetting(exclude_private=False),
    "what must not be told about somebody is told": forgetting(never_about=frozenset()),
    "conditions are forgotten": forgetting(flags=(), places=()),
    "a membership never ends": forgetting(until=float("inf")),
    "what was told arrives whatever has ended": instead(Walk, "_still_told", untouched),
    "observers tell": instead(Tribe, "_standings", observers_tell),
    "everything goes on for ever": forgetting(max_hops=64, gossip_hops=None),
    "nothing takes days": forgetting(delay=0.0),
    "everything is told verbatim": forgetting(retell="verbatim"),
    "retellers are not asked": instead(Retellers, "text", lambda _: unheard),
    "triages are forgotten": forgetting(triage=None),
    "a triage is asked, and not listened to": instead(Triages, "judged", lambda _: always_told),
    "a teller says more than they know": instead(PassingOn, "_text", lambda _: as_the_first_says),
    "rules with a model tell by themselves": forgetting(spreading=None),
    "a model tells what the rule does not carry": instead(models, "message_refusal", lambda _: lambda *given: None),
    "a model tells on any day": instead(
        models, "_carries", lambda _: lambda carrier, seed: models.message_refusal(carrier, seed, "message") is None
    ),
    "everything is witnessed": forgetting(how="witnessed"),
    "a store finds what is not to be read here": instead(MemoryStore, "_holding", finding("day")),
    "a store finds what is learned later": instead(MemoryStore, "_holding", finding("place")),
    "a hub is told by a rule that has ended by then": instead(HubWalk, "_let_through", lasting),
}


@pytest.mark.parametrize("mutate", MUTATIONS.values(), ids=MUTATIONS)
def test_the_suite_finds(mutate: Mutate, monkeypatch: pytest.MonkeyPatch) -> None:
    mutate(monkeypatch)
    assert next(found(), None) is not None


def test_nothing_is_found_where_nothing_is_planted() -> None:
    COMPILED.clear()
    ours = OurEngine()
    cases: Iterable[int] = range(100)
    assert not [each for n in cases for each in disagreements(further_case(n), ours.spread, ours.readable, ours.parts)]
