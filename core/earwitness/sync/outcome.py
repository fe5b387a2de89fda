"""Written by scripts/generate_sync.py from the asynchronous `Outcome`. To change it, change that: `make sync`."""

from __future__ import annotations

from ..outcome import Outcome as AsyncOutcome
from ..outcome import Settlement
from ..records.message import Participant
from ..records.plan import Delivery
from .loop import Mirror


class Outcome(Mirror[AsyncOutcome]):
    """What the host holds once an entry is durable. What was decided comes with `settled()`; before, it raises."""

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
        """False when the key was there already and nothing new was told."""
        return self._behind.created

    def settled(self) -> Settlement:
        """Wait until everything is decided and applied.

        Raises `StorageError` when it could not be applied (it will be tried again), and `StrategyError` or
        `PluginError` if `strict`.
        """
        return self._call(self._behind.settled)

    @property
    def settlement(self) -> Settlement:
        """What was decided. Raises `NotDecided` before `settled()` has returned."""
        return self._behind.settlement

    @property
    def participants(self) -> dict[str, Participant]:
        """Who perceived it. Raises `NotDecided`."""
        return self._behind.participants

    @property
    def deliveries(self) -> tuple[Delivery, ...]:
        """What is remembered, by whom. Raises `NotDecided`."""
        return self._behind.deliveries

    @property
    def degraded(self) -> bool:
        """Decided fail-closed. Raises `NotDecided`."""
        return self._behind.degraded
