"""A session in memory: as of its last decided entry, with the messages before the next one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pydantic import JsonValue

from .engine import QUOTING, Engine
from .formats import holds_placeholder
from .ids import derive
from .plugin_data import PluginData
from .records.message import SettledMessage
from .records.plan import Delivery, Plan, PluginWrite, Snapshot, grouped
from .validation.messages import gone

RECENT = 24
LANDMARKS = 64
"""Every so many entries the session as it stood then is kept at hand."""


@dataclass(frozen=True)
class Unapplied:
    """A recorded plan that the store does not hold yet."""

    day: float
    """The game day it is applied on."""
    plan: Plan | None
    """The plan; `None` for one that is read from the ledger in its turn."""

    @cached_property
    def due(self) -> Mapping[str, list[Delivery]]:
        """Container name → what the plan delivers there on that day."""
        active = [each for each in self.plan.deliveries if each.is_active and each.due <= self.day] if self.plan else []
        return {group[0].container: group for group in grouped(active, lambda each: each.container)}


@dataclass(slots=True)
class Live:
    """What one session keeps at hand; all of it can be read again from the ledger.

    `latest_update` is an entry after which the world was told no updates; `previous` is the session as it stood before
    a message, usually the last one, since that is what is edited and rerolled; `landmarks` are how it stood at earlier
    entries, by sequence number, for whoever wants to know how it stood shortly after; `unapplied` are recorded plans
    that the store does not hold yet: sequence number → the game day they arrive on.
    """

    snapshot: Snapshot
    recent: tuple[SettledMessage, ...] = ()
    stored: dict[str, dict[str, JsonValue]] = field(default_factory=dict)
    latest_update: int = 0
    previous: Snapshot | None = None
    landmarks: dict[int, Snapshot] = field(default_factory=dict)
    unapplied: dict[int, Unapplied] = field(default_factory=dict)

    @classmethod
    async def load(cls, engine: Engine, session: str) -> Live:
        """Read the session. Raises `UnknownName` when it is gone."""
        ledger = engine.ledger
        snapshot = await ledger.load(session)
        if snapshot is None:
            raise gone(session)
        recent = await ledger.messages(session, limit=RECENT)
        stored = {name: await ledger.data(session, name) for name in engine.data_owners}
        return cls(snapshot, tuple(recent), stored, snapshot.decided)

    @property
    def said(self) -> set[str]:
        """Every message that holds a placeholder of ours, and the recent ones, which may hold one of the host's."""
        quoting = self.stored.get(QUOTING, {}).values()
        return {str(each) for each in quoting}.union(each.message.content for each in self.recent)

    def has_arrived(self, delivery: Delivery) -> bool:
        """Whether a pending delivery has arrived by a recorded plan that is not applied yet."""
        return any(
            sequence >= delivery.sequence and each.day >= delivery.due for sequence, each in self.unapplied.items()
        )

    def data(self) -> Mapping[str, PluginData]:
        """Fresh write buffers over what each plugin keeps."""
        return {name: PluginData(kept) for name, kept in self.stored.items()}

    def advance(self, plan: Plan, after: Snapshot) -> None:
        """Take over what a recorded plan brought about."""
        before, self.snapshot = self.snapshot, after
        self.remember(after)
        self._keep(plan.plugin_data)
        if any(delivery.part.startswith("update-") for delivery in plan.deliveries):
            self.latest_update = plan.sequence
        if (settled := plan.message) is None:
            return
        just_said = settled.message.sequence == plan.sequence  # a revision keeps the number of what it revises
        if just_said and not (self.recent and self.recent[-1].message.key == settled.message.key):
            self.recent = (*self.recent, settled)[-RECENT:]
            self.previous = before
        else:
            self.recent = tuple(settled if each.message.key == settled.message.key else each for each in self.recent)

    def remember(self, snapshot: Snapshot) -> None:
        """Keep how the session stood, if that is a landmark."""
        if snapshot.decided % LANDMARKS == 0:
            self.landmarks[snapshot.decided] = snapshot

    def nearest(self, sequence: int) -> Snapshot:
        """The latest known of how the session stood at or before an entry."""
        previous = [self.previous] if self.previous else []
        known = [each for each in (*self.landmarks.values(), *previous) if each.decided <= sequence]
        return max(known, key=lambda each: each.decided, default=Snapshot(id=self.snapshot.id))

    def _keep(self, writes: tuple[PluginWrite, ...]) -> None:
        for write in writes:
            kept = self.stored.setdefault(write.plugin, {})
            kept.pop(write.key, None)
            if write.value is not None:
                kept[write.key] = write.value


def written(data: Mapping[str, PluginData]) -> tuple[PluginWrite, ...]:
    """What plugins wrote into their buffers."""
    return tuple(
        PluginWrite(plugin=name, key=key, value=value)
        for name, buffer in data.items()
        for key, value in buffer.changes.items()
    )


def quoting(content: str) -> tuple[PluginWrite, ...]:
    """What is kept of a message that holds a placeholder, so that no prompt which quotes it is filled there."""
    return (PluginWrite(plugin=QUOTING, key=derive(content), value=content),) if holds_placeholder(content) else ()
