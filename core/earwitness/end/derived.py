"""Derived memories: from a fact, a summary or a note, and the memories it rests on, to its plan."""

from __future__ import annotations

from collections.abc import Sequence

from ..containers import SESSION_KINDS, Container, Membership
from ..engine import Engine
from ..formats import as_said, harmless, metadata_key
from ..ids import MemoryIds
from ..live import Live
from ..protocols import Ledger
from ..records.channel import WHERE, context_of, learned_channel, shared_channel, strictness
from ..records.derived import Derivation
from ..records.journal import Derived, Entry
from ..records.memory import Support
from ..records.memory_types import REPLACES, MetaValue
from ..records.plan import DERIVED, Answer, Delivery, Plan
from .archive import as_archived_in_hub
from .change import guarded_now
from .derivations import problem
from .grounds import Grounds, container_of, grounds_of, nobodys, with_teller
from .hub_arrivals import day_came, with_late_arrival
from .hub_grounds import read_in_hubs, without_struck_grounds
from .knowers import readers_of
from .replacements import with_replaced_archived

OWNER_FIELDS = {"persona": "personaId", "user": "userId", "global_canon": "personalityId"}
"""Kind of container → the metadata that names its owner."""


async def derived(engine: Engine, live: Live, entry: Entry, body: Derived) -> Plan:
    """The plan of a derived memory: one delivery, struck if one of its grounds is gone. Where one is kept from somebody
    who must know it, what is to be written instead is delivered, too."""
    session, today = live.snapshot.id, live.snapshot.state.game_day
    read = await read_in_hubs(engine, live, entry, body.derivation)
    made_on = today if body.day is None else body.day
    found = await _delivery(engine, live, entry, body.derivation, made_on, read)
    if isinstance(found, str):
        return undelivered(entry, body.derivation.rule, found)
    delivery, grounds = found
    others: list[Delivery] = []
    if grounds.kept is not None:
        made = [await _delivery(engine, live, entry, each, made_on) for each in body.derivation.instead]
        others = [each[0] for each in made if not isinstance(each, str)]
    deliveries = (*read, delivery, *others)
    plan = Plan(session=session, sequence=entry.sequence, key=entry.key, deliveries=deliveries, due_day=today)
    came = await day_came(engine, live, entry, delivery)
    then, channel = None if came is None else came.told, learned_channel(delivery.metadata)
    plan = await guarded_now(engine, live, plan, then, channel=channel)
    plan = await with_late_arrival(engine, live, entry, without_struck_grounds(plan), came)
    return await with_replaced_archived(engine.ledger, plan, body, today)


async def _delivery(
    engine: Engine, live: Live, entry: Entry, derivation: Derivation, made_on: float, read: Sequence[Delivery] = ()
) -> tuple[Delivery, Grounds] | str:
    """The delivery of one derivation, made on a game day, and its grounds; or why there can be none. `read` are copies
    of what is read in hubs, delivered with it."""
    ledger, cast = engine.ledger, live.snapshot.cast
    if why := problem(derivation):
        return why
    container = await container_of(ledger, entry.session, cast, derivation)
    if container is None:
        return nobodys(cast, derivation)
    await _opened(ledger, derivation, container)
    knowers, readers = derivation.knowers, readers_of(container, cast)
    grounds = await grounds_of(
        ledger, entry.session, container.name, derivation.rests_on, planned=read, knowers=knowers, readers=readers
    )
    grounds = await with_teller(ledger, entry.session, grounds, derivation)
    delivery = of_derivation(entry, derivation, container, grounds, made_on, live.snapshot.ids)
    if derivation.identity is not None and delivery.support.via is None:
        delivery = await _by_itself(ledger, delivery)
    return await as_archived_in_hub(ledger, delivery), grounds


async def _by_itself(ledger: Ledger, delivery: Delivery) -> Delivery:
    """A support of its own, also if another entry has written the memory in the same way: each can be retracted."""
    found = await ledger.deliveries(delivery.session, memory_ids=[delivery.memory_id])
    is_second = any(each.id == delivery.id and each.source != delivery.source and each.is_kept for each in found)
    return delivery.model_copy(update={"of_other": True}) if is_second else delivery


async def _opened(ledger: Ledger, derivation: Derivation, container: Container) -> None:
    """Register the container with its members, if the memory says so and nobody has."""
    if derivation.registers is None or await ledger.memberships(containers=[container.name]):
        return
    await ledger.register([container])
    await ledger.admit([Membership(container=container.name, member=each) for each in derivation.admits])


