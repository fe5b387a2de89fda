"""Several contenders doing the same, in turns: round after round, so that a busy machine is busy for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import click

from .contenders import ENTRIES, Entry, missing
from .measuring import Round, ratio, timing
from .workers import Worker


def chosen(names: Sequence[str], skipped: dict[str, str], entries: Sequence[Entry] = ENTRIES) -> list[Entry]:
    """The contenders of these names (all, when there are none) that can be measured here; why not, for the others."""
    unknown = set(names) - {entry.name for entry in entries}
    if unknown:
        known = ", ".join(repr(entry.name) for entry in entries)
        raise click.UsageError(f"unknown contender {', '.join(map(repr, sorted(unknown)))}. Choose from {known}.")
    wanted = [entry for entry in entries if not names or entry.name in names]
    for entry in wanted:
        if why := missing(entry):
            skipped[entry.name] = why
    return [entry for entry in wanted if entry.name not in skipped]


@contextmanager
def started(
    entries: Sequence[Entry], prepare: Callable[[Worker], object], skipped: dict[str, str], folder: Path | None = None
) -> Iterator[dict[str, Worker]]:
    """A prepared worker for each contender; one that fails is skipped, with what it said.

    Their files are in folders below `folder`, and stay there; in temporary ones when it is left out.
    """
    with ExitStack() as stack:
        workers = {}
        for entry in entries:
            click.echo(f"filling {entry.name} …", err=True)
            worker = stack.enter_context(Worker(entry, folder and place(entry, folder)))
            try:
                prepare(worker)
                workers[entry.name] = worker
            except RuntimeError as error:
                skipped[entry.name] = str(error)
        yield workers


def place(entry: Entry, folder: Path) -> Path:
    """Where a contender keeps its files below a folder."""
    return folder / entry.place.replace(":", "-")


def alternated(
    workers: dict[str, Worker], rounds: int, what: Callable[[Worker, int], Round], skipped: dict[str, str]
) -> dict[str, list[Round]]:
    """What each worker's rounds took; every round goes through all of them."""
    found: dict[str, list[Round]] = {name: [] for name in workers}
    for number in range(rounds):
        for name in list(found):
            try:
                found[name].append(what(workers[name], number))
            except RuntimeError as error:
                skipped[name] = str(error)
                del found[name]
    return found


def summary(measured: dict[str, list[Round]], ours: str) -> dict[str, dict[str, Any]]:
    """By contender: wall and CPU in milliseconds, and how many times as long as ours it takes."""
    return {
        name: {
            "wall_ms": (found := timing(rounds)).wall,
            "wall_p99_ms": found.wall_p99,
            "cpu_ms": found.cpu,
            "times_ours": ratio(rounds, measured[ours]) if ours in measured else None,
        }
        for name, rounds in measured.items()
    }
