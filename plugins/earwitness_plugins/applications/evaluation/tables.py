"""A report as tables on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from itertools import groupby

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from earwitness.loading.end_settings import EndSettings
from earwitness.records.usage import Spending

from .bootstrap import Interval
from .mistakes import MistakeRun, WorstScene
from .run import EvaluationReport, Result, Scores

UNITS = {"participants": "messages", "addressees": "quotations", "knowledge": "questions", "recall": "questions"}
TITLES = {
    "participants": "Who perceives a message",
    "addressees": "Who is spoken to",
    "knowledge": "Who knows a fact",
    "recall": "Is the answer found again",
}
INTERVALS = ("f1", "exact", "leak", "miss", "balanced_accuracy", "list_exact", "recall@5", "recall@10", "mrr")
SHORT = {
    "precision": "prec.",
    "balanced_accuracy": "balanced",
    "knowers_found": "knowers",
    "others_cleared": "others",
    "misled_cleared": "misled",
    "heard_of_cleared": "heard of",
}
COMPARED = "each detector's score minus its score, on the same draws, with 95 % intervals"
NOTHING = "–"
WIDTH = 120
"""Columns of output that does not go to a terminal."""

Line = tuple[str, str, Sequence[str]]
"""Data set, detector, cells."""


def show(report: EvaluationReport, console: Console) -> None:
    """Print a report."""
    if not console.is_terminal:
        console.width = max(console.width, WIDTH)
    console.print(shown(report))


def as_text(report: EvaluationReport) -> str:
    """A report as plain text."""
    console = Console(width=WIDTH, file=StringIO(), highlight=False)
    with console.capture() as printed:
        console.print(shown(report))
    return "\n".join(line.rstrip() for line in printed.get().splitlines())


def shown(report: EvaluationReport) -> RenderableType:
    """A report, in tables."""
    return Group(*_parts(report), *_strange(report), Text(_footnote(report), style="dim"))


def _parts(report: EvaluationReport) -> Iterator[RenderableType]:
    title, results = TITLES[report.run.task], report.results
    yield _main(title, report, lambda result: result.scores)
    if any(result.models for result in results):
        yield _models(results)
    if any(result.absent for result in results):
        yield _main(f"{title}, where somebody is absent", report, lambda result: result.absent)
    if any(result.by_present for result in results):
        yield _by_present(report)
    yield from (_asides(result, report.run.directions) for result in results)
    yield from (Text(line) for result in results for line in (*_privacy(result), *_acts(result)))
    if report.run.resamples:
        own = [(name, each.detector, scores.values) for each in results for name, scores in each.scores.items()]
        yield _intervals("95 % intervals", own, _ends)
    if report.differences:
        gaps = [(each.data, each.detector, each.values) for each in report.differences]
        yield _intervals(f"Against {report.differences[0].against}: {COMPARED}", gaps, _gap)
    for result in results:
        yield from _worst(result)
        yield from _failures(result)


# ── tables ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _main(title: str, report: EvaluationReport, scores_of: Callable[[Result], Mapping[str, Scores]]) -> Table:
    measures = list(next(iter(report.results[0].scores.values())).values)
    timed = report.run.task in {"participants", "addressees"}
    lines = [
        (name, result.detector, _cells(scores, measures, result if timed else None))
        for result in report.results
        for name, scores in scores_of(result).items()
    ]
    heads = ["n", *map(_head, measures), *(["ECE", "per s"] if timed else [])]
    return _table(f"{title} (n {UNITS[report.run.task]})", heads, lines)


def _cells(scores: Scores, measures: Iterable[str], timed: Result | None) -> list[str]:
    cells = [f"{scores.units:,}", *(_number(scores.values[name].value) for name in measures)]
    if timed is None:
        return cells
    speed = timed.messages_per_second
    return [*cells, _number(scores.calibration_error), NOTHING if speed is None else f"{speed:,.0f}"]


def _models(results: Sequence[Result]) -> Table:
    """What each detector asked of models, on all data."""
    lines = [("all", result.detector, _spent(result.models)) for result in results]
    heads = ["calls", "failed", "cassette", "tokens in", "tokens out", "seconds", "cost"]
    return _table("What models were asked", heads, lines)


def _spent(spending: Spending | None) -> list[str]:
    each = spending or Spending()
    counts = (each.calls, each.failed, each.cached, each.tokens_in, each.tokens_out)
    return [*(f"{count:,}" for count in counts), f"{each.seconds:,.1f}", f"{each.cost:,.4f}"]


def _by_present(report: EvaluationReport) -> Table:
    """Exact and leak of every detector by how many are present, and the number of messages of each size."""
    every = [result.by_present for result in report.results]
    sizes = sorted({size for sets in every for each in sets.values() for size in each})
    counts = [(name, "n", _per_size(each, sizes, _units)) for name, each in every[0].items()]
    lines = [
        (name, result.detector, _per_size(each, sizes, _exact_and_leak))
        for result in report.results
        for name, each in result.by_present.items()
    ]
    return _table("By how many are present: exact / leak", sizes, [*counts, *lines])


def _per_size(scores: Mapping[str, Scores], sizes: Iterable[str], cell: Callable[[Scores], str]) -> list[str]:
    return [cell(scores[size]) if size in scores else NOTHING for size in sizes]


def _units(scores: Scores) -> str:
    return f"{scores.units:,}"


def _exact_and_leak(scores: Scores) -> str:
    return " / ".join(_short_number(scores.values[name].value) for name in ("exact", "leak"))


def _intervals(
    title: str, rows: Sequence[tuple[str, str, Mapping[str, Interval]]], cell: Callable[[Interval], str]
) -> Table:
    measures = [name for name in INTERVALS if name in rows[0][2]]
    lines = [(name, detector, [cell(values[what]) for what in measures]) for name, detector, values in rows]
    return _table(title, [*map(_head, measures)], lines)


def _ends(found: Interval) -> str:
    return NOTHING if found.low is None or found.high is None else f"{found.low:.3f}–{found.high:.3f}"


def _gap(found: Interval) -> str:
    if found.value is None:
        return NOTHING
    ends = "" if found.low is None or found.high is None else f"\n{found.low:+.3f}..{found.high:+.3f}"
    return f"{found.value:+.3f}{ends}"


def _table(title: str, heads: Sequence[str], lines: Sequence[Line]) -> Table:
    """A table in which each data set has a line for its name, then one line per detector."""
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=(0, 0, 0, 1))
    table.add_column("detector", overflow="fold")
    for head in heads:
        table.add_column(escape(head), justify="right", no_wrap=True)
    order = list(dict.fromkeys(name for name, _, _ in lines))
    for name, each in groupby(sorted(lines, key=lambda line: order.index(line[0])), key=lambda line: line[0]):
        table.add_row(f"[dim]{escape(name)}[/]")
        for _, label, cells in each:
            table.add_row(f"  {escape(label)}", *cells)
    return table


def _head(measure: str) -> str:
    return SHORT.get(measure, measure.replace("_", " "))


def _number(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.3f}"


def _short_number(value: float | None) -> str:
    """`.17` or `1`, where many numbers stand in a line."""
    return NOTHING if value is None else f"{value:.2f}".removeprefix("0").removesuffix(".00") or "0"


# ── in words ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _asides(result: Result, directions: str) -> Text:
    if result.asides is None:
        return Text(end="")
    heard, of = result.asides.leaked, result.asides.messages
    unseen = "; with hidden directions nothing marks them" if directions == "hidden" else ""
    return Text(f"Asides that {result.detector} lets others hear: {heard:,} of {of:,} ({heard / of:.1%}){unseen}")


def _privacy(result: Result) -> Iterator[str]:
    if (found := result.privacy) is not None:
        yield (
            f"Private pieces that {result.detector} lets others perceive: {_of(found.leaked, found.pieces)}; "
            f"keeps from somebody who does: {_of(found.missed, found.pieces)}; messages that only their speaker "
            f"perceives, and that others perceive here: {_of(found.alone_leaked, found.alone)}"
        )


def _acts(result: Result) -> Iterator[str]:
    if (found := result.acts) is not None:
        yield (
            f"Comings and goings that {result.detector} reads: "
            f"{_of(found.leavings_read + found.comings_read, found.leavings + found.comings)} "
            f"(leavings {_of(found.leavings_read, found.leavings)}, comings {_of(found.comings_read, found.comings)}); "
            f"invents: {_of(found.invented, found.steady)}"
        )


def _of(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,}" + (f" ({part / whole:.1%})" if whole else "")


def _worst(result: Result) -> Iterator[RenderableType]:
    if result.worst:
        yield Text("\n".join([f"\nWorst scenes of {result.detector}", *map(_scene, result.worst)]))


def _scene(scene: WorstScene) -> str:
    head = f"{scene.dataset} {scene.scene}: {scene.exact} of {scene.messages} exact, {scene.wrong} wrong decisions"
    return "\n".join([head, *map(_mistake_run, scene.runs)])


def _mistake_run(run: MistakeRun) -> str:
    what = "included, but was not there" if run.kind == "leak" else "left out, but was there"
    times = f"{run.messages}×" if run.messages > 1 else "once"
    why = "; ".join(run.evidence) or "left out"
    return (
        f"  {run.character} {what}, {times} from [{run.index}] {run.text!r}\n"
        f"    believed {run.probability:.2f}: {why}\n    just before: {run.before!r}"
    )


def _failures(result: Result) -> Iterator[RenderableType]:
    for failure, times in result.failures.items():
        yield Text(f"{result.detector} failed at {times:,} messages, where only the speaker perceived: {failure}")
    for ignored, times in result.ignored.items():
        yield Text(f"{result.detector}: {ignored} (at {times:,} messages, counting narration; the rest is scored)")


def _strange(report: EvaluationReport) -> Iterator[RenderableType]:
    if found := report.strange_speakers:
        more = f" (and {len(found) - 1:,} more)" if len(found) > 1 else ""
        yield Text(f"\nWarning: {found[0]}{more}", style="yellow")


def _footnote(report: EvaluationReport) -> str:
    run = report.run
    scenes = ", ".join(f"{count:,} of {name}" for name, count in report.scenes.items())
    drawn = f" Intervals: {run.resamples:,} draws, by scenes." if run.resamples else ""
    ends = {each.end.threshold for each in run.detectors} - {EndSettings().threshold}
    threshold = f" Threshold {', '.join(f'{each:g}' for each in sorted(ends))}." if ends else ""
    return f"\nScenes: {scenes}. Directions {run.directions}.{threshold}{drawn} {report.note}"
