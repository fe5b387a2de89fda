"""Who answers a message of the person's. A pure function."""

from __future__ import annotations

from collections.abc import Collection

from earwitness import Cast, SettledMessage

NOT_ASKED = frozenset(("persona", "narrator"))
"""Kinds of characters for whom no model speaks."""


def partners(said: SettledMessage, cast: Cast, *, person: str, last: str | None, number: int) -> tuple[str, ...]:
    """Ids of those who answer: whoever is spoken to, at most `number`; else `last`; else the first who perceived it.

    Nobody answers what they have not perceived.
    """
    able = [id for id in said.participants if id != person and id in cast and cast[id].kind not in NOT_ASKED]
    if addressed := [id for id in said.addressees if id in able]:
        return tuple(addressed[:number])
    return (last,) if last in able else tuple(_in_order(able, cast)[:1])


def _in_order(ids: Collection[str], cast: Cast) -> list[str]:
    """The ids in the order of the cast, which does not change from message to message."""
    return [id for id in cast.ids if id in ids]
