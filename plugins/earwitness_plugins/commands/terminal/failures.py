"""Who failed how often, in one line each on standard error: answers stay as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import click

from .people import plain

CLOSED = "a message whose detector fails is remembered by its speaker alone"


class Tally:
    """Failures as they come, told at the end."""

    def __init__(self) -> None:
        self.messages = 0
        self.times: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def take(self, failures: Iterable[str]) -> None:
        """One message, with its failures: `detector:rules: RuntimeError: …`."""
        self.messages += 1
        for by, _, why in (failure.partition(": ") for failure in failures):
            self.times[by] += 1
            self._first.setdefault(by, why)

    def tell(self) -> None:
        """A line for everybody who failed; silence when nobody did."""
        for by, times in self.times.items():
            after = f" Mind that {CLOSED}." if by.startswith("detector") else ""
            count = f"on {times:,} of {self.messages:,} messages; at first: {self._first[by]}"
            click.echo(plain(f"Warning: {by} failed {count.rstrip('.')}.{after}"), err=True)
