"""What a session was after one of its entries, worked out from its recorded plans. Pure: ledgers read and write.

A ledger that makes branches (`earwitness.extras.BranchingLedger`) gives its plans as JSON, without their deliveries.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

from pydantic_core import from_json

from earwitness.copies.plan_text import plan_json
from earwitness.records.plan import Plan
from earwitness.records.snapshot import Snapshot

KEPT = ("pending", "applied", "archived")
"""Statuses of deliveries that can still be withdrawn."""
DeliveryStatus = tuple[str, str | None]
"""The status of a delivery, and its reason."""
PlanParts = dict[str, Any]
"""A plan as JSON, without its deliveries."""


class PastSession:
    """A session as it was after one of its entries. Fold the plans up to it (`fold`) before anything else is asked."""

    def __init__(self, session: str, later: Iterable[PlanParts]) -> None:
        plans = list(later)
        self.snapshot = Snapshot(id=session)
        """The session as it was then."""
        self.undone = {id for plan in plans for id in (*removed(plan), *restored(plan))}
        """Ids of the deliveries to which later plans gave another status."""
        self.memories = {id: memory for plan in plans for id, memory in _both(plan).items()}
        """Delivery id → memory id of these."""
        self.statuses: dict[str, DeliveryStatus] = {}
        """Delivery id → the status it had then, of these."""
        self.messages: dict[str, PlanParts] = {}
        """Key → message as it was settled then, of those that were revised later."""
        self.data: dict[tuple[str, str], Any] = {}
        """Plugin and key → what plans had written by then; `None` for what they had removed."""
        self._revised = {plan["message"]["message"]["key"] for plan in plans if plan["message"]}
        self._came = bool(self.undone) or any(plan["due_day"] is not None for plan in plans)
        self._brought: dict[int, float] = {}

    def fold(self, plans: Iterable[PlanParts], first: Mapping[str, DeliveryStatus]) -> None:
        """Take the plans up to then. `first` are the statuses of `undone` deliveries, once their plans were applied."""
        self.statuses = dict(first)
        self.snapshot = reduce(Snapshot.after, _merged(map(self._noted, plans)), self.snapshot)

    @property
    def arrivals(self) -> Mapping[int, float]:
        """As the function `arrivals`, of the plans up to then. Empty if nothing has arrived since."""
        return _latest(self._brought) if self._came else {}

    def _noted(self, plan: PlanParts) -> PlanParts:
        """Note what a plan up to then did to what later ones have changed."""
        self._brought[plan["sequence"]] = _day(plan)
        for withdrawal in plan["withdrawals"] if self.undone else ():
            self._change(withdrawal["removes"], KEPT, (withdrawal["status"], withdrawal["reason"]))
        if plan["restorations"]:
            self._change(restored(plan), ("archived",), ("applied", None))
        if self._revised and plan["message"] and plan["message"]["message"]["key"] in self._revised:
            self.messages[plan["message"]["message"]["key"]] = plan["message"]
        for written in plan["plugin_data"]:
            self.data[written["plugin"], written["key"]] = written["value"]
        return plan

    def _change(self, ids: Iterable[str], former: Collection[str], status: DeliveryStatus) -> None:
        """Note a status of those of the deliveries that had one of the `former` ones."""
        changed = [id for id in ids if id in self.statuses and self.statuses[id][0] in former]
        self.statuses |= dict.fromkeys(changed, status)


def plan_parts(sequence: int, text: str) -> PlanParts:
    """A recorded plan."""
    return {**_blank(), **from_json(plan_json(text)), "sequence": sequence}


def first_status(recorded: Mapping[str, Any]) -> DeliveryStatus:
    """The status of a delivery once its own plan was applied, by its recorded fields."""
    status = recorded.get("status", "pending")
    return ("applied", None) if status == "pending" else (status, recorded.get("reason"))


def arrivals(plans: Iterable[PlanParts]) -> dict[int, float]:
    """Sequence number → the latest day that had come by the last of these plans, since that one was applied."""
    return _latest({plan["sequence"]: _day(plan) for plan in plans})


def _blank() -> PlanParts:
    """What plans of earlier versions may lack."""
    lists: PlanParts = {"withdrawals": [], "restorations": [], "plugin_data": []}
    return {**lists, "message": None, "due_day": None, **{name: {} for name in _FOLDED}}


def _merged(plans: Iterator[PlanParts]) -> Iterator[Plan]:
    """Plans that have the same effect on a snapshot: one for all between two changes of the cast or of disguises."""
    waiting: PlanParts | None = None
    wearers: set[str] = set()
    for plan in plans:
        disguise = _is_of_disguises(plan, wearers)
        if disguise or plan.get("cast") is not None or plan.get("forgotten"):
            yield from _effect(waiting)
            yield from _effect(plan, _DISGUISES if disguise else ())
            waiting = None
        else:
            waiting = plan if waiting is None else _joined(waiting, plan)
    yield from _effect(waiting)


def _is_of_disguises(plan: PlanParts, wearers: set[str]) -> bool:
    """Whether a plan may change who is in disguise, or who knows it. `wearers` are those who were so far."""
    said = plan["message"] and plan["message"]["message"]
    if said and said.get("speak_as") is not None:
        wearers.add(said["speaker"])
    return plan.get("unmaskings") is not None or bool(said and said["speaker"] in wearers)


def _joined(one: PlanParts, other: PlanParts) -> PlanParts:
    if "whereabouts" in other["state"]:  # as earlier versions recorded it
        one["whereabouts"] = {}
    for name in _FOLDED:
        one[name] |= other[name]
    return {**other, **{name: one[name] for name in _FOLDED}}


_FOLDED = ("state", "whereabouts", "facts", "news_seen")
"""Fields of a plan that name only what changes."""
_DISGUISES = ("message", "unmaskings")
_EFFECTS = ("session", "sequence", "key", *_FOLDED, "cast", "forgotten")


def _effect(plan: PlanParts | None, more: Sequence[str] = ()) -> Iterator[Plan]:
    if plan is not None:
        yield Plan.model_validate_json(json.dumps({name: plan[name] for name in (*_EFFECTS, *more) if name in plan}))


def removed(plan: PlanParts) -> Mapping[str, str]:
    """Delivery id → memory id of what a plan withdraws."""
    return {id: memory for each in plan["withdrawals"] for id, memory in each["removes"].items()}


def restored(plan: PlanParts) -> Mapping[str, str]:
    """Delivery id → memory id of what a plan restores."""
    return {id: memory for each in plan["restorations"] for id, memory in each["restores"].items()}


def _both(plan: PlanParts) -> Mapping[str, str]:
    return {**removed(plan), **restored(plan)}


def _day(plan: PlanParts) -> float:
    """The latest day that had come with a plan; before all days if it brought none."""
    brought = [] if plan["due_day"] is None else [plan["due_day"]]
    said = [plan["message"]["message"]["game_day"]] if plan["message"] else []
    return max([*brought, *said], default=float("-inf"))


def _latest(days: Mapping[int, float]) -> dict[int, float]:
    """As `arrivals`, of the days that came with each plan."""
    latest, found = float("-inf"), {}
    for sequence in sorted(days, reverse=True):
        latest = max(latest, days[sequence])
        found[sequence] = latest if days[sequence] > float("-inf") else float("inf")
    return found
