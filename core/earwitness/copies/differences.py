"""What sets the copies of a message apart from the world's copy: mostly a few words of evidence.

Such a difference stands beside its delivery, so that a plan has one text with the fields of them all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from ..ids import WORLD
from ..records.memory_types import MetaValue
from ..records.plan import Delivery
from .json_text import value_as_json

_COMPARED = {"memory_id", "container", "owner", "body", "metadata", "support"}
_rest_of = itemgetter(*sorted(Delivery.model_fields.keys() - _COMPARED))
"""The values of a delivery that are neither its own nor compared one by one."""
_MISSING = object()


def share_fields(one: Delivery, other: Delivery) -> bool:
    """Whether two deliveries have the same fields, as most copies of a message have."""
    mine, theirs = one.__dict__, other.__dict__
    my_metadata, its_metadata = mine["metadata"], theirs["metadata"]
    if my_metadata is not its_metadata and my_metadata != its_metadata:
        return False
    my_support, its_support = mine["support"], theirs["support"]
    if my_support is not its_support and my_support.__dict__ != its_support.__dict__:
        return False
    return bool(_rest_of(mine) == _rest_of(theirs))


class Differences:
    """What is different in deliveries from the world's copy, as JSON.

    Only the world's copy is compared with: it is never forgotten with a character.
    """

    def __init__(self, world: Delivery) -> None:
        self._world = world.__dict__
        self._metadata: tuple[Mapping[str, MetaValue], dict[str, Any] | None] = ({}, None)

    def of(self, delivery: Delivery) -> str | None:
        """`None` if more is different than short metadata and the support."""
        mine, theirs = delivery.__dict__, self._world
        if theirs["owner"] != WORLD or _rest_of(mine) != _rest_of(theirs):
            return None
        if (metadata := self._metadata_of(mine["metadata"])) is None:
            return None
        support = _changed(mine["support"].__dict__, theirs["support"].__dict__)
        return value_as_json({"metadata": metadata, "support": support}, "a delivery")

    def _metadata_of(self, metadata: Mapping[str, MetaValue]) -> dict[str, Any] | None:
        """What is more in it. Most copies have the same as the one before."""
        if self._metadata[0] != metadata:
            self._metadata = (metadata, _more(metadata, self._world["metadata"]))
        return self._metadata[1]


def differing(world: Delivery, text: str) -> Delivery:
    """The delivery that is different from this one by that."""
    changes: dict[str, Any] = json.loads(text)
    metadata = {**world.metadata, **changes["metadata"]}
    support = world.support.model_copy(update=changes["support"])
    return Delivery.unchecked({**world.__dict__, "metadata": metadata, "support": support})


def _more(mine: Mapping[str, MetaValue], theirs: Mapping[str, MetaValue]) -> dict[str, Any] | None:
    """The keys that are new or have another value; `None` if that cannot be said by adding keys at the end."""
    if list(mine)[: len(theirs)] != list(theirs):
        return None
    found = _changed(mine, theirs)
    return None if any(isinstance(value, list) for value in found.values()) else found


def _changed(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    others = [(key, value) for key, value in mine.items() if theirs.get(key, _MISSING) is not value]
    return {key: value for key, value in others if not _same(value, theirs.get(key, _MISSING))}


def _same(one: object, other: object) -> bool:
    """Whether two values are equal and of one type: 1 is not `True`."""
    return type(one) is type(other) and one == other
