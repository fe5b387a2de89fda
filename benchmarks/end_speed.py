"""How long does END take to keep a turn, and how much of that must be?

A turn is two messages heard by five characters, kept by the world too: 12 memories in 6 containers, durable on return.
Every contender writes the same turns into a store of `--store` memories, in rounds, one contender after the other.
`the limit` is the raw rows in one SQLite transaction with one fsync. "The whole of END" is what a host waits for from
`say` to `settled`: journal, detector, World Agent, plan, deliveries and the store's own write, for both messages.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from kit import contenders, made
from kit.comparing import alternated, chosen, started, summary
from kit.contenders import MEM0, OURS, OURS_RERANKED
from kit.measuring import Round, sampled, timing
from kit.options import output, peers
from kit.profiling import Profile
from kit.report import Report, Table, Target, at_least, at_most, bars
from kit.workers import Worker

from earwitness.app import Earwitness
from earwitness.session import Session

WHOLE = "earwitness, the whole of END"
FASTER_THAN_MEM0 = 10.0
TIMES_RAW = 3.0
WARM = 20


@click.command(help=__doc__)
@output
@peers
@click.option("--store", "total", default=10_000, show_default=True, help="Memories that are there already.")
@click.option("--rounds", default=7, show_default=True)
@click.option("--turns", default=40, show_default=True, help="In each round.")
@click.option("--profile", is_flag=True, help="Show instead where the time of the whole of END goes.")
def main(
    as_json: bool, plot: Path | None, only: Sequence[str], total: int, rounds: int, turns: int, profile: bool
) -> None:
    """Fill, write, report."""
    if profile:
        asyncio.run(_profiled(rounds * turns)).show(as_json=as_json, plot=plot)
        return
    skipped: dict[str, str] = {}
    entries = [entry for entry in chosen(only, skipped) if entry.name != OURS_RERANKED]
    spans = made.others(total)
    with started(entries, lambda worker: _ready(worker, spans), skipped) as workers:
        found = alternated(workers, rounds, lambda worker, number: worker.turns(WARM + number * turns, turns), skipped)
    whole = asyncio.run(_whole(rounds, turns))
    _report(found, whole, skipped).show(as_json=as_json, plot=plot)


def _ready(worker: Worker, spans: Sequence[made.Span]) -> None:
    worker.fill(spans)
    worker.turns(0, WARM)


async def _whole(rounds: int, turns: int) -> list[Round]:
    """From `say` to `settled` in a story of its own, with the shipped detector and World Agent."""
    with TemporaryDirectory(prefix="earwitness-bench-") as folder:
        async with Earwitness.open(Path(folder) / "story.db") as ew:
            story = await _story(ew)
            await sampled(_played(story, 0, WARM))
            return [await sampled(_played(story, WARM + number * turns, turns)) for number in range(rounds)]


async def _profiled(count: int) -> Report:
    profile = Profile()
    with TemporaryDirectory(prefix="earwitness-bench-") as folder, profile.looking():
        async with Earwitness.open(Path(folder) / "story.db") as ew:
            story = await _story(ew)
            await sampled(_played(story, 0, WARM))
            profile.clear()
            samples = await sampled(_played(story, WARM, count))
            table = profile.table(count)
    cpu = sum(sample.cpu for sample in samples) / count
    return Report("end_speed", {"profiled": count, "cpu_ms": cpu, "profile": table.rows}, [table], _no_picture)


async def _story(ew: Earwitness) -> Session:
    cast = [name.lower() for name in made.SPEAKERS[:5]]
    return await ew.session("bench", cast=cast, present=cast)


def _played(story: Session, first: int, count: int) -> list[Any]:
    """The turns to measure. As for every contender, their texts are made up before."""
    texts = (made.sentences(2 * 10**9 + 2 * number, 2) for number in range(first, first + count))
    return [partial(_tell, story, each) for each in texts]


async def _tell(story: Session, texts: Sequence[str]) -> None:
    """Two messages, as one turn of the store's benchmark has them."""
    outcomes = [
        await story.say(made.SPEAKERS[part].lower(), text, present=[member.id for member in story.cast.members])
        for part, text in enumerate(texts)
    ]
    for outcome in outcomes:
        await outcome.settled()


def _no_picture(figure: Any) -> None:
    figure.text(0.5, 0.5, "a profile has no picture", ha="center")


def _report(found: dict[str, list[Round]], whole: list[Round], skipped: dict[str, str]) -> Report:
    results = summary({**found, WHOLE: whole}, OURS)
    columns = ("wall_ms", "wall_p99_ms", "cpu_ms", "times_ours")
    rows = [[name, *(row[column] for column in columns)] for name, row in results.items()]
    table = Table("A turn: 12 memories into 6 containers, durable", ["", *columns], rows)
    draw = bars(table.title, "ms", {name: row["wall_ms"] for name, row in results.items()}, log=True)
    data = {"turn": results, "turns_a_second": 1000 / timing(whole).wall}
    return Report("end_speed", data, [table], draw, _targets(results), skipped)


def _targets(results: dict[str, dict[str, Any]]) -> list[Target]:
    targets = []
    ours = results.get(OURS)
    if ours and MEM0 in results:
        times = results[MEM0]["times_ours"]
        targets.append(at_least("mem0's 12 adds take so many times as long", times, FASTER_THAN_MEM0))
    if ours and contenders.LIMIT in results:
        times = 1 / results[contenders.LIMIT]["times_ours"]
        targets.append(at_most("so many times as long as the raw rows in one transaction", times, TIMES_RAW))
    return targets


if __name__ == "__main__":
    main()
