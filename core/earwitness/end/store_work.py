"""END, step 5: what plans ask of the store: memories to put, in which order, and memories to remove. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from ..ids import WORLD
from ..memories import Alike, memory_of
from ..records.memory import Memory
from ..records.plan import ACTIVE, Delivery, Plan, grouped
from ..slices import between_steps, in_pieces

BATCH = 64
"""Memories of one plan in one put. Other calls of the host to the store wait for no more than one batch."""
BUSY = 4
"""A batch is so many times smaller while one turn of the host follows the other."""
BACKLOG_BATCH = 512
"""Memories of several plans in one put, since a backlog is written faster this way."""

Batch = tuple[Sequence[Memory], Sequence[str]]
"""Memories to put together, and the ids of the deliveries that this applies."""


@dataclass(frozen=True, slots=True)
class Work:
    """Memories to put, in order, and memories to remove. Each memory is made only when it is put."""

    put: Sequence[Sequence[Delivery]] = ()
    """The memories to put, each as its active deliveries."""
    remove: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Container name → memory ids to remove."""
    removed: Collection[str] = ()
    """Ids of world memories that were retracted. Lines of knowledge that cite one are left out."""
    perceived: int = 0
    """How many of the memories to put are participants' memories of the message; these come first."""
    batch: int = BATCH
    """The most memories in one put."""

    def batches(self) -> Iterator[Batch]:
        """The memories to put, in batches."""
        put = list(self.put)
        return (self.made(put[begin : begin + self.batch]) for begin in range(0, len(put), self.batch))

    def made(self, groups: Sequence[Sequence[Delivery]]) -> Batch:
        """These memories, each given as its active deliveries, as a batch."""
        applied = [each.id for group in groups for each in group if each.status == "pending"]
        alike: Alike = {}
        return [memory_of(group, self.removed, alike) for group in groups], applied


class PutOrder:
    """The memories of a work that are still to be put, each as its active deliveries. Who perceived comes first."""

    def __init__(self, work: Work) -> None:
        self._groups = list(work.put)
        self._perceived = work.perceived
        """The place after the last memory of those who perceived the message."""
        self._next = 0

    @property
    def has_begun(self) -> bool:
        """Whether some were taken."""
        return self._next > 0

    @property
    def is_over(self) -> bool:
        """Whether all were taken."""
        return self._next >= len(self._groups)

    @property
    def is_perceived(self) -> bool:
        """Whether those of everybody who perceived the message were taken."""
        return self._next >= self._perceived

    def bring_forward(self, containers: Collection[str]) -> int:
        """Put next what these containers get; returns how many memories that are."""
        left = range(self._next, len(self._groups))
        places = [at for at in left if self._groups[at][0].container in containers]
        for first, place in enumerate(places, self._next):
            self._groups.insert(first, self._groups.pop(place))
            self._perceived += place >= self._perceived
        return len(places)

    def take(self, count: int) -> Sequence[Sequence[Delivery]]:
        """So many more."""
        begin, self._next = self._next, self._next + count
        return self._groups[begin : self._next]


def arrival_day(plan: Plan) -> float:
    """The game day a plan is applied on. A message is heard on its own day, even if the story has gone back since."""
    said = plan.message.message.game_day if plan.message else None
    return max((day for day in (plan.due_day, said) if day is not None), default=float("inf"))


def is_plain(plan: Plan) -> bool:
    """Whether a plan only adds memories that nothing else has touched, so that it holds everything known of them."""
    revised = plan.message is not None and plan.message.message.revision
    return not (
        plan.withdrawals or plan.supported or plan.forgotten or plan.due_day is not None or revised or not plan.message
    )


def shares_transaction(plan: Plan) -> bool:
    """Whether a plan may be recorded and applied in one transaction: it only adds memories, and fits a batch."""
    return is_plain(plan) and not plan.derived and len(plan.deliveries) <= BATCH


def work_of_plain(plans: Sequence[Plan]) -> Work:
    """The store work of plain plans. Pure."""
    return _work_of_arrived(plans, [each for plan in plans for each in _arrived(plan, plan.deliveries)])


async def work_in_slices(plans: Sequence[Plan]) -> Work:
    """As `work_of_plain`; other tasks run in between."""
    arrived: list[Delivery] = []
    for plan in plans:
        arrived += await in_pieces(plan.deliveries, partial(_arrived, plan))
    await between_steps(len(arrived))
    return _work_of_arrived(plans, arrived)


def _arrived(plan: Plan, deliveries: Sequence[Delivery]) -> Iterator[Delivery]:
    day = arrival_day(plan)
    return (each for each in deliveries if each.status in ACTIVE and each.due <= day)


def _work_of_arrived(plans: Sequence[Plan], arrived: Sequence[Delivery]) -> Work:
    if len({each.memory_id for each in arrived}) == len(arrived):
        return work_from(plans, [(each,) for each in arrived], (), {})
    return work_from(plans, grouped(arrived, lambda each: each.memory_id), (), {})


def work_from(
    plans: Sequence[Plan],
    groups: Sequence[Sequence[Delivery]],
    removed: Collection[str],
    gone: Mapping[str, Sequence[str]],
) -> Work:
    """The work that makes the store hold these memories, each given by its active deliveries, and drop those `gone`.

    Participants come first, so that they remember before anyone else, and the world's copies last.
    """
    perceivers = {id for plan in plans if plan.message for id in plan.message.participants}
    first, others, last = (list[Sequence[Delivery]]() for _ in range(3))
    for group in groups:
        owner = group[0].owner
        (first if owner in perceivers else last if owner == WORLD else others).append(group)
    order = [*first, *others, *last]
    return Work(order, gone, removed, len(first) or len(order), BATCH if len(plans) == 1 else BACKLOG_BATCH)
