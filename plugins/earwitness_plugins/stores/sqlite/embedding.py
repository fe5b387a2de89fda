"""Texts to vectors through any embedder, checked before they are kept."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

import numpy as np
from anyio import to_thread

from earwitness.errors import StrategyError
from earwitness.protocols import Embedder

from .snapshot import Floats

_AT_ONCE = 64
"""More texts than this are embedded on a thread, so that the host goes on meanwhile."""


async def embed(embedder: Embedder, texts: Sequence[str]) -> Floats:
    """One row a text, shape (len(texts), dimension). Raises `StrategyError` when the embedder answers anything else."""
    if not texts:
        return np.zeros((0, embedder.identity.dimension), np.float32)
    answer = embedder.embed(texts) if len(texts) <= _AT_ONCE else await to_thread.run_sync(embedder.embed, texts)
    vectors = np.asarray(await answer if inspect.isawaitable(answer) else answer, np.float32)
    wanted = (len(texts), embedder.identity.dimension)
    if vectors.shape != wanted or not np.isfinite(vectors).all():
        raise StrategyError(
            f"embedder {embedder.identity.name!r} answered an array of shape {vectors.shape} for {len(texts)} texts. "
            f"It must answer finite numbers of shape {wanted}."
        )
    return vectors


def packed(vector: Floats) -> bytes:
    """A vector as it is kept: float16, little-endian."""
    return vector.astype("<f2").tobytes()
