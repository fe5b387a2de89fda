"""A plan in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ids import WORLD
from .derived import Derivation
from .prose import counted, gist, joined

if TYPE_CHECKING:
    from .plan import Plan


def plan_text(plan: Plan) -> str:
    """Who perceives it and why, what else is learned or told, and what changes, one a line."""
    settled = plan.message
    head = str(settled.message) if settled else f"entry {plan.sequence}, key {plan.key!r}"
    perceivers = settled.participants if settled else {}
    told = [each for each in plan.deliveries if each.owner != WORLD and each.owner not in perceivers]
    lines = [f"{id}: {part}" for id, part in perceivers.items()]
    lines += [str(each) for each in told if each.is_kept]
    lines += [f"told to {each.owner}: {line.text}" for each in plan.deliveries for line in each.knowledge]
    lines += map(str, plan.movements)
    lines += [
        f"happened: {gist(each.body)}" for each in plan.deliveries if each.owner == WORLD and each.part != "message"
    ]
    lines += [f"struck for {each.owner}: {each.reason}" for each in plan.deliveries if each.status == "struck"]
    lines += [_derived(plan, each) for each in plan.derived]
    lines += [f"named anew: {each.target}" for each in plan.revisions]
    lines += [f"told anew: {each}" for each in plan.retold.values()]
    lines += map(str, plan.withdrawals)
    lines += [f"restored: {counted(len(each.restores), 'support')} of {each.memory_id}" for each in plan.restorations]
    lines += [f"forgotten: {joined(plan.forgotten)}"] if plan.forgotten else []
    lines += map(str, plan.failures)
    lines += ["decided fail-closed"] if plan.degraded else []
    return "\n  ".join([head, *lines])


def _derived(plan: Plan, made: Derivation) -> str:
    """What is derived from the plan's message, and who of those that must know the message is kept from it."""
    kept = next(filter(None, (_struck_for(plan, id, made) for id in made.knowers)), "")
    return f"derived for {made.owner or made.container}: {gist(made.content)}{kept}"


def _struck_for(plan: Plan, character: str, made: Derivation) -> str:
    own = [each for each in plan.deliveries if each.owner == character and each.source == _source(plan)]
    if (made.rests_on and _source(plan) not in made.rests_on) or any(each.is_kept for each in own):
        return ""
    return f" [struck: {character} does not receive what it rests on]"


def _source(plan: Plan) -> str:
    return plan.message.message.key if plan.message else plan.key
