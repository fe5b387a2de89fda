"""Ranking the memories of one container, for any store: pure functions on numpy arrays.

`ranker` puts the steps together: scores by words (`bm25`) and by meaning are fused (`fusion`), messages are lifted
towards better ones beside them (`neighbours`), and the best are compared once more, token by token (`rerank`).
`vectors` turns texts into checked vectors, `arrays` names the kinds of arrays.
"""

from . import bm25
from .arrays import Doubles, Flags, Floats, Integers, TokenIds
from .fusion import FUSIONS, Fusion
from .ranker import Candidates, Ranked, RankingMethod, rank
from .rerank import Reranker

__all__ = [
    "FUSIONS",
    "Candidates",
    "Doubles",
    "Flags",
    "Floats",
    "Fusion",
    "Integers",
    "Ranked",
    "RankingMethod",
    "Reranker",
    "TokenIds",
    "bm25",
    "rank",
]
