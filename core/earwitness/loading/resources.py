"""Objects that the strategies of one Earwitness instance share, such as a connection to a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Resources:
    """The shared objects of one instance. A factory with a parameter `resources` receives them."""

    def __init__(self) -> None:
        self._objects: dict[object, object] = {}

    def get(self, kind: type[T], key: object, make: Callable[[], T]) -> T:
        """The object of this kind and key. It is made by the first call."""
        found = self._objects.get((kind, key))
        if not isinstance(found, kind):
            found = self._objects[(kind, key)] = make()
        return found
