"""Vectors as pgvector reads and keeps them: half precision, as text."""

from __future__ import annotations

from functools import cache

import numpy as np

from earwitness_plugins.ranking import Floats


def as_text(vector: Floats) -> str | None:
    """A vector of shape (dimension,) as pgvector's text; `None` for zeros, the vector of a text without meaning."""
    if not vector.any():
        return None
    return _text(len(vector)) % tuple(vector.astype(np.float16).tolist())


@cache
def _text(dimension: int) -> str:
    """Five digits are enough to tell all numbers of half precision apart."""
    return "[" + ",".join(["%.5g"] * dimension) + "]"
