"""The tasks that play scenes to detectors: participants and addressees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from earwitness import Record
from earwitness.errors import InputError, quoted
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness.protocols import Detector
from earwitness.records.usage import Spending
from earwitness_plugins.importers.labelled import LabelledScene

from . import acts, addressees, participants, privacy
from .data import Data, strange_speakers
from .detector_spec import DetectorSpec, close_detector, make_detector
from .measures import SET_MEASURES
from .mistakes import WorstScene, ranked, worst_of
from .run import Acts, Asides, EvaluationReport, PrivatePieces, Result, Run
from .scene_judge import JudgedMessage, judged_messages
from .scores import by_dataset, by_present, compared, parts, scores
from .sheet import ScoredMessage, Sheet

Advance = Callable[[int], None]
Counted = TypeVar("Counted", bound=Record)


@dataclass
class SceneResults:
    """The answers of one detector on all scenes, next to their labels."""

    rows: list[ScoredMessage] = field(default_factory=list)
    worst: list[WorstScene] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    ignored: Counter[str] = field(default_factory=Counter)
    privacy: list[PrivatePieces] = field(default_factory=list)
    acts: list[Acts] = field(default_factory=list)
    messages: int = 0
    seconds: float = 0.0
    models: list[Spending] = field(default_factory=list)

    def take(self, scene: LabelledScene, answers: Sequence[JudgedMessage], spec: DetectorSpec, run: Run) -> None:
        """Add one scene, after its last message."""
        self.messages += len(answers)
        self.seconds += sum(judged.seconds for judged in answers)
        self.failures.update(judged.failure for judged in answers if judged.failure)
        self.ignored.update(judged.ignored for judged in answers if judged.ignored)
        self.models += [judged.spending for judged in answers if judged.spending]
        labelled = [(row, judged) for judged in answers if (row := row_of(scene, judged, spec, run))]
        self.rows += [row for row, _ in labelled]
        if _rostered(run):
            self.privacy.append(privacy.privacy(scene, answers))
            self.acts.append(acts.acts(scene, [row for row, _ in labelled]))
        scored = [pair for pair in labelled if not pair[0].aside]
        if run.worst and scored:
            self.worst.append(worst_of(scored, answers))


def row_of(scene: LabelledScene, judged: JudgedMessage, spec: DetectorSpec, run: Run) -> ScoredMessage | None:
    """The message as the run's task scores it; `None` where it has no label."""
    if run.task == "addressees":
        return addressees.row(scene, judged, spec.end.enough)
    return participants.row(scene, judged)


async def play_scenes(
    spec: DetectorSpec, detector: Detector, scenes: Sequence[LabelledScene], run: Run, advance: Advance
) -> SceneResults:
    """Play all scenes to one detector."""
    found = SceneResults()
    for scene in scenes:
        told = [judged async for judged in judged_messages(scene, detector, spec, run.directions)]
        found.take(scene, told, spec, run)
        advance(len(scene.lines))
    return found


async def evaluated(
    run: Run, data: Data, strategies: Strategies, settings: Settings, advance: Advance = lambda steps: None
) -> EvaluationReport:
    """Score all detectors. Raises `InputError` when nothing is labelled, and as `make_detector`."""
    results, sums, sheets = [], [], []
    for spec in run.detectors:
        detector = make_detector(spec, strategies, run.seed, settings)
        found = await play_scenes(spec, detector, data.scenes, run, advance)
        await close_detector(detector)
        sheet = Sheet.of(found.rows)
        _refuse_nothing(found, run)
        sheets.append(sheet)
        sums.append((spec.label, {name: part.by_group for name, part in parts(sheet).items()}))
        results.append(_result(spec.label, found, sheet, run))
    return EvaluationReport(
        run=run,
        scenes={name: len({(row.dataset, row.scene) for row in part.rows}) for name, part in parts(sheets[0]).items()},
        results=tuple(results),
        differences=compared(sums, SET_MEASURES, run),
        strange_speakers=_strange(data) if _rostered(run) else (),
    )


def summed(kind: type[Counted], counts: Iterable[Counted], *needed: str) -> Counted | None:
    """The sum of what was counted; `None` where none of the `needed` fields counts anything."""
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each.model_dump())
    return kind.model_validate(dict(total)) if any(total[name] for name in needed) else None


def _result(label: str, found: SceneResults, sheet: Sheet, run: Run) -> Result:
    asides = [row for row in found.rows if row.aside]
    missing = {name: part.where(part.absent) for name, part in parts(sheet).items()}
    return Result(
        detector=label,
        scores=by_dataset(sheet, run),
        absent={name: scores(part, run) for name, part in missing.items() if len(part)} if _rostered(run) else {},
        by_present=by_present(sheet, run),
        asides=Asides(messages=len(asides), leaked=sum(row.leaks for row in asides)) if asides else None,
        privacy=summed(PrivatePieces, found.privacy, "pieces"),
        acts=summed(Acts, found.acts, "leavings", "comings"),
        curve=sheet.curve(),
        messages_per_second=found.messages / found.seconds if found.seconds else None,
        models=sum(found.models, Spending()) if found.models else None,
        failures=dict(found.failures),
        ignored=dict(found.ignored),
        failed_everywhere=0 < found.messages == found.failures.total(),
        worst=ranked(found.worst, run.worst),
    )


def _strange(data: Data) -> tuple[str, ...]:
    return tuple(f"scene {quoted(each.name)}, {said}" for each in data.scenes for said in strange_speakers(each))


def _rostered(run: Run) -> bool:
    """Whether the data names everybody who could be in the true set, so that somebody can be missing from it."""
    return run.task == "participants"


def _refuse_nothing(found: SceneResults, run: Run) -> None:
    if found.rows:
        return
    missing = "addressees" if run.task == "addressees" else "present"
    hidden = " With --directions hidden, narration is not scored." if run.directions == "hidden" else ""
    raise InputError(
        f"none of the {found.messages} messages in these files has {missing!r}, so there is nothing to score.{hidden}"
    )