def _due(derivation: Derivation, grounds: Grounds, today: float) -> float:
    """The day on which it is learned, once all of its grounds are known."""
    if derivation.replaces:
        return grounds.since  # recalled on an earlier day, as what it replaces was
    due = max(grounds.since, today if derivation.due is None else derivation.due)
    return due if grounds.tellers_memory else max(today, due)  # what somebody told is learned on the day they told it


def of_derivation(
    entry: Entry, derivation: Derivation, container: Container, grounds: Grounds, today: float, ids: MemoryIds
) -> Delivery:
    """The delivery of a derived memory, due once its day has come and all of its grounds are known. Pure."""
    due = _due(derivation, grounds, today)
    missing = grounds.unknown or grounds.gone or grounds.kept
    return Delivery(
        session=entry.session,
        sequence=entry.sequence,
        memory_id=ids.of(_identity(entry, derivation), 0, container.name, DERIVED),
        container=container.name,
        owner=container.owner if container.kind in SESSION_KINDS else container.name,
        beyond_session=container.session is None,
        source=entry.key,
        part=DERIVED,
        body=harmless(as_said(derivation.content)),
        rests_on=grounds.memory_ids,
        metadata=_metadata(entry, derivation, container, today, grounds) | _origin(entry, container, ids),
        support=Support(
            how=derivation.how,
            shared_from=derivation.shared_from,
            via=grounds.tellers_memory,
            rule=derivation.rule or None,
            learned_day=due,
            trust=min(derivation.trust, grounds.trust) if derivation.replaces else derivation.trust,
        ),
        due=due,
        status="struck" if missing else "pending",
        reason=_missing(grounds),
    )


def _identity(entry: Entry, derivation: Derivation) -> str:
    return entry.key if derivation.identity is None else f"#same-{derivation.identity}"


def undelivered(entry: Entry, by: str, failure: str) -> Plan:
    """The plan of an entry that delivers nothing, with the reason."""
    answer = Answer(by=by or "core", failure=failure)
    return Plan(session=entry.session, sequence=entry.sequence, key=entry.key, answers=(answer,), degraded=True)


def _metadata(
    entry: Entry, derivation: Derivation, container: Container, today: float, grounds: Grounds
) -> dict[str, MetaValue]:
    given = _where_learned({metadata_key(key): value for key, value in derivation.metadata.items()}, grounds)
    own: dict[str, MetaValue] = {"type": derivation.type, "gameDay": today, "timestamp": entry.timestamp}
    if derivation.replaces:
        own |= {"gameDay": max(grounds.days), "gameDayFrom": min(grounds.days), REPLACES: len(grounds.memory_ids)}
    if container.kind == "pantheon" and grounds.present is not None:
        own["participants"] = grounds.present  # who was there may be told of it there, as of a copy
    if container.kind == "pantheon" and derivation.shared_from is not None:
        own |= grounds.said  # a prompt says who said it on which day, as of a copy
    if container.kind in OWNER_FIELDS:
        own[OWNER_FIELDS[container.kind]] = container.owner
    return {**given, **own}


def _origin(entry: Entry, container: Container, ids: MemoryIds) -> dict[str, MetaValue]:
    """What a memory beyond all sessions says of where it comes from: its session, and where that one's past began."""
    if container.session is not None:
        return {}
    found: dict[str, MetaValue] = {"sessionId": entry.session}
    return found | {"forkedFrom": ids.forked_from} if ids.forked_from else found


def _where_learned(given: dict[str, MetaValue], grounds: Grounds) -> dict[str, MetaValue]:
    """The metadata, with where it counts as learned: in the channel that it names, if that is at least as strict as
    those of its grounds, and where they are read. What is noted in a stricter channel than a public one stays there."""
    where = grounds.learned_in
    named, learned = strictness(context_of(given)), strictness(context_of(where))
    is_stricter = "contextType" in given and named > learned
    if not where or (is_stricter and context_of(where) == "public_channel"):
        return given
    if is_stricter or (named == learned and given.keys() & {*WHERE}):
        where = shared_channel([where, given])
    return {**{key: value for key, value in given.items() if key not in {"contextType", *WHERE}}, **where}


def _missing(grounds: Grounds) -> str | None:
    if grounds.unknown is not None:
        return f"it rests on {grounds.unknown!r}, which this session does not have"
    if grounds.kept is not None and (grounds.gone is None or grounds.kept.reason is not None):
        return str(grounds.kept)
    return None if grounds.gone is None else f"it rests on {grounds.gone!r}, which was retracted or withheld"
