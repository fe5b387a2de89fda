"""The rules answer where a model cannot: the time that is left for them, and the notes that say so."""

from __future__ import annotations

from typing import TypeVar

from earwitness.errors import EarwitnessError
from earwitness.records.usage import Reply

from .accounts import Account
from .errors import ModelAway
from .scene import noted

R = TypeVar("R", bound=Reply)
SHARE_OF_LIMIT = 0.8
"""Of the time that a strategy has. What remains is for the rules, should they have to answer."""

SHORTEST_LIMIT = 0.5
"""With fewer seconds than this left, nobody asks a model: the answer would come too late."""


def check_time(limit: float) -> None:
    """Raise `ModelAway` where too little time is left to ask."""
    if limit < SHORTEST_LIMIT:
        raise ModelAway(f"only {limit:.2g} s are left, too few to ask a model.")


def model_limit(timeout: float | None, limit: float) -> float:
    """Seconds for all calls of a message together: at most `timeout`, and four fifths of the strategy's `limit`."""
    return min(timeout or float("inf"), SHARE_OF_LIMIT * limit)


def answered_by_rules(ruled: R, failure: EarwitnessError, account: Account) -> R:
    """The rules' answer, with what the model cost all the same and why its answer could not be used."""
    notes = noted((f"answered by rules: {failure}", *account.notes))
    return ruled.model_copy(update={"usage": account.usage, "notes": notes})
