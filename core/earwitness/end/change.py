"""State changes: from a journal entry to its plan."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from pydantic import JsonValue

from ..consultation import Answered
from ..containers import character_container, world_container
from ..engine import Engine
from ..events import Event, StateChangeAnswer, StateChangeEvent
from ..ids import MemoryIds
from ..live import Live, written
from ..places import destination, normal
from ..plugin_data import PluginData
from ..records.channel import Channel, StandingChannel, apart_in
from ..records.character import Cast, Character
from ..records.disguise import Unmasking, in_disguise
from ..records.journal import BEGIN, Changed, Entry
from ..records.memory import Support
from ..records.memory_types import PIECE_TYPES
from ..records.moment import Movement
from ..records.plan import Delivery, Plan
from ..records.snapshot import Snapshot
from ..records.state import FactsOf, State
from ..records.update import Update
from .default_updates import default_updates
from .derivations import noted, proposed, with_proposals
from .disguises import with_renewals
from .due import with_arrivals
from .guards import guarded
from .host_word import seated
from .names_in_texts import has_names, written_anew
from .updates import UpdateOrigin, audience, of_update, with_text
from .whereabouts import folded, moved_along


async def changed(engine: Engine, live: Live, entry: Entry, body: Changed) -> Plan:
    """The plan of a state change: the new state, the new cast and the world updates."""
    before = live.snapshot
    plan = reported(live, entry, body)
    after = before.after(plan)
    cast, state = after.cast, after.state
    data = dict(live.data())
    answers = await _answered(engine, live, body, plan, state, data)
    updates = [*_of(answers, body), *_defaults(live, body, plan, _worded(answers, plan.state))]
    worded = _delivered(live, entry, state, updates, first=len(plan.deliveries))
    welcome = await _welcome(engine, live, body, entry, state.game_day)
    due_day = state.game_day if state.game_day != before.state.game_day else None
    plan = plan.model_copy(
        update={
            "deliveries": (*plan.deliveries, *worded, *welcome),
            "due_day": due_day,
            "facts": _noted(entry, body, noted(answers)),
            "answers": tuple(answer.reported() for answer in answers),
            "degraded": any(answer.failure for answer in answers),
        }
    )
    plan = await written_anew(engine, live, entry, plan)
    plan = await with_proposals(engine, before, plan, proposed(answers))
    plan = await guarded(engine, event_at(live, cast, state, body.channel), plan, data)
    if due_day is not None:
        plan = await with_arrivals(engine, live, entry, plan, data)
    plan = plan if plan.unmaskings is None else await with_renewals(engine.ledger, before, plan)
    return plan.model_copy(update={"plugin_data": written(data)})


def reported(live: Live, entry: Entry, body: Changed) -> Plan:
    """The plan of a change as the host reports it, before anybody is asked. Nothing pending arrives with it. Pure."""
    before = live.snapshot
    cast = before.cast.joined(body.joins)
    for id in body.leaves_cast:
        cast = cast.without(id)
    known = before.state.places if body.moves or body.channels else ()
    channels = [_with_path(each, known) for each in body.channels]
    moves = (*body.moves, *(move for each in channels for move in seated(each, before.state)))
    movements = tuple(_movement(id, kind, place, known) for id, kind, place in moves if id in cast)
    state = _after(_with_channels(before.state, channels), body, movements, entry.sequence)
    if entry.key == BEGIN and body.moves:
        state = state.model_copy(update={"present_told": True})
    updates = [*_described(body, before.state, state), *body.updates]
    if body.unmasks:
        return _unmasking(live, entry, body, state)
    return Plan(
        session=before.id,
        sequence=entry.sequence,
        key=entry.key,
        movements=movements,
        deliveries=_delivered(live, entry, state, updates),
        state=before.state.changes_to(state),
        whereabouts=before.state.movements_to(state),
        facts=_noted(entry, body, {}),
        forgotten=body.leaves_cast,
        cast=cast if cast != before.cast else None,
    )


def _movement(id: str, kind: Literal["enter", "leave", "move"], place: str | None, known: Iterable[str]) -> Movement:
    """A movement that the host reports, to the full path of its place."""
    return Movement(character=id, kind=kind, place=None if place is None else destination(place, known), certain=True)


def _unmasking(live: Live, entry: Entry, body: Changed, state: State) -> Plan:
    """The plan of an unmasking: the world's copy of what is revealed, and one for each who learns it."""
    before, origin = live.snapshot, UpdateOrigin.of_entry(entry, state, live.snapshot.ids)
    there = _present(before.state, state, body.channel)
    learners = audience(Update(description="", audience=body.audience), there, live)
    to: Literal["public"] | tuple[str, ...] = "public" if body.audience == "public" else tuple(learners)
    place = None if to == "public" or body.channel is None else apart_in(body.channel.metadata)
    unmaskings = [Unmasking(source=entry.key, character=id, name=name, to=to, place=place) for id, name in body.unmasks]
    deliveries: list[Delivery] = []
    for number, (id, name) in enumerate(body.unmasks):
        said = body.description or f"{name} is {before.cast.name_of(id)}"
        update = Update(description=said, update_type="unmasked", audience=())
        world = of_update(origin, update, number, ())  # nobody has to be told it as news
        deliveries += [world, *(_learned(world, each, before.ids) for each in dict.fromkeys((*learners, id)))]
    return Plan(
        session=before.id,
        sequence=entry.sequence,
        key=entry.key,
        deliveries=tuple(deliveries),
        unmaskings=(*before.unmaskings, *unmaskings),
    )


