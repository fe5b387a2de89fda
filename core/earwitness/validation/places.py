"""Checks of places as a host writes them."""

from __future__ import annotations

from ..errors import InputError
from ..places import parts, resolved
from ..records.state import State
from .arguments import some_text


def check_place(what: str, place: str, state: State | None) -> str:
    """The place as written. It is resolved to a path on deciding, in the order of the journal.

    Raises `InputError` for a place without a name and, given the state, for a name that fits several known places.
    """
    if not parts(some_text(what, place)):
        raise InputError(f"{what} = {place!r} cannot be used: a place needs a name.")
    if state is not None:
        resolved(place, state.places)
    return place
