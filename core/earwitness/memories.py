"""Memories, as their active deliveries make them. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from .formats import with_knowledge
from .ids import WORLD
from .records.memory import Memory
from .records.memory_types import MetaValue
from .records.plan import Delivery, grouped
from .strongest import shown

Alike = dict[tuple[object, ...], dict[str, MetaValue]]
"""Metadata of memories by the identity of what it is made of, as long as their deliveries are at hand."""


def memories_of(deliveries: Iterable[Delivery]) -> list[Memory]:
    """The memories made by these active deliveries. Pure."""
    return [memory_of(group, ()) for group in grouped(deliveries, lambda each: each.memory_id)]


def memory_of(supports: Sequence[Delivery], removed: Collection[str], alike: Alike | None = None) -> Memory:
    """One memory from its active deliveries: it shows the strongest, with the fullest text. Pure.

    If several messages support it, it shows the one that its owner learned first.
    Lines of knowledge that cite one of the `removed` memories are left out. Those `alike` share their metadata.
    """
    if len(supports) == 1:
        strongest = fullest = supports[0]
        learned = strongest.support.learned_day
    else:
        strongest, fullest, learned = shown(supports)
    lines = _lines(supports, removed)
    alike = {} if alike is None else alike
    parts = (strongest.metadata, strongest.support, strongest.disguises, strongest.rests_on)
    key = (*map(id, parts), learned, strongest.owner == WORLD)
    if key not in alike:
        alike[key] = _whole_metadata(strongest, learned)
    content = with_knowledge(fullest.body, lines) if lines else fullest.body
    made = {"id": strongest.memory_id, "container": strongest.container, "content": content, "metadata": alike[key]}
    return Memory.unchecked(made)  # validation would copy the list of participants for each of them


def _whole_metadata(strongest: Delivery, learned: float) -> dict[str, MetaValue]:
    support = strongest.support
    metadata: dict[str, MetaValue] = {**strongest.metadata, "learnedDay": learned}
    if strongest.owner != WORLD:
        metadata["interactionType"] = support.how
        if support.shared_from:
            metadata["sharedFrom"] = strongest.shared_from or support.shared_from
    if strongest.rests_on:
        metadata["restsOn"] = list(strongest.rests_on)
    return metadata


def _lines(supports: Sequence[Delivery], removed: Collection[str]) -> dict[str, None]:
    lines = [line for each in supports if each.knowledge for line in each.knowledge]
    return {line.text: None for line in lines if not any(id in removed for id in line.cites)}
