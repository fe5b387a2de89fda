"""What observers are told: one call of a strategy, a plugin, a ledger, a store or an embedder."""

from __future__ import annotations

from .base import Record
from .usage import Usage


class Observation(Record):
    """One call: what was done, for how long, and how much was found."""

    kind: str
    """What was called: `store`, `ledger`, `embedder`, a kind of strategy such as `detector`, or `plugin`."""
    name: str
    """Its name in settings and reports, such as `sqlite`."""
    method: str
    """What it did: `search`, `detect`, `on_message`."""
    session: str | None = None
    """Session id, where the call names one."""
    container: str | None = None
    """The container's name, where the call names one."""
    seconds: float
    """How long it took, waiting included."""
    count: int | None = None
    """How many: what was found or answered, else what was handed in; `None` where there is nothing to count."""
    failure: str | None = None
    """What went wrong; `None` when it went well."""
    version: str | None = None
    """The version of what the answer rests on, if it names one."""
    usage: Usage | None = None
    """The model that was asked for an answer, and what it cost."""

    @property
    def by(self) -> str:
        """`detector:rules`: who did it, as plans and reports say it."""
        return f"{self.kind}:{self.name}"

    @property
    def what(self) -> str:
        """`store.search`: what was done, whatever the name of who did it."""
        return f"{self.kind}.{self.method}"
