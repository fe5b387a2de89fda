"""Does a recall slow down when the rest of the store grows? And how large do the file and the process become?

One container of `--asked` memories is asked, with and without re-ranking, while all others grow to each of `--sizes`
memories in all, in containers of a hundred. A second store, which stays at the first of these sizes, is asked in the
same rounds: `times` is the CPU time of the one over that of the other, so that a machine that becomes busy meanwhile
changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import click
from kit import made
from kit.comparing import chosen, started
from kit.contenders import OURS, OURS_RERANKED
from kit.measuring import Round, timing
from kit.options import numbers, output, peers
from kit.report import Report, Table, at_most, curves
from kit.workers import Worker

ASKED = "asked"
LIMIT = 10
MOST_GROWTH = 1.2


@click.command(help=__doc__)
@output
@peers
@click.option(
    "--sizes",
    default="10000,100000",
    show_default=True,
    help="Memories in all, ascending; 10000,1000000 takes some minutes.",
)
@click.option("--asked", default=5_000, show_default=True, help="Memories in the container that is asked.")
@click.option("--rounds", default=9, show_default=True)
@click.option("--questions", default=25, show_default=True, help="In each round.")
def main(
    as_json: bool, plot: Path | None, only: Sequence[str], sizes: str, asked: int, rounds: int, questions: int
) -> None:
    """Grow, ask, report."""
    wanted = numbers(sizes)
    if list(wanted) != sorted(wanted) or wanted[0] < asked:
        raise click.UsageError(f"--sizes must ascend, from at least --asked ({asked}).")
    skipped: dict[str, str] = {}
    entries = chosen(only or (OURS, OURS_RERANKED), skipped)
    first = [made.Span(ASKED, 0, asked), *_others(asked, wanted[0])]
    rows: list[dict[str, Any]] = []
    with (
        started(entries, lambda worker: worker.fill(first), skipped) as small,
        started(entries, lambda worker: worker.fill(first[:1]), skipped) as growing,
    ):
        there = asked
        for size in wanted:
            click.echo(f"growing to {size:,} …", err=True)
            speeds = {name: worker.fill(_others(there, size)) for name, worker in growing.items()}
            there = size
            rows += [_asked(growing[name], small[name], size, speeds[name], rounds, questions) for name in growing]
    _report(rows, asked, skipped).show(as_json=as_json, plot=plot)


def _others(there: int, size: int) -> list[made.Span]:
    return made.others(size - there, first=10**7 + there)


def _asked(worker: Worker, small: Worker, size: int, speed: float, rounds: int, questions: int) -> dict[str, Any]:
    pairs = [[each.search(ASKED, questions, LIMIT) for each in (worker, small)] for _ in range(rounds)]
    found = timing([grown for grown, _ in pairs])
    return {
        "name": worker.entry.name,
        "memories": size,
        "times": median(_cpu(grown) / _cpu(still) for grown, still in pairs),
        "wall_ms": found.wall,
        "wall_p99_ms": found.wall_p99,
        "cpu_ms": found.cpu,
        "memory_mb": worker.memory_mb(),
        "disk_mb": worker.disk_mb(),
        "written_a_second": speed,
    }


def _cpu(samples: Round) -> float:
    return median(sample.cpu for sample in samples)


def _report(rows: Sequence[dict[str, Any]], asked: int, skipped: dict[str, str]) -> Report:
    columns = [key for key in rows[0] if key != "name"]
    title = f"Recall from a container of {asked:,} while the rest grows"
    table = Table(title, ["", *columns], [[row["name"], *(row[column] for column in columns)] for row in rows])
    by_name: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_name.setdefault(row["name"], []).append(row)
    lines = {name: [(each["memories"], each["cpu_ms"]) for each in group] for name, group in by_name.items()}
    targets = [
        at_most(
            f"{name}: CPU with {group[-1]['memories']:,}, times that with {group[0]['memories']:,}",
            group[-1]["times"],
            MOST_GROWTH,
        )
        for name, group in by_name.items()
    ]
    draw = curves(title, "memories in the store", "ms CPU", lines, log_x=True)
    return Report("growth", {"growth": list(rows)}, [table], draw, targets, skipped)


if __name__ == "__main__":
    main()