def _learned(world: Delivery, owner: str, ids: MemoryIds) -> Delivery:
    """The copy of an update for somebody who saw it happen."""
    container = character_container(world.session, owner).name
    metadata = {key: value for key, value in world.metadata.items() if key != "audience"}
    return world.model_copy(
        update={
            "container": container,
            "owner": owner,
            "memory_id": ids.of(world.source, world.revision, container, world.part),
            "metadata": metadata,
            "support": world.support.model_copy(update={"how": "witnessed"}),
        }
    )


def in_default_words(live: Live, entry: Entry, body: Changed, plan: Plan) -> Plan:
    """A reported change with default sentences for the world. Pure."""
    state = live.snapshot.after(plan).state
    worded = _delivered(live, entry, state, _defaults(live, body, plan, ()), first=len(plan.deliveries))
    return plan.model_copy(update={"deliveries": (*plan.deliveries, *worded)})


def _defaults(live: Live, body: Changed, plan: Plan, worded: Collection[str]) -> list[Update]:
    """Default sentences for the keys that nobody has put into words; none if the host has worded the change."""
    if body.quiet or body.description or body.updates:
        return []
    before = live.snapshot
    cast = in_disguise(before.after(plan).cast, before.guises)
    return default_updates(before.state, plan.state, worded, cast, body.audience)


def _delivered(
    live: Live, entry: Entry, state: State, updates: Sequence[Update], *, first: int = 0
) -> tuple[Delivery, ...]:
    """The world's memories of these updates, numbered from `first`."""
    origin = UpdateOrigin.of_entry(entry, state, live.snapshot.ids)
    present = _present(live.snapshot.state, state, origin.channel)
    return tuple(
        of_update(origin, update, number, audience(update, present, live))
        for number, update in enumerate(updates, first)
    )


def event_at(live: Live, cast: Cast, state: State, channel: Channel | None = None) -> Event:
    """Where the story is, for everyone who is asked about a change."""
    where = channel or Channel()
    return Event(session=live.snapshot.id, cast=cast, state=state, day=state.game_day, channel=where)


async def guarded_now(
    engine: Engine, live: Live, plan: Plan, then: Snapshot | None = None, *, channel: Channel | None = None
) -> Plan:
    """The plan of an entry that is not a message, with the deliveries that guards strike; as of `then`, if given."""
    data, story = dict(live.data()), then or live.snapshot
    event = event_at(live, story.cast, story.state, channel)
    plan = await guarded(engine, event, plan, data, silence=False)
    return plan.model_copy(update={"plugin_data": written(data)})


def _with_path(channel: StandingChannel, known: Sequence[str]) -> StandingChannel:
    """The channel with the full path of its place."""
    if channel.place is None:
        return channel
    return channel.model_copy(update={"place": destination(channel.place, known)})


def _with_channels(state: State, channels: Sequence[StandingChannel]) -> State:
    """The state with these standing channels; without those that have no members any more."""
    if not channels:
        return state
    standing = {**state.channels_by_name, **{each.name: each for each in channels}}
    return state.updated({"channels": {name: each for name, each in standing.items() if each.members}})


def _after(before: State, body: Changed, movements: Sequence[Movement], sequence: int) -> State:
    changes = dict(body.changes)
    if isinstance(scene := changes.get("current_scene"), str):
        changes["current_scene"] = normal(scene)
    state = before.updated(changes) if changes else before
    if state.current_scene != before.current_scene and "whereabouts" not in changes:
        state = state.updated({"whereabouts": moved_along(before.whereabouts, state.current_scene, sequence)})
    if body.leaves_cast:
        state = _without(state, body.leaves_cast)
    if state.participants and body.joins and "participants" not in changes:
        state = state.updated({"participants": _counted_in(state.participants, body.joins)})
    if movements:
        state = state.updated({"whereabouts": folded(state.whereabouts, movements, state.current_scene, sequence)})
    return state


