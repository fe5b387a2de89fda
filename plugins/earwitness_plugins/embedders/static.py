"""The embedder that needs nothing but numpy: a sentence is the weighted sum of its tokens' vectors from a table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from earwitness.records.backends import EmbedderIdentity
from earwitness_plugins.embedders.maxsim import maxsim
from earwitness_plugins.embedders.table import SHIPPED, StaticTable, read_digest, read_table
from earwitness_plugins.embedders.wordpiece import WordPiece
from earwitness_plugins.ranking import Floats, TokenIds

DIMENSION = 256
_WINDOW = 4096
"""Tokens summed at a time, so that a book costs no more memory than a page."""


class StaticEmbedder:
    """Texts → vectors of length 256, about 0.01 ms a text; the table is read at the first use.

    The sum of token vectors weighted by SIF is from Arora, Liang and Ma, "A Simple but Tough-to-Beat Baseline for
    Sentence Embeddings", ICLR 2017. Text without a single known word has the zero vector: rank it by its words.

    Args:
        table: a table made by `scripts/build_static_table.py`; the one that is shipped when left out.
    """

    def __init__(self, table: str | Path = SHIPPED) -> None:
        self._path = Path(table)

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """Which vectors these are. Raises `SettingsError` when the table is missing."""
        return EmbedderIdentity(name="static", digest=read_digest(self._path), dimension=DIMENSION)

    def embed(self, texts: Sequence[str]) -> Floats:
        """Vectors of shape (len(texts), 256), each of length 1, or 0 where a text has no known word.

        A text has the same vector in every batch. Raises `SettingsError` when the table cannot be used.
        """
        vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            self._add_tokens(vector, np.array(self._wordpiece.ids(text), dtype=np.int32))
        return _normalised(vectors)

    def tokens(self, text: str) -> list[int]:
        """The ids of the text's tokens in its order, repeats and unknown ones included."""
        return self._wordpiece.ids(text)

    def token_ids(self, text: str) -> TokenIds:
        """The ids of the text's known tokens, ascending, each once: shape (n,)."""
        ids = set(self._wordpiece.ids(text))
        ids.discard(self._wordpiece.unknown)
        return np.array(sorted(ids), dtype=np.int32)

    def sif(self, ids: TokenIds) -> Floats:
        """What these tokens count for by their frequency in the language, above 0 and below 1: shape (len(ids),)."""
        return self._table.weights[ids]

    def maxsim(self, query_ids: TokenIds, documents: Sequence[TokenIds], weights: Floats) -> Floats:
        """Score documents, each the ids of its tokens, by Σ_t weights_t · max_s cos(t, s): shape (len(documents),).

        For ranking, `weights` is idf(t) · sif(t), with the idf of the one container that is searched. Negative where
        nothing fits; 0 for a document without tokens. Raises `InputError` unless there is one weight a query token.
        """
        return maxsim(self._table, query_ids, documents, weights)

    def _add_tokens(self, total: Floats, ids: TokenIds) -> None:
        for start in range(0, ids.size, _WINDOW):
            window = ids[start : start + _WINDOW]
            rows = self._table.rows[window].astype(np.float32)
            total += np.einsum("td,t->d", rows, self._factors[window])

    @cached_property
    def _table(self) -> StaticTable:
        return read_table(self._path)

    @cached_property
    def _wordpiece(self) -> WordPiece:
        return WordPiece(self._table.vocabulary)

    @cached_property
    def _factors(self) -> Floats:
        """Scale times weight of every row; none for the unknown token, which says nothing about the text."""
        factors = self._table.scales * self._table.weights
        factors[self._wordpiece.unknown] = 0
        return factors


def _normalised(vectors: Floats) -> Floats:
    lengths: Floats = np.sqrt(np.vecdot(vectors, vectors))
    lengths[lengths == 0] = 1
    vectors /= lengths[:, None]
    return vectors
