"""Disguises: who is known under another name, and to whom it was revealed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from .base import Record
from .character import Cast, Character
from .message import SettledMessage

Mask = tuple[str, str]
"""Character id, and the name under which this character is known."""
Worn = Mapping[str, str]
"""Character id → the name under which this character is in disguise."""


class Unmasking(Record):
    """A disguise that was revealed to some."""

    source: str
    """Key of the entry. Taking it back takes back what they learned."""
    character: str
    """Id of the character in disguise."""
    name: str
    """The name they are known under."""
    to: Literal["public"] | tuple[str, ...]
    """Ids of those who learned who that is; `public` = everybody, newcomers too."""
    place: str | None = None
    """The direct message or named private channel in which they learned it, and in whose messages alone they use the
    name (see `apart_in`); `None` = everywhere."""

    def without(self, forgotten: Collection[str]) -> Unmasking:
        """The unmasking without those who were forgotten."""
        if self.to == "public":
            return self
        return self.model_copy(update={"to": tuple(id for id in self.to if id not in forgotten)})

    def reveals(self, character: str, name: str, owner: str, place: str | None) -> bool:
        """Whether the owner of a container learned by it who is behind this name, in what was heard at the place."""
        return self.is_of(character, name, owner) and self.place in {None, place}

    def is_of(self, character: str, name: str, owner: str) -> bool:
        """Whether the owner of a container learned by it, anywhere, who is behind this name."""
        return (self.character, self.name) == (character, name) and (self.to == "public" or owner in self.to)


def hidden_from(owner: str, worn: Worn, unmaskings: Iterable[Unmasking], place: str | None) -> dict[str, str]:
    """Those of the disguises that the owner of a container has not seen through. Their wearer knows them.

    `place` is the direct message or named private channel of what they hide in; `None` = neither.
    """
    known = list(unmaskings)
    return {
        id: name
        for id, name in worn.items()
        if id != owner and not any(each.reveals(id, name, owner, place) for each in known)
    }


def in_disguise(cast: Cast, worn: Worn) -> Cast:
    """The cast as the scene sees it: a character in disguise goes by that name, and still answers to their own."""
    if not worn:
        return cast
    return Cast(members=tuple(_masked(each, worn[each.id]) if each.id in worn else each for each in cast))


def earlier_casts(
    cast: Cast, messages: Sequence[SettledMessage], masked: Collection[str], before: Worn, now: Worn
) -> dict[str, Cast]:
    """Key of each of these messages, oldest first → the cast as its scene saw it, where that is not as `now`.

    `masked` are the ids of all who were ever in disguise, `before` is who was after the last of these messages. Whoever
    may have been in disguise, for all the messages tell, is left out of the cast.
    """
    worn = {id: name for id in masked for name in _worn_at_first(id, messages, before)}
    casts: dict[tuple[tuple[str, str | None], ...], Cast] = {}
    found = {}
    for each in messages:
        if each.speaker in worn or each.message.speak_as:
            spoken = {} if each.message.speak_as is None else {each.speaker: each.message.speak_as}
            worn = {**{id: name for id, name in worn.items() if id != each.speaker}, **spoken}
        if worn != now:
            names = tuple(sorted(worn.items()))
            found[each.key] = casts.get(names) or casts.setdefault(names, _without_unknown(cast, worn))
    return found


def _worn_at_first(id: str, messages: Sequence[SettledMessage], before: Worn) -> Sequence[str | None]:
    """The name worn until they first speak in these messages, if any; `None` where the messages do not tell."""
    first = next((at for at, each in enumerate(messages) if each.speaker == id), None)
    seen = [each.disguises for each in messages[:first] if id in each.participants]
    worn = before if first is None else seen[0] if seen else None
    if worn is None:
        return (None,)
    return (worn[id],) if id in worn else ()


def _without_unknown(cast: Cast, worn: Mapping[str, str | None]) -> Cast:
    known = {id: name for id, name in worn.items() if name is not None}
    return in_disguise(Cast(members=tuple(each for each in cast if each.id in known or each.id not in worn)), known)


def _masked(member: Character, name: str) -> Character:
    return member.model_copy(update={"name": name, "aliases": (member.name, *member.aliases)})
