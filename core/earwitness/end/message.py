"""END: from one message to its plan, for a message just said, previewed, revised or asked about again."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..engine import Engine
from ..hooks import PluginData
from ..live import Live, written
from ..records.message import Message, Participant, SettledMessage
from ..records.moment import Moment, Movement, Presence
from ..records.plan import Answer, Delivery, Plan
from ..records.update import Knowledge, Update
from .deliveries import of_message, of_share, of_update
from .detect import detect
from .perception import heard, missed
from .proposals import Proposals, propose
from .settle import asked_about, participants
from .shares import guarded, shares
from .whereabouts import folded
from .world import World


@dataclass(frozen=True, slots=True)
class Judged:
    """A message with everything that was decided about it, before deliveries are made of it."""

    settled: SettledMessage
    moment: Moment
    presence: Presence
    proposals: Proposals
    movements: tuple[Movement, ...]
    knowledge: dict[str, list[Knowledge]]
    reports: tuple[Answer, ...]
    data: dict[str, PluginData]


async def judge(engine: Engine, live: Live, moment: Moment, world: World, *, keep_told: bool = False) -> Judged:
    """Detect, propose, settle. With `keep_told` no news are told: a revision keeps what the first telling told."""
    presence, report = await detect(engine, moment)
    data = dict(live.data())
    asked = asked_about(moment.message, presence, engine.settings.end)
    proposals = await propose(engine, live.snapshot.id, moment, presence, asked, world, data)
    found = participants(
        moment.message, presence, _counted(proposals.agent.participants, moment), proposals.plugins, moment.cast,
        engine.settings.end.enough, asked,
    )  # fmt: skip
    degraded = bool(report.failure) or proposals.degraded
    added = {id for _, answer in proposals.plugins for id in answer.add if id not in asked}
    settled = _settled(engine, moment.message, presence, added, found, degraded)
    told, struck = ({}, ()) if keep_told else await _told(world, proposals, settled.participants)
    movements = (*_arrivals(moment, settled.participants), *presence.movements)
    return Judged(settled, moment, presence, proposals, movements, told, (report, *proposals.reports, *struck), data)


def _counted(named: Mapping[str, Participant] | None, moment: Moment) -> Mapping[str, Participant] | None:
    """Whom an agent names, as far as the host counts them into the session."""
    if named is None or not moment.state.participants:
        return named
    return {id: part for id, part in named.items() if id in moment.candidates}


async def said(engine: Engine, live: Live, message: Message, sequence: int, *, in_turn: bool = False) -> Plan:
    """The plan of a message that was just said."""
    snapshot = live.snapshot
    moment = Moment(message=message, recent=recent(live, message), cast=snapshot.cast, state=snapshot.state)
    world = World.of(engine, live, snapshot)
    judged = await judge(engine, live, moment, world)
    state = snapshot.state
    after = state.updated(
        {
            "last_perceivers": tuple(judged.settled.participants),
            "message_count": state.message_count + 1,
            "turn_count": state.turn_count + in_turn,
            "whereabouts": folded(state.whereabouts, judged.movements, state.current_scene, sequence),
        }
    )
    plan = await planned(engine, live, judged, sequence)
    remember = {each.owner for each in plan.deliveries if each.part == "message" and each.is_active}
    listeners = [id for id in judged.settled.participants if id in remember]  # news is told with a memory, or not yet
    seen = {id: await world.told_through(id, judged.knowledge.get(id, ()), sequence) for id in listeners}
    return plan.model_copy(update={"state": state.changes_to(after), "news_seen": seen})


async def planned(engine: Engine, live: Live, judged: Judged, sequence: int) -> Plan:
    """Deliveries from what was judged: the world's, the participants', those it is shared with; guards strike."""
    session, cast, now = live.snapshot.id, judged.moment.cast, judged.moment.message.game_day
    settled = judged.settled
    deliveries = of_message(settled, judged.knowledge, cast, session, sequence, now)
    told_on, reports = await shares(engine, settled, judged.moment)
    deliveries += [of_share(deliveries[0], share, text, settled, cast, now) for share, text in told_on]
    deliveries += updates_of(judged.proposals.updates, settled, live, sequence)
    plan = Plan(
        session=session,
        sequence=sequence,
        key=settled.message.key,
        message=settled,
        presence=judged.presence.characters,
        movements=judged.movements,
        deliveries=tuple(_once(deliveries)),
        plugin_data=written(judged.data),
        answers=(*judged.reports, *reports),
        degraded=settled.degraded or any(report.failure for report in reports),
    )
    return await guarded(engine, plan)


def updates_of(updates: Sequence[Update], settled: SettledMessage, live: Live, sequence: int) -> list[Delivery]:
    """World updates that came about by a message."""
    message = settled.message
    return [
        of_update(
            update, index, message.key, message.revision, audience(update, settled.participants, live),
            live.snapshot.id, sequence, message.scene, message.game_day, message.timestamp,
        )
        for index, update in enumerate(updates)
    ]  # fmt: skip


def audience(update: Update, present: Sequence[str] | dict[str, Participant], live: Live) -> list[str]:
    """Ids of those who may know of an update, members of the cast only; whom it is about is with those present."""
    match update.audience:
        case "public":
            return list(live.snapshot.cast.ids)
        case "present":
            about = [update.character] if update.character in live.snapshot.cast else []
            return list(dict.fromkeys([*present, *about]))
        case ids:
            return [id for id in ids if id in live.snapshot.cast]


def recent(live: Live, message: Message) -> tuple[Message, ...]:
    """The messages before this one, oldest first, without what was retracted."""
    return tuple(
        each.message for each in live.recent if not each.retracted and each.message.sequence < message.sequence
    )


def _settled(
    engine: Engine,
    message: Message,
    presence: Presence,
    added: Collection[str],
    found: dict[str, Participant],
    degraded: bool,
) -> SettledMessage:
    """With what each perceived, where that is less than the whole; who perceived nothing of it was no participant."""
    partly: dict[str, str] = {}
    if message.present is not None:
        out = set()
    elif engine.settings.end.perception == "whole":
        out = missed(presence, found, message.speaker, added)
    else:
        partly = heard(presence, found, message.speaker, added)
        out = {id for id, text in partly.items() if not text and id != message.speaker}
    kept = {id: part for id, part in found.items() if id not in out}
    return SettledMessage(message=message, participants=kept, heard=partly, degraded=degraded)


async def _told(
    world: World, proposals: Proposals, found: dict[str, Participant]
) -> tuple[dict[str, list[Knowledge]], tuple[Answer, ...]]:
    told, struck = {}, []
    for id in found:
        told[id], refused = await world.permitted(id, proposals.knowledge(id))
        struck += [
            Answer(
                by="core:walls",
                failure=f"knowledge for {id!r} struck, it cites what {id!r} may not know: {line.text!r}",
            )
            for line in refused
        ]
    return told, tuple(struck)


def _arrivals(moment: Moment, found: dict[str, Participant]) -> tuple[Movement, ...]:
    """Whom the host named as present is here from now on."""
    if moment.message.present is None:
        return ()
    return tuple(Movement(character=id, kind="enter", evidence="the host said so", certain=True) for id in found)


def _once(deliveries: Sequence[Delivery]) -> list[Delivery]:
    return list({delivery.id: delivery for delivery in reversed(deliveries)}.values())[::-1]
