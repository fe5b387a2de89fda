"""What `Ledger.deliveries` can be asked for, as one value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from earwitness.records.plan import Status


@dataclass(frozen=True, slots=True)
class DeliveryQuery:
    """The conditions of `Ledger.deliveries`; `None` leaves one out."""

    memory_ids: Sequence[str] | None = None
    sources: Sequence[str] | None = None
    container: str | None = None
    via: Sequence[str] | None = None
    rests_on: Sequence[str] | None = None
    derived: bool = False
    status: Status | None = None
    due_by: float | None = None
    after: int = 0
    types: Sequence[str] | None = None
    limit: int | None = None
