"""What became of something the host told a session."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from .errors import NotSettled
from .ids import WORLD
from .records.base import Record
from .records.journal import Entry
from .records.message import Message, Participant
from .records.moment import Movement
from .records.plan import Answer, Delivery, Plan


class Settlement(Record):
    """Everything that was decided about one journal entry, applied."""

    plan: Plan
    """The recorded plan."""

    @property
    def message(self) -> Message | None:
        """The message as settled, if the entry is about one."""
        return self.plan.message.message if self.plan.message else None

    @property
    def participants(self) -> dict[str, Participant]:
        """Character id → role, confidence and evidence of exactly those who perceived the message."""
        return self.plan.message.participants if self.plan.message else {}

    @property
    def knowledge(self) -> dict[str, tuple[str, ...]]:
        """Character id → the world knowledge told along."""
        told = ((each.owner, each.knowledge) for each in self.plan.deliveries if each.knowledge and each.is_active)
        return {owner: tuple(line.text for line in lines) for owner, lines in told}

    @property
    def updates(self) -> tuple[Delivery, ...]:
        """What the world container was told besides the message."""
        return tuple(each for each in self.plan.deliveries if each.owner == WORLD and each.part.startswith("update-"))

    @property
    def deliveries(self) -> tuple[Delivery, ...]:
        """All deliveries, struck ones too."""
        return self.plan.deliveries

    @property
    def movements(self) -> tuple[Movement, ...]:
        """Who came, went, or changed place."""
        return self.plan.movements

    @property
    def degraded(self) -> bool:
        """Decided fail-closed, because somebody did not answer in time or failed."""
        return self.plan.degraded

    @property
    def failures(self) -> tuple[Answer, ...]:
        """Who failed, and how."""
        return self.plan.failures


class Outcome:
    """What the host holds once an entry is durable. What was decided comes with `settled()`; before, it raises."""

    def __init__(self, entry: Entry, settled: Callable[[], Awaitable[Plan]], *, created: bool) -> None:
        self.key: str = entry.key
        """The entry's key."""
        self.sequence: int = entry.sequence
        """Its place in the journal."""
        self.created: bool = created
        """False when the key was there already and nothing new was told."""
        self._settled = settled
        self._settlement: Settlement | None = None

    def __repr__(self) -> str:
        return f"<Outcome {self.key!r} {'settled' if self._settlement else 'acknowledged'}>"

    async def settled(self) -> Settlement:
        """Wait until everything is decided and applied.

        Raises `StorageError` when it could not be applied (it will be tried again), and `StrategyError` or
        `PluginError` if `strict`.
        """
        if self._settlement is None:
            self._settlement = Settlement(plan=await self._settled())
        return self._settlement

    @property
    def settlement(self) -> Settlement:
        """What was decided. Raises `NotSettled` before `settled()` has returned."""
        if self._settlement is None:
            raise NotSettled(
                f"message {self.key!r} is acknowledged, but not decided yet: await outcome.settled() first."
            )
        return self._settlement

    @property
    def participants(self) -> dict[str, Participant]:
        """Who perceived it. Raises `NotSettled`."""
        return self.settlement.participants

    @property
    def deliveries(self) -> tuple[Delivery, ...]:
        """What is remembered, by whom. Raises `NotSettled`."""
        return self.settlement.deliveries

    @property
    def degraded(self) -> bool:
        """Decided fail-closed. Raises `NotSettled`."""
        return self.settlement.degraded
