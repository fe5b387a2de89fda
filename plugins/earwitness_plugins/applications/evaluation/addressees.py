"""The task `addressees`: who is spoken to?"""

from __future__ import annotations

from earwitness_plugins.importers.labelled import LabelledScene

from .scene_judge import JudgedMessage
from .sheet import ScoredMessage


def addressed(scene: LabelledScene, judged: JudgedMessage, threshold: float) -> tuple[str, ...]:
    """Names with the role addressee and at least the probability `threshold`, in the order of the roster."""
    parts = judged.beliefs
    return tuple(
        name
        for name in dict.fromkeys((*scene.roster, *parts))
        if name in parts and parts[name].role == "addressee" and parts[name].confidence >= threshold
    )


def row(scene: LabelledScene, judged: JudgedMessage, threshold: float) -> ScoredMessage | None:
    """One quotation beside its label; `None` where it has none. Only names the detector gave enter the calibration."""
    gold = scene.lines[judged.index].addressees
    if gold is None:
        return None
    believed = {name: part.confidence for name, part in judged.beliefs.items() if part.role == "addressee"}
    return ScoredMessage(
        dataset=scene.dataset,
        scene=scene.name,
        group=scene.group,
        index=judged.index,
        roster=tuple(dict.fromkeys((*believed, *gold))),
        certain=frozenset(judged.speakers),
        true=frozenset(gold),
        predicted=frozenset(addressed(scene, judged, threshold)),
        probability=believed,
    )
