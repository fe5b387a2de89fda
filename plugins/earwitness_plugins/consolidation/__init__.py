"""Consolidation: old, long or repetitive memories become summaries that rest on them. Pruning: some are forgotten.

`protocol` is the kind `consolidator`, whose strategies are in `consolidators/`, for stories and for chat assistants.
`choice` says which memories go together, `story` is `story.consolidate`, `pruner` is `story.prune`; what
`jobs/consolidation.py` does in the background is in the tables `[consolidation]` and `[pruning]`, here in `settings`.
"""

from .protocol import Consolidation, ConsolidationTask, Consolidator, Remembered
from .settings import ConsolidationSettings, PruningSettings

__all__ = [
    "Consolidation",
    "ConsolidationSettings",
    "ConsolidationTask",
    "Consolidator",
    "PruningSettings",
    "Remembered",
]
