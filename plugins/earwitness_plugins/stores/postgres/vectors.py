"""Vectors as pgvector reads and keeps them: half precision, as text."""

from __future__ import annotations

import numpy as np

from earwitness_plugins.ranking import Floats


def as_text(vector: Floats) -> str | None:
    """A vector of shape (dimension,) as pgvector's text; `None` for zeros, the vector of a text without meaning."""
    if not vector.any():
        return None
    return "[" + ",".join(map(str, vector.astype(np.float16).tolist())) + "]"