def _counted_in(participants: Sequence[str], newcomers: Sequence[Character]) -> tuple[str, ...]:
    """Participants of the session, including everyone who joins."""
    return tuple(dict.fromkeys((*participants, *(each.id for each in newcomers))))


def _without(state: State, forgotten: Sequence[str]) -> State:
    """The state without forgotten characters: a later newcomer under such an id is someone else."""
    return state.updated(
        {
            "whereabouts": {id: where for id, where in state.whereabouts.items() if id not in forgotten},
            "participants": tuple(id for id in state.participants if id not in forgotten),
            "last_perceivers": tuple(id for id in state.last_perceivers if id not in forgotten),
            "channels": {name: each.only({*each.members} - {*forgotten}) for name, each in state.channels.items()},
        }
    )


def _present(before: State, after: State, channel: Channel | None) -> list[str]:
    """Characters who saw the change: those who were here and still are, and those who have come; of a channel, its
    members, or who is at its place."""
    standing = None if channel is None else after.channel(channel)
    if standing is None:
        is_direct = channel is not None and channel.context == "dm"
        return [] if is_direct else list(dict.fromkeys((*before.here, *after.here)))
    if standing.place is None:
        return list(standing.members)
    return [id for id, where in after.whereabouts.items() if where.place == standing.place]


def _described(body: Changed, before: State, after: State) -> list[Update]:
    if body.description is None:
        return []
    moved = before.current_scene != after.current_scene
    where: dict[str, JsonValue] = (
        {"location": after.current_scene, "previous_location": before.current_scene} if moved else {}
    )
    kind = "location_changed" if moved else None
    return [Update(description=body.description, update_type=kind, audience=body.audience, metadata=where)]


def _worded(answers: Sequence[Answered[StateChangeAnswer]], changes: Mapping[str, object]) -> frozenset[str]:
    """The changed keys that plugins have put into words."""
    keys = frozenset(changes)
    return frozenset[str]().union(*(answer.value.worded(keys) for answer in answers if answer.value))


def _noted(entry: Entry, body: Changed, answered: FactsOf) -> dict[str, FactsOf | None]:
    """The facts that are noted with a change: those reported with it, then those that plugins answer."""
    names = dict.fromkeys((*body.facts, *answered))
    facts = {name: (*body.facts.get(name, ()), *answered.get(name, ())) for name in names}
    return {entry.key: facts} if facts else {}


async def _answered(
    engine: Engine, live: Live, body: Changed, plan: Plan, after: State, data: dict[str, PluginData]
) -> Sequence[Answered[StateChangeAnswer]]:
    """The plugins' answers to the change, unless nothing happens in it."""
    before, changed = live.snapshot.state, frozenset(plan.state)
    if body.quiet or not (changed or body.updates or plan.movements):
        return []
    event = StateChangeEvent(
        session=live.snapshot.id,
        cast=live.snapshot.cast,
        state=before,
        day=after.game_day,
        channel=body.channel or Channel(),
        before=before,
        after=after,
        changed=changed,
        updates=body.updates,
        movements=plan.movements,
        described=body.description is not None,
    )
    only = None if changed else "follows_updates"
    return await engine.plugins.ask("on_state_change", event, StateChangeAnswer, data, only=only)


def _of(answers: Sequence[Answered[StateChangeAnswer]], body: Changed) -> list[Update]:
    """The plugins' updates. An update for `present` gets the audience of the change."""
    proposed = with_text(update for answer in answers if answer.value for update in answer.value.updates)
    return [
        update.model_copy(update={"audience": body.audience}) if update.audience == "present" else update
        for update in proposed
    ]


async def _welcome(engine: Engine, live: Live, body: Changed, entry: Entry, now: float) -> list[Delivery]:
    """Common knowledge for newcomers: the world's public, permanent memories."""
    newcomers = [member.id for member in body.joins if member.id not in live.snapshot.cast]
    if not newcomers or entry.sequence == 1:
        return []
    session = live.snapshot.id
    common = await engine.ledger.deliveries(session, container=world_container(session).name, types=PIECE_TYPES)
    return [
        _copied(each, live.snapshot.ids, id, entry.sequence, now)
        for id in newcomers
        for each in common
        if each.is_active and each.metadata.get("public") is True and not has_names(live, each.source)
    ]


def _copied(piece: Delivery, ids: MemoryIds, owner: str, sequence: int, now: float) -> Delivery:
    container = character_container(ids.session, owner).name
    id = ids.of(piece.source, piece.revision, container, piece.part)
    here = {"container": container, "owner": owner, "sequence": sequence, "memory_id": id, "due": now}
    return piece.model_copy(update={**here, "status": "pending", "support": Support(learned_day=now)})
