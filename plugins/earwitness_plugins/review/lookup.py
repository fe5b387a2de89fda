"""What a caller asks of a review queue, checked; and a proposal by the beginning of its id. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from earwitness.backstage.roles import PERMISSIONS
from earwitness.errors import InputError, UnknownName, quoted, unknown
from earwitness.validation.arguments import text


def meant(id: str, ids: Iterable[str]) -> str | None:
    """The only one of these ids that is meant; `None` if there is none. Raises `UnknownName` if it may be several, and
    `InputError` for what is not text."""
    id, every = text("proposal", id), list(ids)
    found = [id] if id in every else [each for each in every if id and each.startswith(id)]
    if len(found) > 1:
        raise UnknownName(f"{id!r} could be any of {', '.join(found[:10])}: give more of it.")
    return found[0] if found else None


def unknown_proposal(id: str, where: str, waiting: Iterable[str]) -> UnknownName:
    """The error for an id that no proposal has; `where` says in which queue."""
    return UnknownName(f"no proposal {quoted(id)} in {where}. Waiting: {', '.join(waiting) or 'nothing'}.")


def check_role(role: str) -> str:
    """A role that backstage knows. Raises `UnknownName`, and `InputError` for what is not text."""
    if text("role", role) not in PERMISSIONS:
        raise unknown("role", role, PERMISSIONS)
    return role


def check_choice(kind: str | None, about: str | None = None) -> None:
    """Raises `InputError` for a kind, or a name, that is not text."""
    for what, given in (("kind", kind), ("about", about)):
        if given is not None:
            text(what, given)


def check_words(content: str | None) -> None:
    """Raises `InputError` for other words that are not text, or say nothing."""
    if content is not None and not text("content", content).strip():
        raise InputError("content = '' must say something. To remember nothing, reject the proposal.")
