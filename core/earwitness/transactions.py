"""Shared transactions: an optional extra of ledgers and stores that keep their data in one database.

With it, a small plan and its memories are written together: both or neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from .records.memory import Memory
from .records.plan import Plan, Snapshot


@runtime_checkable
class TransactionStore(Protocol):
    """A store whose writes can be part of a transaction of the ledger with the same `database`."""

    @property
    def database(self) -> object:
        """The database; the same object as the ledger's if both share it."""
        ...

    async def prepared(self, memories: Sequence[Memory]) -> Any:
        """What `put` would write, ready for `TransactionLedger.record_applied`."""
        ...


@runtime_checkable
class TransactionLedger(Protocol):
    """A ledger that can run the writes of the store with the same `database` in one of its transactions."""

    @property
    def database(self) -> object:
        """The database; the same object as the store's if both share it."""
        ...

    async def record_applied(self, plan: Plan, after: Snapshot, memories: Any, deliveries: Sequence[str]) -> Plan:
        """Record a plan as `Ledger.record` does. The same transaction writes the `memories` that the store has
        `prepared`, and marks the entry and these deliveries, given by id, as applied.

        It is durable on return. If the entry has a plan already, that one is returned and nothing is written."""
        ...
