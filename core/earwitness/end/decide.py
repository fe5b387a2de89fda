"""From a journal entry to its plan: which room of END decides what."""

from __future__ import annotations

from ..engine import Engine
from ..live import Live
from ..records.journal import Changed, Entry, Prepared, Retracted, Revised, Said
from ..records.message import Message, Participant, SettledMessage
from ..records.plan import Answer, Plan
from ..records.state import State
from .applier import Applier
from .change import changed, prepared
from .deliveries import of_message
from .message import said
from .revise import retracted, revised
from .world import World


async def decide(engine: Engine, live: Live, entry: Entry, applier: Applier) -> Plan:
    """The plan of one entry, from the session as it stands before it. Writes nothing."""
    match entry.body:
        case Said() as body:
            message = message_of(entry, body, live.snapshot.state)
            world = World.of(engine, live, live.snapshot, applier)
            return await said(engine, live, message, entry.sequence, world, in_turn=body.in_turn)
        case Changed() as body:
            return await changed(engine, live, entry, body)
        case Prepared() as body:
            return await prepared(engine, live, entry, body)
        case Revised() as body:
            return await revised(engine, live, entry, body, applier)
        case Retracted() as body:
            return await retracted(engine, live, entry, body)


def message_of(entry: Entry, body: Said, state: State) -> Message:
    """The message an entry told of, at the day and place the story is at."""
    return Message(
        key=entry.key,
        sequence=entry.sequence,
        speaker=body.speaker,
        content=body.content,
        game_day=state.game_day,
        scene=state.current_scene,
        channel=body.channel,
        present=body.present,
        timestamp=entry.timestamp,
        metadata=body.metadata,
    )


def fail_closed_plan(live: Live, entry: Entry, why: str) -> Plan:
    """The fail-closed plan of an entry that could not be decided: a message is its speaker's own, and the world's."""
    plan = Plan(
        session=entry.session, sequence=entry.sequence, key=entry.key, degraded=True,
        answers=(Answer(by="core", failure=why),),
    )  # fmt: skip
    state, cast = live.snapshot.state, live.snapshot.cast
    if not isinstance(entry.body, Said) or entry.body.speaker not in cast:
        return plan
    message = message_of(entry, entry.body, state)
    alone = {message.speaker: Participant(role="speaker", confidence=1, evidence=("said it",))}
    settled = SettledMessage(message=message, participants=alone, degraded=True)
    after = state.updated({"last_perceivers": (message.speaker,), "message_count": state.message_count + 1})
    return plan.model_copy(
        update={
            "message": settled,
            "deliveries": tuple(of_message(settled, {}, cast, entry.session, entry.sequence, state.game_day)),
            "state": state.changes_to(after),
        }
    )
