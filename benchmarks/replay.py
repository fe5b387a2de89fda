"""How fast do whole sessions go through END, and does a session slow down as it becomes long?

Two measurements. *Throughput*: `earwitness replay` of the transcripts, as anybody would run it, on one core, twice; the
second run must find nothing new. *Length*: all the transcripts one after the other in one session, live: for every
message a turn (START), the prompt filled, the message said, and settled (END); the first `--window` turns against the
last. Without transcripts, messages are made up.

With `--no-live` the transcripts may have any format that `earwitness replay` reads, such as labelled plays.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click
from kit import made
from kit.measuring import resident_mb
from kit.options import output
from kit.profiling import Profile
from kit.report import Report, Table, Target, at_least, at_most, curves
from kit.transcripts import Spoken, read, written

from earwitness.app import Earwitness
from earwitness.records.character import Character
from earwitness.session import Session

LEAST_TURNS_A_SECOND = 300.0
MOST_MB = 300.0
MOST_STORE_KB = 390_000 / 20_476 / 2
"""Of the store, for each message: half of what 19 plays took at f1db6cd."""
MOST_SLOWER = 1.3
PROMPT = "You are in a story. ###SUPERMEMORY###"


class Run(NamedTuple):
    """One run of `earwitness replay`."""

    seconds: float
    cpu_seconds: float
    memory_mb: float
    messages: int
    new: int
    store_mb: float


class Lived(NamedTuple):
    """One turn of a live session, in milliseconds of CPU."""

    recall: float
    end: float
    memory_mb: float


@click.command(help=__doc__)
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@output
@click.option("--turns", default=9_000, show_default=True, help="Messages to make up where there are no files.")
@click.option("--window", default=1_000, show_default=True, help="Turns at either end that are compared.")
@click.option("--live/--no-live", default=True, show_default=True, help="Whether to measure a long session live.")
@click.option("--profile", is_flag=True, help="Show instead where the time of a live session goes.")
def main(
    files: Sequence[Path], as_json: bool, plot: Path | None, turns: int, window: int, live: bool, profile: bool
) -> None:
    """Replay, live, report."""
    spoken = [] if files and not (live or profile) else read(files) if files else _made_up(turns)
    if profile:
        asyncio.run(_profiled(spoken)).show(as_json=as_json, plot=plot)
        return
    with TemporaryDirectory(prefix="earwitness-bench-") as folder:
        there = [str(path) for path in files] or [str(written(spoken, Path(folder) / "made.jsonl"))]
        runs = [_replayed(there, Path(folder) / "story.db") for _ in range(2)]
    lived = asyncio.run(_lived(spoken)) if live else []
    _report(runs, lived, min(window, max(1, len(lived) // 2))).show(as_json=as_json, plot=plot)


def _made_up(count: int) -> list[Spoken]:
    return [
        Spoken(made.SPEAKERS[place * 7 % len(made.SPEAKERS)], text)
        for place, text in enumerate(made.sentences(3 * 10**9, count))
    ]


# ── throughput ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _replayed(files: Sequence[str], store: Path) -> Run:
    """`earwitness replay` in a process that has one core."""
    command = [sys.executable, "-m", "earwitness_plugins.console", "replay", *files, "--store", str(store), "--json"]
    started = time.perf_counter()
    with _one_core(), subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise click.ClickException(f"`{' '.join(command)}` failed with {process.returncode}.")
    scenes = [row for row in map(json.loads, printed.splitlines()) if row.get("kind") == "scene"]
    return Run(
        seconds=time.perf_counter() - started,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        memory_mb=usage.ru_maxrss / 1024,
        messages=sum(row["messages"] for row in scenes),
        new=sum(row["new"] for row in scenes),
        store_mb=store.stat().st_size / 1e6,
    )


@contextmanager
def _one_core() -> Iterator[None]:
    """Processes started in the block have one core, where the system can say so."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


# ── length ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def _lived(spoken: Sequence[Spoken]) -> list[Lived]:
    with TemporaryDirectory(prefix="earwitness-bench-") as folder:
        async with Earwitness.open(Path(folder) / "story.db") as ew:
            story = await _story(ew, spoken)
            return [await _turn(story, each, number) for number, each in enumerate(spoken)]


