"""Re-ranking by MaxSim over the embedder's own tokens, each weighted by how rare its word is in the container."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from .arrays import Doubles, Floats, TokenIds
from .fusion import rounded

DEPTH = 50
"""How many of the best are re-ranked."""
SHARE = 0.4
"""The share of the re-ranking in a final score; the rest is the fused score's."""


@runtime_checkable
class Reranker(Protocol):
    """What an embedder that can re-rank has besides `embed`."""

    def token_ids(self, text: str) -> TokenIds:
        """The ids of the text's tokens, ascending, each once; shape (n,)."""
        ...

    def sif(self, ids: TokenIds) -> Floats:
        """The tokens' weights by their frequency in the language; shape (n,)."""
        ...

    def maxsim(self, query_ids: TokenIds, documents: Sequence[TokenIds], weights: Floats) -> Floats:
        """Σ_t weights_t · max_s cos(t, s) of each document; shape (len(documents),)."""
        ...


def weighed_tokens(
    reranker: Reranker, words: Mapping[str, str], idf: Callable[[str], float]
) -> tuple[TokenIds, Floats]:
    """The tokens of a question's words, shape (n,), and idf(term) · sif(token) of each, shape (n,).

    Where several words share a token, the largest idf counts.

    Args:
        reranker: the embedder.
        words: word → term.
        idf: term → its inverse document frequency in the container that is searched.
    """
    heaviest: dict[int, float] = {}
    for word, term in words.items():
        weight = idf(term)
        for token in reranker.token_ids(word).tolist():
            heaviest[token] = max(heaviest.get(token, 0.0), weight)
    ids = np.array(sorted(heaviest), np.int32)
    idfs = np.array([heaviest[token] for token in ids.tolist()], np.float32)
    return ids, idfs * reranker.sif(ids)


def similarities(reranker: Reranker, tokens: TokenIds, weights: Floats, documents: Sequence[TokenIds]) -> Doubles:
    """How well each document fits, as a share of the best one; all 0 where none fits. Shape (len(documents),)."""
    found: NDArray[np.float64] = reranker.maxsim(tokens, documents, weights).astype(np.float64)
    highest = float(found.max(initial=0.0))
    return rounded(np.clip(found / highest, 0.0, 1.0)) if highest > 0 else np.zeros(len(documents))
