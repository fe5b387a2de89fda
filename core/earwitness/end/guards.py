"""END, step 4: guards strike deliveries, and tellings that depend on a struck delivery are struck as well."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from ..consultation import Answered, items_of, record_of
from ..engine import Engine
from ..errors import quoted
from ..events import Event, PlanEvent, Strike, StrikeAnswer
from ..ids import WORLD
from ..plugin_data import DataByOwner
from ..protocols import Guard
from ..records.crowd import made
from ..records.disguise import Mask
from ..records.memory_types import MetaValue
from ..records.message import SettledMessage
from ..records.plan import Delivery, Plan
from ..strategy import Strategy

_FAILED = "{} failed"
_UNKNOWN = (
    "struck {}, which is not a delivery of this plan: name a delivery by its `id`, not by its `memory_id` or owner"
)


async def guarded(engine: Engine, event: Event, plan: Plan, data: DataByOwner, *, silence: bool = True) -> Plan:
    """The plan with the deliveries that guards strike marked.

    If a guard fails, only the speaker and the world receive theirs.

    With `silence=False`, tellings by characters whose own delivery was struck stay, and participants without a delivery
    count as before; use it for a plan that does not hold all deliveries of its message. Raises `StrategyError` for a
    failing guard if `strict`.
    """
    if not engine.guards or not plan.deliveries:
        return plan
    plan = await made(plan)  # guards are shown every delivery, sealed
    base = {name: getattr(event, name) for name in Event.model_fields}
    asked = PlanEvent(**base, plan=plan)
    answers = await asyncio.gather(*(_asked(engine, guard, asked, data) for guard in engine.guards))
    failed = any(answer.failure for answer in answers)
    deliveries = [_without_knowledge(each) for each in plan.deliveries] if failed else list(plan.deliveries)
    reasons = _reasons(answers, plan)
    after = [struck(each, reasons.get(each.id)) for each in deliveries]
    if silence:
        after = without_hearsay(after)
        plan = plan.model_copy(update={"message": _unheard(plan.message, after)})
    return _received(plan, after, answers)


def _received(plan: Plan, deliveries: Sequence[Delivery], answers: Sequence[Answered[StrikeAnswer]]) -> Plan:
    reports = tuple(answer.reported() for answer in answers)
    return plan.model_copy(
        update={
            "deliveries": received_by(plan.message, deliveries),
            "answers": (*plan.answers, *reports),
            "degraded": plan.degraded or any(report.failure for report in reports),
        }
    )


async def _asked(engine: Engine, guard: Strategy[Guard], event: PlanEvent, data: DataByOwner) -> Answered[StrikeAnswer]:
    return await engine.consultant.ask(guard, Guard.strike, event, partial(strike_answer, event.plan), data)


def strike_answer(plan: Plan, answer: object) -> tuple[StrikeAnswer | None, str | None]:
    """A guard's answer about a plan as a record, from a record or a list of strikes.

    No answer is a failure, since it does not show whether the guard has looked. So is a strike of what is not a
    delivery of the plan: what it was meant to strike would be delivered.
    """
    found, failure = _strikes(answer)
    named = {each.delivery_id for each in found.strikes} if found else set()
    unknown = sorted(named.difference(each.id for each in plan.deliveries)) if named else []
    return (None, _UNKNOWN.format(quoted(unknown[0]))) if unknown else (found, failure)


def _strikes(answer: object) -> tuple[StrikeAnswer | None, str | None]:
    if answer is None:
        return None, "answered nothing"
    if isinstance(answer, StrikeAnswer):
        return record_of(answer, StrikeAnswer)
    found, failure = items_of(answer, Strike)
    return (None, failure) if found is None else (StrikeAnswer(strikes=tuple(found)), None)


def _reasons(answers: Iterable[Answered[StrikeAnswer]], plan: Plan) -> dict[str, str]:
    """Delivery id → why it is struck, by the first guard that says so."""
    reasons: dict[str, str] = {}
    for answer in answers:
        strikes = answer.value.strikes if answer.value else _all_but_own(plan, answer.by)
        for strike in strikes:
            reasons.setdefault(strike.delivery_id, f"{answer.by}: {strike.reason}")
    return reasons


def unasked(delivery: Delivery, plan: Plan) -> list[str]:
    """The guards that failed, if a delivery was struck only because of that. Pure."""
    failed = [answer.by for answer in plan.answers if answer.failure]
    return failed if delivery.reason in {f"{each}: {_FAILED.format(each)}" for each in failed} else []


def _all_but_own(plan: Plan, guard: str) -> list[Strike]:
    speaker = plan.message.message.speaker if plan.message else None
    others = [each for each in plan.deliveries if each.owner not in {WORLD, speaker}]
    return [Strike(delivery_id=each.id, reason=_FAILED.format(guard)) for each in others]


def _unheard(settled: SettledMessage | None, deliveries: Sequence[Delivery]) -> SettledMessage | None:
    """Mark participants who remember nothing of the message as having heard nothing.

    Their next recall does not ask about it.
    """
    if settled is None:
        return None
    remember = {each.owner for each in deliveries if each.is_active}
    nothing = {id: "" for id in settled.participants if id not in remember}
    return settled.model_copy(update={"heard": {**settled.heard, **nothing}})


def received_by(settled: SettledMessage | None, deliveries: Sequence[Delivery]) -> tuple[Delivery, ...]:
    """The deliveries, with the participants of every message copy set to those who received it."""
    if settled is None:
        return tuple(deliveries)
    received: list[str] = [id for id in settled.participants if settled.heard_by(id)]
    named = (each.metadata.get("participants") for each in deliveries if each.part == "message")
    known: dict[tuple[Mask, ...], MetaValue] = {
        (): next((names for names in named if names == received), received)
    }  # copies share one list
    return tuple(_naming(each, received, known) if each.part == "message" else each for each in deliveries)


def _naming(
    delivery: Delivery, received: Sequence[str], known: dict[tuple[tuple[str, str], ...], MetaValue]
) -> Delivery:
    """The delivery with these participants, by the names that its owner knows. `known` has the lists made so far."""
    worn = tuple(delivery.disguises.items())
    if worn not in known:
        known[worn] = [delivery.disguises.get(id, id) for id in received]
    if delivery.metadata.get("participants") is known[worn]:
        return delivery
    return delivery.model_copy(update={"metadata": {**delivery.metadata, "participants": known[worn]}})


def _without_knowledge(delivery: Delivery) -> Delivery:
    """A delivery without the news that came along, which no guard has checked."""
    return delivery.model_copy(update={"knowledge": ()})


def without_hearsay(deliveries: Sequence[Delivery]) -> list[Delivery]:
    """Strike deliveries whose teller was kept from knowing, and those that depend on them. Pure."""
    know = {each.memory_id for each in deliveries if each.is_active and each.support.via is None}
    while more := {each.memory_id for each in deliveries if each.is_active and each.support.via in know} - know:
        know |= more
    return [kept_from_knowing(each) if _hearsay(each, know) else each for each in deliveries]


def kept_from_knowing(delivery: Delivery) -> Delivery:
    """The delivery struck, since its teller does not know it either."""
    return struck(delivery, f"{delivery.support.shared_from} was kept from knowing it")


def without_tellers(
    deliveries: Iterable[Delivery],
    gone: Iterable[Delivery],
    then: Callable[[Delivery], Delivery] = kept_from_knowing,
) -> list[Delivery]:
    """The deliveries, where a delivery is struck if its teller's own was, and so on; or what `then` makes of those.
    Pure."""
    left, lost = list(deliveries), {each.memory_id for each in gone}
    while more := {each.memory_id for each in left if each.is_active and each.support.via in lost}:
        left = [then(each) if each.is_active and each.support.via in lost else each for each in left]
        lost |= more
    return left


def _hearsay(delivery: Delivery, known: set[str]) -> bool:
    return delivery.is_active and delivery.support.via is not None and delivery.support.via not in known


def struck(delivery: Delivery, reason: str | None) -> Delivery:
    """The delivery struck for this reason; unchanged if the reason is `None`."""
    return delivery if reason is None else delivery.model_copy(update={"status": "struck", "reason": reason})
