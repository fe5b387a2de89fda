"""How a character came to know what is kept of a bubble, hop by hop. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from earwitness.backstage.records import Explanation, Hop


def chain_of(explained: Explanation) -> tuple[list[str], float]:
    """Who told whom, when, by which rule and how sure, the last hop first; and how far the last one is believed."""
    hops = [*_hops(explained)]
    trust = hops[0].trust if hops else 1.0
    first = explained.owner
    told_by_hop = [f"{hop.dated}{_through(hop)}{hop.why}{hop.doubt}" for hop in hops]
    return [f"{first} {told_by_hop[0]}", *told_by_hop[1:]] if told_by_hop else [], trust


def _through(hop: Hop) -> str:
    """Who passed it on, if that was somebody other than the one who said it."""
    teller = hop.shared_from
    return f" through {teller}" if teller and hop.learned and hop.learned.teller != teller else ""


def _hops(explained: Explanation | None) -> Iterator[Hop]:
    while explained is not None and explained.supports:
        alive = [hop for hop in explained.supports if hop.status == "applied"]
        hop = (alive or list(explained.supports))[0]
        yield hop
        explained = hop.via
