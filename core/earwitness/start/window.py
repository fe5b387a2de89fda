"""START: how far down a search is looked at, so that what is new is not missed behind what only fits better."""

from __future__ import annotations

from collections.abc import Sequence

from ..loading.settings import RecallSettings
from ..records.memory import Hit
from .rank import aged
from .reads import Read
from .source import RecallSource

CANDIDATES = 4
"""So many candidates for each memory that is wanted."""
WIDER = 8
LARGEST = 1024


async def candidates(
    source: RecallSource, read: Read, query: str, day: float, settings: RecallSettings
) -> Sequence[Hit]:
    """The best hits of one read for today, by score and age, best score first. Raises `StorageError`.

    With a preference for what is new, the search is widened while one that it left out could be among the best: age
    only takes from a score, so none is that scores less than the best have left (the threshold algorithm of Fagin,
    Lotem and Naor 2003); at most to `LARGEST` hits.
    """
    wanted = limit = read.number * CANDIDATES
    hits = await source.search(read.container, query, filter=read.filter, limit=limit)
    while (
        settings.recency.weight
        and limit < LARGEST
        and len(hits) >= limit
        and _may_miss(hits, day, read.number, settings)
    ):
        limit = min(limit * WIDER, LARGEST)
        hits = await source.search(read.container, query, filter=read.filter, limit=limit)
    if len(hits) <= wanted:
        return hits
    best = {hit.memory.id for hit in sorted(hits, key=lambda hit: -aged(hit, day, settings.recency))[:wanted]}
    return [hit for hit in hits if hit.memory.id in best]


def _may_miss(hits: Sequence[Hit], day: float, number: int, settings: RecallSettings) -> bool:
    """Whether one that scores no more than the last of these could be among the best, were it new."""
    today = sorted((aged(hit, day, settings.recency) for hit in hits), reverse=True)
    return hits[-1].score > max(today[number - 1], settings.threshold)
