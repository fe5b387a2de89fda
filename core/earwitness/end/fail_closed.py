"""Fail-closed plans: what holds of an entry that could not be decided. Nobody is asked. Pure."""

from __future__ import annotations

from contextlib import suppress

from ..live import Live, quoting
from ..records.journal import Changed, Entry, Said
from ..records.message import Participant, SettledMessage
from ..records.plan import Answer, Plan
from .change import in_default_words, reported
from .disguises import as_known
from .message import message_of
from .message_copies import MessageCopies
from .settle import unread

UNUSABLE = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError)
"""Errors raised by values that cannot be decided on or recorded, including `InputError` and pydantic's errors."""


def fail_closed_plan(live: Live, entry: Entry, why: str) -> Plan:
    """The plan of an entry that could not be decided.

    Only the speaker and the world receive a message. Of a change, everything the host reported holds.
    """
    plan = Plan(session=entry.session, sequence=entry.sequence, key=entry.key)
    with suppress(*UNUSABLE):  # then the entry itself cannot be used
        if isinstance(entry.body, Changed):
            plan = reported(live, entry, entry.body)
            plan = in_default_words(live, entry, entry.body, plan)
        elif isinstance(entry.body, Said) and entry.body.speaker in live.snapshot.cast:
            plan = _speakers_own(live, entry, entry.body)
    return plan.model_copy(update={"degraded": True, "answers": (Answer(by="core", failure=why),)})


def _speakers_own(live: Live, entry: Entry, body: Said) -> Plan:
    state, cast = live.snapshot.state, live.snapshot.cast
    message = message_of(entry, body, live.snapshot)
    alone = {message.speaker: Participant(role="speaker", confidence=1, evidence=("said it",))}
    worn = {} if message.speak_as is None else {message.speaker: message.speak_as}
    settled = unread(SettledMessage(message=message, participants=alone, disguises=worn, degraded=True))
    copies = MessageCopies(settled, {}, cast, live.snapshot.ids, entry.sequence, state.game_day)
    deliveries = (copies.world, *copies.of(alone.items()))
    after = state.updated({"last_perceivers": (message.speaker,), "message_count": state.message_count + 1})
    return Plan(
        session=entry.session,
        sequence=entry.sequence,
        key=entry.key,
        message=settled,
        deliveries=tuple(as_known(deliveries, settled, live.snapshot)),
        state=state.changes_to(after),
        plugin_data=quoting(message.content),
    )
