"""Consolidation: old, long or repetitive memories become summaries that rest on them. Pruning: some are forgotten.

`protocol` is the kind `consolidator`, `extractive` and `language_model` are its strategies, for stories and for chat
assistants. `choice` says which memories go together, `story` is `story.consolidate`, `pruner` is `story.prune`, and
`job` does both by the policy of the tables `[consolidation]` and `[pruning]`.
"""

from .extractive import ExtractiveConsolidator
from .protocol import Consolidation, ConsolidationTask, Consolidator, Remembered
from .settings import ConsolidationSettings, PruningSettings

__all__ = [
    "Consolidation",
    "ConsolidationSettings",
    "ConsolidationTask",
    "Consolidator",
    "ExtractiveConsolidator",
    "PruningSettings",
    "Remembered",
]
