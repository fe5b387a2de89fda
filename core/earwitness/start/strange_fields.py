"""START: the fields of a host's or a guard's filter that no memory has, perhaps because of a typing error."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..filters import EVERYTHING, Filter
from ..records.memory import Hit
from ..unmatched import has, is_like_a_known_one, no_such_field, strange_fields
from .reads import Read
from .source import RecallSource


async def reports(
    source: RecallSource, reads: Sequence[Read], asked: Filter, found: Sequence[Sequence[Hit]]
) -> list[str]:
    """A sentence for each field of a filter that is not Earwitness's own and that no memory of these reads has.

    An own field of the host's may simply not have been used yet, so that this is reported and never raised. A field of
    a guard's own is reported only if it looks like a misspelling. One that is one letter off fails the guard before.
    """
    guarding = [(read, *each) for read in reads for each in read.guarding if each[1] != EVERYTHING]
    if asked == EVERYTHING and not guarding:
        return []
    seen = {field for hits in found for hit in hits for field in hit.memory.metadata}
    said = await _of(source, reads, "filter", strange_fields(asked, seen))
    for read, by, filter, own in guarding:
        misspelt = [each for each in strange_fields(filter, {*seen, *own}) if is_like_a_known_one(each)]
        said += await _of(source, [read], f"{by}: its filter", misspelt)
    return list(dict.fromkeys(said))


async def _of(source: RecallSource, reads: Sequence[Read], whose: str, strange: Collection[str]) -> list[str]:
    if not strange or not await _any(source, reads, EVERYTHING):
        return []
    return [f"{whose}: {no_such_field(each)}" for each in strange if not await _any(source, reads, has(each))]


async def _any(source: RecallSource, reads: Sequence[Read], filter: Filter) -> bool:
    """Whether any container of these reads has such a memory."""
    for read in reads:
        if await source.list(read.container, filter=filter, limit=1):
            return True
    return False
