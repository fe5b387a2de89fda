"""A proposal by its id, or by the beginning of one. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from earwitness.errors import UnknownName, quoted


def meant(id: str, ids: Iterable[str]) -> str | None:
    """The only one of these ids that is meant; `None` if there is none. Raises `UnknownName` if it may be several."""
    every = list(ids)
    found = [id] if id in every else [each for each in every if id and each.startswith(id)]
    if len(found) > 1:
        raise UnknownName(f"{id!r} could be any of {', '.join(found[:10])}: give more of it.")
    return found[0] if found else None


def unknown_proposal(id: str, where: str, waiting: Iterable[str]) -> UnknownName:
    """The error for an id that no proposal has; `where` says in which queue."""
    return UnknownName(f"no proposal {quoted(id)} in {where}. Waiting: {', '.join(waiting) or 'nothing'}.")
