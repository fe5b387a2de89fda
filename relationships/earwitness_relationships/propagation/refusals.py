"""Why a carrier does not carry a message, in words. Pure."""

from __future__ import annotations

from ..compiled.carriers import Carrier
from .records import Seed

MIN_STRENGTH = 0.05
"""A telling that would be weaker than this does not happen."""
GOSSIP = frozenset({"gossip"})
"""What is passed on if the rule that brought it allows no more hops."""


def message_refusal(carrier: Carrier, seed: Seed, when: str) -> str | None:
    """Why a carrier does not carry a message, whoever tells it; `None` if it does."""
    subjects = {seed.speaker, *seed.about}
    if carrier.when != when:
        return "it is told when the conversation is closed" if when == "message" else "it is told at each message"
    if seed.private and carrier.exclude_private:
        return "it was said in a direct message (exclude_private)"
    if carrier.only_about is not None and not subjects & carrier.only_about:
        return f"it is not about {' or '.join(sorted(carrier.only_about))} (only_about)"
    if never := subjects.union(seed.perhaps_about) & carrier.never_about:
        return f"it is about {' and '.join(sorted(never))} (never_about)"
    if carrier.confined_to is not None and {*seed.concerned} - {carrier.confined_to}:
        return f"it concerns the persona of another user than {carrier.confined_to}, who made this group as a player"
    if not carrier.allows(seed.flags, seed.place):
        return "its conditions are not met"
    return None


WRONG_KIND = {
    "direct": "the teller did not live it, and the rule that told them goes no further",
    "user": "no user took part in it, or the rule that told the teller goes no further",
    "gossip": "the teller lived it, and it is about nobody who was away",
}
"""Kind of a carrier → why a teller does not tell by it."""


def teller_refusal(carrier: Carrier, kinds: frozenset[str], level: tuple[float, int], strength: float) -> str | None:
    """Why one teller, who has learned it on a day and at a hop, does not tell by a carrier; `None` if they do."""
    day, hop = level
    if hop == 0 and carrier.max_hops == 0:
        return "the rule allows no hop (max_hops 0)"
    if carrier.kind not in kinds:
        return WRONG_KIND[carrier.kind]
    if kinds is GOSSIP and carrier.gossip_hops is not None and hop >= carrier.gossip_hops:
        return f"gossip goes no further than {carrier.gossip_hops} hops (max_hops)"
    if not carrier.holds_on(day):
        return f"it does not hold on day {day:g}"
    if strength < MIN_STRENGTH:
        return f"it is too faint by now ({strength:.2g} < {MIN_STRENGTH})"
    return None
