"""The present moment, as entries are stamped with it."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """The present moment, ISO 8601 in UTC, fine enough to keep consecutive entries in order."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
