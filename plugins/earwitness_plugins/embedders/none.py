"""No meaning, words only: what a store with vectors is given when the settings say `embedder = "none"`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from earwitness.records.backends import EmbedderIdentity


class NoEmbedder:
    """Every text has the zero vector, so that a search ranks by words alone."""

    identity = EmbedderIdentity(name="none", digest="none", dimension=1)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Zeros, shape (n, 1)."""
        return np.zeros((len(texts), 1), dtype=np.float32)
