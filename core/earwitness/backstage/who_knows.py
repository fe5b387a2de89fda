"""Who knows it, since when, and how? By provenance: what the world remembers of it, and who got a share of that.

The world's memories that are about the question are found by search and by the share of the question's words they hold
(`words.coverage`); then each character's deliveries of just those are looked up in the ledger. So nobody is said to
know a thing because some other memory of hers is worded alike.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..containers import world_container
from ..end.apply import strength
from ..end.world import cites
from ..engine import Engine
from ..ids import WORLD
from ..live import Live
from ..records.memory import Memory
from ..records.plan import Delivery
from ..words import coverage
from .records import Knower, WhoKnows

LEAST = 0.5
NEAR_BEST = 0.8
CANDIDATES = 50


async def who_knows(engine: Engine, live: Live, question: str) -> WhoKnows:
    """Every character: nothing found, or since when and how, and the memory that proves it. Raises `StorageError`."""
    facts = await facts_about(engine, live.snapshot.id, question)
    least = min((coverage(question, fact.content) for fact in facts), default=LEAST)
    proofs = await _proofs(engine, live.snapshot.id, [fact.id for fact in facts], question, least)
    return WhoKnows(
        question=question, knowers={id: _knower(id, proofs.get(id, [])) for id in live.snapshot.cast.ids}
    )  # fmt: skip


async def facts_about(engine: Engine, session: str, question: str) -> list[Memory]:
    """The world's memories that are about the question, best first."""
    world = world_container(session).name
    found = [hit.memory for hit in await engine.store.search(world, question, limit=CANDIDATES)]
    covered = [(coverage(question, memory.content), memory) for memory in found]
    least = max(LEAST, NEAR_BEST * max((share for share, _ in covered), default=0.0))
    about = [(share, memory) for share, memory in covered if share >= least]
    return [memory for _, memory in sorted(about, key=lambda each: -each[0])]


async def _proofs(
    engine: Engine, session: str, facts: Sequence[str], question: str, least: float
) -> dict[str, list[tuple[Delivery, bool]]]:
    """Character id → applied deliveries about the facts, and whether each only tells of them as world knowledge."""
    if not facts:
        return {}
    ledger = engine.ledger
    sources = {each.source for each in await ledger.deliveries(session, memory_ids=facts)}
    all_copies = await ledger.deliveries(session, sources=sorted(sources))
    copies = [
        each for each in all_copies if coverage(question, each.body) >= least
    ]  # who heard a part may have missed it
    citing = await ledger.citing(session, facts)
    tellings = await ledger.deliveries(session, memory_ids=citing) if citing else ()
    told = [each for each in tellings if cites(each) & set(facts)]
    proofs: dict[str, list[tuple[Delivery, bool]]] = {}
    for each, told_along in (*((each, False) for each in copies), *((each, True) for each in told)):
        if each.status == "applied" and each.owner != WORLD:
            proofs.setdefault(each.owner, []).append((each, told_along))
    return proofs


def _knower(id: str, proofs: Sequence[tuple[Delivery, bool]]) -> Knower:
    if not proofs:
        return Knower(character=id)
    delivery, told_along = min(proofs, key=lambda each: (each[1], *strength(each[0])))
    text = "\n".join(line.text for line in delivery.knowledge) if told_along else delivery.body
    return Knower(
        character=id, how=how(delivery, told_along), since=delivery.support.learned_day,
        memory_id=delivery.memory_id, text=text,
    )  # fmt: skip


def how(delivery: Delivery, told_along: bool = False) -> str:
    """In words, how a delivery let its owner know."""
    support, speaker = delivery.support, delivery.metadata.get("speaker")
    if told_along:
        return "learned it as news of the world"
    if delivery.metadata.get("permanent"):
        return "knew it before the story"
    if delivery.metadata.get("isSpeaker"):
        return "said it"
    match support.how:
        case "shared":
            return f"was told by {support.shared_from or 'somebody'}"
        case "witnessed":
            return f"witnessed {speaker} saying it"
        case "direct":
            return f"heard it from {speaker}"