async def _profiled(spoken: Sequence[Spoken]) -> Report:
    profile = Profile()
    with TemporaryDirectory(prefix="earwitness-bench-") as folder, profile.looking():
        async with Earwitness.open(Path(folder) / "story.db") as ew:
            story = await _story(ew, spoken)
            for number, each in zip(count(), spoken, strict=False):
                await _turn(story, each, number)
            table = profile.table(len(spoken))
    return Report("replay", {"profiled": len(spoken), "profile": table.rows}, [table], _no_picture)


async def _story(ew: Earwitness, spoken: Sequence[Spoken]) -> Session:
    names = list(dict.fromkeys(each.speaker for each in spoken))
    cast = [Character(_id(name), name=name) for name in names]
    return await ew.session("long", cast=cast, present=[member.id for member in cast])


async def _turn(story: Session, spoken: Spoken, number: int) -> Lived:
    started = time.process_time()
    turn = await story.turn(_id(spoken.speaker))
    turn.fill(PROMPT)
    recalled = time.process_time()
    outcome = await turn.say(spoken.text)
    await outcome.settled()
    ended = time.process_time()
    return Lived(1000 * (recalled - started), 1000 * (ended - recalled), resident_mb())


def _id(name: str) -> str:
    return "".join(character if character.isalnum() else "_" for character in name.casefold())


# ── report ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _report(runs: Sequence[Run], lived: Sequence[Lived], window: int) -> Report:
    first, again = runs
    rate = first.messages / first.cpu_seconds
    results: dict[str, Any] = {
        "turns": first.messages,
        "turns_a_second": first.messages / first.seconds,
        "turns_a_cpu_second": rate,
        "cpu_ms_a_turn": 1000 / rate,
        "memory_mb": first.memory_mb,
        "store_mb": first.store_mb,
        "store_kb_a_message": 1000 * first.store_mb / first.messages,
        "second_run_new": again.new,
        "second_run_seconds": again.seconds,
    }
    tables = [
        Table("`earwitness replay`, one core", ["", "measured"], [[key, value] for key, value in results.items()])
    ]
    targets = [
        at_least("replay: turns a CPU second", rate, LEAST_TURNS_A_SECOND),
        at_most("replay: MB of memory", first.memory_mb, MOST_MB),
        at_most("replay again: new messages", again.new, 0),
    ]
    if not lived:  # promised for plays, which are not replayed live
        targets.append(at_most("replay: kB of the store for a message", results["store_kb_a_message"], MOST_STORE_KB))
    if lived:
        results["live"] = rows = [_part(lived, name, window) for name in ("recall", "end")]
        columns = list(rows[0])
        tables.append(
            Table(f"Live, {len(lived):,} turns in one session", columns, [list(row.values()) for row in rows])
        )
        targets += [_no_slower(row) for row in rows]
    lines = {name: _smoothed(lived, name) for name in ("recall", "end")}
    return Report("replay", results, tables, curves("A long session", "turn", "ms CPU", lines), targets)


def _part(lived: Sequence[Lived], name: str, window: int) -> dict[str, Any]:
    times = [getattr(turn, name) for turn in lived]
    first, last = median(times[:window]), median(times[-window:])
    return {
        "part": name,
        f"first {window} ms": first,
        f"last {window} ms": last,
        "times": last / first,
        "mean ms": sum(times) / len(times),
        "memory_mb": lived[-1].memory_mb,
    }


def _no_slower(row: dict[str, Any]) -> Target:
    return at_most(f"live: {row['part']}, last turns against first", row["times"], MOST_SLOWER)


def _smoothed(lived: Sequence[Lived], name: str) -> list[tuple[float, float]]:
    step = max(1, len(lived) // 60)
    times = [getattr(turn, name) for turn in lived]
    return [(start, median(times[start : start + step])) for start in range(0, len(times), step)]


def _no_picture(figure: Any) -> None:
    figure.text(0.5, 0.5, "a profile has no picture", ha="center")


if __name__ == "__main__":
    main()
