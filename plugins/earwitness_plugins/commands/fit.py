"""`earwitness fit DETECTOR DATA… --output FILE`: fit a detector's numbers on labelled data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from earwitness_plugins.terminal import CliContext, options, story_command

if TYPE_CHECKING:
    from earwitness.loading.strategies import Strategies
    from earwitness_plugins.applications.evaluation.detector_spec import DetectorSpec
    from earwitness_plugins.applications.evaluation.fit import FitResult

GOALS = ("exact", "f1", "precision", "recall", "leak", "miss", "calibration_error")


@story_command("fit", store=options.NO_STORE)
@click.argument("detector")
@click.argument("data", nargs=-1, required=True, metavar="DATA…")
@options.format
@options.detection_task
@click.option("--goal", type=click.Choice(GOALS), default="exact", show_default=True, help="Mean over data sets.")
@options.directions
@click.option("--threshold", is_flag=True, help="Also fit the probability from which somebody perceives a message.")
@click.option("--evaluations", type=click.IntRange(1), default=60, show_default=True, help="Number of trials.")
@click.option(
    "--holdout", type=click.FloatRange(0, 0.9), default=0.2, show_default=True, help="Share of the data to check on."
)
@click.option("--seed", type=int, default=0, show_default=True, help="For what is held out, and the order of trials.")
@click.option("--output", metavar="FILE", default="fitted.toml", show_default=True, help="File for the settings.")
async def command(
    cli: CliContext,
    detector: str,
    data: tuple[str, ...],
    format: str | None,
    task: str,
    goal: str,
    directions: str,
    threshold: bool,
    evaluations: int,
    holdout: float,
    seed: int,
    output: str,
) -> None:
    """Fit a detector's numbers on labelled data, and save them as settings.

    The detector says in `fittable` what may be fitted. Use the file as --detector NAME@FILE, or as a part of
    earwitness.toml.
    """
    from earwitness.loading.strategies import Strategies
    from earwitness_plugins.applications.evaluation.data import read
    from earwitness_plugins.applications.evaluation.fit import fit, save
    from earwitness_plugins.applications.evaluation.run import Run
    from earwitness_plugins.terminal.output import refuse_store

    refuse_store(output)
    strategies = Strategies()
    spec = _one_detector(cli, detector, strategies)
    found = read(strategies, data, format)
    run = Run.model_validate(
        {"task": task, "detectors": [spec], "data": found.files, "directions": directions, "seed": seed}
    )
    with cli.progress("Fitting", evaluations) as advance:
        done = await fit(
            run,
            found.scenes,
            strategies,
            goal=goal,
            evaluations=evaluations,
            holdout=holdout,
            threshold=threshold,
            advance=advance,
        )
    save(done.detector, _comment(goal, data, done), output)
    cli.answer({"output": output, **done.model_dump(mode="json")}, _shown(done, goal, output))


def _comment(goal: str, data: tuple[str, ...], done: FitResult) -> str:
    return f"Fitted by earwitness fit for {goal}, in {done.fitted.tried} trials, on:\n" + "\n".join(data)


def _one_detector(cli: CliContext, detector: str, strategies: Strategies) -> DetectorSpec:
    from earwitness.errors import InputError
    from earwitness_plugins.applications.evaluation.detector_spec import detector_specs

    named = detector_specs(detector, strategies, cli.settings().end)
    if len(named) > 1:
        raise InputError(f"{detector!r} names {len(named)} detectors; fit them one by one.")
    return named[0]


def _shown(done: FitResult, goal: str, output: str) -> str:
    start, best = done.fitted.start, done.fitted.best
    lines = [f"{name}: {start.values[name]:g} → {value:g}" for name, value in best.values.items()]
    trials = f"{done.fitted.tried} trials"
    lines.append(f"{goal} where it was fitted: {abs(start.goal):.3f} → {abs(best.goal):.3f} ({trials})")
    for name, after in done.after.items():
        lines.append(f"{goal} on scenes held out, {name}: {done.before[name]:.3f} → {after:.3f}")
    if not done.after:
        lines.append("Nothing was held out: expect less on data it has not seen.")
    name = done.detector.name
    return "\n".join([*lines, f"Saved in {output}. Compare: --detector {name},{name}@{output}"])
