"""Vectors from any embedder, checked before they are kept."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

import numpy as np
from anyio import to_thread

from earwitness.errors import StrategyError
from earwitness.protocols import Embedder

from .arrays import Floats

_AT_ONCE = 64
"""More texts than this are embedded on a thread, so that the event loop stays free."""


async def embedded(embedder: Embedder, texts: Sequence[str]) -> Floats:
    """One row for each text, shape (len(texts), dimension).

    Raises `StrategyError` when the embedder answers anything else, or a number that is not finite.
    """
    if not texts:
        return np.zeros((0, embedder.identity.dimension), np.float32)
    answer = embedder.embed(texts) if len(texts) <= _AT_ONCE else await to_thread.run_sync(embedder.embed, texts)
    if not isinstance(answer, np.ndarray) and inspect.isawaitable(answer):
        answer = await answer
    vectors = np.asarray(answer, np.float32)
    wanted = (len(texts), embedder.identity.dimension)
    if vectors.shape != wanted or not np.isfinite(vectors).all():
        raise StrategyError(
            f"embedder {embedder.identity.name!r} answered an array of shape {vectors.shape} for {len(texts)} texts. "
            f"It must answer finite numbers of shape {wanted}."
        )
    return vectors


def packed(vector: Floats) -> bytes:
    """The vector as it is stored: float16, little-endian."""
    return vector.astype("<f2").tobytes()
