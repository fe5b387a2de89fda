"""END, step 4: sharing rules name who else learns of it; guards strike what must not be delivered."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from ..dispatch import Answered, ask, unkeepable
from ..engine import Engine
from ..errors import StrategyError, named, quoted
from ..ids import WORLD
from ..protocols import Guard, Share, SharingRule, Strike
from ..records.base import Record
from ..records.memory import MetaValue
from ..records.message import SettledMessage
from ..records.moment import Moment
from ..records.plan import Answer, Delivery, Plan

T = TypeVar("T")


async def shares(
    engine: Engine, settled: SettledMessage, moment: Moment
) -> tuple[list[tuple[Share, str]], tuple[Answer, ...]]:
    """All rules' shares with the texts told, in the rules' order, for members of the cast. A failing rule has none."""
    limit = engine.settings.end.plugin_timeout

    async def asked(name: str, rule: SharingRule) -> Answered[Iterable[Share]]:
        return await ask(f"sharing_rule:{name}", lambda: rule.share(settled, moment), Iterable, limit)  # type: ignore[type-abstract]

    answers = await asyncio.gather(*(asked(name, rule) for name, rule in engine.sharing_rules))
    found, reports = [], []
    for answer in answers:
        kept, failure = _of_type(answer, Share, engine)
        found += [share for share in kept if share.character in moment.cast]
        reports.append(answer.reported().model_copy(update={"failure": failure}))
    return _tellable(found, settled), tuple(reports)


def _tellable(shares: Sequence[Share], settled: SettledMessage) -> list[tuple[Share, str]]:
    """The shares whose teller knows, each with the text told: what he perceived, or was told himself.

    Without a teller it is the rule's doing, and the whole message. Whoever perceived nothing tells nothing.
    """
    known = {id: settled.heard_by(id) for id in settled.participants}
    told: dict[int, tuple[Share, str]] = {}
    while reached := [index for index, share in enumerate(shares) if index not in told and _teller_knows(share, known)]:
        for index in reached:
            share = shares[index]
            text = known[share.shared_from] if share.shared_from is not None else settled.message.content
            told[index] = (share, text)
            known.setdefault(share.character, text)
    return [told[index] for index in sorted(told) if told[index][1]]


def _teller_knows(share: Share, known: Mapping[str, str]) -> bool:
    return share.shared_from is None or share.shared_from in known


async def guarded(engine: Engine, plan: Plan, *, silence: bool = True) -> Plan:
    """The plan with what guards strike marked so. A failing guard strikes all but the speaker's own and the world's.

    Without `silence`, what the struck would have told on stays: the plan does not hold all tellers.
    """
    if not engine.guards or not plan.deliveries:
        return plan
    limit = engine.settings.end.plugin_timeout

    async def asked(name: str, guard: Guard) -> Answered[Iterable[Strike]]:
        return await ask(f"guard:{name}", lambda: guard.strike(plan), Iterable, limit)  # type: ignore[type-abstract]

    reasons: dict[str, str] = {}
    reports: list[Answer] = []
    for answer in await asyncio.gather(*(asked(name, guard) for name, guard in engine.guards)):
        strikes, failure = _of_type(_spoken(answer), Strike, engine)
        if failure:
            strikes = [Strike(delivery_id=each.id, reason=f"{answer.by} failed") for each in _guarded_by_all(plan)]
        for strike in strikes:
            reasons.setdefault(strike.delivery_id, f"{answer.by}: {strike.reason}")
        reports.append(answer.reported().model_copy(update={"failure": failure}))
    deliveries = [_bare(each) for each in plan.deliveries] if any(each.failure for each in reports) else plan.deliveries
    struck = tuple(_struck(each, reasons.get(each.id)) for each in deliveries)
    struck = _silenced(struck) if silence else struck
    degraded = plan.degraded or any(report.failure for report in reports)
    message = _unheard(plan.message, struck)
    return plan.model_copy(
        update={
            "deliveries": received_by(message, struck), "message": message, "answers": (*plan.answers, *reports),
            "degraded": degraded,
        }
    )  # fmt: skip


def _guarded_by_all(plan: Plan) -> list[Delivery]:
    speaker = plan.message.message.speaker if plan.message else None
    return [each for each in plan.deliveries if each.owner not in {WORLD, speaker}]


def _unheard(settled: SettledMessage | None, deliveries: Sequence[Delivery]) -> SettledMessage | None:
    """Who remembers nothing of the message has heard nothing of it: their next recall does not ask about it."""
    if settled is None:
        return None
    remember = {each.owner for each in deliveries if each.is_active}
    nothing = {id: "" for id in settled.participants if id not in remember}
    return settled.model_copy(update={"heard": {**settled.heard, **nothing}})


def received_by(settled: SettledMessage | None, deliveries: tuple[Delivery, ...]) -> tuple[Delivery, ...]:
    """Every copy of the message names as participants those who received it."""
    if settled is None:
        return deliveries
    received: MetaValue = [id for id in settled.participants if settled.heard_by(id)]
    named = (each.metadata.get("participants") for each in deliveries if each.part == "message")
    received = next((names for names in named if names == received), received)  # one list for all copies
    return tuple(
        each
        if each.part != "message" or each.metadata.get("participants") is received
        else each.model_copy(update={"metadata": {**each.metadata, "participants": received}})
        for each in deliveries
    )


def _bare(delivery: Delivery) -> Delivery:
    """A delivery without the news told along: nobody has guarded them."""
    return delivery.model_copy(update={"knowledge": ()})


def _silenced(deliveries: Sequence[Delivery]) -> tuple[Delivery, ...]:
    """Whoever is kept from knowing tells nobody: what came only by way of them is struck too."""
    know = {each.memory_id for each in deliveries if each.is_active and each.support.via is None}
    while more := {each.memory_id for each in deliveries if each.is_active and each.support.via in know} - know:
        know |= more
    return tuple(
        _struck(each, f"{each.support.shared_from} was kept from knowing it") if _hearsay(each, know) else each
        for each in deliveries
    )


def _hearsay(delivery: Delivery, known: set[str]) -> bool:
    return delivery.is_active and delivery.support.via is not None and delivery.support.via not in known


def _struck(delivery: Delivery, reason: str | None) -> Delivery:
    return delivery if reason is None else delivery.model_copy(update={"status": "struck", "reason": reason})


def _spoken(answer: Answered[T]) -> Answered[T]:
    """A guard's silence is a failure: whether it has looked nobody can tell."""
    silent = answer.failure is None and answer.value is None
    return replace(answer, failure="answered nothing") if silent else answer


def _of_type(answer: Answered[Iterable[T]], expected: type[T], engine: Engine) -> tuple[Sequence[T], str | None]:
    """The answer as a list, or the failure: anything of another type in it is one."""
    failure = answer.failure
    items: list[T] = []
    if failure is None:
        try:
            items = list(answer.value or ())
        except Exception as error:  # noqa: BLE001 - a stranger's generator may raise anything
            failure = named(error)
    wrong = next((item for item in items if not isinstance(item, expected)), None)
    if wrong is not None:
        failure = f"answered {quoted(wrong)}, expected {expected.__name__}"
    failure = failure or next((why for item in items if isinstance(item, Record) and (why := unkeepable(item))), None)
    if failure and engine.settings.strict:
        raise StrategyError(f"{answer.by} failed: {failure}")
    return ([], failure) if failure else (items, None)
