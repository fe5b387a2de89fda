"""What became of a message or change that the host reported."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from .errors import NotDecided, NotYetApplied
from .ids import WORLD
from .records.base import Record
from .records.journal import Entry
from .records.message import Message, Participant
from .records.moment import Movement
from .records.plan import Answer, Delivery, Plan


class StoreProgress(Protocol):
    """How much of what was decided the store holds."""

    async def remembered(self, sequence: int | None = None, *, timeout: float | None = None) -> None:
        """Wait until those who perceived an entry's message remember it. Raises `NotYetApplied`."""
        ...


class Settlement(Record):
    """Everything that was decided about one journal entry."""

    plan: Plan
    """The recorded plan."""

    def __str__(self) -> str:
        return str(self.plan)

    @property
    def message(self) -> Message | None:
        """The message as settled, if the entry is about one."""
        return self.plan.message.message if self.plan.message else None

    @property
    def participants(self) -> dict[str, Participant]:
        """Character id → role, confidence and evidence of exactly those who perceived the message."""
        return self.plan.message.participants if self.plan.message else {}

    @property
    def addressees(self) -> tuple[str, ...]:
        """Ids of those who perceived the message and are spoken to, the most certain first."""
        return self.plan.message.addressees if self.plan.message else ()

    @property
    def knowledge(self) -> dict[str, tuple[str, ...]]:
        """Character id → the lines of world knowledge that came with the message."""
        learned = ((each.owner, each.knowledge) for each in self.plan.deliveries if each.knowledge and each.is_active)
        return {owner: tuple(line.text for line in lines) for owner, lines in learned}

    @property
    def updates(self) -> tuple[Delivery, ...]:
        """The updates that went into the world container besides the message."""
        return tuple(each for each in self.plan.deliveries if each.owner == WORLD and each.part.startswith("update-"))

    @property
    def deliveries(self) -> tuple[Delivery, ...]:
        """All deliveries, including struck ones."""
        return tuple(self.plan.deliveries)

    @property
    def movements(self) -> tuple[Movement, ...]:
        """Who came, went, or changed place."""
        return tuple(self.plan.movements)

    @property
    def degraded(self) -> bool:
        """Whether it was decided fail-closed, because somebody who was asked failed or took too long."""
        return self.plan.degraded

    @property
    def failures(self) -> tuple[Answer, ...]:
        """Who failed, and how."""
        return self.plan.failures


class Outcome:
    """What the host holds once an entry is durable. What was decided can be read after `decided()` or `settled()`."""

    def __init__(
        self, entry: Entry, plan: Callable[[], Awaitable[Plan]], store: StoreProgress, *, created: bool
    ) -> None:
        self.key: str = entry.key
        """The entry's key."""
        self.sequence: int = entry.sequence
        """Its place in the journal."""
        self.created: bool = created
        """False if the key existed already, so that nothing new was stored."""
        self._plan = plan
        self._store = store
        self._settlement: Settlement | None = None

    def __repr__(self) -> str:
        return f"<Outcome {self.key!r} {'decided' if self._settlement else 'acknowledged'}>"

    def __str__(self) -> str:
        found = self._settlement
        waits = f"entry {self.sequence}, key {self.key!r}: acknowledged; await decided() or settled()"
        return str(found) if found else waits

    async def decided(self) -> Settlement:
        """Wait until it is decided and its plan is recorded. The store may not hold it yet.

        Raises `StorageError` when the ledger fails, and `StrategyError` or `PluginError` if `strict`.
        """
        if self._settlement is None:
            self._settlement = Settlement(plan=await self._plan())
        return self._settlement

    async def settled(self, timeout: float | None = None) -> Settlement:
        """Wait until it is decided and those who perceived it remember it.

        Raises as `decided`, and `NotYetApplied` when that takes longer than `timeout` seconds or, without a timeout,
        when the store fails. Nothing is lost then: it is tried again, and this may be called again.
        """
        if timeout is None:
            settlement = await self.decided()
            await self._store.remembered(self.sequence)
            return settlement
        try:
            async with asyncio.timeout(timeout) as clock:
                settlement = await self.decided()
        except TimeoutError as error:
            raise NotYetApplied(
                f"entry {self.key!r} has not been decided within {timeout:g} s. Nothing is lost: it is in the journal."
            ) from error
        left = max(0.0, (clock.when() or 0) - asyncio.get_running_loop().time())
        await self._store.remembered(self.sequence, timeout=left)
        return settlement

    @property
    def settlement(self) -> Settlement:
        """What was decided. Raises `NotDecided` before `decided()` or `settled()` has returned."""
        if self._settlement is None:
            raise NotDecided(
                f"message {self.key!r}: await outcome.decided() or outcome.settled() "
                "before you read what was decided about it."
            )
        return self._settlement

    @property
    def participants(self) -> dict[str, Participant]:
        """Who perceived it. Raises `NotDecided`."""
        return self.settlement.participants

    @property
    def addressees(self) -> tuple[str, ...]:
        """Ids of those who perceived it and are spoken to, the most certain first. Raises `NotDecided`."""
        return self.settlement.addressees

    @property
    def deliveries(self) -> tuple[Delivery, ...]:
        """What is remembered, by whom. Raises `NotDecided`."""
        return self.settlement.deliveries

    @property
    def degraded(self) -> bool:
        """Whether it was decided fail-closed. Raises `NotDecided`."""
        return self.settlement.degraded
