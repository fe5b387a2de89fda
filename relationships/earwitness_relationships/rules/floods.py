"""Circles of tellers in which everything that one of them learns reaches all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from earwitness.loading.problems import Problem

from .edges import GOSSIP, RuleEdge, edges
from .records import RuleBook, Rules

SMALLEST = 3
"""So many people at least make a circle; two who gossip with each other stop by themselves."""
MANY = 100
"""From so many members on, a hub costs less than copies."""
SHOWN = 6


def floods(book: RuleBook) -> Iterator[Problem]:
    """Circles without a limit, and large pantheons that copy everything to everybody."""
    every = list(edges(book))
    unlimited = [each for each in every if GOSSIP in each.tells and not _is_limited(each.options)]
    for people in _circles(book, unlimited):
        loc = next(each.loc for each in unlimited if each.teller in people)
        yield Problem(
            loc,
            f"{_listed(people)} gossip in a circle: what one of them learns reaches all {len(people)}. "
            "Limit it with max_hops, fan_out, budget, decay or chance.",
        )
    for number, pantheon in enumerate(book.pantheons):
        if len(pantheon.members) >= MANY and pantheon.rules.hub_from is None:
            loc = ("pantheons", number, "members")
            if any(each.to_all and each.listener == pantheon.slug for each in every):
                yield Problem(loc, _copies(len(pantheon.members)))


def _copies(members: int) -> str:
    return f"each message is copied to {members} members. With hub_from: {MANY} they read one copy instead."


def _is_limited(options: Rules) -> bool:
    has_budget = options.budget is not None and options.budget.message is not None
    wanes = any(value is not None and value < 1 for value in (options.decay, options.chance))
    return options.max_hops is not None or options.fan_out is not None or has_budget or wanes


def _circles(book: RuleBook, unlimited: Iterable[RuleEdge]) -> Iterator[list[str]]:
    """Those who reach each other, in the order of the file."""
    import networkx as nx

    graph: nx.DiGraph[str | tuple[str, str]] = nx.DiGraph()
    for each in unlimited:
        graph.add_edge(each.teller, ("all", each.listener) if each.to_all else each.listener)
    for pantheon in book.pantheons:
        if ("all", pantheon.slug) in graph:
            graph.add_edges_from((("all", pantheon.slug), member.personality_id) for member in pantheon.members)
    for found in nx.strongly_connected_components(graph):
        people = [node for node in graph if node in found and isinstance(node, str)]
        if len(people) >= SMALLEST:
            yield people


def _listed(people: list[str]) -> str:
    more = f" and {len(people) - SHOWN} more" if len(people) > SHOWN else ""
    return ", ".join(people[:SHOWN]) + more
