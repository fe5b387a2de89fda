"""What does one message cost that thousands hear?

For each of `--sizes`, in a process of its own: a story with that many characters, all of them there, and one message.
Measured are the time until everybody remembers it, what it adds to the memory of the process and to the store, and the
turns of one character: what a host waits for from the recall to the acknowledged answer, before the message and while
it is delivered.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from kit import made
from kit.measuring import folder_mb, resident_mb
from kit.options import numbers, output
from kit.report import Report, Table, Target, at_most, curves

from earwitness.app import Earwitness
from earwitness.session import Session

PROMISED = 5_000
MOST_SECONDS, MOST_MB = 3.0, 60.0
MOST_SLOWER = 2.0
WARM = 2
COLUMNS = (
    "listeners",
    "seconds",
    "cpu_seconds",
    "memory_mb",
    "store_before_mb",
    "store_more_mb",
    "turn_before_ms",
    "turn_meanwhile_ms",
)


@click.command(help=__doc__)
@output
@click.option("--sizes", default="1000,5000,10000", show_default=True, help="How many listen.")
@click.option("--turns", default=10, show_default=True, help="Of one character, before the message.")
@click.option("--one", hidden=True, type=int, help="Measure one size in this process.")
def main(as_json: bool, plot: Path | None, sizes: str, turns: int, one: int | None) -> None:
    """Measure each, report."""
    if one is not None:
        click.echo(json.dumps(asyncio.run(_measured(one, turns))))
        return
    _report([_in_a_process(size, turns) for size in numbers(sizes)]).show(as_json=as_json, plot=plot)


def _in_a_process(size: int, turns: int) -> dict[str, Any]:
    command = [sys.executable, __file__, "--one", str(size), "--turns", str(turns)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


async def _measured(size: int, turns: int) -> dict[str, Any]:
    cast = [f"listener-{number:05}" for number in range(size)]
    with TemporaryDirectory(prefix="earwitness-bench-") as folder:
        async with Earwitness.open(Path(folder) / "story.db") as ew:
            story = await ew.session("crowd", cast=cast, present=cast)
            before = []
            for number in range(WARM + turns):
                before.append(await _turn(story, number))
                await story.delivered()
            told = await _told(story, Path(folder), WARM + turns)
            return {"listeners": size, "turn_before_ms": max(before[WARM:]), **told}


async def _told(story: Session, folder: Path, turns: int) -> dict[str, Any]:
    """One message to everybody, and turns for as long as it is delivered."""
    there, store = resident_mb(), folder_mb(folder)
    cpu, wall = time.process_time(), time.perf_counter()
    await story.say("listener-00000", made.sentences(7, 1)[0], present=[member.id for member in story.cast.members])
    delivered = asyncio.create_task(_delivered(story, wall, cpu))
    meanwhile = [await _turn(story, turns)]
    while not delivered.done():
        meanwhile.append(await _turn(story, turns + len(meanwhile)))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        **await delivered,
        "memory_mb": most - there,
        "store_before_mb": store,
        "store_more_mb": folder_mb(folder) - store,
        "turn_meanwhile_ms": max(meanwhile),
    }


async def _delivered(story: Session, wall: float, cpu: float) -> dict[str, float]:
    await story.delivered()
    return {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}


async def _turn(story: Session, number: int) -> float:
    """A recall and a short answer, heard by two; milliseconds."""
    began = time.perf_counter()
    turn = await story.turn("listener-00001")
    await turn.say(made.sentences(10**6 + number, 1)[0], present=["listener-00001", "listener-00002"])
    return 1000 * (time.perf_counter() - began)


def _report(rows: Sequence[dict[str, Any]]) -> Report:
    title = "One message that all of them hear"
    table = Table(title, COLUMNS, [[row[column] for column in COLUMNS] for row in rows])
    lines = {"seconds": [(row["listeners"], row["seconds"]) for row in rows]}
    draw = curves(title, "listeners", "seconds", lines)
    return Report("listeners", {"listeners": list(rows)}, [table], draw, _targets(rows))


def _targets(rows: Sequence[dict[str, Any]]) -> list[Target]:
    targets = []
    for row in rows:
        size = f"{row['listeners']:,} listeners"
        if row["listeners"] == PROMISED:
            targets += [
                at_most(f"{size}: seconds", row["seconds"], MOST_SECONDS),
                at_most(f"{size}: MB of memory", row["memory_mb"], MOST_MB),
                at_most(f"{size}: MB of store", row["store_more_mb"], MOST_MB),
            ]
        slower = row["turn_meanwhile_ms"] / row["turn_before_ms"]
        targets.append(at_most(f"{size}: the slowest turn meanwhile, times that before", slower, MOST_SLOWER))
    return targets


if __name__ == "__main__":
    main()
