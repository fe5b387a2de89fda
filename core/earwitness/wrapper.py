"""A wrapper round a ledger, a store or an embedder: all its public members are found on it, some in another form."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

MakeMember = Callable[[str, Any], Any]
"""Makes a member from its name and the wrapped one; `None` leaves that as it is. A method gets the wrapper first."""


class Wrapper:
    """Stands in for what is wrapped; its subclasses have a member for every public one of that."""

    def __init__(self, wrapped: object) -> None:
        self._wrapped = wrapped

    def __getattr__(self, name: str) -> Any:
        return getattr(self._wrapped, name)

    def __repr__(self) -> str:
        return repr(self._wrapped)


def wrapped_by(wrapper: Wrapper) -> Any:
    """What is directly behind a wrapper."""
    return vars(wrapper)["_wrapped"]


def innermost(made: object) -> object:
    """What is behind all wrappers."""
    while isinstance(made, Wrapper):
        made = wrapped_by(made)
    return made


def wrapper_of(made: Any, make: MakeMember) -> Any:
    """A wrapper of an instance. Its optional capabilities are found on the wrapper too."""
    public = {name: inspect.getattr_static(made, name) for name in dir(made) if not name.startswith("_")}
    members = {name: make(name, found) or _own(name) for name, found in public.items()}
    return type(type(made).__name__, (Wrapper,), members)(made)


def _own(name: str) -> property:
    return property(lambda wrapper: getattr(wrapped_by(wrapper), name))
