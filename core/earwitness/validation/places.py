"""Checks of places as a host writes them."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import InputError
from ..places import parts, resolved
from .arguments import some_text


def check_place(what: str, place: str, known: Iterable[str] = ()) -> str:
    """The place as written. It is resolved to a path on deciding, in the order of the journal.

    Raises `InputError` for a place without a name, and for one that fits several of the `known` places.
    """
    if not parts(some_text(what, place)):
        raise InputError(f"{what} = {place!r} cannot be used: a place needs a name.")
    resolved(place, known)
    return place
