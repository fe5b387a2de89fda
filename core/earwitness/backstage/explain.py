"""Explains how a character knows something: follows a memory's supports back to the one who perceived it first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import by_hand
from ..containers import character_container, world_container
from ..end.withheld import is_withheld
from ..engine import Engine
from ..errors import NotPermitted, UnknownName
from ..extras import HandWritten
from ..formats import with_knowledge
from ..ids import WORLD
from ..protocols import Ledger
from ..records.character import Cast
from ..records.memory import Memory
from ..records.plan import Delivery, Status
from .records import Cited, Explanation, Hop, NotArrived, Origin

MOST_NOT_ARRIVED = 100
"""Tellings of each kind that an explanation lists."""


async def explain(engine: Engine, session: str, cast: Cast, memory_id: str) -> Explanation:
    """The whole provenance of a memory, and what its owner has told on that is on its way or was struck.

    Of a shared memory that another session wrote, only what its metadata keeps. Raises `UnknownName` for an id that
    neither this session nor a container shared with its cast ever had.
    """
    if found := await _explained(engine, session, memory_id, frozenset()):
        late = await _not_arrived(engine, session, found)
        return (await _as_changed(engine, session, found)).model_copy(update={"not_arrived": late})
    for name in await shared_with(engine.ledger, cast):
        for memory in await engine.reading_in_time.get(name, [memory_id]):
            return await _written_elsewhere(engine, memory)
    if held := await by_hand.held(engine.reading_in_time, session, cast, memory_id):
        return await _written_by_hand(engine, *held)
    raise UnknownName(f"no memory {memory_id!r} in session {session!r}: `inspect` lists ids.")


async def explain_own(engine: Engine, session: str, persona: str, memory_id: str) -> Explanation:
    """How a persona came to have a memory, as its player may see it: from whom and when, without what others remember.

    Raises `NotPermitted` for any id that is not in the persona's container, whether it is anywhere else or not.
    """
    own = character_container(session, persona).name
    found = [each for each in await _deliveries(engine, session, memory_id) if each.container == own]
    known = [each for each in found if each.status in {"applied", "archived"}]
    for memory in () if found else await engine.reading_in_time.get(own, [memory_id]):
        return await _written_by_hand(engine, persona, memory)
    if not known:
        raise NotPermitted(f"role 'player' may have a memory explained only if {persona!r} has it, not {memory_id!r}.")
    lines = dict.fromkeys(line.text for each in known for line in each.knowledge)
    explanation = await _put_together(engine, known, [_own_hop(engine, each) for each in known])
    return explanation.model_copy(update={"knowledge": tuple(Cited(text=text, rests_on=()) for text in lines)})


def _own_hop(engine: Engine, delivery: Delivery) -> Hop:
    return Hop(
        how=delivery.support.how,
        learned=delivery.learned,
        status=delivery.status,
        learned_day=delivery.support.learned_day,
        shared_from=delivery.shared_from,
        trust=delivery.support.trust,
        calendar=engine.settings.calendar,
    )


async def shared_with(ledger: Ledger, cast: Cast) -> list[str]:
    """Names of the containers beyond sessions that somebody in the cast may read on some day."""
    held = [each for member in cast for each in await ledger.memberships(member=member.personality_id)]
    found = await ledger.claimed(sorted({each.container for each in held})) if held else ()
    return [each.name for each in found if each.session is None]


async def _written_elsewhere(engine: Engine, memory: Memory) -> Explanation:
    """The explanation of a shared memory, by its own metadata."""
    session = memory.metadata.get("sessionId")
    writer = str(session) if isinstance(session, str) else None
    forgotten = writer is not None and await engine.ledger.load(writer) is None
    teller = memory.metadata.get("sharedFrom")
    day = next((each for each in (memory.learned_day, memory.game_day) if each is not None), 0.0)
    hop = Hop(
        how=str(memory.metadata.get("interactionType", "direct")),
        learned=memory.learned,
        status="applied",
        learned_day=day,
        shared_from=teller if isinstance(teller, str) else None,
        calendar=engine.settings.calendar,
    )
    return Explanation(
        memory_id=memory.id,
        owner=memory.container,
        origin=Origin(session=writer, forgotten=forgotten),
        metadata=memory.metadata,
        alive=True,
        content=memory.content,
        supports=(hop,),
        calendar=engine.settings.calendar,
    )


async def _written_by_hand(engine: Engine, owner: str, memory: Memory) -> Explanation:
    """The explanation of a memory that only the store knows."""
    origin = Origin(session=None, forgotten=False, by_hand=by_hand.place(engine.store, memory.container))
    return (await _written_elsewhere(engine, memory)).model_copy(update={"owner": owner, "origin": origin})


async def _as_changed(engine: Engine, session: str, found: Explanation) -> Explanation:
    """The explanation with the text as a person changed it in the store, if somebody did."""
    if not found.alive or not isinstance(engine.store, HandWritten):
        return found
    of_world = found.owner == WORLD
    container = world_container(session) if of_world else character_container(session, found.owner)
    for memory in await engine.reading_in_time.get(container.name, [found.memory_id]):
        if memory.metadata.get(by_hand.BY_HAND) is True:
            origin = Origin(session=None, forgotten=False, by_hand=engine.store.place(container.name))
            return found.model_copy(update={"content": memory.content, "origin": origin})
    return found


async def _explained(engine: Engine, session: str, memory_id: str, seen: frozenset[str]) -> Explanation | None:
    deliveries = await _deliveries(engine, session, memory_id)
    if not deliveries or memory_id in seen:
        return None
    supports = [await _hop(engine, each, seen | {memory_id}) for each in deliveries]
    active = [each for each in deliveries if each.is_active] or deliveries
    more = {
        "knowledge": await _cited(engine, session, active),
        "rests_on": await _grounds(engine, session, active, seen | {memory_id}),
    }
    return (await _put_together(engine, deliveries, supports)).model_copy(update=more)


async def _deliveries(engine: Engine, session: str, memory_id: str) -> Sequence[Delivery]:
    return await engine.ledger.deliveries(session, memory_ids=[memory_id])


async def _put_together(engine: Engine, deliveries: Sequence[Delivery], supports: Sequence[Hop]) -> Explanation:
    """The explanation of one memory by its deliveries, without what came with it and what it rests on."""
    first = next((each for each in deliveries if each.is_active), deliveries[0])
    entry = await engine.ledger.entry(first.session, key=first.source)
    return Explanation(
        memory_id=first.memory_id,
        owner=first.owner,
        source=first.source,
        alive=any(each.is_active for each in deliveries),
        supports=tuple(supports),
        sequence=entry.sequence if entry else first.sequence,
        metadata=first.metadata,
        content=with_knowledge(first.body, [line.text for line in first.knowledge]),
        calendar=engine.settings.calendar,
    )


async def _not_arrived(engine: Engine, session: str, found: Explanation) -> tuple[NotArrived, ...]:
    """What was told on from a memory and has not arrived; of a memory of the world, all that has not."""
    onward: Any = {"sources": [found.source]} if found.owner == WORLD else {"via": [found.memory_id]}
    statuses: tuple[Status, ...] = ("pending", "struck", "archived")
    deliveries = [
        each
        for status in statuses
        for each in await engine.ledger.deliveries(session, status=status, limit=MOST_NOT_ARRIVED, **onward)
    ]
    late = [each for each in deliveries if each.status != "archived" or is_withheld(each)]
    return tuple(_on_its_way(engine, each) for each in late if each.owner != WORLD)


def _on_its_way(engine: Engine, delivery: Delivery) -> NotArrived:
    return NotArrived(
        character=delivery.owner,
        memory_id=delivery.memory_id,
        teller=delivery.support.shared_from,
        day=delivery.due,
        rule=delivery.support.rule,
        reason=(delivery.reason or "") if delivery.status == "struck" else None,
        waits=delivery.reason if is_withheld(delivery) else None,
        calendar=engine.settings.calendar,
    )


async def _grounds(
    engine: Engine, session: str, deliveries: Sequence[Delivery], seen: frozenset[str]
) -> tuple[Explanation, ...]:
    ids = dict.fromkeys(id for each in deliveries for id in each.rests_on)
    found = [await _explained(engine, session, id, seen) for id in ids]
    return tuple(each for each in found if each is not None)


async def _hop(engine: Engine, delivery: Delivery, seen: frozenset[str]) -> Hop:
    support = delivery.support
    via = await _explained(engine, delivery.session, support.via, seen) if support.via else None
    return Hop(
        how=support.how,
        learned=None if delivery.owner == WORLD else delivery.learned,
        status=delivery.status,
        learned_day=support.learned_day,
        shared_from=support.shared_from,
        rule=support.rule,
        reason=delivery.reason,
        trust=support.trust,
        via=via,
        calendar=engine.settings.calendar,
    )


async def _cited(engine: Engine, session: str, deliveries: Sequence[Delivery]) -> tuple[Cited, ...]:
    lines = {line: None for each in deliveries for line in each.knowledge}
    ids = sorted({id for line in lines for id in line.cites})
    world = world_container(session).name
    found = await engine.ledger.deliveries(session, memory_ids=ids, container=world) if ids else ()
    contents = {each.memory_id: each.body for each in found}
    return tuple(
        Cited(text=line.text, rests_on=tuple(contents[id] for id in line.cites if id in contents)) for line in lines
    )
