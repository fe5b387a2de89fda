"""Vectors from any embedder, checked before they are kept."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

import numpy as np

from earwitness.errors import StrategyError
from earwitness.long_texts import LONG, aside
from earwitness.protocols import Embedder

from .arrays import Floats

_AT_ONCE = 64
"""More texts than this are worked on in a thread, however short they are."""


def work_on(texts: Sequence[str]) -> int:
    """How many characters `earwitness.long_texts.aside` is to be told of for these texts."""
    characters = sum(map(len, texts))
    return max(characters, LONG + 1) if len(texts) > _AT_ONCE else characters


async def embedded(embedder: Embedder, texts: Sequence[str]) -> Floats:
    """One row for each text, shape (len(texts), dimension).

    Raises `StrategyError` when the embedder answers anything else, or a number that is not finite.
    """
    if not texts:
        return np.zeros((0, embedder.identity.dimension), np.float32)
    answer = await aside(work_on(texts), embedder.embed, texts)
    if not isinstance(answer, np.ndarray) and inspect.isawaitable(answer):
        answer = await answer
    vectors = np.asarray(answer, np.float32)
    wanted = (len(texts), embedder.identity.dimension)
    if vectors.shape != wanted or not np.isfinite(vectors).all():
        raise StrategyError(
            f"embedder {embedder.identity.name!r} returned an array of shape {vectors.shape} for {len(texts)} texts. "
            f"It must return finite numbers of shape {wanted}."
        )
    return vectors


def packed(vector: Floats) -> bytes:
    """The vector as it is stored: float16, little-endian."""
    return vector.astype("<f2").tobytes()
