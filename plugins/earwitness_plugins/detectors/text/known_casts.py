"""What was made of the casts of late, such as the names by which texts call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from earwitness.records.character import Character

T = TypeVar("T")
LATEST = 16
"""Casts kept: those of the stories that are told at the same time."""


class KnownCasts(Generic[T]):
    """Something made of a cast, once for the very same members.

    To look it up by all that its members are would cost more than reading a message.
    """

    def __init__(self, make: Callable[[tuple[Character, ...]], T]) -> None:
        self._make = make
        self._latest: tuple[tuple[tuple[Character, ...], T], ...] = ()

    def of(self, members: tuple[Character, ...]) -> T:
        """What is made of these members."""
        for known, found in self._latest:
            if known is members:
                return found
        made = self._make(members)
        self._latest = ((members, made), *self._latest)[:LATEST]
        return made
