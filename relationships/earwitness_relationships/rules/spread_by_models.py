"""Options that do nothing where a spreading model says who tells whom."""

from __future__ import annotations

from collections.abc import Iterator

from earwitness.loading.problems import Problem

from .edges import GOSSIP, RuleEdge, edges
from .records import RuleBook

UNHEEDED = ("max_hops", "fan_out", "budget", "hub_from")
"""Options that no model heeds."""
WITHOUT_COINS = "linear_threshold"
"""The model that throws no coin for a telling."""


def spread_by_models(book: RuleBook) -> Iterator[Problem]:
    """Of each pantheon, the first who tells by a spreading model and has options that do nothing there."""
    found: dict[tuple[str, str], RuleEdge] = {}
    for each in edges(book):
        if each.tells and each.options.spreading is not None and each.options.when != "conversation":
            for option in _idle(each):
                found.setdefault((each.pantheon, option), each)
    for (_, option), each in sorted(found.items()):
        yield Problem(each.loc, _why(option, each))


def _idle(edge: RuleEdge) -> Iterator[str]:
    given = edge.options.options
    yield from (option for option in UNHEEDED if option in given)
    if edge.options.spreading == WITHOUT_COINS and "chance" in given:
        yield "chance"
    if GOSSIP in edge.tells:
        yield GOSSIP


def _why(option: str, edge: RuleEdge) -> str:
    model = edge.options.spreading
    if option == GOSSIP:
        why = f"whoever learns what another lived tells it on as {model} says; gossip is not told by it"
    elif option == "chance":
        why = "the weights of relations alone decide there"
    else:
        why = "the model says who tells whom, and how far it goes"
    return f"{option} does nothing with spreading: {model}: {why}. Leave it out for {edge.teller}."
