"""Who is spoken to?"""

from __future__ import annotations

from earwitness_plugins.importers.labelled import LabelledScene

from .online import Judged
from .sheet import Row


def addressed(scene: LabelledScene, judged: Judged, threshold: float) -> tuple[str, ...]:
    """Those whose role is addressee, as likely as END asks for, in the order of the roster."""
    parts = judged.parts
    return tuple(
        name
        for name in dict.fromkeys((*scene.roster, *parts))
        if name in parts and parts[name].role == "addressee" and parts[name].probability >= threshold
    )


def row(scene: LabelledScene, judged: Judged, threshold: float) -> Row | None:
    """One quotation with its label; `None` where nobody knows who is addressed. Only named names are calibrated."""
    gold = scene.lines[judged.index].addressees
    if gold is None:
        return None
    believed = {name: part.probability for name, part in judged.parts.items() if part.role == "addressee"}
    return Row(
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
