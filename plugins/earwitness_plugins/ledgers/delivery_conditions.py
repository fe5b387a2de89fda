"""What `Ledger.deliveries` can be asked for, as one value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from earwitness.records.plan import Status


@dataclass(frozen=True, slots=True)
class DeliveryQuery:
    """The conditions of `Ledger.deliveries`; `None` leaves one out."""

    memory_ids: Sequence[str] | None
    sources: Sequence[str] | None
    container: str | None
    via: Sequence[str] | None
    rests_on: Sequence[str] | None
    derived: bool
    status: Status | None
    due_by: float | None
    after: int
    types: Sequence[str] | None
    limit: int | None
