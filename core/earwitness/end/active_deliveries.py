"""The active deliveries of earlier messages: whom they have reached, or will reach, and what waits to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from ..protocols import Ledger
from ..records.plan import Delivery
from .withheld import is_withheld


class ActiveDeliveries:
    """What a sharing rule may ask while an entry is decided. It implements `StandingView`.

    `planned` are the deliveries that the entry brings so far, and `taken` the ids of those that it takes away.
    """

    def __init__(
        self,
        ledger: Ledger,
        session: str,
        planned: Callable[[], Iterable[Delivery]] = tuple,
        taken: Callable[[], Collection[str]] = tuple,
    ) -> None:
        self._ledger, self._session = ledger, session
        self._planned, self._taken = planned, taken

    async def deliveries(self, keys: Sequence[str]) -> Sequence[Delivery]:
        """The active deliveries of these messages, by due day."""
        if not keys:
            return ()
        found = await self._ledger.deliveries(self._session, sources=list(keys))
        return self._with_planned(found, lambda each: each.source in keys)

    async def told_after(self, sequence: int) -> Sequence[Delivery]:
        """The active deliveries of earlier entries after this number by which characters told each other something."""
        found = await self._ledger.deliveries(self._session, after=sequence)
        told = [each for each in found if each.support.shared_from is not None and not each.beyond_session]
        return self._with_planned(told, lambda _: False)

    async def memories(self, ids: Sequence[str]) -> Sequence[Delivery]:
        """The active deliveries of these memories."""
        if not ids:
            return ()
        found = await self._ledger.deliveries(self._session, memory_ids=list(ids))
        return self._with_planned(found, lambda each: each.memory_id in ids)

    def _with_planned(self, found: Sequence[Delivery], wanted: Callable[[Delivery], bool]) -> list[Delivery]:
        taken = self._taken()
        fresh = [each for each in self._planned() if wanted(each)]
        every = [each for each in (*found, *fresh) if each.is_active or is_withheld(each)]
        return sorted((each for each in every if each.id not in taken), key=lambda each: each.due)


class AsShownToRules:
    """Active deliveries without what rules may not pass on: the text of what somebody perceived at first hand, in which
    there may be thoughts, and the news that came along."""

    def __init__(self, active: ActiveDeliveries) -> None:
        self._active = active

    async def deliveries(self, keys: Sequence[str]) -> Sequence[Delivery]:
        """The active deliveries of these messages, by due day; the texts of those that were told are there."""
        return [_as_shown(each) for each in await self._active.deliveries(keys)]

    async def told_after(self, sequence: int) -> Sequence[Delivery]:
        """The active deliveries by which entries after this number let characters tell each other something."""
        return [_as_shown(each) for each in await self._active.told_after(sequence)]


def _as_shown(delivery: Delivery) -> Delivery:
    if delivery.part != "message" or delivery.support.how != "direct":
        return delivery
    return delivery.model_copy(update={"body": "", "knowledge": ()})
