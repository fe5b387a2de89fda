"""What does a branch cost?

A story of `--messages` that five characters hear, and branches of it: in the middle, near its end, at its end, a branch
of a branch, and one from before a retraction. Measured are the time of the fork, in an instance that has just opened
the file, which must be read from the disk; by how much the file grows; and what the same recall takes in the branch and
in its parent, in alternation, when both have just been opened.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import apsw
import click
from kit import made
from kit.options import output
from kit.report import Report, Table, Target, at_most, bars

from earwitness.app import Earwitness
from earwitness.session import Session

CAST = ("alice", "bob", "charlie", "dora", "emil")
PROMISED = 5_000
MOST_SECONDS, MOST_GROWTH, MOST_SLOWER = 1.0, 0.1, 1.1
CHUNK = 250
WARM = 3
COLUMNS = ("branch", "seconds", "cpu_seconds", "file_mb", "grows_mb", "recall_ms", "parent_recall_ms")


@click.command(help=__doc__)
@output
@click.option("--messages", default=PROMISED, show_default=True, help="How many the story has.")
@click.option("--recalls", default=20, show_default=True, help="In each branch, and in its parent.")
def main(as_json: bool, plot: Path | None, messages: int, recalls: int) -> None:
    """Measure each, report."""
    _report(messages, asyncio.run(_measured(messages, recalls))).show(as_json=as_json, plot=plot)


async def _measured(messages: int, recalls: int) -> list[dict[str, Any]]:
    with TemporaryDirectory(prefix="earwitness-bench-") as folder:
        path = Path(folder) / "story.db"
        async with Earwitness.open(path) as ew:
            await (await _played(ew, messages)).fork("twig", at=f"m{messages * 4 // 5}")
        at = [messages // 2, messages * 4 // 5, messages]
        found = [await _branched(path, "trunk", f"at message {each:,}", f"m{each}", recalls) for each in at]
        found.append(await _branched(path, "twig", "a branch of a branch", f"m{at[0]}", recalls))
        async with Earwitness.open(path) as ew:
            story = await ew.session("trunk")
            await (await story.retract(f"m{at[0] - 1}")).settled()
            await story.delivered()
        found.append(await _branched(path, "trunk", "before a retraction", f"m{at[1]}", recalls))
        return found


async def _played(ew: Earwitness, messages: int) -> Session:
    """A story in which everybody hears everything."""
    story = await ew.session("trunk", cast=CAST, present=CAST)
    for number, text in enumerate(made.sentences(7, messages), 1):
        await story.say(CAST[number % len(CAST)], text, key=f"m{number}")
        if number % CHUNK == 0:
            await story.delivered()
    await story.delivered()
    return story


async def _branched(path: Path, parent: str, name: str, at: str, recalls: int) -> dict[str, Any]:
    """One fork, in an instance that has just opened the file; and recalls in both, in another one."""
    before, id = _file_mb(path), name.replace(" ", "-").replace(",", "")
    _forgotten_by_the_system(path)
    async with Earwitness.open(path) as ew:
        story = await ew.session(parent)
        cpu, wall = time.process_time(), time.perf_counter()
        await story.fork(id, at=at)
        spent = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
    row = {"branch": name, **spent, "file_mb": before, "grows_mb": _file_mb(path) - before}
    async with Earwitness.open(path) as ew:
        return row | await _recalls(await ew.session(id), await ew.session(parent), recalls)


async def _recalls(branch: Session, parent: Session, recalls: int) -> dict[str, float]:
    """What the same recalls take in both; neither has recalled anything before."""
    times: dict[str, list[float]] = {"recall_ms": [], "parent_recall_ms": []}
    for number in range(WARM + recalls):
        pair = [("recall_ms", branch), ("parent_recall_ms", parent)]
        for which, session in pair if number % 2 else reversed(pair):
            times[which].append(await _recall(session, number))
    return {which: median(found[WARM:]) for which, found in times.items()}


async def _recall(story: Session, number: int) -> float:
    """Milliseconds of CPU."""
    question = made.sentences(10**7 + number, 1)[0]
    began = time.process_time()
    await story.turn(CAST[number % len(CAST)], query=question)
    return 1000 * (time.process_time() - began)


def _forgotten_by_the_system(path: Path) -> None:
    """The fork must read the file from the disk, where the system can be told to drop it from its cache."""
    if not hasattr(os, "posix_fadvise"):
        return
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _file_mb(path: Path) -> float:
    """The file without its log, and without free pages."""
    connection = apsw.Connection(str(path))
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_FULL)
        pages = int(connection.pragma("page_count")) - int(connection.pragma("freelist_count"))
        return pages * int(connection.pragma("page_size")) / 1_000_000
    finally:
        connection.close()


def _report(messages: int, rows: Sequence[dict[str, Any]]) -> Report:
    title = f"Branches of a story of {messages:,} messages, which five characters hear"
    table = Table(title, COLUMNS, [[row[column] for column in COLUMNS] for row in rows])
    draw = bars(title, "MB", {row["branch"]: row["grows_mb"] for row in rows})
    return Report("branches", {"branches": list(rows)}, [table], draw, [each for row in rows for each in _targets(row)])


def _targets(row: dict[str, Any]) -> list[Target]:
    return [
        at_most(f"{row['branch']}: seconds", row["seconds"], MOST_SECONDS),
        at_most(f"{row['branch']}: growth of the file", row["grows_mb"] / row["file_mb"], MOST_GROWTH),
        at_most(
            f"{row['branch']}: recall, times its parent's", row["recall_ms"] / row["parent_recall_ms"], MOST_SLOWER
        ),
    ]


if __name__ == "__main__":
    main()
