"""`earwitness detect FILE… --detector NAME`: who perceives each message, as lines for another program to score."""

from __future__ import annotations

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from earwitness_plugins.terminal import CliContext, options, story_command

if TYPE_CHECKING:
    from earwitness import Settings
    from earwitness.loading.strategies import Strategies
    from earwitness_plugins.applications.evaluation.answers import PresenceTask
    from earwitness_plugins.applications.evaluation.detector_spec import DetectorSpec
    from earwitness_plugins.applications.evaluation.scene_judge import Directions, JudgedMessage


@story_command("detect", store=options.NO_STORE)
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option(
    "--detector", "name", metavar="NAME", help="name, mine.Class, name(n=5), name@FILE.  [default: the settings']"
)
@options.format
@options.detection_task
@options.directions
@options.threshold
@click.option("--seed", type=int, default=0, show_default=True, help="For detectors that use one.")
@click.option("--output", metavar="OUT.jsonl", help="Write the lines there.  [default: standard output]")
async def command(
    cli: CliContext,
    files: tuple[str, ...],
    name: str | None,
    format: str | None,
    task: PresenceTask,
    directions: Directions,
    threshold: float | None,
    seed: int,
    output: str | None,
) -> None:
    """Say who perceives each message, one JSON line per message.

    The detector sees a scene message by message, and no labels. With hidden directions it sees no narration.
    If it fails, only the speaker perceives the message; the last line says how often. Exits with 1 if it always fails.
    """
    from earwitness.loading.strategies import Strategies
    from earwitness_plugins.applications.evaluation.answers import answers
    from earwitness_plugins.applications.evaluation.data import read
    from earwitness_plugins.applications.evaluation.detector_spec import close_detector, make_detector
    from earwitness_plugins.terminal.warnings import FailureTally

    strategies = Strategies()
    settings = cli.settings()
    spec = _one_detector(name, task, settings, strategies, threshold)
    detector = make_detector(spec, strategies, seed, settings)
    scenes = read(strategies, files, format).scenes
    count, failed, failures = 0, 0, FailureTally()

    def seen(judged: JudgedMessage) -> None:
        nonlocal failed
        failed += judged.failure is not None
        fault = judged.failure or judged.ignored
        failures.add([f"detector:{spec.label}: {fault}"] if fault else [])

    with _opened(output) as out:
        async for line in answers(scenes, spec, detector, task, directions, seen):
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
            count += 1
    await close_detector(detector)
    if output is not None:
        cli.answer({"lines": count, "output": output}, f"{count:,} lines in {output}")
    failures.report()
    cli.finish(ok=failed < max(failures.messages, 1))


def _one_detector(
    name: str | None, task: PresenceTask, settings: Settings, strategies: Strategies, threshold: float | None
) -> DetectorSpec:
    from earwitness.errors import InputError
    from earwitness_plugins.applications.evaluation.detector_spec import requested

    named = requested(name, task, settings, strategies, threshold)
    if len(named) > 1:
        raise InputError(
            f"--detector {name!r} names {len(named)} detectors, and detect asks one. To compare several: evaluate."
        )
    return named[0]


def _opened(output: str | None) -> AbstractContextManager[IO[str]]:
    from earwitness_plugins.terminal.output import refuse_store

    if output is None:
        return nullcontext(sys.stdout)
    refuse_store(output)
    return Path(output).open("w", encoding="utf-8")
