"""Dates as a chat writes them: SillyTavern has written `send_date` in several ways, and reads each of them."""

from __future__ import annotations

import re
from datetime import datetime

from earwitness.patterns import lazy_pattern

_ISO = lazy_pattern(r"\d{4}-\d\d-\d\dT")
_HUMANIZED = lazy_pattern(r"\d{4}-\d{1,2}-\d{1,2}( ?)@ ?\d")
_MEDIUM = lazy_pattern(r"[A-Z][a-z]+ \d{1,2}, \d{4} (\d{1,2}):\d\d ?([ap]m)", re.IGNORECASE)


def dated(timestamp: str, like: object) -> str | int:
    """The moment (ISO 8601 in UTC) as a chat with such a `send_date` writes it; as it is, where that is unknown.

    All but the ISO form and the number of milliseconds are in local time, as the front end writes them.
    """
    moment = datetime.fromisoformat(timestamp)
    local = moment.astimezone()
    if isinstance(like, int) and not isinstance(like, bool):
        return round(moment.timestamp() * 1000)
    if not isinstance(like, str) or _ISO.match(like):
        return timestamp
    if like.isdecimal():
        return str(round(moment.timestamp() * 1000))
    if found := _HUMANIZED.match(like):
        return _humanized(local, found[1], milliseconds="ms" in like)
    if found := _MEDIUM.match(like):
        half = f"{local:%p}".lower() if found[2].islower() else f"{local:%p}"
        return f"{local:%B} {local.day}, {local.year} {local.hour % 12 or 12}:{local:%M}{half}"
    return timestamp


def _humanized(local: datetime, blank: str, *, milliseconds: bool) -> str:
    """`2024-5-1 @12h 3m 4s 567ms`, the way in which file names have it, with or without blanks."""
    day = f"{local.year}-{local.month}-{local.day}"
    parts = [f"{local.hour}h", f"{local.minute}m", f"{local.second}s"]
    parts += [f"{local.microsecond // 1000}ms"] if milliseconds else []
    return f"{day}{blank}@{blank.join(parts)}"
