"""Disguises in memories: what was heard under another name is known as that name's until it is known whose it is.

The world's copy names the mask in its text and the character in its metadata. A listener's copy has the mask in both.
Whoever learned who it is has a copy with both names; learning it renews the copies they have.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from ..containers import character_container
from ..formats import character_memory, message_line, message_text_of
from ..ids import WORLD
from ..protocols import Ledger
from ..records.channel import apart_in
from ..records.disguise import Mask, Worn
from ..records.memory_types import MetaValue
from ..records.message import SettledMessage
from ..records.plan import Delivery, Plan, Withdrawal
from ..records.snapshot import Snapshot
from .unmasked_since import back_in_recall, derived_since, in_recall

SPEAK_AS = "speakAs"
MASKED = "it was derived from what an unmasking showed, and that was taken back"


@dataclass(slots=True)
class Masquerade:
    """One message in which somebody is in disguise, as each owner of a container knows it."""

    settled: SettledMessage
    worn: Worn
    snapshot: Snapshot
    _lists: dict[tuple[tuple[str, str], ...], list[str]] = field(default_factory=dict)

    @property
    def _speaker(self) -> str:
        return self.settled.message.speaker

    def known(self, delivery: Delivery) -> Delivery:
        """A delivery of the message, with the names that its owner knows."""
        if delivery.part != "message":
            return delivery
        if delivery.owner == WORLD:
            return self._of_world(delivery)
        hidden = self.snapshot.hidden_from(delivery.owner, self.worn, apart_in(delivery.metadata))
        text, message = message_text_of(delivery.body), self.settled.message
        name = self._name(hidden)
        body = character_memory(name, text, message.game_day, delivery.support.learned_day)
        metadata = self._metadata(delivery, hidden)
        return delivery.model_copy(update={"body": body, "metadata": metadata, "disguises": hidden})

    def _of_world(self, delivery: Delivery) -> Delivery:
        message = self.settled.message
        if message.speak_as is None:
            return delivery
        body = message_line(message.speak_as, message.content, message.game_day)
        return delivery.model_copy(update={"body": body, "metadata": {**delivery.metadata, SPEAK_AS: message.speak_as}})

    def _name(self, hidden: Worn) -> str:
        return self.snapshot.name_of(self._speaker, self.settled.message.speak_as, hidden)

    def _metadata(self, delivery: Delivery, hidden: Worn) -> dict[str, MetaValue]:
        metadata: dict[str, MetaValue] = {key: each for key, each in delivery.metadata.items() if key != SPEAK_AS}
        metadata |= {"speaker": hidden.get(self._speaker, self._speaker), "participants": self._participants(hidden)}
        if self.settled.message.speak_as is not None and self._speaker not in hidden:
            metadata[SPEAK_AS] = self.settled.message.speak_as
        return metadata

    def _participants(self, hidden: Worn) -> list[str]:
        """One list for all who know the same."""
        key = tuple(hidden.items())
        if key not in self._lists:
            self._lists[key] = [hidden.get(id, id) for id in self.settled.participants]
        return self._lists[key]


def as_known(deliveries: Iterable[Delivery], settled: SettledMessage, snapshot: Snapshot) -> list[Delivery]:
    """The deliveries of a message, each with the names that its owner knows."""
    if not settled.disguises:
        return list(deliveries)
    masquerade = Masquerade(settled, settled.disguises, snapshot)
    return [masquerade.known(each) for each in deliveries]


async def as_teller_knew_it(ledger: Ledger, delivery: Delivery, teller: str, snapshot: Snapshot) -> Delivery:
    """A memory that was passed on, with the names that the listener knows."""
    worn = {teller: snapshot.guises[teller]} if teller in snapshot.guises else {}
    if delivery.part == "message":
        for settled in await ledger.messages(delivery.session, keys=[delivery.source]):
            if worn := {**settled.disguises, **worn}:
                return Masquerade(settled, worn, snapshot).known(delivery)
    return delivery.model_copy(
        update={"disguises": snapshot.hidden_from(delivery.owner, worn, apart_in(delivery.metadata))}
    )


async def with_renewals(ledger: Ledger, before: Snapshot, plan: Plan, *, since: int | None = None) -> Plan:
    """The plan of an unmasking, or of one that is taken back.

    It renews the copies of all for whom that makes a difference, under the names that they know by then. With `since`,
    the number of the entry that is taken back, what was derived from them after it goes.
    """
    after = before.model_copy(update={"unmaskings": plan.unmaskings})
    masks = {(each.character, each.name) for each in {*before.unmaskings} ^ {*after.unmaskings}}
    changed: list[tuple[Delivery, Delivery]] = []
    for owner in before.cast.ids:
        if new := {mask for mask in masks if _sees(before, owner, mask) != _sees(after, owner, mask)}:
            changed += await _of_owner(ledger, after, owner, new, plan.sequence)
    if not changed:
        return plan
    withdrawal = Withdrawal(removes={old.id: old.memory_id for old, _ in changed}, reason="known under other names")
    if since is not None:
        gone = await derived_since(ledger, before.id, [old for old, _ in changed], since)
        back = await back_in_recall(ledger, before.id, [new for _, new in changed], gone)
        changed = [(old, in_recall(new) if new.memory_id in back else new) for old, new in changed]
        removes = {each.id: each.memory_id for each in gone if each.id not in withdrawal.removes}
        plan = plan.model_copy(update={"withdrawals": (*plan.withdrawals, Withdrawal(removes=removes, reason=MASKED))})
    return plan.model_copy(
        update={
            "deliveries": (*plan.deliveries, *(new for _, new in changed)),
            "withdrawals": (*plan.withdrawals, withdrawal),
            "due_day": before.state.game_day,  # what is due later still waits
        }
    )


def _sees(snapshot: Snapshot, owner: str, mask: Mask) -> set[str | None]:
    """Where an owner sees through a mask: `None` = everywhere. Its wearer does."""
    return {None} if owner == mask[0] else {each.place for each in snapshot.unmaskings if each.is_of(*mask, owner)}


async def _of_owner(
    ledger: Ledger, after: Snapshot, owner: str, masks: Collection[Mask], sequence: int
) -> list[tuple[Delivery, Delivery]]:
    """Each delivery of an owner that changes, and what it becomes."""
    container = character_container(after.id, owner).name
    held = await ledger.deliveries(after.id, container=container)
    there = [each for each in held if each.is_kept and _may_concern(each, masks)]
    keys = sorted({each.source for each in there})
    messages = {each.message.key: each for each in (await ledger.messages(after.id, keys=keys) if keys else ())}
    found = []
    for old in there:
        settled = messages.get(old.source)
        worn = {**(settled.disguises if settled else {}), **old.disguises}
        if masks & worn.items():
            found.append((old, _renewed(old, settled, worn, after, sequence)))
    return found


def _renewed(old: Delivery, settled: SettledMessage | None, worn: Worn, after: Snapshot, sequence: int) -> Delivery:
    new = old.model_copy(update={"disguises": after.hidden_from(old.owner, worn, apart_in(old.metadata))})
    if settled is not None:
        new = Masquerade(settled, worn, after).known(new)
    status = "archived" if old.status == "archived" else "pending"
    return new.model_copy(update={"sequence": sequence, "renewed": sequence, "status": status})


def _may_concern(delivery: Delivery, masks: Collection[Mask]) -> bool:
    if masks & delivery.disguises.items():
        return True
    participants = delivery.metadata.get("participants")
    ids = {delivery.metadata.get("speaker"), delivery.support.shared_from}
    return any(id in ids or (isinstance(participants, list) and id in participants) for id, _ in masks)
