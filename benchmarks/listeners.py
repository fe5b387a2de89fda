"""What does one message cost that thousands hear?

For each of `--sizes`, in a process of its own: a story with that many characters, all of them there, and one message.
Measured are the time until everybody remembers it, and what it adds to the memory of the process and to the store.

Then turns, each a recall and a short answer that two hear, as a host waits for it: of one listener and of a small story
beside. What follows from an answer is decided between two turns, as it is while a host calls its models. With
`--messages` to everybody, the one turn that begins while a message is being decided, and waits for it; the turns while
it is applied in the background; and the turns of the story beside from the message until all of it is applied. With
`--unwaited` others, the one turn that does not wait for the decision (`recall.wait = 0`), and names the message in
`turn.pending`. Turns with nothing else going on are measured before each of these messages, in the same story, as each
turn leaves it two longer containers.

Last, a message into the hub of a pantheon with that many members, against one of ten members: CPU milliseconds until
all of them can read it.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click
import numpy as np
from kit import made
from kit.measuring import folder_mb, resident_mb
from kit.options import numbers, output
from kit.report import Report, Table, Target, at_most, curves

from earwitness.app import Earwitness
from earwitness.errors import NotYetApplied
from earwitness.outcome import Outcome
from earwitness.session import Session

PROMISED = 5_000
MOST_SECONDS, MOST_MB = 3.0, 60.0
MOST_SLOWER = 2.0
WARM = 5
COLUMNS = ("listeners", "seconds", "cpu_seconds", "memory_mb", "store_before_mb", "store_more_mb")
TURNS = (
    "listeners",
    "turn_ms",
    "turn_p99_ms",
    "deciding_ms",
    "unwaited_ms",
    "unwaited_p99_ms",
    "applying_ms",
    "applying_p99_ms",
    "beside_p99_ms",
    "beside_meanwhile_p99_ms",
)
HUB = ("listeners", "hub_cpu_ms", "hub_of_ten_cpu_ms")
TEN = 10


_numbers = count()


class Counts(NamedTuple):
    """How often each is measured."""

    turns: int
    messages: int
    unwaited: int


@click.command(help=__doc__)
@output
@click.option("--sizes", default="1000,5000,10000", show_default=True, help="How many listen.")
@click.option("--turns", default=100, show_default=True, help="With nothing else going on, before each message.")
@click.option("--messages", default=3, show_default=True, help="To everybody, for each kind of turn.")
@click.option("--unwaited", default=20, show_default=True, help="To everybody, for turns that do not wait for them.")
@click.option("--one", hidden=True, type=int, help="Measure one size in this process.")
def main(
    as_json: bool, plot: Path | None, sizes: str, turns: int, messages: int, unwaited: int, one: int | None
) -> None:
    """Measure each, report."""
    counts = Counts(turns, messages, unwaited)
    if one is not None:
        click.echo(json.dumps(asyncio.run(_measured(one, counts))))
        return
    _report([_in_a_process(size, counts) for size in numbers(sizes)]).show(as_json=as_json, plot=plot)


def _in_a_process(size: int, counts: Counts) -> dict[str, Any]:
    given = [f"--{name}={number}" for name, number in counts._asdict().items()]
    command = [sys.executable, __file__, "--one", str(size), *given]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


async def _measured(size: int, counts: Counts) -> dict[str, Any]:
    turns, messages = counts.turns, counts.messages
    with TemporaryDirectory(prefix="earwitness-bench-") as folder:
        async with Earwitness.open(Path(folder) / "story.db") as ew:
            crowd = await _story(ew, "crowd", size)
            beside = await _story(ew, "beside", 3)
            await _one_by_one(crowd, turns)
            measured = await _applied_to_all(crowd, Path(folder))
            deciding = [await _turn_while_deciding(crowd) for _ in range(messages)]
            unwaited = [await _turn_while_deciding(crowd, wait=0.0) for _ in range(counts.unwaited)]
            alone, applying = await _compared(crowd, crowd, turns, messages)
            alone_beside, meanwhile = await _compared(crowd, beside, turns, messages)
            return {
                "listeners": size,
                **measured,
                "turn_ms": median(alone),
                "turn_p99_ms": _p99(alone),
                "deciding_ms": max(deciding),
                "unwaited_ms": median(unwaited),
                "unwaited_p99_ms": _p99(unwaited),
                "applying_ms": median(applying),
                "applying_p99_ms": _p99(applying),
                "beside_p99_ms": _p99(alone_beside),
                "beside_meanwhile_p99_ms": _p99(meanwhile),
                "hub_cpu_ms": await _into_a_hub(size, messages),
                "hub_of_ten_cpu_ms": await _into_a_hub(TEN, messages),
            }


async def _into_a_hub(members: int, messages: int) -> float:
    """Median CPU milliseconds of a message that all members of a pantheon read in its hub, after the first ones."""
    with TemporaryDirectory(prefix="earwitness-bench-") as folder:
        cast = [f"member-{number:05}" for number in range(members)]
        crowd: dict[str, Any] = {"slug": "crowd", "rules": {"propagate_all": True, "hub_from": 2}, "members": cast}
        rules = Path(folder) / "rules.json"
        rules.write_text(json.dumps({"pantheons": [crowd]}))
        table = {"rules": str(rules)}
        async with Earwitness.open(Path(folder) / "story.db", detector="none", relationships=table) as ew:
            story = await ew.session("hub", cast=cast, present=cast[:2])
            found = []
            for _ in range(WARM * (1 + messages)):
                began = time.process_time()
                await story.say(cast[0], made.sentences(next(_numbers), 1)[0], audience=cast[:2])
                await story.delivered()
                found.append(1000 * (time.process_time() - began))
            return median(found[WARM:])


async def _story(ew: Earwitness, id: str, size: int) -> Session:
    cast = [f"listener-{number:05}" for number in range(size)]
    return await ew.session(id, cast=cast, present=cast)


async def _one_by_one(story: Session, count: int) -> list[float]:
    """Turns with nothing else going on."""
    found = []
    for _ in range(WARM + count):
        milliseconds, _ = await _turn(story)
        found.append(milliseconds)
        await story.delivered()
    return found[WARM:]


async def _applied_to_all(story: Session, folder: Path) -> dict[str, float]:
    """One message to everybody, and nothing else."""
    there, store = resident_mb(), folder_mb(folder)
    cpu, wall = time.process_time(), time.perf_counter()
    await _to_everybody(story)
    await story.delivered()
    seconds, cpu_seconds = time.perf_counter() - wall, time.process_time() - cpu
    return {
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - there,
        "store_before_mb": store,
        "store_more_mb": folder_mb(folder) - store,
    }


async def _turn_while_deciding(story: Session, **recall: Any) -> float:
    """The turn that begins as soon as a message to everybody is reported."""
    await _to_everybody(story)
    found, _ = await _turn(story, **recall)
    await story.delivered()
    return found


async def _compared(story: Session, telling: Session, turns: int, messages: int) -> tuple[list[float], list[float]]:
    """Turns of one story with nothing else going on, and those while messages to everybody are on their way."""
    alone, meanwhile = list[float](), list[float]()
    for _ in range(messages):
        alone += await _one_by_one(telling, turns)
        told = await _to_everybody(story)
        if telling is story:  # the turn that begins before it is decided is measured by itself
            await told.decided()
        meanwhile += await _turns_until_delivered(story, telling)
    return alone, meanwhile


async def _turns_until_delivered(story: Session, telling: Session) -> list[float]:
    found: list[float] = []
    while not found or not await _is_delivered(story):
        milliseconds, outcome = await _turn(telling)
        found.append(milliseconds)
        await outcome.decided()  # as before the messages, no turn waits for what the one before it began
    return found


async def _is_delivered(story: Session) -> bool:
    with suppress(NotYetApplied):
        await story.delivered(timeout=0)
        return True
    return False


async def _to_everybody(story: Session) -> Outcome:
    text = made.sentences(7 + next(_numbers), 1)[0]
    return await story.say("listener-00000", text, present=[member.id for member in story.cast.members])


async def _turn(story: Session, **recall: Any) -> tuple[float, Outcome]:
    """A recall and a short answer, heard by two: in milliseconds, and what became of the answer."""
    text = made.sentences(10**6 + next(_numbers), 1)[0]
    began = time.perf_counter()
    turn = await story.turn("listener-00001", **recall)
    outcome = await turn.say(text, present=["listener-00001", "listener-00002"])
    return 1000 * (time.perf_counter() - began), outcome


def _p99(turns: Sequence[float]) -> float:
    return float(np.quantile(turns, 0.99))


def _report(rows: Sequence[dict[str, Any]]) -> Report:
    title = "One message that all of them hear"
    tables = [
        Table(name, columns, [[row[column] for column in columns] for row in rows])
        for name, columns in (
            (title, COLUMNS),
            ("Turns without it, while it is decided, and while it is applied", TURNS),
            ("A message into a hub of that many members, and of ten", HUB),
        )
    ]
    lines = {"seconds": [(row["listeners"], row["seconds"]) for row in rows]}
    draw = curves(title, "listeners", "seconds", lines)
    return Report("listeners", {"listeners": list(rows)}, tables, draw, _targets(rows))


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
        for what, before, meanwhile in (
            ("turns while it is applied, p99, times that without it", "turn_p99_ms", "applying_p99_ms"),
            ("turns of a story beside, p99, times that without it", "beside_p99_ms", "beside_meanwhile_p99_ms"),
            ("the turn while it is decided, times p99 without it", "turn_p99_ms", "deciding_ms"),
            ("the same without waiting for it, p99, times that without it", "turn_p99_ms", "unwaited_p99_ms"),
            ("a message into a hub of so many, times that of ten", "hub_of_ten_cpu_ms", "hub_cpu_ms"),
        ):
            targets.append(at_most(f"{size}: {what}", row[meanwhile] / row[before], MOST_SLOWER))
    return targets


if __name__ == "__main__":
    main()
