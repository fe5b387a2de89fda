"""Calls to models whose answers no plan has, made by other programs and before a restart: budgets count them, too."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue, ValidationError

from .loading.resources import Resources
from .records.usage import Spending

UNUSED = "unused"
"""The last part of the keys of such calls among those that were noted."""


class UnusedCalls:
    """What the calls of each session came to, as the ledger was last read."""

    def __init__(self) -> None:
        self.is_wanted = False
        """Whether a budget counts them, so that the ledger is read before models are asked."""
        self._elsewhere: dict[str, Spending] = {}

    @classmethod
    def shared(cls, resources: Resources) -> UnusedCalls:
        """Those of an instance."""
        return resources.get(cls, UNUSED, cls)

    def elsewhere(self, session: str) -> Spending:
        """What those came to that this instance has not made itself."""
        return self._elsewhere.get(session, Spending())

    def read(self, session: str, noted: Mapping[str, JsonValue], run: str) -> None:
        """Take what the ledger has noted; `run` names this instance."""
        elsewhere = (kept for key, kept in noted.items() if key.endswith(f"\n{UNUSED}") and f"\n{run}\n" not in key)
        found = [*filter(None, map(_spending, elsewhere))]
        if found or session in self._elsewhere:
            self._elsewhere[session] = sum(found, Spending())


def _spending(kept: JsonValue) -> Spending | None:
    """The sum that is kept; `None` for what is none, as an imported story may have it."""
    try:
        return Spending.model_validate(kept)
    except ValidationError:
        return None
