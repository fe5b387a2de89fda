"""END: from one message to its plan, for a new message, a preview, a revision, or one that is judged again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..engine import Engine
from ..events import Event, SharingEvent
from ..live import Live, quoting, written
from ..macros import in_message
from ..places import destination
from ..plugin_data import PluginData
from ..records.channel import StandingChannel
from ..records.crowd import each_once, listening
from ..records.disguise import earlier_casts, in_disguise
from ..records.journal import Entry, Said
from ..records.many import joined
from ..records.message import Message, Participant, SettledMessage
from ..records.moment import Moment, Movement, Presence
from ..records.plan import Answer, Delivery, Plan
from ..records.snapshot import Snapshot
from ..records.state import FactsOf, State
from ..records.update import Knowledge
from ..slices import Pace, between_steps
from .active_deliveries import ActiveDeliveries
from .derivations import with_proposals
from .disguises import as_known
from .guards import guarded
from .host_word import as_host_says
from .message_copies import MessageCopies, of_telling
from .proposals import Proposals, presence_of, propose
from .settle import asked_about, participants, settled_message, unread
from .shares import DueShare, Sharing, Teller, shared
from .untold import Untold
from .updates import updates_of
from .whereabouts import state_after
from .world import World


@dataclass(frozen=True, slots=True)
class Judged:
    """A message with everything decided about it, before its deliveries are made."""

    settled: SettledMessage
    before: State
    """The state before the message."""
    moment: Moment
    """The moment, with everybody where the host says."""
    earlier: Sequence[SettledMessage]
    """The messages before it, oldest first."""
    event: Event
    presence: Presence
    proposals: Proposals
    movements: Sequence[Movement]
    knowledge: dict[str, list[Knowledge]]
    reports: tuple[Answer, ...]
    data: dict[str, PluginData]


async def judge(
    engine: Engine,
    live: Live,
    moment: Moment,
    world: World,
    *,
    earlier: Sequence[SettledMessage],
    keep_news: bool = False,
) -> Judged:
    """Detect, propose, settle. With `keep_news` none is added: a revision keeps the news of the first version.

    Without a detector's answer only the speaker perceives the message, by what is known of it.
    """
    data, before, many = dict(live.data()), moment.state, len(moment.cast)
    moment, placed = as_host_says(moment) if _host_says_who_is_there(moment) else (moment, ())
    await between_steps(many)
    detected, report = await presence_of(engine, moment, data)
    await between_steps(many)
    presence = detected or Presence.only(moment.message.speaker)
    asked = asked_about(moment.message, presence, engine.settings.end)
    event = event_of(moment)
    proposals = await propose(engine, event, moment, presence, asked, world, data)
    await between_steps(many)
    fails_closed = engine.detector is not None and detected is None  # nobody knows what is whispered
    counted = None if fails_closed else _counted(proposals.agent.participants, moment)
    found = participants(moment, presence, counted, proposals.plugins, engine.settings.end.enough, asked)
    await between_steps(many)
    degraded = bool(report.failure) or proposals.degraded
    added = {id for _, answer in proposals.plugins for id in answer.add if id not in asked}
    settled = settled_message(moment.message, presence, found, engine.settings.end, added, degraded=degraded)
    settled = _as_worn(settled if detected else unread(settled), moment.disguises)
    news, struck = ({}, ()) if keep_news else await _news(world, proposals, settled.participants)
    movements = () if before.moves_nobody(moment.channel) else joined(placed, presence.movements)
    reports = (report, *proposals.reports, *struck)
    return Judged(settled, before, moment, earlier, event, presence, proposals, movements, news, reports, data)


def _as_worn(settled: SettledMessage, disguises: Mapping[str, str]) -> SettledMessage:
    """The message with the disguises of those who perceived it."""
    worn = {id: name for id, name in disguises.items() if id in settled.participants}
    return settled.model_copy(update={"disguises": worn}) if disguises else settled


def _host_says_who_is_there(moment: Moment) -> bool:
    return moment.message.present is not None or moment.placed


def event_of(moment: Moment) -> Event:
    """Where the story is, for everyone who is asked about a message."""
    return Event(session=moment.session, cast=moment.cast, state=moment.state, day=moment.day, channel=moment.channel)


def _counted(named: Mapping[str, Participant] | None, moment: Moment) -> Mapping[str, Participant] | None:
    """The participants an agent names, limited to those the host counts into the session."""
    if named is None or not moment.state.participants:
        return named
    return {id: part for id, part in named.items() if id in moment.candidates}


def message_of(entry: Entry, body: Said, story: Snapshot) -> Message:
    """The message of an entry, at the day the story has reached, and the place it is said at, with names for macros."""
    state = story.state
    standing = state.channel(body.channel)
    place = standing.place if body.place is None and standing is not None else body.place
    return Message(
        key=entry.key,
        sequence=entry.sequence,
        speaker=body.speaker,
        speak_as=body.speak_as,
        content=in_message(body.content, body.speaker, in_disguise(story.cast, worn_in(story, body))),
        game_day=state.game_day,
        scene=state.current_scene if place is None else destination(place, state.places),
        placed=place is not None,
        channel=body.channel,
        present=_there(body.present, place, standing),
        audience=body.audience,
        timestamp=entry.timestamp,
        metadata=body.metadata,
    )


def _there(
    present: tuple[str, ...] | None, place: str | None, standing: StandingChannel | None
) -> tuple[str, ...] | None:
    """Who is there, as far as the host says: by the message itself, else by a standing channel without a place."""
    return standing.members if present is None and place is None and standing is not None else present


async def said(
    engine: Engine,
    live: Live,
    message: Message,
    sequence: int,
    world: World,
    *,
    in_turn: bool = False,
    ahead: float | None = None,
) -> Plan:
    """The plan of a new message; `world` is the world as it was before it. `ahead` is for `SharingEvent`."""
    snapshot = live.snapshot
    earlier = recent(live, message)
    judged = await judge(engine, live, moment_of(snapshot, message, earlier), world, earlier=earlier)
    state = snapshot.state
    after = state_after(state, judged.settled, judged.movements, sequence, in_turn=in_turn)
    plan = await planned(engine, live, judged, sequence, ahead)
    listeners = listening(judged.settled.participants, plan.deliveries)  # the others get the news later
    await between_steps(len(listeners))
    seen = await world.news_seen_after(listeners, judged.knowledge, sequence)
    changes = {"state": state.changes_to(after), "whereabouts": state.movements_to(after)}
    return plan.model_copy(update={**changes, "news_seen": seen})


def moment_of(snapshot: Snapshot, message: Message, before: Sequence[SettledMessage]) -> Moment:
    """The moment of a message, given the session's snapshot before it.

    `before` are the earlier messages, oldest first, with retracted ones.
    """
    worn = worn_in(snapshot, message)
    masks, guises = snapshot.masks, snapshot.guises
    return Moment(
        session=snapshot.id,
        message=message,
        recent=tuple([each.message for each in before if not each.retracted]),
        cast=in_disguise(snapshot.cast, worn),
        state=snapshot.state,
        disguises=worn,
        earlier_casts=earlier_casts(snapshot.cast, before, masks, guises, worn) if masks or worn else {},
    )


def worn_in(snapshot: Snapshot, message: Message | Said) -> dict[str, str]:
    """Who is in disguise when a message is said: whoever last spoke so, and the speaker by their own word."""
    if message.speak_as is None and not snapshot.guises:
        return {}
    others = {id: name for id, name in snapshot.guises.items() if id != message.speaker}
    return {**others, **({} if message.speak_as is None else {message.speaker: message.speak_as})}


async def planned(engine: Engine, live: Live, judged: Judged, sequence: int, ahead: float | None = None) -> Plan:
    """The plan of a judged message, after guards.

    Deliveries go to the world, the participants and those it is shared with.
    """
    settled = judged.settled
    sharing = await _sharing(engine, judged, ahead)
    if sharing.silent or settled.key in live.untold:
        Untold(judged.data).said(settled.key, sharing.silent)
        asked = judged.moment.day, settled.message.sequence, engine.run
        Untold(judged.data).later(settled.key, sharing.later, *asked, sharing.may_tell)
    deliveries = await _deliveries(live, judged, sequence, sharing.shares)
    plan = Plan(
        session=live.snapshot.id,
        sequence=sequence,
        key=settled.message.key,
        message=settled,
        supported=tuple(each.share.memory for each in sharing.shares if each.share.memory is not None),
        plugin_data=written(judged.data),
        facts=facts_noted(live.snapshot.state, settled.message.key, sharing.facts),
        answers=(*judged.reports, *sharing.reports),
        stops=sharing.stops,
        degraded=settled.degraded or any(report.failure for report in sharing.reports),
    )
    large = {"presence": judged.presence.characters, "movements": judged.movements}  # validated before
    plan = plan.model_copy(update={**large, "deliveries": each_once(deliveries)})
    plan = await with_proposals(engine, live.snapshot, plan, (*judged.proposals.derived, *sharing.derived))
    plan = await guarded(engine, judged.event, plan, judged.data)
    return plan.model_copy(update={"plugin_data": (*written(judged.data), *quoting(settled.message.content))})


async def _deliveries(live: Live, judged: Judged, sequence: int, shares: Sequence[DueShare]) -> Sequence[Delivery]:
    """The copies of the message, those it is shared with, and the updates that were proposed with it."""
    cast, settled, ids = judged.moment.cast, judged.settled, live.snapshot.ids
    day, speaker = judged.moment.message.game_day, cast[settled.message.speaker].name
    copies = await MessageCopies(settled, judged.knowledge, cast, ids, sequence, day).all()
    told = [of_telling(copies[0], each, settled, speaker, ids) for each in shares]
    known = as_known((*copies, *told), settled, live.snapshot) if settled.disguises else joined(copies, told)
    return joined(known, updates_of(judged.proposals.updates, settled, live, sequence))


def facts_noted(before: State, key: str, facts: FactsOf) -> dict[str, FactsOf | None]:
    """The facts of a plan: those now noted with an entry, in place of those noted with it before. Pure."""
    return {key: facts or None} if facts or key in before.facts else {}


async def _sharing(engine: Engine, judged: Judged, ahead: float | None = None) -> Sharing:
    if not engine.sharing_rules:
        return Sharing()
    settled, day = judged.settled.as_tellable(), judged.moment.day
    known = {id: Teller(settled.heard_by(id), day) for id in settled.participants}
    base = {name: getattr(judged.event, name) for name in Event.model_fields}
    event = SharingEvent(
        **base,
        message=settled,
        moment=_as_tellable(judged.moment, settled.message, judged.earlier),
        knowers=tuple(known),
        told_at=settled.message.sequence,
        updates=judged.proposals.updates,
        movements=tuple(judged.movements),
        ahead=ahead,
    )
    return await shared(engine, event, known, judged.data, ActiveDeliveries(engine.ledger, event.session))


def _as_tellable(moment: Moment, message: Message, earlier: Sequence[SettledMessage]) -> Moment:
    """The moment with what may be passed on as the text of this message, and of those before it."""
    passed_on = {each.key: each.as_tellable().message for each in earlier if each.tellable}
    if message is moment.message and not passed_on:
        return moment
    before = tuple([passed_on.get(each.key, each) for each in moment.recent])
    return moment.model_copy(update={"message": message, "recent": before})


def recent(live: Live, message: Message) -> tuple[SettledMessage, ...]:
    """The messages before this one, oldest first, with retracted ones."""
    return tuple(each for each in live.recent if each.message.sequence < message.sequence)


async def _news(
    world: World, proposals: Proposals, found: dict[str, Participant]
) -> tuple[dict[str, list[Knowledge]], tuple[Answer, ...]]:
    news, struck, pace = {}, [], Pace()
    for id in proposals.with_news(found):
        news[id], refused = await world.permitted(id, proposals.knowledge(id))
        struck += [
            Answer(
                by="core:walls",
                failure=f"knowledge for {id!r} was withheld, because it cites what {id!r} may not know: {line.text!r}",
            )
            for line in refused
        ]
        await pace.kept()
    return news, tuple(struck)
