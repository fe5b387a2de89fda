"""Does a recall slow down when the rest of the store grows? And how large do the file and the process become?

One container of `--asked` memories is asked, with and without re-ranking, while all others grow to each of `--sizes`
memories in all, in containers of a hundred.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from kit import made
from kit.comparing import started
from kit.contenders import ENTRIES, OURS, OURS_RERANKED
from kit.measuring import timing
from kit.options import numbers, output
from kit.report import Report, Table, at_most, curves
from kit.workers import Worker

ASKED = "asked"
LIMIT = 10
MOST_GROWTH = 1.2


@click.command(help=__doc__)
@output
@click.option(
    "--sizes",
    default="10000,100000",
    show_default=True,
    help="Memories in all, ascending; 10000,1000000 takes some minutes.",
)
@click.option("--asked", default=5_000, show_default=True, help="Memories in the container that is asked.")
@click.option("--rounds", default=5, show_default=True)
@click.option("--questions", default=40, show_default=True, help="In each round.")
def main(as_json: bool, plot: Path | None, sizes: str, asked: int, rounds: int, questions: int) -> None:
    """Grow, ask, report."""
    wanted = numbers(sizes)
    if list(wanted) != sorted(wanted) or wanted[0] < asked:
        raise click.UsageError(f"--sizes must ascend, from at least --asked ({asked}).")
    skipped: dict[str, str] = {}
    entries = [entry for entry in ENTRIES if entry.name in {OURS, OURS_RERANKED}]
    rows: list[dict[str, Any]] = []
    with started(entries, lambda worker: worker.fill([made.Span(ASKED, 0, asked)]), skipped) as workers:
        there = asked
        for size in wanted:
            click.echo(f"growing to {size:,} …", err=True)
            speeds = {
                name: worker.fill(made.others(size - there, first=10**7 + there)) for name, worker in workers.items()
            }
            there = size
            rows += _asked(workers, size, speeds, rounds, questions)
    _report(rows, asked, skipped).show(as_json=as_json, plot=plot)


def _asked(
    workers: dict[str, Worker], size: int, speeds: dict[str, float], rounds: int, questions: int
) -> list[dict[str, Any]]:
    measured = {
        name: timing([worker.search(ASKED, questions, LIMIT) for _ in range(rounds)])
        for name, worker in workers.items()
    }
    return [
        {
            "name": name,
            "memories": size,
            "wall_ms": found.wall,
            "wall_p99_ms": found.wall_p99,
            "cpu_ms": found.cpu,
            "memory_mb": workers[name].memory_mb(),
            "disk_mb": workers[name].disk_mb(),
            "written_a_second": speeds[name],
        }
        for name, found in measured.items()
    ]


def _report(rows: Sequence[dict[str, Any]], asked: int, skipped: dict[str, str]) -> Report:
    columns = [key for key in rows[0] if key != "name"]
    title = f"Recall from a container of {asked:,} while the rest grows"
    table = Table(title, ["", *columns], [[row["name"], *(row[column] for column in columns)] for row in rows])
    by_name: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_name.setdefault(row["name"], []).append(row)
    lines = {name: [(each["memories"], each["cpu_ms"]) for each in group] for name, group in by_name.items()}
    targets = [
        at_most(f"{name}: CPU with {group[-1]['memories']:,}, times that with {group[0]['memories']:,}",
                group[-1]["cpu_ms"] / group[0]["cpu_ms"], MOST_GROWTH)
        for name, group in by_name.items()
    ]  # fmt: skip
    draw = curves(title, "memories in the store", "ms CPU", lines, log_x=True)
    return Report("growth", {"growth": list(rows)}, [table], draw, targets, skipped)


if __name__ == "__main__":
    main()
