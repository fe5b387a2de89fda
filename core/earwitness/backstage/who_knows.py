"""Who knows it, since when, and how? By provenance: what the world remembers of it, and who got a share of that.

The world's memories that are about the question are those that hold most of it, rare words counting for more than
common ones (`rarity`); then each character's deliveries of just those are looked up in the ledger. So nobody is said to
know a thing because some other memory of hers is worded alike.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from ..containers import world_container
from ..end.reconciliation import strength
from ..engine import Engine
from ..ids import WORLD
from ..live import Live
from ..loading.settings import Calendar
from ..records.learned import Learned, learned
from ..records.memory import Memory, without_words
from ..records.plan import Delivery
from .rarity import NEAR_BEST, TermStatistics, WeightedQuery, word_set
from .records import Knower, WhoKnows

About = Callable[[str], bool]
"""Whether a text is about what was asked, as much as the world's best memory of it."""


async def who_knows(engine: Engine, live: Live, question: str) -> WhoKnows:
    """Every character: nothing found, or since when and how, and the memory that proves it. Raises `StorageError`.

    Reads the whole world container: that says how rare a word is.
    """
    session = live.snapshot.id
    world = await engine.store.list(world_container(session).name)
    facts, about = await asyncio.to_thread(facts_about, world, question)
    proofs = await _proofs(engine, session, [fact.id for fact in facts], about)
    calendar = engine.settings.calendar
    knowers = {id: _knower(id, proofs.get(id, []), calendar) for id in live.snapshot.cast.ids}
    return WhoKnows(question=question, knowers=knowers)


def facts_about(world: Sequence[Memory], question: str) -> tuple[list[Memory], About]:
    """The world's memories that are about the question, and what tells whether another text is. Pure."""
    sets = [word_set(memory.content) for memory in world]
    asked = WeightedQuery(question, TermStatistics.of(sets))
    held = [asked.held(words) for words in sets]
    least = NEAR_BEST * max(held, default=0.0)
    facts = [memory for memory, share in zip(world, held, strict=True) if share and share >= least]
    return facts, lambda text: asked.held(word_set(text)) >= least


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
