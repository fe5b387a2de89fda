"""One question on its way to a model, and when it is asked again."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from .accounts import Account
from .errors import ModelAway
from .records import ModelRequest

FIRST_PAUSE, LONGEST_PAUSE = 0.25, 8.0
"""Seconds between two attempts; each pause is twice as long as the one before."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One question on its way."""

    account: Account
    request: ModelRequest
    prompt: str
    """Name and version of the prompt."""
    until: float
    """When the loop's clock shows this, there must be an answer."""

    def pause(self, failure: ModelAway, attempt: int, retries: int) -> float | None:
        """Seconds from this attempt, counted from 0, to the next one; `None` where there is none."""
        pause = max(min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE), failure.retry_after or 0.0)
        is_last = attempt >= retries or asyncio.get_running_loop().time() + pause >= self.until
        return pause if failure.passes and not is_last else None
