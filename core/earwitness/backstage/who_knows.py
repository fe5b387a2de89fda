"""Who knows it, since when, and how? By provenance: what the world remembers of it, and who got a share of that.

The world's memories that are about the question are those that hold most of it, rare words counting for more than
common ones (`rarity`); then each character's deliveries of just those are looked up in the ledger. So nobody is said to
know a thing because some other memory of hers is worded alike. Derived memories are facts of their owner's own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..containers import world_container
from ..end.deliveries import strength
from ..engine import Engine
from ..ids import WORLD
from ..live import Live
from ..loading.settings import Calendar
from ..protocols import Store, TermIndex
from ..records.backends import TermHolders
from ..records.learned import Learned, learned
from ..records.memory import Memory, without_words
from ..records.plan import Delivery
from .rarity import NEAR_BEST, TermStatistics, WeightedQuery, asked_terms, word_set
from .records import Knower, WhoKnows

Proof = tuple[Delivery, bool]
"""A delivery, and whether it tells of the fact as world knowledge only."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The world's memories that are about a question."""

    ids: Sequence[str]
    """Their ids."""
    asked: WeightedQuery
    """The question."""
    least: float
    """What a text must hold of it to be about it as much as the world's best memory of it."""

    def about(self, text: str) -> bool:
        """Whether another text is about the question as well."""
        return self.asked.held(word_set(text)) >= self.least


async def who_knows(engine: Engine, live: Live, question: str) -> WhoKnows:
    """Every character: nothing found, or since when and how, and the memory that proves it. Raises `StorageError`."""
    session = live.snapshot.id
    known = await _facts(engine.store, world_container(session).name, question)
    proofs = [*await _proofs(engine, session, known), *await _derived(engine, session, known)]
    calendar = engine.settings.calendar
    of_each: dict[str, list[Proof]] = {}
    for delivery, told_along in proofs:
        if delivery.status == "applied" and delivery.owner != WORLD:
            of_each.setdefault(delivery.owner, []).append((delivery, told_along))
    knowers = {id: _knower(id, of_each.get(id, []), calendar) for id in live.snapshot.cast.ids}
    return WhoKnows(question=question, knowers=knowers)


async def _facts(store: Store, world: str, question: str) -> Facts:
    """The world's memories that are about the question.

    A store without an index of terms is read as a whole: that says how rare a word is.
    """
    if isinstance(store, TermIndex):
        return facts_among(await store.holders(world, asked_terms(question)), question)
    memories = await store.list(world)
    return await asyncio.to_thread(facts_among_all, memories, question)


def facts_among(holders: TermHolders, question: str) -> Facts:
    """The facts, by who holds the terms of the question. Pure."""
    asked = WeightedQuery(
        question, TermStatistics(holders.count, {term: len(ids) for term, ids in holders.ids.items()})
    )
    held_by: dict[str, int] = {}  # id → a bit for each term that it holds, as most hold the same few
    for place, ids in enumerate(holders.ids.values()):
        for id in ids:
            held_by[id] = held_by.get(id, 0) | 1 << place
    held = {bits: asked.held(_of_bits(bits, holders.ids)) for bits in set(held_by.values())}
    least = NEAR_BEST * max(held.values(), default=0.0)
    facts = [id for id, bits in held_by.items() if held[bits] and held[bits] >= least]
    return Facts(facts, asked, least)


def _of_bits(bits: int, terms: Iterable[str]) -> set[str]:
    return {term for place, term in enumerate(terms) if bits >> place & 1}


def facts_among_all(world: Sequence[Memory], question: str) -> Facts:
    """The facts, by reading every memory of the world. Pure."""
    ids: dict[str, list[str]] = {term: [] for term in asked_terms(question)}
    for memory in world:
        for term in word_set(memory.content) & ids.keys():
            ids[term].append(memory.id)
    holders = {term: tuple(found) for term, found in ids.items()}
    return facts_among(TermHolders(count=len(world), ids=holders), question)


async def _proofs(engine: Engine, session: str, known: Facts) -> list[Proof]:
    """Deliveries about the facts, and whether each only tells of them as world knowledge."""
    if not known.ids:
        return []
    ledger, facts = engine.ledger, known.ids
    sources = {each.source for each in await ledger.deliveries(session, memory_ids=facts)}
    all_copies = await ledger.deliveries(session, sources=sorted(sources))
    copies = [each for each in all_copies if known.about(each.body)]  # who heard a part may have missed it
    citing = await ledger.citing(session, facts)
    tellings = await ledger.deliveries(session, memory_ids=citing) if citing else ()
    told = [each for each in tellings if each.cites & set(facts)]
    return [*((each, False) for each in copies), *((each, True) for each in told)]


async def _derived(engine: Engine, session: str, known: Facts) -> list[Proof]:
    """Derived memories about the question: the world need not know of them."""
    found = await engine.ledger.deliveries(session, derived=True, status="applied")
    held = [(each, known.asked.held(word_set(each.body))) for each in found]
    least = max(known.least, NEAR_BEST * max((share for _, share in held), default=0.0))
    return [(each, False) for each, share in held if share and share >= least]


def _knower(id: str, proofs: Sequence[Proof], calendar: Calendar) -> Knower:
    if not proofs:
        return Knower(character=id)
    delivery, told_along = min(proofs, key=lambda each: (each[1], *strength(each[0])))
    news = "\n".join(line.text for line in delivery.knowledge)
    return Knower(
        character=id,
        learned=Learned(way="news") if told_along else learned_by(delivery),
        since=delivery.support.learned_day,
        memory_id=delivery.memory_id,
        text=news if told_along else without_words(delivery.body, delivery.metadata),
        calendar=calendar,
    )


def learned_by(delivery: Delivery) -> Learned:
    """How a delivery let its owner know."""
    return learned(delivery.metadata, delivery.support.how, delivery.support.shared_from)
