"""Knowers: on whose knowledge a derived memory rests, and from whom a ground of it is kept. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..containers import Container, character_container_name
from ..ids import PREFIXES
from ..records.character import Cast
from ..records.plan import Delivery
from .withheld import is_withheld


@dataclass(frozen=True, slots=True)
class Kept:
    """A ground that somebody must know, and does not."""

    ground: str
    """The memory id or key."""
    knower: str
    """Id of the character who does not have it."""
    reason: str | None = None
    """Why a guard keeps it from them; `None` = they never received it, or no longer have it."""

    def __str__(self) -> str:
        if self.reason is None:
            return f"it rests on {self.ground!r}, which {self.knower} does not have"
        return f"it rests on {self.ground!r}, which is kept from {self.knower}: {self.reason}"


class Copies:
    """All deliveries of what a ground is about, by the container they are for."""

    def __init__(self, session: str, ground: str, deliveries: Iterable[Delivery]) -> None:
        self._session, self._ground = session, ground
        self._by_container: dict[str, list[Delivery]] = {}
        for each in deliveries:
            self._by_container.setdefault(each.container, []).append(each)

    def of(self, character: str) -> Sequence[Delivery]:
        """What this character has of it: not what a guard struck, and not what waits until a guard answers."""
        return [each for each in self._all_of(character) if each.is_kept and not is_withheld(each)]

    def missing(self, characters: Iterable[str]) -> Kept | None:
        """The first of these characters who has none of it."""
        return next((self._kept_from(id) for id in characters if not self.of(id)), None)

    def struck(self, characters: Iterable[str]) -> Kept | None:
        """The first of these characters from whom a guard keeps it. Who never was to receive it does not count."""
        found = (self._kept_from(id) for id in characters if not self.of(id))
        return next((each for each in found if each.reason is not None), None)

    def _all_of(self, character: str) -> Sequence[Delivery]:
        return self._by_container.get(character_container_name(self._session, character), ())

    def _kept_from(self, character: str) -> Kept:
        struck = [each for each in self._all_of(character) if each.status == "struck" or is_withheld(each)]
        return Kept(self._ground, character, (struck[0].reason or "withheld") if struck else None)


def readers_of(container: Container, cast: Cast) -> Sequence[str]:
    """Ids of the characters for whom a container beyond the session is: of a personality, those who are it; of the
    facts about a user, everybody. Nobody for any other kind, whose readers are not known by its name."""
    match container.kind:
        case "user":
            return cast.ids
        case "global_canon":
            return [each.id for each in cast if each.personality_id == container.owner]
        case "persona":
            personality = container.name.removeprefix(f"{PREFIXES['persona']}{container.owner}-")
            return [each.id for each in cast if each.personality_id == personality]
    return ()


def copies_by_ground(
    session: str, grounds: Mapping[str, Sequence[Delivery]], every: Iterable[Delivery]
) -> Mapping[str, Copies]:
    """Ground → the copies of what it is about, given the ground's own deliveries and `every` one of their sources."""
    by_source: dict[str, list[Delivery]] = {}
    for each in every:
        by_source.setdefault(each.source, []).append(each)
    return {
        ground: Copies(session, ground, [each for source in _sources(found) for each in by_source.get(source, ())])
        for ground, found in grounds.items()
    }


def _sources(deliveries: Iterable[Delivery]) -> Sequence[str]:
    return list(dict.fromkeys(each.source for each in deliveries))
