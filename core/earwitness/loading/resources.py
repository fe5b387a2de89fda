"""Things that strategies of one Earwitness instance share, such as one connection to one file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Resources:
    """A shelf of one instance: a factory that takes `resources` finds there what another has put up."""

    def __init__(self) -> None:
        self._shelf: dict[object, object] = {}

    def get(self, kind: type[T], key: object, make: Callable[[], T]) -> T:
        """What stands under (kind, key); made once."""
        found = self._shelf.get((kind, key))
        if not isinstance(found, kind):
            found = self._shelf[(kind, key)] = make()
        return found
