"""The sharing rule `personas`: with `canon = "personal"`, what personas live is kept beyond the session."""

from __future__ import annotations

from collections.abc import Iterable

from earwitness import Derivation, Settings, Share, SharingAnswer, SharingEvent

from ..bubble_mark import mark_of
from ..settings import RelationshipsSettings
from .lived import lived, retold


def retold_of_personas(
    settings: RelationshipsSettings, event: SharingEvent, shares: Iterable[Share], read: Iterable[Share]
) -> tuple[Derivation, ...]:
    """With personal canon, what those who are told of a message, or read of it, come to know of the personas in it."""
    keeps = settings.canon == "personal" and mark_of(event.state) is None
    return retold(event, shares, read) if keeps else ()


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
