"""The copies of one message for thousands of characters who perceived the same of it, for the same reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, Self, overload

from ..containers import character_container_name
from ..ids import MemoryIds
from ..slices import in_slices
from .many import AlikeRecords, Many, parts_of
from .plan import Delivery, Plan

OWN = ("memory_id", "container", "owner")
"""The fields that differ from copy to copy."""


OwnValues = tuple[str, str, str]
"""Memory id, container and owner."""


@dataclass(frozen=True)
class CrowdOwners(Sequence[OwnValues]):
    """What each copy has for itself. It is worked out when somebody looks at it: each memory id is a hash."""

    session: str
    """Session id."""
    origin: str
    """Id of the session after which its memories' ids are derived."""
    of: tuple[str, int, str]
    """Source, revision and part of the copies."""
    owners: Sequence[str]
    """Their owners, of whom none comes twice."""

    def __len__(self) -> int:
        return len(self.owners)

    @overload
    def __getitem__(self, at: int) -> OwnValues: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[OwnValues]: ...
    def __getitem__(self, at: int | slice) -> OwnValues | Sequence[OwnValues]:
        return self.own(self.owners[at]) if isinstance(at, int) else [*map(self.own, self.owners[at])]

    @property
    def plain(self) -> dict[str, Any]:
        """All of it, JSON-ready. `read` makes it again."""
        return {"session": self.session, "origin": self.origin, "of": self.of, "owners": "\n".join(self.owners)}

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Self:
        """As `plain` has it."""
        return cls(plain["session"], plain["origin"], tuple(plain["of"]), plain["owners"].split("\n"))

    def own(self, owner: str) -> OwnValues:
        """What the copy of one of the owners has for itself."""
        container = character_container_name(self.session, owner)
        return self._memory_id(container), container, owner

    def place(self, container: str) -> int | None:
        """Which of them is for a container; `None` if none is."""
        begin = character_container_name(self.session, "")
        return self._places.get(container.removeprefix(begin)) if container.startswith(begin) else None

    def hold(self, values: OwnValues) -> bool:
        """Whether one of them has these values."""
        place = self.place(values[1])
        return place is not None and self[place] == values

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return dict(zip(self.owners, count(), strict=False))

    @cached_property
    def _memory_id(self) -> Callable[[str], str]:
        return MemoryIds(self.session, self.origin).copies(*self.of)


class CrowdCopies(AlikeRecords[Delivery]):
    """Deliveries that differ in memory, container and owner only."""

    def __init__(self, like: Delivery, owners: Sequence[str], ids: MemoryIds) -> None:
        """`like` is what they have in common, as the delivery of one of them."""
        super().__init__(owners, self._of)
        self.like = like
        self.own = CrowdOwners(like.session, ids.origin, (like.source, like.revision, like.part), owners)

    def to(self, container: str) -> Delivery | None:
        """The one for a container, if there is one."""
        place = self.own.place(container)
        return None if place is None else self[place]

    def _of(self, owner: str) -> Delivery:
        return Delivery.unchecked({**self.like.__dict__, **dict(zip(OWN, self.own.own(owner), strict=True))})


class CrowdsApart:
    """The deliveries of a plan: those for crowds, and the others."""

    def __init__(self, deliveries: Iterable[Delivery]) -> None:
        parts = parts_of(deliveries)
        self.crowds: Sequence[CrowdCopies] = [part for part in parts if isinstance(part, CrowdCopies)]
        self.others: Sequence[Delivery] = [each for part in parts if not isinstance(part, CrowdCopies) for each in part]

    @property
    def kinds(self) -> Iterator[Delivery]:
        """Deliveries that stand for all of them: one of each crowd, and the others."""
        yield from self.others
        for crowd in self.crowds:
            yield crowd.like

    def to(self, container: str) -> list[Delivery]:
        """Those for one container."""
        found = (each for crowd in self.crowds if (each := crowd.to(container)) is not None)
        return [*found, *self._others_by_container.get(container, ())]

    @cached_property
    def _others_by_container(self) -> Mapping[str, Sequence[Delivery]]:
        found: dict[str, list[Delivery]] = {}
        for each in self.others:
            found.setdefault(each.container, []).append(each)
        return found


def each_once(deliveries: Sequence[Delivery]) -> Sequence[Delivery]:
    """Each memory's delivery by one way, once; the first counts."""
    if not isinstance(deliveries, Many):
        if len({each.memory_id for each in deliveries}) == len(deliveries):
            return tuple(deliveries)
        return tuple({delivery.id: delivery for delivery in reversed(deliveries)}.values())[::-1]
    apart = CrowdsApart(deliveries)
    others = each_once([each for each in apart.others if not any(_holds(crowd, each) for crowd in apart.crowds)])
    kept = set(map(id, others))
    return Many(
        part if isinstance(part, CrowdCopies) else [each for each in part if id(each) in kept]
        for part in deliveries.parts
    )


async def made(plan: Plan) -> Plan:
    """The plan with every delivery made; other tasks run in between."""
    planned: Sequence[Delivery] = plan.deliveries
    if not isinstance(planned, Many):
        return plan
    return plan.model_copy(update={"deliveries": tuple(await in_slices(planned))})


def listening(participants: Iterable[str], deliveries: Iterable[Delivery]) -> list[str]:
    """Those of the participants who remember the message, by these deliveries."""
    apart = CrowdsApart(deliveries)
    remember = {each.owner for each in apart.others if _is_remembered(each)}
    remember.update(*(crowd.ids for crowd in apart.crowds if _is_remembered(crowd.like)))
    return list(filter(remember.__contains__, participants))


def _is_remembered(delivery: Delivery) -> bool:
    return delivery.is_active and delivery.part == "message"


def _holds(crowd: CrowdCopies, delivery: Delivery) -> bool:
    """Whether the crowd has the same memory for its owner, by the same way."""
    return delivery.way == crowd.like.way and crowd.own.hold((delivery.memory_id, delivery.container, delivery.owner))
