"""Lists as the text that a statement takes."""

from __future__ import annotations

import json
from collections.abc import Iterable


def as_list(values: Iterable[str]) -> str:
    """Values for one bound parameter, to be taken apart by `json_each`: no limit on how many."""
    return json.dumps(list(values))
