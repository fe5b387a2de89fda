"""How many random examples a test tries."""

import os

SHARE = float(os.environ.get("EARWITNESS_EXAMPLES", "1"))
"""The share of each test's own number: 1 = all of them, 0.25 = a quarter."""


def share_of(number: int) -> int:
    """So many random examples instead of `number`; at least one."""
    return max(1, round(number * SHARE))
