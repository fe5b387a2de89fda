"""Written by scripts/generate_sync.py from the asynchronous `Outcome`. To change it, change that: `make sync`."""

from __future__ import annotations

from ..outcome import Outcome as AsyncOutcome
from ..outcome import Settlement
from ..records.message import Participant
from ..records.plan import Delivery
from .loop import Mirror


class Outcome(Mirror[AsyncOutcome]):
    """What the host holds once an entry is durable. What was decided can be read after `decided()` or `settled()`."""

    @property
    def key(self) -> str:
        """The entry's key."""
        return self._behind.key

    @property
    def sequence(self) -> int:
        """Its place in the journal."""
        return self._behind.sequence

    @property
    def created(self) -> bool:
        """False if the key existed already, so that nothing new was stored."""
        return self._behind.created

    def decided(self) -> Settlement:
        """Wait until it is decided and its plan is recorded. The store may not hold it yet.

        Raises `StorageError` when the ledger fails, and `StrategyError` or `PluginError` if `strict`.
        """
        return self._call(self._behind.decided)

    def settled(self, timeout: float | None = None) -> Settlement:
        """Wait until it is decided and those who perceived it remember it.

        Raises as `decided`, and `NotYetApplied` when that takes longer than `timeout` seconds or, without a timeout,
        when the store fails. Nothing is lost then: it is tried again, and this may be called again.
        """
        return self._call(self._behind.settled, timeout)

    @property
    def settlement(self) -> Settlement:
        """What was decided. Raises `NotDecided` before `decided()` or `settled()` has returned."""
        return self._behind.settlement

    @property
    def participants(self) -> dict[str, Participant]:
        """Who perceived it. Raises `NotDecided`."""
        return self._behind.participants

    @property
    def addressees(self) -> tuple[str, ...]:
        """Ids of those who perceived it and are spoken to, the most certain first. Raises `NotDecided`."""
        return self._behind.addressees

    @property
    def deliveries(self) -> tuple[Delivery, ...]:
        """What is remembered, by whom. Raises `NotDecided`."""
        return self._behind.deliveries

    @property
    def degraded(self) -> bool:
        """Whether it was decided fail-closed. Raises `NotDecided`."""
        return self._behind.degraded
