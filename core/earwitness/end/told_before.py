"""What had arrived in the old words when a message is edited: nothing else arrives anew without being asked about."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TypeAlias

from ..records.message import SettledMessage
from ..records.plan import Delivery

Telling: TypeAlias = tuple[str, str, str | None, str | None, float]
"""Container, owner, teller, rule and day."""


def telling_of(delivery: Delivery) -> Telling:
    """Who is told by whom, by which rule, and on which day: the same for every wording."""
    support = delivery.support
    return delivery.container, delivery.owner, support.shared_from, support.rule, delivery.due


def as_on_their_way(
    group: Iterable[Delivery], before: Collection[Telling], about: SettledMessage, now: int
) -> list[Delivery]:
    """What the entry `now` tells anew, as told when the message was said, unless it had arrived in the old words."""
    return [
        each.model_copy(update={"sequence": about.message.sequence})
        if each.sequence == now and telling_of(each) not in before
        else each
        for each in group
    ]


def as_told(before: Iterable[Delivery], after: Iterable[Delivery]) -> tuple[Delivery, ...]:
    """Deliveries after guards, by the entries that tell them."""
    told_by = {each.id: each.sequence for each in before}
    return tuple(
        each if each.sequence == told_by[each.id] else each.model_copy(update={"sequence": told_by[each.id]})
        for each in after
    )
