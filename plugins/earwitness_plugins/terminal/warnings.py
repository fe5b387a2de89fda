"""Warnings on standard error: what was repaired in a file, and which strategy failed how often."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import click

from .people import plain

MOST = 12
FAIL_CLOSED = "a message whose detector fails is remembered by its speaker alone"


def warn(sentences: Sequence[str]) -> None:
    """Print the sentences, up to a number that people still read."""
    for sentence in sentences[:MOST]:
        click.echo(f"Warning: {plain(sentence)}.", err=True)
    if len(sentences) > MOST:
        click.echo(f"Warning: and {len(sentences) - MOST} more like these.", err=True)


class _Gathered(logging.Handler):
    """Keeps what is logged."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@contextmanager
def logged_warnings() -> Iterator[None]:
    """Print what Earwitness logs, once all is done, as `warn` does."""
    handler = _Gathered(logging.WARNING)
    logger = logging.getLogger("earwitness")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        warn(handler.messages)


class FailureTally:
    """Counts failures as they come, and reports them at the end."""

    def __init__(self) -> None:
        self.messages = 0
        self.counts: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def add(self, failures: Iterable[str]) -> None:
        """Count one message and its failures, such as `detector:rules: RuntimeError: …`."""
        self.messages += 1
        for by, _, why in (failure.partition(": ") for failure in failures):
            self.counts[by] += 1
            self._first.setdefault(by, why)

    def report(self) -> None:
        """Print one line for each strategy that failed, and nothing when none did."""
        for by, count in self.counts.items():
            effect = f" Note that {FAIL_CLOSED}." if by.startswith("detector") else ""
            first = self._first[by].rstrip(".")
            line = f"Warning: {by} failed on {count:,} of {self.messages:,} messages; first failure: {first}.{effect}"
            click.echo(plain(line), err=True)
