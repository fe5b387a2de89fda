"""Disguises: who is known under another name, and to whom it was revealed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from .base import Record
from .character import Cast, Character

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

    def without(self, forgotten: Collection[str]) -> Unmasking:
        """The unmasking without those who were forgotten."""
        if self.to == "public":
            return self
        return self.model_copy(update={"to": tuple(id for id in self.to if id not in forgotten)})

    def reveals(self, character: str, name: str, owner: str) -> bool:
        """Whether the owner of a container learned by it who is behind this name."""
        return (self.character, self.name) == (character, name) and (self.to == "public" or owner in self.to)


def hidden_from(owner: str, worn: Worn, unmaskings: Iterable[Unmasking]) -> dict[str, str]:
    """Those of the disguises that the owner of a container has not seen through. Their wearer knows them."""
    known = list(unmaskings)
    return {
        id: name
        for id, name in worn.items()
        if id != owner and not any(each.reveals(id, name, owner) for each in known)
    }


def in_disguise(cast: Cast, worn: Worn) -> Cast:
    """The cast as the scene sees it: a character in disguise goes by that name, and still answers to their own."""
    if not worn:
        return cast
    return Cast(members=tuple(_masked(each, worn[each.id]) if each.id in worn else each for each in cast))


def _masked(member: Character, name: str) -> Character:
    return member.model_copy(update={"name": name, "aliases": (member.name, *member.aliases)})
