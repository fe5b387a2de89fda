"""Derived memories: from a fact, a summary or a note, and the memories it rests on, to its plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..containers import SESSION_KINDS, Container, character_container, world_container
from ..engine import Engine
from ..formats import as_said, harmless, metadata_key
from ..ids import WORLD, memory_id
from ..live import Live
from ..protocols import Ledger
from ..records.character import Cast
from ..records.derived import Derivation
from ..records.journal import Derived, Entry
from ..records.memory import Support
from ..records.memory_types import MetaValue
from ..records.plan import DERIVED, Answer, Delivery, Plan, grouped
from .change import guarded_now
from .derivations import problem

# ── container and grounds ───────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Grounds:
    """The grounds of a derived memory, as the ledger has them."""

    memory_ids: tuple[str, ...] = ()
    since: float = float("-inf")
    """The first game day on which all of them are known."""
    unknown: str | None = None
    """The first of them that this session does not have."""
    gone: str | None = None
    """The first of them that was retracted."""


async def container_of(ledger: Ledger, session: str, cast: Cast, derivation: Derivation) -> Container | None:
    """The container of a derived memory; `None` if this session may not write to any that fits."""
    if derivation.container is not None:
        found = await ledger.claimed([derivation.container])
        return next((each for each in found if each.session in {None, session}), None)
    if derivation.owner == WORLD:
        return world_container(session)
    owner = cast.resolve(str(derivation.owner))
    return character_container(session, owner.id) if owner else None


def nobodys(cast: Cast, derivation: Derivation) -> str:
    """Why a derived memory has no container, in one sentence."""
    if derivation.container is not None:
        return f"its container {derivation.container!r} is not registered, or belongs to another session"
    return f"its owner {derivation.owner!r} is not one of {', '.join((*cast.ids, WORLD))}"


async def grounds_of(ledger: Ledger, session: str, container: str, rests_on: Sequence[str]) -> Grounds:
    """The grounds by memory id or key. A key means the memories of it in this container, else in the world's."""
    if not rests_on:
        return Grounds()
    by_id = _by(await ledger.deliveries(session, memory_ids=rests_on), "memory_id")
    keys = [each for each in rests_on if each not in by_id]
    by_key = _by(await ledger.deliveries(session, sources=keys), "source") if keys else {}
    unknown = next((each for each in keys if each not in by_key), None)
    found = {each: _kept(by_id.get(each) or by_key.get(each, ()), container, key=each in by_key) for each in rests_on}
    gone = next((each for each, kept in found.items() if not kept), None)
    memories = grouped([each for kept in found.values() for each in kept], lambda each: each.memory_id)
    since = max((min(each.due for each in group) for group in memories), default=float("-inf"))
    return Grounds(tuple(group[0].memory_id for group in memories), since, unknown, gone)


def _by(deliveries: Iterable[Delivery], field: str) -> Mapping[str, Sequence[Delivery]]:
    return {getattr(group[0], field): group for group in grouped(deliveries, lambda each: str(getattr(each, field)))}


def _kept(deliveries: Iterable[Delivery], container: str, *, key: bool) -> Sequence[Delivery]:
    kept = [each for each in deliveries if each.is_kept]
    if not key:
        return kept
    own = [each for each in kept if each.container == container]
    world = [each for each in kept if each.owner == WORLD]
    return own or [each for each in world if each.part == "message"] or world


# ── the plan ─────────────────────────────────────────────────────────────────────────────────────────────────────────


async def derived(engine: Engine, live: Live, entry: Entry, body: Derived) -> Plan:
    """The plan of a derived memory: one delivery, struck if one of its grounds is gone."""
    derivation, session = body.derivation, live.snapshot.id
    if why := problem(derivation):
        return undelivered(entry, derivation.rule, why)
    container = await container_of(engine.ledger, session, live.snapshot.cast, derivation)
    if container is None:
        return undelivered(entry, derivation.rule, nobodys(live.snapshot.cast, derivation))
    grounds = await grounds_of(engine.ledger, session, container.name, derivation.rests_on)
    today = live.snapshot.state.game_day
    delivery = of_derivation(entry, derivation, container, grounds, today)
    plan = Plan(session=session, sequence=entry.sequence, key=entry.key, deliveries=(delivery,), due_day=today)
    return await guarded_now(engine, live, plan)


def of_derivation(
    entry: Entry, derivation: Derivation, container: Container, grounds: Grounds, today: float
) -> Delivery:
    """The delivery of a derived memory, due today or once all of its grounds are known. Pure."""
    due = max(today, grounds.since)
    missing = grounds.unknown or grounds.gone
    return Delivery(
        session=entry.session,
        sequence=entry.sequence,
        memory_id=memory_id(entry.session, entry.key, 0, container.name, DERIVED),
        container=container.name,
        owner=container.owner if container.kind in SESSION_KINDS else container.name,
        beyond_session=container.session is None,
        source=entry.key,
        part=DERIVED,
        body=harmless(as_said(derivation.text)),
        rests_on=grounds.memory_ids,
        metadata=_metadata(entry, derivation, container, today),
        support=Support(learned_day=due, rule=derivation.rule or None),
        due=due,
        status="struck" if missing else "pending",
        reason=_missing(grounds),
    )


def undelivered(entry: Entry, by: str, failure: str) -> Plan:
    """The plan of an entry that delivers nothing, with the reason."""
    answer = Answer(by=by or "core", failure=failure)
    return Plan(session=entry.session, sequence=entry.sequence, key=entry.key, answers=(answer,), degraded=True)


def _metadata(entry: Entry, derivation: Derivation, container: Container, today: float) -> dict[str, MetaValue]:
    given = {metadata_key(key): value for key, value in derivation.metadata.items()}
    own: dict[str, MetaValue] = {"type": derivation.type, "gameDay": today, "timestamp": entry.timestamp}
    return {**given, **own} if container.session else {**given, **own, "sessionId": entry.session}


def _missing(grounds: Grounds) -> str | None:
    if grounds.unknown is not None:
        return f"it rests on {grounds.unknown!r}, which this session does not have"
    return None if grounds.gone is None else f"it rests on {grounds.gone!r}, which was taken back"
