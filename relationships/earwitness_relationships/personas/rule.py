"""The sharing rule `personas`: with `canon = "personal"`, what personas live is kept beyond the session."""

from __future__ import annotations

from earwitness import Settings, SharingAnswer, SharingEvent

from ..canon.marks import mark_of
from ..settings import RelationshipsSettings
from .lived import lived


class PersonalCanon:
    """Keeps what each persona lives with each personality in a container of both."""

    def __init__(self, *, settings: Settings) -> None:
        self._keeps = settings.table(RelationshipsSettings).canon == "personal"

    def share(self, event: SharingEvent) -> SharingAnswer | None:
        """Nobody else learns of the message; the containers of those who lived it together receive it."""
        if not self._keeps or mark_of(event.state) is not None:
            return None
        derived = lived(event)
        return SharingAnswer(derived=derived) if derived else None
