"""START: the fields of a host's filter that no memory has, perhaps because of a typing error."""

from __future__ import annotations

from collections.abc import Sequence

from ..filters import EVERYTHING, Filter
from ..records.memory import Hit
from ..unmatched import has, no_such_field, strange_fields
from .reads import Read
from .source import RecallSource


async def reports(
    source: RecallSource, reads: Sequence[Read], asked: Filter, found: Sequence[Sequence[Hit]]
) -> list[str]:
    """A sentence for each field of the filter that is not Earwitness's own and that no memory of these reads has.

    A host's own field may simply not have been used yet, so that this is reported and never raised.
    """
    if asked == EVERYTHING:
        return []
    seen = {field for hits in found for hit in hits for field in hit.memory.metadata}
    strange = strange_fields(asked, seen)
    if not strange or not await _any(source, reads, EVERYTHING):
        return []
    return [f"filter: {no_such_field(each)}" for each in strange if not await _any(source, reads, has(each))]


async def _any(source: RecallSource, reads: Sequence[Read], filter: Filter) -> bool:
    """Whether any container of these reads has such a memory."""
    for read in reads:
        if await source.list(read.container, filter=filter, limit=1):
            return True
    return False
