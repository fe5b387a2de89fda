"""Late interaction over a static table: every word of a question looks for its best match in a document.

MaxSim is from Khattab and Zaharia, "ColBERT: Efficient and Effective Passage Search via Contextualized Late
Interaction over BERT", SIGIR 2020; here the token vectors come from a table instead of a model, so that documents cost
nothing to encode.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from earwitness.errors import InputError
from earwitness_plugins.embedders.table import StaticTable
from earwitness_plugins.ranking import Floats, TokenIds


def maxsim(table: StaticTable, query_ids: TokenIds, documents: Sequence[TokenIds], weights: Floats) -> Floats:
    """Score documents by Σ_t weights_t · max_s cos(t, s), with t in the query and s in the document.

    Args:
        table: where the token vectors are.
        query_ids: token ids of the query, shape (q,).
        documents: token ids of each document, shapes (s,); a document without any scores 0.
        weights: what each query token counts for, shape (q,).

    Returns:
        One score a document, shape (len(documents),).

    Raises:
        InputError: there is not one weight for each query token.
    """
    if weights.shape != query_ids.shape:
        raise InputError(f"{weights.size} weights for {query_ids.size} query tokens. Give one weight for each token.")
    scores = np.zeros(len(documents), dtype=np.float32)
    filled = [number for number, document in enumerate(documents) if document.size]
    if filled and query_ids.size:
        tokens, places = np.unique(np.concatenate([documents[number] for number in filled]), return_inverse=True)
        similarity = cosines(table, query_ids, tokens)[:, places]  # documents share most of their tokens
        best = np.maximum.reduceat(similarity, _starts([documents[number].size for number in filled]), axis=1)
        scores[filled] = np.einsum("t,td->d", weights, best)
    return scores


def cosines(table: StaticTable, left: TokenIds, right: TokenIds) -> Floats:
    """Cosine of every left token with every right one, rows centred on the table's mean row: shape (left, right).

    The right side is only cast, never centred: with c of length 1 and m the mean row, c·(s·row - m) = s·(c·row) - c·m.
    """
    centred = table.rows[left] * table.scales[left, None] - table.centre
    centred /= table.centred_norms[left, None]
    # vecdot, because a matrix product goes through threaded BLAS: many times the CPU for so little work
    products: Floats = np.vecdot(centred[:, None], table.rows[right].astype(np.float32))
    products *= table.scales[right]
    products -= np.vecdot(centred, table.centre)[:, None]
    products /= table.centred_norms[right]
    return products


def _starts(sizes: Sequence[int]) -> NDArray[np.intp]:
    return np.cumsum([0, *sizes[:-1]], dtype=np.intp)
