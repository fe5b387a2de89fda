"""What was due while a guard failed: it stays on its way, and arrives once that guard answers again.

The ledger has it in the archive, for a reason of its own: so no change of the day brings it unasked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from ..carried_hubs import message_key_of
from ..engine import WITHHELD
from ..plugin_data import PluginData
from ..records.plan import WAITS, Delivery, Restoration, Withdrawal, grouped


class LateArrivals:
    """What waits until a guard answers: what did so before, and what does from now on."""

    def __init__(self, archived: Iterable[Delivery], gone: Collection[str]) -> None:
        """What was withheld before is among what is `archived`, but for the ids that are `gone`."""
        self._before = {each.id: each for each in archived if is_withheld(each) and each.id not in gone}
        self.now = dict(self._before)
        """Id → what waits from now on."""
        self.released: list[Restoration] = []
        """What has waited, and arrives."""

    def due_by(self, day: float) -> list[Delivery]:
        """What was withheld before and is due by a day, as it was on its way."""
        return [_on_its_way(each) for each in self._before.values() if each.due <= day]

    def new_among(self, deliveries: Iterable[Delivery]) -> list[Delivery]:
        """Those that were not withheld before."""
        return [each for each in deliveries if each.id not in self._before and each.is_kept]

    def hold(self, deliveries: Sequence[Delivery]) -> list[Withdrawal]:
        """Let these wait. The withdrawals that keep them from arriving, one for each reason."""
        self.now |= {each.id: each for each in deliveries}
        groups = grouped(deliveries, lambda each: each.reason or "")
        return [Withdrawal(removes=_ids(one), status="archived", reason=one[0].reason or "") for one in groups]

    def release(self, deliveries: Iterable[Delivery]) -> None:
        """These arrive."""
        found = [each for each in deliveries if self.now.pop(each.id, None) is not None]
        groups = grouped(found, lambda each: each.memory_id)
        self.released += [Restoration(memory_id=one[0].memory_id, restores=_ids(one)) for one in groups]

    def drop(self, deliveries: Iterable[Delivery]) -> None:
        """These are struck."""
        for each in deliveries:
            self.now.pop(each.id, None)

    def note(self, data: Mapping[str, PluginData]) -> None:
        """Keep of which messages something waits, in which containers, and why; forget the others."""
        kept = data.get(WITHHELD, PluginData({}))
        groups = {message_key_of(one[0]): one for one in grouped(self.now.values(), message_key_of)}
        for key in kept.keys() - groups.keys():
            del kept[key]
        for key, group in groups.items():
            kept[key] = {each.container: each.reason or "" for each in group}


def is_withheld(delivery: Delivery) -> bool:
    """Whether it is on its way, and waits until a guard answers."""
    return delivery.status == "archived" and (delivery.reason or "").startswith(WAITS)


def withheld_by(guards: Sequence[str], delivery: Delivery) -> Delivery:
    """The delivery, which waits until these guards answer."""
    return delivery.model_copy(update={"status": "archived", "reason": f"{WAITS}{' and '.join(guards)} can be asked"})


def waits_like(first: Delivery, delivery: Delivery) -> Delivery:
    """The delivery, which waits for the same reason as the first one."""
    return delivery.model_copy(update={"status": first.status, "reason": first.reason})


def _on_its_way(delivery: Delivery) -> Delivery:
    return delivery.model_copy(update={"status": "pending", "reason": None})


def _ids(deliveries: Iterable[Delivery]) -> dict[str, str]:
    return {each.id: each.memory_id for each in deliveries}
