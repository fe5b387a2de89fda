"""Edits, rerolls and retractions: what they remove, and what replaces it. No later turn is decided again."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ..carried_hubs import carried_keys
from ..containers import character_container, world_container
from ..engine import Engine
from ..formats import as_said
from ..ids import WORLD
from ..live import Live
from ..macros import in_message
from ..protocols import Ledger
from ..records.disguise import in_disguise
from ..records.journal import Archived, Changed, Derived, Entry, Prepared, Retracted, Revised, Transferred
from ..records.message import Message, SettledMessage
from ..records.plan import Delivery, Plan, Withdrawal
from ..records.state import FactsOf, State
from ..records.update import Knowledge
from .applier import Applier
from .archive import still_archived
from .corrected_present import corrected_present
from .derivations import groundless
from .disguises import with_renewals
from .guards import received_by
from .message import Judged, facts_noted, judge, moment_of, planned
from .operations import operations
from .replaced import with_replaced
from .retold import told_by_hand
from .snapshots import snapshot_before
from .whereabouts import folded
from .withdrawals import deliveries_of, of_deliveries, of_memory, of_source
from .world import World

ASIDE = (Revised, Retracted, Derived, Transferred, Archived)
"""Bodies of entries that do not move the story on."""


async def revised(engine: Engine, live: Live, entry: Entry, body: Revised, applier: Applier) -> Plan:
    """The plan of an edit or reroll. The moment of the original message decides who perceives the new text."""
    old = await settled_message(engine.ledger, live.snapshot.id, body.target)
    if old is None or old.retracted:
        return _nothing(live, entry)
    judged = await rejudged(engine, live, _reworded(live, old, body), applier)
    known_before = await _knowledge_before(engine, live, old)
    kept = {id: known_before.get(id, []) for id in judged.settled.participants}
    plan = await planned(engine, live, _with(judged, kept), entry.sequence)
    replaced = await of_source(engine.ledger, live.snapshot.id, body.target, "rerolled" if body.reroll else "edited")
    plan = await with_replaced(engine, live, entry, plan.model_copy(update={"withdrawals": (replaced,)}))
    plan = await _without_whom_it_left(engine, live, entry, plan, old.message)
    plan = await still_archived(engine.ledger, plan, body.target)
    lost = {id: lines for id, lines in known_before.items() if id not in kept}
    return plan.model_copy(
        update={
            "key": entry.key,
            **await _present(engine, live, old.message, judged),
            "news_seen": await _news_to_repeat(engine, live, lost),
            "retold": await told_by_hand(engine.ledger, live.snapshot.id, old.message),
            "due_day": live.snapshot.state.game_day,
        }
    )


def _reworded(live: Live, old: SettledMessage, body: Revised) -> Message:
    """The next revision of a message."""
    said, cast = old.message, in_disguise(live.snapshot.cast, old.disguises)
    return said.model_copy(
        update={
            "content": in_message(as_said(body.content), said.speaker, cast),
            "revision": said.revision + 1,
            "present": said.present if body.present is None else body.present,
            "audience": said.audience if body.audience is None else body.audience,
            "metadata": {**said.metadata, **body.metadata},
        }
    )


async def _without_whom_it_left(engine: Engine, live: Live, entry: Entry, plan: Plan, old: Message) -> Plan:
    """The plan without those who lost the message since: their memory was retracted, or they were forgotten."""
    since = await operations(engine, live, old.sequence, entry.sequence)
    plan = _kept_from(plan, await _taken_from_since(engine, live, plan, old, since))
    forgotten = {id for each in since if isinstance(each.body, Changed) for id in each.body.leaves_cast}
    return _not_naming(_without(plan, forgotten), forgotten)


async def retracted(engine: Engine, live: Live, entry: Entry, body: Retracted) -> Plan:
    """The plan of a retraction, of a message, a change, a preparation, or one memory.

    Retracting the world's copy of a message or of a prepared piece retracts the whole of it.
    """
    source = await _whole(engine, live, body.target)
    settled = await settled_message(engine.ledger, live.snapshot.id, source or body.target)
    target = await engine.ledger.entry(live.snapshot.id, key=source or body.target)
    withdrawals = await _withdrawn(engine, body, target, source, live.snapshot.id)
    message = settled.model_copy(update={"retracted": True, "participants": {}}) if settled else None
    lost = await _knowledge_before(engine, live, settled) if settled else {}
    plan = _nothing(live, entry).model_copy(
        update={
            "withdrawals": withdrawals,
            "message": message,
            "facts": {} if target is None else _facts_left(live.snapshot.state, target.key),
            "news_seen": await _news_to_repeat(engine, live, lost),
            **(
                await (_present(engine, live, settled.message, None) if settled else _change_back(engine, live, target))
            ),
        }
    )
    kept = tuple(each for each in live.snapshot.unmaskings if target is None or each.source != target.key)
    if kept == live.snapshot.unmaskings:
        return plan
    since = None if target is None else target.sequence
    plan = plan.model_copy(update={"unmaskings": kept})
    return await with_renewals(engine.ledger, live.snapshot, plan, since=since)


async def _withdrawn(
    engine: Engine, body: Retracted, target: Entry | None, source: str | None, session: str
) -> tuple[Withdrawal, ...]:
    """What a retraction withdraws: all deliveries of its target, of a source without an entry, or of one memory."""
    ledger, reason = engine.ledger, f"retracted by {body.by}"
    if target is not None and isinstance(target.body, Transferred):
        return (await of_deliveries(ledger, session, await deliveries_of(ledger, target), reason),)
    if target is not None:
        return tuple([await of_source(ledger, session, each, reason) for each in await _sources(engine, target)])
    if source is not None:
        return (await of_source(ledger, session, source, reason),)
    return (await of_memory(ledger, session, body.target, reason),)


async def rejudged(engine: Engine, live: Live, message: Message, applier: Applier) -> Judged:
    """Judge a message as if it were the one said at its place in the journal."""
    then = await snapshot_before(engine, live, message.sequence)
    past = await engine.ledger.messages(live.snapshot.id, before=message.sequence, limit=24)
    moment = moment_of(then, message, past)
    world = World.of(engine, live, then, applier, message.channel)
    return await judge(engine, live, moment, world, earlier=past, keep_news=True)


async def settled_message(ledger: Ledger, session: str, key: str) -> SettledMessage | None:
    """The message with this key, as last settled."""
    found = await ledger.messages(session, keys=[key])
    return found[0] if found else None


async def _knowledge_before(engine: Engine, live: Live, old: SettledMessage) -> Mapping[str, list[Knowledge]]:
    """Character id → the news told with the previous revision. Lines withdrawn since are dropped again on applying."""
    deliveries = await engine.ledger.deliveries(live.snapshot.id, sources=[old.message.key])
    current = [each for each in deliveries if each.is_active and each.revision == old.message.revision]
    return {each.owner: list(each.knowledge) for each in current if each.knowledge}


async def _news_to_repeat(engine: Engine, live: Live, lost: Mapping[str, Sequence[Knowledge]]) -> dict[str, int]:
    """New `news_seen` marks for characters who lose news along with a message.

    News that is still active is told again, in whichever channel it was told.
    """
    cited = {id: {each for line in lines for each in line.cites} for id, lines in lost.items()}
    asked = sorted({each for ids in cited.values() for each in ids})
    found = await engine.ledger.deliveries(live.snapshot.id, memory_ids=asked) if asked else ()
    before = {each.memory_id: each.sequence - 1 for each in found if each.is_active}
    marks = {id: [before[each] for each in ids if each in before] for id, ids in cited.items()}
    first = {id: min(them) for id, them in marks.items() if them}
    seen = live.snapshot.news_seen
    channels = {each: min(seen[each], first[id]) for each in seen if (id := each.partition("\n")[0]) in first}
    return {id: min(seen.get(id, 0), before) for id, before in first.items()} | channels


async def _whole(engine: Engine, live: Live, memory_id: str) -> str | None:
    """The source of the world's copy with this id.

    It is retracted as a whole; otherwise nobody could say who still knows it.
    """
    world = world_container(live.snapshot.id).name
    found = await engine.ledger.deliveries(live.snapshot.id, memory_ids=[memory_id], container=world)
    return next((each.source for each in found if each.is_kept and not each.part.startswith("update-")), None)


async def _sources(engine: Engine, target: Entry) -> list[str]:
    """Source keys of an entry's deliveries and of proposals that rest on it alone.

    A preparation has one for each piece.
    """
    if not isinstance(target.body, Prepared):
        plan = await engine.ledger.plan(target.session, target.sequence)
        carried = (await carried_keys(engine.ledger, target.session, [target.key])).get(target.key, ())
        return [target.key, *carried, *(groundless(plan) if plan else ())]
    return sorted({each.source for each in await deliveries_of(engine.ledger, target) if each.is_active})


async def _taken_from_since(engine: Engine, live: Live, plan: Plan, old: Message, since: Sequence[Entry]) -> set[str]:
    """Ids of characters whose own copy of a message was retracted; no later wording brings it back to them.

    A character forgotten since has no copy left in the ledger, so the memory ids are derived.
    """
    session, ledger = live.snapshot.id, engine.ledger
    plans = [await ledger.plan(session, each.sequence) for each in since if isinstance(each.body, Retracted)]
    ids = {each.memory_id for plan in plans if plan for each in plan.withdrawals if each.memory_id}
    own = {each.owner: character_container(session, each.owner).name for each in plan.deliveries if each.owner != WORLD}
    wordings, derived = range(old.revision + 1), live.snapshot.ids
    return {id for id, name in own.items() if any(derived.of(old.key, n, name, "message") in ids for n in wordings)}


def _kept_from(plan: Plan, owners: Collection[str]) -> Plan:
    """The plan without deliveries to these owners, or to others who know only through them.

    The owners hear nothing of it.
    """
    if not owners or plan.message is None:
        return plan
    others = [each for each in plan.deliveries if each.owner not in owners]
    known = {each.memory_id for each in others if each.support.via is None}
    while more := {each.memory_id for each in others if each.support.via in known} - known:
        known |= more
    kept = tuple(each for each in others if each.support.via is None or each.support.via in known)
    return _without(plan.model_copy(update={"deliveries": kept}), owners)


def _without(plan: Plan, owners: Collection[str]) -> Plan:
    """The plan without deliveries to these owners. They hear nothing of the message, and no copy names them."""
    if not owners or plan.message is None:
        return plan
    nothing = {id: "" for id in plan.message.participants if id in owners}
    message = plan.message.model_copy(update={"heard": {**plan.message.heard, **nothing}})
    kept = tuple(each for each in plan.deliveries if each.owner not in owners)
    return plan.model_copy(update={"deliveries": received_by(message, kept), "message": message})


def _not_naming(plan: Plan, forgotten: Collection[str]) -> Plan:
    """The plan with these ids removed from the audiences of its updates: whoever has such an id today was not there."""
    return plan.model_copy(update={"deliveries": tuple(_unaddressed(each, forgotten) for each in plan.deliveries)})


def _unaddressed(delivery: Delivery, forgotten: Collection[str]) -> Delivery:
    audience = delivery.metadata.get("audience")
    if not isinstance(audience, list) or not set(audience) & set(forgotten):
        return delivery
    left = [id for id in audience if id not in forgotten]
    return delivery.model_copy(update={"metadata": {**delivery.metadata, "audience": left}})


def _with(judged: Judged, knowledge: Mapping[str, list[Knowledge]]) -> Judged:
    return replace(judged, knowledge=dict(knowledge))


async def _present(engine: Engine, live: Live, old: Message, judged: Judged | None) -> dict[str, object]:
    """Fields of the plan: perceivers and whereabouts by the new text.

    Without a new text (`None`) they return to what they were before the message. If the story has gone on since, only
    those move of whom nothing was said since.
    """
    if judged is None:
        before = (await snapshot_before(engine, live, old.sequence)).state
        perceivers, places = before.last_perceivers, before.whereabouts
    else:
        before = judged.before
        perceivers = tuple(judged.settled.participants)
        places = folded(before.whereabouts, judged.movements, before.current_scene, old.sequence)
    if await _went_on(engine, live, old.sequence):
        return {"whereabouts": await corrected_present(engine, live, old, before, places)}
    now = live.snapshot.state
    then = now.updated({"last_perceivers": perceivers, "whereabouts": places})
    return {"state": now.changes_to(then), "whereabouts": now.movements_to(then)}


async def _change_back(engine: Engine, live: Live, target: Entry | None) -> dict[str, object]:
    """Fields of the plan: what a retracted change set or moved is as it was before, unless something was said since."""
    if target is None or not isinstance(target.body, Changed):
        return {}
    return {**await _channels_back(engine, live, target), **await _moves_back(engine, live, target)}


async def _moves_back(engine: Engine, live: Live, target: Entry) -> dict[str, object]:
    """Fields of the plan: whom a retracted change moved is where they were, unless they or the scene moved since."""
    plan = await engine.ledger.plan(live.snapshot.id, target.sequence)
    if plan is None or not plan.movements:
        return {}
    now, before = live.snapshot.state, (await snapshot_before(engine, live, target.sequence)).state
    if now.current_scene != before.current_scene:
        return {}
    moved = [id for id in dict.fromkeys(each.character for each in plan.movements) if id in live.snapshot.cast]
    left_in = {**before.whereabouts, **plan.whereabouts}
    back = [id for id in moved if now.whereabouts.get(id) == left_in.get(id)]
    return {"whereabouts": {id: before.whereabouts.get(id) for id in back}}


async def _channels_back(engine: Engine, live: Live, target: Entry) -> dict[str, object]:
    """Fields of the plan: channels that a retracted change set are as they were before, unless they were set again."""
    if not isinstance(target.body, Changed) or not target.body.channels:
        return {}
    now, cast = live.snapshot.state, live.snapshot.cast
    standing = now.channels_by_name
    after = (await snapshot_before(engine, live, target.sequence + 1)).state.channels_by_name
    before = (await snapshot_before(engine, live, target.sequence)).state.channels_by_name
    back = [each.name for each in target.body.channels if standing.get(each.name) == after.get(each.name)]
    kept = {name: each for name, each in standing.items() if name not in back}
    restored = {name: before[name].only(cast.ids) for name in back if name in before}
    return {"state": now.changes_to(now.updated({"channels": kept | restored}))}


async def _went_on(engine: Engine, live: Live, sequence: int) -> bool:
    """Whether the story went on after an entry. Revisions and operations on memories do not count.

    The next entry usually answers this.
    """
    for limit in (1, None):
        since = await engine.ledger.entries(live.snapshot.id, after=sequence, up_to=live.snapshot.decided, limit=limit)
        if not all(isinstance(each.body, ASIDE) for each in since):
            return True
    return False


def _facts_left(state: State, key: str) -> dict[str, FactsOf | None]:
    return facts_noted(state, key, state.facts_if_retracted(key))


def _nothing(live: Live, entry: Entry) -> Plan:
    return Plan(session=live.snapshot.id, sequence=entry.sequence, key=entry.key)
