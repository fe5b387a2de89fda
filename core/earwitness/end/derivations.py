"""Derivations: checks them, and turns those that plugins propose into journal entries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..clock import now
from ..consultation import Answered
from ..containers import check_container
from ..engine import Engine
from ..errors import InputError, PluginError, StrategyError
from ..formats import as_said, metadata_key
from ..ids import NAMED, PROPOSED, RETOLD, check_shared_id
from ..protocols import Ledger
from ..records.derived import Derivation
from ..records.journal import Appended, Derived, NewEntry
from ..records.memory_types import OUR_TYPES, REPLACES
from ..records.plan import Answer, Plan
from ..records.snapshot import Snapshot
from ..records.state import FactsOf
from .grounds import container_of, grounds_of, nobodys

ProposedMemory = tuple[str, Derivation]
"""Who proposed a derived memory, such as `plugin:diary`, and the memory."""
OUR_METADATA = (
    "type",
    "gameDay",
    "timestamp",
    "restsOn",
    "gameDayFrom",
    REPLACES,
    "speaker",
    "isSpeaker",
    "participants",
    "permanent",
    "words",
    "interactionType",
    "sharedFrom",
    "learnedDay",
    "sessionId",
    "forkedFrom",
)
"""Metadata that Earwitness sets itself."""


def problem(derivation: Derivation) -> str | None:
    """The fault of a derivation that holds in any story; `None` for a valid one. Pure."""
    kept = own_metadata(derivation.metadata)
    if not derivation.content.strip():
        return f"its content {derivation.content!r} is empty: there is nothing to remember"
    if (derivation.owner is None) == (derivation.container is None):
        return f"it needs an owner or a container, and has {derivation.owner!r} and {derivation.container!r}"
    if why := _unregistrable(derivation):
        return why
    if derivation.replaces and (derivation.owner is None or not derivation.rests_on):
        return "it replaces what it rests on, and names no owner or nothing to rest on"
    if derivation.type in OUR_TYPES or not derivation.type.strip():
        return f"its type {derivation.type!r} is taken or empty. Not allowed: {', '.join(OUR_TYPES)}"
    if kept:
        return f"its metadata sets {kept}, which Earwitness sets itself"
    return None


def own_metadata(given: Iterable[str]) -> str:
    """Which of these names of metadata Earwitness sets itself, in words; empty if none."""
    return ", ".join(map(repr, sorted({metadata_key(key) for key in given} & set(OUR_METADATA))))


def _unregistrable(derivation: Derivation) -> str | None:
    container = derivation.registers
    if container is None:
        return "it admits members to a container that it does not register" if derivation.admits else None
    if (container.name, container.session) != (derivation.container, None):
        return (
            f"it registers {container.name!r}, which is not its container {derivation.container!r} outside any session"
        )
    try:
        check_container(container)
        for each in derivation.admits:
            check_shared_id("member", each)
    except InputError as error:
        return f"it registers what cannot be registered: {str(error).rstrip('.')}"
    return None


def proposed(answers: Iterable[Answered[Any]]) -> tuple[ProposedMemory, ...]:
    """The derived memories in these answers, ready to record."""
    given = [(answer.by, each) for answer in answers if answer.value is not None for each in answer.value.derived]
    return tuple((by, _as_recorded(by, each)) for by, each in given)


def _as_recorded(by: str, derivation: Derivation) -> Derivation:
    instead = tuple(_as_recorded(by, each) for each in derivation.instead)
    told = {"rule": derivation.rule or by, "content": as_said(derivation.content), "instead": instead}
    return derivation.model_copy(update=told)


def noted(answers: Iterable[Answered[Any]]) -> FactsOf:
    """The facts in these answers, by the name of the plugin or strategy that notes them."""
    found: FactsOf = {}
    for name, value in ((answer.by.partition(":")[2], answer.value) for answer in answers):
        if value is not None and value.facts:
            found[name] = (*found.get(name, ()), *value.facts)
    return found


async def with_proposals(engine: Engine, story: Snapshot, plan: Plan, proposals: Sequence[ProposedMemory]) -> Plan:
    """The plan with the proposed memories. Those that cannot be remembered are left out, and named as failures.

    Raises `PluginError` or `StrategyError` for them if `strict`.
    """
    if not proposals:
        return plan
    faults = [await _fault(engine.ledger, story, plan, derivation) for _, derivation in proposals]
    judged = list(zip(proposals, faults, strict=True))
    failures = tuple(Answer(by=by, failure=_refused(why)) for (by, _), why in judged if why)
    if failures and engine.settings.strict:
        raise _error(failures[0])
    return plan.model_copy(
        update={
            "derived": (*plan.derived, *(derivation for (_, derivation), why in judged if why is None)),
            "answers": (*plan.answers, *failures),
            "degraded": plan.degraded or bool(failures),
        }
    )


async def _fault(ledger: Ledger, story: Snapshot, plan: Plan, derivation: Derivation) -> str | None:
    """Why a proposed memory cannot be remembered in this story; `None` if it can."""
    if why := problem(derivation):
        return why
    cast = plan.cast or story.cast
    container = await container_of(ledger, story.id, cast, derivation)
    if container is None:
        return nobodys(cast, derivation)
    made = {plan.key, *(name for each in plan.deliveries for name in (each.source, each.memory_id))}
    rests_on = [each for each in derivation.rests_on if each not in made]
    unknown = (await grounds_of(ledger, story.id, container.name, rests_on)).unknown
    if unknown is None or await ledger.entry(story.id, key=unknown):  # an earlier proposal, not yet decided
        return None
    return f"it rests on {unknown!r}, which is neither a memory id nor a key of this story"


def _refused(why: str) -> str:
    return f"proposed a memory that cannot be remembered: {why}; ignored"


def _error(failure: Answer) -> Exception:
    kind = PluginError if failure.by.startswith("plugin:") else StrategyError
    return kind(f"{failure.by} failed: {failure.failure}")


def proposed_entries(plan: Plan) -> list[NewEntry]:
    """The journal entries for the revisions a plan asks for, the memories it proposes, and what is told anew by hand,
    always by the same keys.

    A memory that names no grounds rests on the message it was proposed for.
    """
    ground = (plan.message.message.key,) if plan.message else ()
    day = plan.message.message.game_day if plan.message else None
    revisions = [
        NewEntry(body=each, key=f"{NAMED}{plan.sequence}-{index}", timestamp=now())
        for index, each in enumerate(plan.revisions)
    ]
    retold = [
        NewEntry(body=each, key=f"{RETOLD}{number}-{plan.sequence}", timestamp=now())
        for number, each in plan.retold.items()
    ]
    memories = [
        NewEntry(
            body=Derived(derivation=resting_on(each, ground), day=day),
            key=_key(plan, index),
            timestamp=now(),
        )
        for index, each in enumerate(plan.derived)
    ]
    return [*revisions, *memories, *retold]


def resting_on(derivation: Derivation, ground: tuple[str, ...]) -> Derivation:
    """The derivation, with this ground if it names none; so with what is written instead."""
    instead = tuple(resting_on(each, ground) for each in derivation.instead)
    return derivation.model_copy(update={"rests_on": derivation.rests_on or ground, "instead": instead})


def groundless(plan: Plan) -> list[str]:
    """Keys of proposed memories that rest only on the plan's own entry; retracting that entry removes them too."""
    return [_key(plan, index) for index, each in enumerate(plan.derived) if not each.rests_on]


def _key(plan: Plan, index: int) -> str:
    return f"{PROPOSED}{plan.sequence}-{index}"


async def append_proposed(ledger: Ledger, story: Snapshot, plan: Plan) -> Sequence[Appended]:
    """Append the proposals of a recorded plan to the journal, unless they are there already.

    A branch leaves proposals from before it for containers beyond the session to the story it branched off.
    """
    if not (entries := proposed_entries(plan)):
        return ()
    if plan.sequence <= (story.forked_at or 0):
        entries = await _own_entries(ledger, entries)
    if not entries or await ledger.entry(plan.session, key=entries[-1].key) is not None:
        return ()
    return await ledger.append_all(plan.session, entries)


async def _own_entries(ledger: Ledger, entries: Sequence[NewEntry]) -> list[NewEntry]:
    """The entries whose memories go to containers of the session."""
    named = {each.key: each.body.derivation.container for each in entries if isinstance(each.body, Derived)}
    claimed = await ledger.claimed([*filter(None, named.values())])
    own = {None, *(each.name for each in claimed if each.session is not None)}
    return [each for each in entries if named.get(each.key) in own]
