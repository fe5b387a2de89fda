"""Derivations: checks them, and turns those that plugins propose into journal entries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..clock import now
from ..consultation import Answered
from ..formats import as_said, metadata_key
from ..protocols import Ledger
from ..records.derived import Derivation
from ..records.journal import Appended, Derived, NewEntry
from ..records.memory_types import OUR_TYPES
from ..records.plan import Plan

OUR_METADATA = (
    "type",
    "gameDay",
    "timestamp",
    "restsOn",
    "speaker",
    "isSpeaker",
    "participants",
    "permanent",
    "words",
    "interactionType",
    "sharedFrom",
    "learnedDay",
    "sessionId",
)
"""Metadata that Earwitness sets itself."""


def problem(derivation: Derivation) -> str | None:
    """The fault of a derivation that holds in any story; `None` for a valid one. Pure."""
    kept = sorted({metadata_key(key) for key in derivation.metadata} & set(OUR_METADATA))
    if not derivation.text.strip():
        return f"its text {derivation.text!r} is empty: there is nothing to remember"
    if (derivation.owner is None) == (derivation.container is None):
        return f"it needs an owner or a container, and has {derivation.owner!r} and {derivation.container!r}"
    if derivation.type in OUR_TYPES or not derivation.type.strip():
        return f"its type {derivation.type!r} is taken or empty. Not allowed: {', '.join(OUR_TYPES)}"
    if kept:
        return f"its metadata sets {', '.join(map(repr, kept))}, which Earwitness sets itself"
    return None


def proposed(answers: Iterable[Answered[Any]]) -> tuple[Derivation, ...]:
    """The derived memories in these answers, ready to record, each with the name of its proposer."""
    given = [(answer.by, each) for answer in answers if answer.value is not None for each in answer.value.derived]
    return tuple(each.model_copy(update={"rule": each.rule or by, "text": as_said(each.text)}) for by, each in given)


def proposed_entries(plan: Plan) -> list[NewEntry]:
    """The journal entries for the memories a plan proposes. Repeated calls give the same keys.

    A memory that names no grounds rests on the message it was proposed for.
    """
    ground = (plan.message.message.key,) if plan.message else ()
    return [
        NewEntry(
            body=Derived(derivation=each.model_copy(update={"rests_on": each.rests_on or ground})),
            key=_key(plan, index),
            timestamp=now(),
        )
        for index, each in enumerate(plan.derived)
    ]


def groundless(plan: Plan) -> list[str]:
    """Keys of proposed memories that rest only on the plan's own entry; retracting that entry removes them too."""
    return [_key(plan, index) for index, each in enumerate(plan.derived) if not each.rests_on]


def _key(plan: Plan, index: int) -> str:
    return f"#derived-{plan.sequence}-{index}"


async def append_proposed(ledger: Ledger, plan: Plan) -> Sequence[Appended]:
    """Append the proposals of a recorded plan to the journal, unless they are there already."""
    if not plan.derived:
        return ()
    entries = proposed_entries(plan)
    if await ledger.entry(plan.session, key=entries[-1].key) is not None:
        return ()
    return await ledger.append_all(plan.session, entries)
