"""What does Earwitness add to what a store is built on?

Every store holds one container of `--asked` memories among `--store` memories in all, beside its peer used directly,
with the same vectors; each in a process of its own, a pair at a time, in rounds. END's step is 12 memories into 6
containers, as durable as the backend makes them. A recall is hybrid in all our stores: words and meaning, the best 50
ranked again, filtered by day; what a peer does is said beside its name. Promised is at most 20 % or 2 ms more than the
peer, whichever is more. CPU is of the process and of its servers: PostgreSQL, or the emulator of Supermemory. Where it
takes minutes to fill a store, it has 20,000 memories in all.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from kit import made
from kit.comparing import alternated, chosen, started, summary
from kit.contenders import BACKENDS, Entry, Pair
from kit.measuring import Round
from kit.options import output
from kit.report import Report, Table, Target, bars
from kit.workers import Worker

ASKED = "asked"
LIMIT = 10
SHARE, LEAST_MS = 0.2, 2.0
WARM = 8
SMALL = {"total": 600, "asked": 200, "rounds": 2, "questions": 3, "turns": 3}
STEPS = ("turn", "recall")
TITLES = {
    "turn": "END's step: 12 memories into 6 containers",
    "recall": "Recall from a container of {asked:,}",
}
ADDED = ("added_wall_ms", "most_wall_ms", "wall_holds", "added_cpu_ms", "most_cpu_ms", "cpu_holds")
COLUMNS = ("memories", "wall_ms", "wall_p99_ms", "cpu_ms", "times_peer")
Measured = dict[str, dict[str, list[Round]]]
"""Step → contender → rounds."""


@click.command(help=__doc__)
@output
@click.option("--only", multiple=True, metavar="NAME", help="Measure only these stores and their peers.")
@click.option("--store", "total", default=100_000, show_default=True, help="Memories in all.")
@click.option("--asked", default=5_000, show_default=True, help="Memories in the container that is asked.")
@click.option("--rounds", default=3, show_default=True)
@click.option("--questions", default=20, show_default=True, help="In each round.")
@click.option("--turns", default=20, show_default=True, help="In each round.")
@click.option("--small", is_flag=True, help="Everything small, to see that it runs.")
def main(as_json: bool, plot: Path | None, only: Sequence[str], small: bool, **sizes: int) -> None:
    """Fill, write, ask, report."""
    sizes = SMALL if small else sizes
    skipped: dict[str, str] = {}
    found: Measured = {step: {} for step in STEPS}
    for pair in _pairs(only):
        for step, rounds in _measured(pair, sizes, skipped).items():
            found[step] |= rounds
    _report(found, sizes, skipped).show(as_json=as_json, plot=plot)


def _pairs(names: Sequence[str]) -> list[Pair]:
    """The pairs of the stores of these names; all, when there are none."""
    chosen(names, {}, [pair.ours for pair in BACKENDS])  # refuses names that nobody has
    return [pair for pair in BACKENDS if not names or pair.ours.name in names]


def _measured(pair: Pair, sizes: dict[str, int], skipped: dict[str, str]) -> Measured:
    entries = chosen((), skipped, [entry for entry in pair if isinstance(entry, Entry)])
    spans = [made.Span(ASKED, 0, sizes["asked"]), *made.others(_total(pair, sizes) - sizes["asked"])]
    with TemporaryDirectory(prefix="earwitness-bench-") as folder:
        ready = partial(_ready, spans=spans)
        with started(entries, ready, skipped, Path(folder)) as workers:
            return {
                "turn": alternated(workers, sizes["rounds"], partial(_turns, sizes["turns"]), skipped),
                "recall": alternated(workers, sizes["rounds"], partial(_recalls, sizes["questions"]), skipped),
            }


def _total(pair: Pair, sizes: dict[str, int]) -> int:
    """How many memories the stores of a pair hold."""
    return max(sizes["asked"], min(sizes["total"], *(each.largest for each in pair if each is not None)))


def _ready(worker: Worker, spans: Sequence[made.Span]) -> None:
    worker.fill(spans)
    worker.turns(0, WARM)


def _turns(count: int, worker: Worker, number: int) -> Round:
    return worker.turns(WARM + number * count, count)


def _recalls(count: int, worker: Worker, _: int) -> Round:
    return worker.search(ASKED, count, LIMIT)


def _report(found: Measured, sizes: dict[str, int], skipped: dict[str, str]) -> Report:
    results: dict[str, dict[str, dict[str, Any]]] = {step: {} for step in STEPS}
    promised: dict[str, dict[str, dict[str, Any]]] = {step: {} for step in STEPS}
    for step in STEPS:
        for ours, peer in BACKENDS:
            both = {each.name: found[step][each.name] for each in (ours, peer) if each and each.name in found[step]}
            memories = {"memories": _total(Pair(ours, peer), sizes)}
            rows = {name: memories | _row(row) for name, row in summary(both, peer.name if peer else "").items()}
            results[step] |= rows
            if peer and rows.keys() == {ours.name, peer.name} and not peer.place.startswith("limit"):
                promised[step][f"{ours.name} over {peer.name}"] = _added(rows[ours.name], rows[peer.name])
    titles = {step: TITLES[step].format(**sizes) for step in STEPS}
    tables = [_table(titles[step], COLUMNS, results[step]) for step in STEPS]
    tables += [_table(f"{titles[step]}: what our layer adds", ADDED, promised[step]) for step in STEPS]
    targets = [
        Target(f"{step}: ms of {kind} that {what} adds", row[f"added_{kind}_ms"], f"≤ {row[most]:.3g}", row[holds])
        for step in STEPS
        for what, row in promised[step].items()
        for kind, most, holds in (("wall", "most_wall_ms", "wall_holds"), ("cpu", "most_cpu_ms", "cpu_holds"))
    ]
    about = {each.name: each.about for pair in BACKENDS for each in pair if each is not None}
    draw = bars(titles["recall"], "ms", {name: row["wall_ms"] for name, row in results["recall"].items()}, log=True)
    whole = {**results, "added": promised, "sizes": sizes, "about": about}
    return Report("stores", whole, tables, draw, targets, skipped)


def _table(title: str, columns: Sequence[str], rows: dict[str, dict[str, Any]]) -> Table:
    return Table(title, ["", *columns], [[name, *(_cell(row[each]) for each in columns)] for name, row in rows.items()])


def _cell(value: Any) -> Any:
    return ("yes" if value else "no") if isinstance(value, bool) else value


def _row(row: dict[str, Any]) -> dict[str, Any]:
    return {("times_peer" if key == "times_ours" else key): value for key, value in row.items()}


def _added(ours: dict[str, Any], peer: dict[str, Any]) -> dict[str, Any]:
    """The differences of two rows of the table, and whether they are within what is promised."""
    found: dict[str, Any] = {}
    for kind in ("wall", "cpu"):
        added, most = ours[f"{kind}_ms"] - peer[f"{kind}_ms"], max(SHARE * peer[f"{kind}_ms"], LEAST_MS)
        found |= {f"added_{kind}_ms": added, f"most_{kind}_ms": most, f"{kind}_holds": added <= most}
    return found


if __name__ == "__main__":
    main()
