"""How long does a recall take from containers of several sizes, and how much of that must be?

Every contender holds the same memories with the same vectors in a process of its own: the containers that are asked,
and others up to `--store` memories; a container that is larger has a store of its own. All are asked the same questions
with the same filter, in rounds, one contender after the other. `the limit` is a single `np.vecdot` over the container's
matrix. "Cold" is a new process that opens the files and asks once; what it imports and the embedder's table are there
already.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import click
from kit import contenders, made
from kit.comparing import alternated, chosen, place, started, summary
from kit.contenders import LANGGRAPH, MEM0, OURS, OURS_RERANKED, QDRANT_EDGE, Entry
from kit.measuring import Round, sampled
from kit.options import numbers, output, peers
from kit.profiling import Profile
from kit.report import Report, Table, Target, at_least, at_most, bars
from kit.workers import Worker

from earwitness_plugins.embedders.static import StaticEmbedder

LIMIT = 10
MIDDLE, LARGE = 5_000, 100_000
FASTER_THAN = {MEM0: 50.0, LANGGRAPH: 8.0, QDRANT_EDGE: 1.0}
MOST_RERANK_MS, MOST_LARGE_MS, MOST_COLD_MS = 3.0, 15.0, 60.0
Results = dict[str, dict[str, Any]]


@click.command(help=__doc__)
@output
@peers
@click.option("--sizes", default="100,5000,100000", show_default=True, help="Sizes of the containers that are asked.")
@click.option("--store", "total", default=10_000, show_default=True, help="Memories in all, where there are fewer.")
@click.option("--rounds", default=5, show_default=True)
@click.option("--questions", default=25, show_default=True, help="In each round.")
@click.option("--patient", is_flag=True, help="Fill peers that are slow at it with large containers, too.")
@click.option("--profile", is_flag=True, help="Show instead where our time goes, in the second size.")
def main(
    as_json: bool,
    plot: Path | None,
    only: Sequence[str],
    sizes: str,
    total: int,
    rounds: int,
    questions: int,
    patient: bool,
    profile: bool,
) -> None:
    """Fill, ask, report."""
    wanted = numbers(sizes)
    if profile:
        size = wanted[min(1, len(wanted) - 1)]
        asyncio.run(_profiled(size, questions * rounds)).show(as_json=as_json, plot=plot)
        return
    skipped: dict[str, str] = {}
    entries = chosen(only, skipped)
    results: dict[int, Results] = {}
    cold: Results = {}
    for together in _stores(wanted, total):
        able = entries if patient else _able(entries, max(together), skipped)
        with TemporaryDirectory(prefix="earwitness-bench-") as folder:
            results |= _measured(able, together, _spans(together, total), rounds, questions, skipped, Path(folder))
            if MIDDLE in together:
                cold = _cold(able, Path(folder), rounds, skipped)
    _report(results, cold, skipped).show(as_json=as_json, plot=plot)


def _stores(sizes: Sequence[int], total: int) -> list[list[int]]:
    """Which containers share a store."""
    small = [size for size in sizes if size <= total]
    return [*([small] if small else []), *([size] for size in sizes if size > total)]


def _spans(sizes: Sequence[int], total: int) -> list[made.Span]:
    asked = [made.Span(_asked(size), 0, size) for size in sizes]
    return [*asked, *made.others(max(0, total - sum(sizes)))]


def _asked(size: int) -> str:
    return f"asked-{size}"


def _able(entries: Sequence[Entry], size: int, skipped: dict[str, str]) -> list[Entry]:
    slow = [entry for entry in entries if size > entry.largest]
    skipped |= {f"{entry.name} with {size:,}": "filling it takes long; `--patient` does it" for entry in slow}
    return [entry for entry in entries if entry not in slow]


def _measured(
    entries: Sequence[Entry],
    sizes: Sequence[int],
    spans: Sequence[made.Span],
    rounds: int,
    questions: int,
    skipped: dict[str, str],
    folder: Path,
) -> dict[int, Results]:
    results: dict[int, Results] = {}
    with started(entries, lambda worker: worker.fill(spans), skipped, folder) as workers:
        for size in sizes:
            ask = partial(_searched, _asked(size), questions)
            results[size] = summary(found := alternated(workers, rounds, ask, skipped), OURS)
            for name in found:
                results[size][name] |= {"memory_mb": workers[name].memory_mb(), "disk_mb": workers[name].disk_mb()}
    return results


def _searched(container: str, questions: int, worker: Worker, _: int) -> Round:
    return worker.search(container, questions, LIMIT)


def _cold(entries: Sequence[Entry], folder: Path, rounds: int, skipped: dict[str, str]) -> Results:
    """Opening the files and answering once, in a new process each time; the median."""
    found: Results = {}
    for entry in entries:
        if entry.name == contenders.LIMIT:
            continue
        try:
            found[entry.name] = _cold_one(entry, folder, rounds)
        except RuntimeError as error:
            skipped[f"{entry.name}, cold"] = str(error)
    return found


def _cold_one(entry: Entry, folder: Path, rounds: int) -> dict[str, float]:
    times = []
    for _ in range(rounds):
        with Worker(entry, place(entry, folder)) as worker:
            times.append(worker.first_answer(_asked(MIDDLE), LIMIT))
    wall, cpu = (sorted(each)[len(times) // 2] for each in zip(*times, strict=True))
    return {"wall_ms": wall, "cpu_ms": cpu}


async def _profiled(size: int, count: int) -> Report:
    """Our own searches in this process, under the profiler."""
    contender, profile = contenders.made(contenders.ENTRIES[1]), Profile()
    with TemporaryDirectory(prefix="earwitness-bench-") as folder, profile.looking():
        await contender.open(Path(folder))
        for rows in made.batches(_spans([size], size)):
            await contender.fill(rows)
        questions = made.questions(count)
        await contender.search(_asked(size), questions[0], LIMIT)
        profile.clear()
        samples = await sampled(lambda q=question: contender.search(_asked(size), q, LIMIT) for question in questions)  # type: ignore[misc]
        table = profile.table(count)
        await contender.close()
    cpu = sum(sample.cpu for sample in samples) / count
    return Report("recall_speed", {"profiled": count, "cpu_ms": cpu, "profile": table.rows}, [table], _no_picture)


def _no_picture(figure: Any) -> None:
    figure.text(0.5, 0.5, "a profile has no picture", ha="center")


def _report(results: dict[int, Results], cold: Results, skipped: dict[str, str]) -> Report:
    columns = ("wall_ms", "wall_p99_ms", "cpu_ms", "times_ours", "memory_mb", "disk_mb")
    tables = [
        Table(
            f"Recall from a container of {size:,}",
            ["", *columns],
            [[name, *(row.get(column) for column in columns)] for name, row in rows.items()],
        )
        for size, rows in results.items()
    ]
    embedder_ms = _embedder_ms()
    if cold:
        cold_rows = [[name, row["wall_ms"], row["cpu_ms"]] for name, row in cold.items()]
        tables.append(Table(f"Cold, a container of {MIDDLE:,}", ["", "wall_ms", "cpu_ms"], cold_rows))
    found = {
        "containers": {str(size): rows for size, rows in results.items()},
        "cold": cold,
        "embedder_table_ms": embedder_ms,
        "about": {entry.name: entry.about for entry in contenders.ENTRIES},
    }
    shown = results.get(MIDDLE) or next(iter(results.values()))
    pictured = {name: row["wall_ms"] for name, row in shown.items()}
    draw = bars(f"Recall from a container of {MIDDLE:,}", "ms", pictured, log=True)
    return Report("recall_speed", found, tables, draw, _targets(results, cold), skipped)


def _targets(results: dict[int, Results], cold: Results) -> list[Target]:
    targets = []
    middle, large = results.get(MIDDLE, {}), results.get(LARGE, {})
    for name, times in FASTER_THAN.items():
        if name in middle and middle[name]["times_ours"] is not None:
            targets.append(
                at_least(f"{MIDDLE:,}: {name} takes so many times as long", middle[name]["times_ours"], times)
            )
    if {OURS, OURS_RERANKED} <= middle.keys():
        more = middle[OURS_RERANKED]["cpu_ms"] - middle[OURS]["cpu_ms"]
        targets.append(at_most(f"{MIDDLE:,}: ms CPU more for re-ranking", more, MOST_RERANK_MS))
    both = (OURS, OURS_RERANKED)
    targets += [
        at_most(f"{LARGE:,}: ms CPU, {name}", large[name]["cpu_ms"], MOST_LARGE_MS) for name in both if name in large
    ]
    targets += [
        at_most(f"{MIDDLE:,}, cold: ms, {name}", cold[name]["wall_ms"], MOST_COLD_MS) for name in both if name in cold
    ]
    return targets


def _embedder_ms() -> float:
    """What reading the static table takes, once a process."""
    started_at = perf_counter()
    StaticEmbedder().embed(["a sword"])
    return 1000 * (perf_counter() - started_at)


if __name__ == "__main__":
    main()
