"""The kinds of arrays that embedders, rankings and stores hand to each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
"""Rows, places and counts."""
Doubles = NDArray[np.float64]
"""Scores."""
Floats = NDArray[np.float32]
"""Vectors and weights."""
Flags = NDArray[np.bool_]
"""Which of some rows something holds for."""
TokenIds = NDArray[np.int32]
"""Tokens of an embedder's vocabulary."""
