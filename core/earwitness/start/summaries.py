"""START: a summary is recalled only where each memory that it replaces would be: by day, by filter and by guard."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..filters import matches
from ..memories import memories_of
from ..protocols import Ledger
from ..records.memory import Hit, Memory
from ..records.memory_types import REPLACES
from .reads import Read

DEPTH = 16
"""So many times a summary may be one of summaries."""


async def recallable_whole(
    ledger: Ledger, session: str, reads: Sequence[Read], found: Sequence[Sequence[Hit]]
) -> list[list[Hit]]:
    """The hits of each read, without summaries of which the reader would not have seen, or may not say, every part."""
    if not any(map(_replaces, (hit.memory for hits in found for hit in hits))):
        return [list(hits) for hits in found]
    parts = await _parts(ledger, session, (hit.memory for hits in found for hit in hits))
    return [
        [hit for hit in hits if not _replaces(hit.memory) or _is_seen_whole(hit.memory, read, parts)]
        for read, hits in zip(reads, found, strict=True)
    ]


def _replaces(memory: Memory) -> bool:
    return REPLACES in memory.metadata


def _rests_on(memory: Memory) -> list[str]:
    grounds = memory.metadata.get("restsOn")
    return grounds if isinstance(grounds, list) else []


async def _parts(ledger: Ledger, session: str, memories: Iterable[Memory]) -> dict[str, Memory]:
    """Id → each memory that these summaries replace, and those that they replace in turn."""
    found: dict[str, Memory] = {}
    wanted = {id for each in memories if _replaces(each) for id in _rests_on(each)}
    for _ in range(DEPTH):
        if not wanted:
            break
        deliveries = await ledger.deliveries(session, memory_ids=sorted(wanted))
        new = memories_of(each for each in deliveries if each.is_kept)
        found |= {each.id: each for each in new}
        wanted = {id for each in new if _replaces(each) for id in _rests_on(each)} - found.keys()
    return found


def _is_seen_whole(summary: Memory, read: Read, parts: Mapping[str, Memory]) -> bool:
    """Whether the reader would have seen each part, and may say it, unless the summary itself is marked.

    What it rests on in other containers is not part of it. What is not known is not seen.
    """
    is_marked = read.why_unsayable(summary) is not None
    for id in _rests_on(summary):
        part = parts.get(id)
        if part is None:
            return False
        if part.container != summary.container:
            continue
        may_say = is_marked or read.why_unsayable(part) is None
        if not may_say or not matches(read.permitted, part.metadata):
            return False
        if _replaces(part) and not _is_seen_whole(part, read, parts):
            return False
    return True
