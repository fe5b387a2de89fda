"""`earwitness evaluate TASK DATA… --detector a,b`: how good are detectors, and is the difference more than chance?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from earwitness_plugins.terminal import CliContext, options, story_command

if TYPE_CHECKING:
    from earwitness.loading.strategies import Strategies
    from earwitness_plugins.applications.evaluation.data import Data
    from earwitness_plugins.applications.evaluation.run import EvaluationReport, Run

TASKS = ("participants", "addressees", "knowledge", "recall")
REPEATED = (
    *("task", "data", "names", "format", "directions", "by", "threshold", "caution", "against", "seed", "resamples"),
    "worst",
)
"""Parameters whose values a repeated run takes from its report."""
MOST = 10
"""Number of differences between two runs that are shown."""


@story_command("evaluate", store=options.NO_STORE)
@click.argument("task", required=False, type=click.Choice(TASKS), metavar="TASK")
@click.argument("data", nargs=-1, metavar="DATA…")
@click.option(
    "--detector", "names", metavar="A,B,…", help="name, mine.Class, name(n=5), name@FILE.  [default: the settings']"
)
@options.format
@options.directions
@click.option(
    "--by",
    type=click.Choice(["containers", "who_knows"]),
    default="containers",
    show_default=True,
    help="For knowledge: search each character's container, or ask backstage who knows.",
)
@options.threshold
@click.option(
    "--against", metavar="DETECTOR", help="Compare the others with this one.  [default: the first of --detector]"
)
@click.option("--seed", type=int, default=0, show_default=True, help="For resampling, and for detectors that use one.")
@click.option(
    "--resamples", type=click.IntRange(0), default=2000, show_default=True, help="Resamples for confidence intervals."
)
@click.option("--worst", type=click.IntRange(0), default=0, metavar="N", help="Show the N worst scenes, and why.")
@click.option("--plot", metavar="FILE", help="Save a picture of leak against miss (PNG, SVG).")
@click.option("--report", metavar="FILE", help="Save the run and its results.")
@click.option("--repeat", metavar="REPORT", help="Repeat a run, and compare.")
async def command(
    cli: CliContext,
    task: str | None,
    data: tuple[str, ...],
    plot: str | None,
    report: str | None,
    repeat: str | None,
    **how: Any,
) -> None:
    """Score detectors on labelled data, and compare them.

    DATA are files, or corpora by name or folder: overheard is its part dev, overheard:test its part test.
    TASK is participants (who perceives a message), addressees (who is spoken to), knowledge (who knows a fact) or
    recall (is the answer found again). The exit code is 1 if a detector failed at every message.
    """
    from earwitness.loading.strategies import Strategies
    from earwitness_plugins.applications.evaluation.evaluate import data_of, load, save
    from earwitness_plugins.applications.evaluation.plot import draw, require_drawable
    from earwitness_plugins.applications.evaluation.tables import show
    from earwitness_plugins.terminal.output import refuse_store

    for path in filter(None, (plot, report)):
        refuse_store(path)
    if repeat:
        _refuse_beside_repeat()
    strategies = Strategies()
    run, before = load(repeat) if repeat else (_run(cli, strategies, task, data, **how), None)
    if plot:
        require_drawable(run, plot)
    done = await _done(cli, run, data_of(run, strategies), strategies)
    if plot:
        draw(done, plot)
    if report:
        save(done, report)
    if cli.json:
        cli.answer(done.model_dump(mode="json"), "")
    else:
        show(done, cli.console)
    if before is not None:
        _compare(cli, repeat, before, done)
    cli.finish(ok=not any(result.failed_everywhere for result in done.results))


def _refuse_beside_repeat() -> None:
    """Raise `InputError` for an argument that the report says already. What is saved or drawn may differ."""
    from earwitness.errors import InputError

    context = click.get_current_context()
    given = [
        param.metavar.strip("…") if isinstance(param, click.Argument) and param.metavar else param.opts[0]
        for param in context.command.params
        if param.name in REPEATED and context.get_parameter_source(str(param.name)) is ParameterSource.COMMANDLINE
    ]
    if given:
        raise InputError(
            f"{', '.join(given)} beside --repeat: these are taken from the report. Leave out one or the other."
        )


def _run(
    cli: CliContext,
    strategies: Strategies,
    task: str | None,
    data: tuple[str, ...],
    *,
    names: str | None,
    threshold: float | None,
    format: str | None,
    **how: Any,
) -> Run:
    """The run that the command line asks for."""
    from earwitness.errors import InputError
    from earwitness_plugins.applications.corpora.places import data_path
    from earwitness_plugins.applications.evaluation.data import DataFile
    from earwitness_plugins.applications.evaluation.detector_spec import requested
    from earwitness_plugins.applications.evaluation.evaluate import kept_settings
    from earwitness_plugins.applications.evaluation.run import Run

    if task is None or not data:
        raise InputError(f"name a task ({', '.join(TASKS)}) and its files, or repeat a report with --repeat.")
    settings = cli.settings()
    return Run.model_validate(
        {
            "task": task,
            "detectors": requested(names, task, settings, strategies, threshold),
            "data": [DataFile(path=data_path(path, task), format=format) for path in data],
            "settings": kept_settings(settings),
            **how,
        }
    )


async def _done(cli: CliContext, run: Run, data: Data, strategies: Strategies) -> EvaluationReport:
    from earwitness_plugins.applications.evaluation.evaluate import described, evaluate

    run = described(run.model_copy(update={"data": data.files}))
    lines = sum(len(scene.lines) for scene in data.scenes) * len(run.detectors)
    with cli.progress("Evaluating", lines) as advance:
        return await evaluate(run, data, strategies, advance, cli.settings())


def _compare(cli: CliContext, path: str | None, before: EvaluationReport, done: EvaluationReport) -> None:
    """Say whether the numbers are the same as before; exit with 1 if not."""
    from earwitness_plugins.applications.evaluation.run import changed

    changes = changed(before, done)
    what = f"The same numbers as in {path}." if not changes else f"{len(changes)} numbers are not as in {path}:"
    if not cli.json:
        click.echo("\n".join([what, *changes[:MOST], *(["…"] if len(changes) > MOST else [])]))
    cli.finish(ok=not changes)
