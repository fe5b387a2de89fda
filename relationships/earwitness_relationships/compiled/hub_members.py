"""The members of a pantheon who are told together, because they read in its hub: to a walk, one listener.

So what a message into a hub costs does not grow with the number of its members.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


class HubMembers(tuple[str, ...]):
    """Personality ids, sorted. It is equal to itself alone, so that to look it up takes no look at them."""

    slug: str
    """Slug of the pantheon."""
    ids: frozenset[str]
    """The same ids."""

    @classmethod
    def of(cls, slug: str, ids: Iterable[str]) -> HubMembers:
        """Those of these members who read in the hub of a pantheon."""
        made = cls(sorted(ids))
        made.slug, made.ids = slug, frozenset(made)
        return made

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


@dataclass(frozen=True, slots=True)
class HubMembersBut:
    """All of them but a few, whom a teller tells otherwise. It lists the few, so each teller may have some."""

    members: HubMembers
    but: frozenset[str]

    def __iter__(self) -> Iterator[str]:
        return (each for each in self.members if each not in self.but)


@dataclass(frozen=True, slots=True)
class HubTellers:
    """Those of some members who may tell on what they read in the hub."""

    alike: tuple[tuple[str, ...], ...]
    """Members who tell the same people by the same rules, by id: what the first of them tells, the others need not."""
    own: tuple[str, ...]
    """Members who tell somebody by rules or relations of their own."""
