"""START: the number of hits considered, so that better matches do not hide newer memories."""

from __future__ import annotations

from collections.abc import Sequence

from ..loading.settings import RecallSettings
from ..records.memory import Hit
from .rank import aged
from .reads import Read
from .source import RecallSource

CANDIDATES = 4
"""Number of candidates for each wanted memory."""
WIDER = 8
LARGEST = 1024


async def candidates(
    source: RecallSource, read: Read, query: str, day: float, settings: RecallSettings
) -> Sequence[Hit]:
    """The best hits of one read by today's score and age, best score first. Raises `StorageError`.

    If newer memories are preferred, the search is widened, up to `LARGEST` hits, while a hit that it left out could
    still be among the best. Age only lowers scores. So the search can stop once the remaining scores are below the
    aged scores of the best (the threshold algorithm of Fagin, Lotem and Naor 2003).
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
    """Whether a new memory with the score of the last hit could be among the best."""
    today = sorted((aged(hit, day, settings.recency) for hit in hits), reverse=True)
    return hits[-1].score > max(today[number - 1], settings.threshold)
