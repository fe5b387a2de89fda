"""An optional extra of guards: to look once more, at the end of a recall, at what would be put into the prompt.

Such a check may only take away, or mark as not to be said. It adds no memory and unmarks none.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from .events import Event
from .protocols import Soon
from .records.usage import Reply
from .start.recalled import Recalled


class CheckEvent(Event):
    """A recall is about to return."""

    character: str
    """Id of the character who recalls."""
    personality: str
    """That character's personality id."""
    query: str
    """The recall query."""
    memories: tuple[Recalled, ...]
    """What would be put into the prompt, filtered and marked by all guards."""
    masks: dict[str, str] = {}
    """Character id → the mask, of those whom this character knows only in disguise. A note for the prompt names it."""
    limit: float
    """Seconds that the host's `recall.timeout` allows. A check should answer within them."""


class CheckAnswer(Reply):
    """What a check takes away or marks. Ids of other memories than those of the event are ignored."""

    withhold: tuple[str, ...] = ()
    """Ids of memories to leave out. Nothing else comes in their place."""
    unsayable: dict[str, str] = {}
    """Memory id → why it must not be said here. What a guard has marked keeps the guard's reason."""
    note: str = ""
    """A line for the prompt, shown above the memories if this answer marks one of those that are left."""
    failures: tuple[str, ...] = ()
    """What could not be checked, and so is as the guards left it; `turn.failures` shows it."""


@runtime_checkable
class CheckingGuard(Protocol):
    """An optional extra of guards, asked once for each recall that found something."""

    def check(self, event: CheckEvent) -> Soon[CheckAnswer | None]:
        """What to leave out or mark; `None` = nothing. If it raises or takes longer than `end.plugin_timeout`,
        everything that was recalled is withheld, as with any guard that fails."""
        ...
