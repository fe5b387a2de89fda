"""The guard `relationships`: hard rules on each read, marks of discretion, and strikes of what nobody could ever read.

Permanent memories, and a personality's own canon, are withheld nowhere.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from earwitness import PlanEvent, ReadAnswer, ReadEvent, Settings, Strike
from earwitness.filters import NOTHING, Not, equals
from earwitness.ids import PREFIXES, WORLD
from earwitness.records.channel import STRICTNESS, context_of, strictness
from earwitness.records.plan import Delivery

from ..bubble_mark import BubbleMark, KnownInside, mark_of
from ..settings import RelationshipsSettings
from . import discretion
from .loosenings import loosenings
from .place import indiscreet, readable
from .reader import place_of, users_facts
from .table import CONTEXTS, privacy_table

CANON = "global_canon"
KNOWN: Mapping[str, KnownInside] = {CANON: "global", "persona": "personal", "user": "users", "pantheon": "pantheons"}
"""Kind of container → what of ordinary life it is to a bubble."""
KNOWN_EVERYWHERE = Not(equals("contextType", "dm"))
"""The filter of global canon: earlier versions could put into it what was said in a direct message."""
BY_HAND = "written by hand"
"""The rule of memories that a host writes."""
OWNED = "only its owner writes global canon"
BUBBLE = "what happens in a bubble stays in it"
UNREADABLE = "nobody could ever read it: it was learned in {context!r}"
LOOSER = "it rests on what was learned in {strict!r}, and says {context!r}"


class PrivacyGuard:
    """Lets a memory be read where the table of privacy allows it, and nowhere else."""

    def __init__(self, *, settings: Settings) -> None:
        privacy = settings.table(RelationshipsSettings).privacy
        self._table = privacy_table(privacy)
        self._indiscreet_ways = tuple(privacy.discretion)
        self._buried = frozenset(context for context in CONTEXTS if self._table.is_buried(context))

    def filter(self, event: ReadEvent) -> ReadAnswer:
        """What may be read where the reader is about to speak, and what of it must not be said there."""
        mark = mark_of(event.state)
        if mark is not None and event.kind != "character" and not _is_known(event.kind, mark):
            return ReadAnswer(filter=NOTHING)
        if event.kind == CANON:
            return ReadAnswer(filter=KNOWN_EVERYWHERE)
        place, loosened = place_of(event), loosenings(event.state)
        allowed = users_facts(event) if event.kind == "user" else readable(self._table, place, loosened)
        unsayable = indiscreet(place, self._indiscreet_ways, loosened)
        if unsayable == NOTHING:
            return ReadAnswer(filter=allowed)
        return ReadAnswer(filter=allowed, unsayable=unsayable, reason=discretion.REASON, note=discretion.note(event))

    def strike(self, event: PlanEvent) -> Sequence[Strike]:
        """What is passed on although nobody could ever read it, or without the privacy of what it rests on."""
        deliveries = event.plan.deliveries
        beyond = [each for each in deliveries if each.beyond_session]
        walled = beyond if mark_of(event.state) is not None else []
        reasons: dict[str, str | None] = {each.id: OWNED for each in beyond if _is_owners(each)}
        reasons |= {each.id: BUBBLE for each in walled}
        contexts = {each.memory_id: context_of(each.metadata) for each in deliveries}
        buried = self._buried - {each.learned for each in loosenings(event.state)}
        if len(found := {*contexts.values()}) > 1 or found & buried or not found <= STRICTNESS.keys():
            reasons = {each.id: _why(each, contexts, buried) for each in deliveries if _is_passed_on(each)} | reasons
        return [Strike(delivery_id=id, reason=why) for id, why in reasons.items() if why]


def _is_known(kind: str, mark: BubbleMark) -> bool:
    """Whether a kind of container is known in a bubble. What was told in hubs is part of the story, as copies are."""
    return KNOWN.get(kind) in mark.knows or (kind == "pantheon" and "story" in mark.knows)


def _why(delivery: Delivery, contexts: Mapping[str, str], buried: Collection[str]) -> str | None:
    """Why a delivery must not happen, given the contexts of all memories of the plan."""
    context = contexts[delivery.memory_id]
    if context not in STRICTNESS or context in buried:
        return UNREADABLE.format(context=context)
    grounds = (contexts.get(id, context) for id in (delivery.support.via, *delivery.rests_on) if id is not None)
    strict = max(grounds, key=strictness, default=context)
    return LOOSER.format(strict=strict, context=context) if strictness(strict) > strictness(context) else None


def _is_owners(delivery: Delivery) -> bool:
    """Whether somebody proposes what only its owner may write."""
    is_canon = delivery.beyond_session and delivery.container.startswith(PREFIXES[CANON])
    return is_canon and delivery.support.rule != BY_HAND


def _is_passed_on(delivery: Delivery) -> bool:
    if delivery.owner == WORLD or not delivery.is_active or delivery.container.startswith(PREFIXES[CANON]):
        return False
    return delivery.support.how != "direct" or bool(delivery.rests_on)
