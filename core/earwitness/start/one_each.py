"""Of several shared memories of one message, or of one fact, the one that is read. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from ..records.memory import STRENGTH, Memory
from ..records.memory_types import FACT_ID, TOLD_AT


def one_each(shared: Iterable[Memory]) -> set[str]:
    """Ids of those that are read: of each message one, as of several supports of one memory. What says the same of a
    fact as an earlier message goes with that one. What is about no message stays."""
    group_of: dict[object, object] = {}
    read: dict[object, Memory] = {}
    for each in sorted(shared, key=_told_at):
        own = each.message_keys or each.id
        group = group_of.setdefault(each.metadata.get(FACT_ID, own), own)
        read[group] = min(read.get(group, each), each, key=_shown_first)
    return {each.id for each in read.values()}


def _told_at(memory: Memory) -> float:
    number = memory.metadata.get(TOLD_AT, 0)
    return float(number) if isinstance(number, int | float) else 0.0


def _shown_first(memory: Memory) -> tuple[int, float, float, float, str, str]:
    """Sort key: of several memories of one message, which of them is read, as of several supports of one memory."""
    data, trust = memory.metadata, memory.metadata.get("trust", 1.0)
    trusted = float(trust) if isinstance(trust, int | float) else 1.0
    how = str(data.get("interactionType"))
    strength = STRENGTH.index(how) if how in STRENGTH else len(STRENGTH)
    teller, place = str(data.get("sharedFrom", "")), memory.container + memory.id
    return strength, memory.learned_day or 0.0, _told_at(memory), -trusted, teller, place
