"""From a spreading model to tellings: the model says who tells whom in which round, the rule all the rest. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from ..adjacency import Adjacency
from ..carriers import Carrier
from ..coins import Coins
from ..records import Seed, Telling
from ..walk import AT_FIRST_HAND, MIN_STRENGTH, message_refusal
from .protocol import Contact, SpreadingModel, Tie, Ties

DEFAULT_MODELS = (
    "independent_cascade",
    "linear_threshold",
    "daley_kendall",
    "maki_thompson",
    "push",
    "pull",
    "push_pull",
    "sir",
)
"""The models that come with this package."""


Joint = tuple[str, str]
"""Teller and listener."""


def spread_by_models(
    adjacency: Adjacency, seed: Seed, models: Mapping[str, SpreadingModel], among: Collection[str]
) -> Iterator[Telling]:
    """The tellings of all pantheons that name a model. A round takes the `delay` of the rule."""
    groups: dict[tuple[str, str], dict[Joint, tuple[float, Carrier]]] = {}
    for teller in sorted(among):
        for listener, weight, number in adjacency.entries(teller):
            carrier = adjacency.carriers[number]
            if carrier.spreading in models and listener in among and listener != teller and _carries(carrier, seed):
                group = groups.setdefault((carrier.pantheon, str(carrier.spreading)), {})
                group.setdefault((teller, listener), (weight, carrier))
    for (_, name), joints in groups.items():
        yield from _tellings(joints, seed, models[name])


def _carries(carrier: Carrier, seed: Seed) -> bool:
    kind = carrier.kind == "direct" or (carrier.kind == "user" and bool(seed.users))
    return kind and carrier.holds_on(seed.day) and message_refusal(carrier, seed, "message") is None


def _tellings(joints: Mapping[Joint, tuple[float, Carrier]], seed: Seed, model: SpreadingModel) -> Iterator[Telling]:
    of: dict[str, list[Tie]] = {}
    for (teller, listener), (weight, _) in sorted(joints.items(), key=lambda each: each[0]):
        of.setdefault(teller, []).append(Tie(listener, weight))
    everybody = {id: of.get(id, []) for id in sorted({id for joint in joints for id in joint})}
    chances = {carrier.odds for _, carrier in joints.values() if carrier.chance is not None}
    ties = Ties(everybody, min(chances, default=None), Coins(seed.key))
    known: dict[str, Telling | None] = dict.fromkeys((*seed.direct, *seed.heard))
    informed = [id for id, role in seed.direct.items() if role in AT_FIRST_HAND]
    for contact in model.contacts(ties, informed):
        carrier = joints[contact.teller, contact.listener][1] if contact[:2] in joints else None
        if carrier is None or contact.listener in known or contact.teller not in known:
            continue
        telling = _telling(contact, known[contact.teller], carrier, seed)
        if telling.strength >= MIN_STRENGTH:
            known[contact.listener] = telling
            yield telling


def _telling(contact: Contact, before: Telling | None, carrier: Carrier, seed: Seed) -> Telling:
    return Telling(
        listener=contact.listener,
        teller=contact.teller,
        hop=1 if before is None else before.hop + 1,
        day=seed.day + carrier.delay * contact.round,
        rule=carrier.rule,
        pantheon=carrier.pantheon,
        how=carrier.how,
        strength=carrier.decay * (1.0 if before is None else before.strength),
        trust=carrier.trust * (1.0 if before is None else before.trust),
        retell=carrier.retell,
        max_hops=1 if before is None else before.hop + 1,
    )
