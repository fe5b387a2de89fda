"""Ranking the memories of one container, for any store.

`ranker` puts the steps together: scores by words (`bm25`) and by meaning are fused (`fusion`), messages are lifted
towards better ones beside them (`neighbours`), and the best are compared once more, token by token (`rerank`).
`masks` and `columns` say which memories a filter lets through. `vectors` turns texts into checked vectors, `arrays`
names the kinds of arrays. `memory_index` holds a container in memory, for stores whose service ranks less well, and
`memory_ranker` makes such indexes and searches them with an embedder.
"""

from . import bm25
from .arrays import Doubles, Flags, Floats, Integers, TokenIds
from .fusion import FUSIONS, Fusion
from .memory_index import IndexedMemory, MemoryIndex
from .memory_ranker import MemoryRanker
from .ranker import Candidates, Ranked, RankingMethod, RankingSteps, rank
from .rerank import Reranker

__all__ = [
    "FUSIONS",
    "Candidates",
    "Doubles",
    "Flags",
    "Floats",
    "Fusion",
    "IndexedMemory",
    "Integers",
    "MemoryIndex",
    "MemoryRanker",
    "Ranked",
    "RankingMethod",
    "RankingSteps",
    "Reranker",
    "TokenIds",
    "bm25",
    "rank",
]
