"""Who knows it, since when, and how? By provenance: what the world remembers of it, and who got a share of that.

The world's memories that are about the question are those that hold most of it, rare words counting for more than
common ones (`rarity`); then each character's deliveries of just those are looked up in the ledger. So nobody is said to
know a thing because some other memory of hers is worded alike.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from ..containers import world_container
from ..end.deliveries import strength
from ..engine import Engine
from ..ids import WORLD
from ..live import Live
from ..loading.settings import Calendar
from ..protocols import Store, TermHolders, TermIndex
from ..records.learned import Learned, learned
from ..records.memory import Memory, without_words
from ..records.plan import Delivery
from .rarity import NEAR_BEST, TermStatistics, WeightedQuery, asked_terms, word_set
from .records import Knower, WhoKnows

About = Callable[[str], bool]
"""Whether a text is about what was asked, as much as the world's best memory of it."""


async def who_knows(engine: Engine, live: Live, question: str) -> WhoKnows:
    """Every character: nothing found, or since when and how, and the memory that proves it. Raises `StorageError`."""
    session = live.snapshot.id
    facts, about = await _facts(engine.store, world_container(session).name, question)
    proofs = await _proofs(engine, session, facts, about)
    calendar = engine.settings.calendar
    knowers = {id: _knower(id, proofs.get(id, []), calendar) for id in live.snapshot.cast.ids}
    return WhoKnows(question=question, knowers=knowers)


async def _facts(store: Store, world: str, question: str) -> tuple[list[str], About]:
    """Ids of the world's memories that are about the question, and what tells whether another text is.

    A store without an index of terms is read as a whole: that says how rare a word is.
    """
    if isinstance(store, TermIndex):
        return facts_among(await store.holders(world, asked_terms(question)), question)
    memories = await store.list(world)
    return await asyncio.to_thread(facts_among_all, memories, question)


def facts_among(holders: TermHolders, question: str) -> tuple[list[str], About]:
    """The facts, by who holds the terms of the question. Pure."""
    asked = WeightedQuery(
        question, TermStatistics(holders.count, {term: len(ids) for term, ids in holders.ids.items()})
    )
    terms_of: dict[str, tuple[str, ...]] = {}
    for term, ids in holders.ids.items():
        for id in ids:
            terms_of[id] = (*terms_of.get(id, ()), term)
    held = {terms: asked.held(terms) for terms in set(terms_of.values())}
    least = NEAR_BEST * max(held.values(), default=0.0)
    facts = [id for id, terms in terms_of.items() if held[terms] and held[terms] >= least]
    return facts, lambda text: asked.held(word_set(text)) >= least


def facts_among_all(world: Sequence[Memory], question: str) -> tuple[list[str], About]:
    """The facts, by reading every memory of the world. Pure."""
    ids: dict[str, list[str]] = {term: [] for term in asked_terms(question)}
    for memory in world:
        for term in word_set(memory.content) & ids.keys():
            ids[term].append(memory.id)
    holders = {term: tuple(found) for term, found in ids.items()}
    return facts_among(TermHolders(count=len(world), ids=holders), question)


async def _proofs(
    engine: Engine, session: str, facts: Sequence[str], about: About
) -> dict[str, list[tuple[Delivery, bool]]]:
    """Character id → applied deliveries about the facts, and whether each only tells of them as world knowledge."""
    if not facts:
        return {}
    ledger = engine.ledger
    sources = {each.source for each in await ledger.deliveries(session, memory_ids=facts)}
    all_copies = await ledger.deliveries(session, sources=sorted(sources))
    copies = [each for each in all_copies if about(each.body)]  # who heard a part may have missed it
    citing = await ledger.citing(session, facts)
    tellings = await ledger.deliveries(session, memory_ids=citing) if citing else ()
    told = [each for each in tellings if each.cites & set(facts)]
    proofs: dict[str, list[tuple[Delivery, bool]]] = {}
    for each, told_along in (*((each, False) for each in copies), *((each, True) for each in told)):
        if each.status == "applied" and each.owner != WORLD:
            proofs.setdefault(each.owner, []).append((each, told_along))
    return proofs


def _knower(id: str, proofs: Sequence[tuple[Delivery, bool]], calendar: Calendar) -> Knower:
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
