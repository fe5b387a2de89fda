"""Checks of what graph stores are asked. All raise `InputError`, or `InvalidId` for an id."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from earwitness.errors import InputError, did_you_mean, quoted
from earwitness.ids import check_shared_id

from .records import NODE_KINDS, Fact, GraphChange, NodeKind

DEEPEST = 100
"""How many relations far a walk may go."""


def checked_id(id: str) -> str:
    """The id of a node."""
    return check_shared_id("node", id)


def checked_ids(ids: Collection[str]) -> frozenset[str]:
    """The ids of nodes, each once."""
    if isinstance(ids, str) or not isinstance(ids, Collection):
        raise InputError(f"ids = {quoted(ids)} cannot be used: hand over a list of ids.")
    return frozenset(map(checked_id, ids))


def checked_kind(kind: NodeKind | None) -> NodeKind | None:
    """A kind of nodes, or none."""
    if kind is not None and kind not in NODE_KINDS:
        hint = did_you_mean(kind, NODE_KINDS)
        raise InputError(f"kind = {quoted(kind)} is not a kind of node. Kinds: {', '.join(NODE_KINDS)}.{hint}")
    return kind


def checked_facts(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The facts to write."""
    given: tuple[object, ...] = tuple(facts) if isinstance(facts, Iterable) else (facts,)
    for each in given:
        if not isinstance(each, Fact):
            raise InputError(f"{quoted(each)} is not a fact. Write [Fact(node=Node(…)), Fact(relation=Relation(…))].")
    return tuple(facts)


def checked_changes(changes: Iterable[GraphChange]) -> tuple[GraphChange, ...]:
    """The changes to restore."""
    given: tuple[object, ...] = tuple(changes) if isinstance(changes, Iterable) else (changes,)
    for each in given:
        if not isinstance(each, GraphChange):
            raise InputError(f"{quoted(each)} is not a change. Hand over what `changes()` of another store gives.")
    return tuple(changes)


def checked_depth(name: str, given: Any) -> int:
    """How many relations far: a whole number from 0 to `DEEPEST`."""
    if checked_count(name, given) > DEEPEST:
        raise InputError(f"{name} = {given} cannot be used: it must be at most {DEEPEST}.")
    return int(given)


def checked_count(name: str, given: Any) -> int:
    """A whole number from 0."""
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given < 2**63:
        raise InputError(f"{name} = {quoted(given)} cannot be used: it must be a whole number from 0.")
    return given
