"""Reads: what the service shows and what was written here but is not shown yet, checked and put together.

Whatever comes back is checked again here: whose it is, which memory, and whether it matches the filter. So a service
that lags or leaks breaches no wall.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from earwitness.filters import EVERYTHING, NOTHING, Filter, matches
from earwitness.records.memory import Hit, Memory
from earwitness.words import plain
from earwitness_plugins.ranking.fusion import best, reciprocal_ranks, rounded
from earwitness_plugins.ranking.memory_ranker import MemoryRanker

from .conditions import IDS_AT_ONCE, Expression, condition, heads, of_container, with_ids, written_since
from .documents import StoredPart, by_memory, digest_of, is_tampered, latest, memory_of, stored_part
from .names import namespace_of
from .together import both, together
from .wire import PAGE, ListedDocument, SearchRow, Wire
from .write_buffer import WriteBuffer, WrittenMemory

LONGEST_QUERY = 4_000
"""Characters of a query that the service is asked."""
EXTRACTED = "extracted"
"""Part of a score: the text was extracted from the memory."""


class Placed(NamedTuple):
    """A memory with its place in lists."""

    order: int
    memory: Memory
    similarity: float = 0.0
    """To the query, as the service sees it."""
    extracted: bool = False


class ContainerReader:
    """Reads containers.

    Args:
        wire: the service.
        buffer: what was written here.
        ranker: ranks what is found.
        candidates: how many rows to ask the service for at least.
        verbatim: whether only texts as they were written may be found. Nothing vouches for what was extracted.
    """

    def __init__(self, wire: Wire, buffer: WriteBuffer, ranker: MemoryRanker, candidates: int, verbatim: bool) -> None:
        self._wire, self._buffer, self._ranker = wire, buffer, ranker
        self._candidates, self._verbatim = candidates, verbatim
        self.withheld: dict[str, set[str]] = {}
        """Container → the memories that were withheld: the service shows other metadata than were written."""

    # ── lists ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def get(self, container: str, ids: Sequence[str]) -> Sequence[Memory]:
        """Those of the ids that exist, in the order asked."""
        self._wire.check()
        found = {each.memory.id: each.memory for each in await self._with_ids(container, ids)}
        return [found[id] for id in ids if id in found]

    async def listed(self, container: str, filter: Filter, limit: int | None, offset: int) -> Sequence[Memory]:
        """Memories in the order they were first written."""
        if filter == NOTHING or limit == 0:
            return []
        self._wire.check()
        end = None if limit is None else max(offset, 0) + max(limit, 0)
        return [each.memory for each in await self._every(container, filter)][max(offset, 0) : end]

    async def count(self, container: str) -> int:
        """How many memories the container holds."""
        self._wire.check()
        page = await self._wire.page(namespace_of(container), of_container(container, heads()), size=1, content=False)
        return page.total

    async def parts(self, container: str, ids: Sequence[str]) -> Mapping[str, list[StoredPart]]:
        """Memory id → its documents, without their texts."""
        found = await self._documents(container, ids, content=False)
        return by_memory(_ours(found, container))

    async def since(self, container: str, version: int, *, at_most: int) -> Mapping[str, list[StoredPart]] | None:
        """As `parts`, of all that was written in this version or later; `None` if it is more than `at_most`."""
        later, namespace = of_container(container, written_since(version)), namespace_of(container)
        total = (await self._wire.page(namespace, later, size=1, content=False)).total
        if total > at_most:
            return None
        return by_memory(_ours(await self._wire.documents(namespace, later, content=False), container)) if total else {}

    async def documents(self, container: str) -> list[str]:
        """The ids of all documents of a container."""
        return [each.id for each in _ours(await self._all_of(container, [None], content=False), container)]

    async def _with_ids(self, container: str, ids: Sequence[str], *, quick: bool = False) -> list[Placed]:
        found = await self._documents(container, ids, quick=quick)
        return await self._merged(found, container)

    async def _documents(
        self, container: str, ids: Sequence[str], *, content: bool = True, quick: bool = False
    ) -> list[ListedDocument]:
        asked = [with_ids(some) for some in batched_ids(ids)]
        return await self._all_of(container, asked, content=content, quick=quick)

    async def _all_of(
        self, container: str, asked: Sequence[Expression | None], *, content: bool = True, quick: bool = False
    ) -> list[ListedDocument]:
        namespace = namespace_of(container)
        several = await together(
            self._wire.documents(namespace, of_container(container, each), content=content, quick=quick)
            for each in asked
        )
        return [each for documents in several for each in documents]

    async def _every(self, container: str, filter: Filter, *, quick: bool = False) -> list[Placed]:
        """All memories that match, in order."""
        found = await self._all_of(container, [condition(filter)], quick=quick)
        return [each for each in await self._merged(found, container) if _fits(each, filter)]

    async def _merged(self, listed: Sequence[ListedDocument], container: str) -> list[Placed]:
        """What is listed; where that is older than what was written here, or not shown yet, what was written here.

        A list is complete at once, only texts come later. What it lacks was removed, perhaps by another program.
        """
        written = await self._buffer.of(container)
        found: dict[str, Placed] = {}
        for id, every in by_memory(_ours(listed, container)).items():
            parts = latest(every)
            newest = max(each.stamp for each in parts)
            here = written.get(id)
            shown = here.memory if here and here.known >= newest.version else memory_of(parts, container)
            if shown is not None:
                found[id] = Placed(newest.order, shown)
            self._note_withheld(container, id, not shown and not (here and here.is_removed) and is_tampered(parts))
        return sorted(found.values(), key=lambda each: (each.order, each.memory.id))

    def _note_withheld(self, container: str, id: str, withheld: bool) -> None:
        if withheld:
            self.withheld.setdefault(container, set()).add(id)
        elif container in self.withheld:
            self.withheld[container].discard(id)

    # ── searches ─────────────────────────────────────────────────────────────────────────────────────────────────

    async def search(self, container: str, query: str, filter: Filter, limit: int) -> Sequence[Hit]:
        """The best hits, best first; ties by id."""
        if limit <= 0 or filter == NOTHING:
            return []
        text = plain(query).strip()
        if not text:
            return await self._newest(container, filter, limit)
        asked = min(max(limit, self._candidates), PAGE)
        found, is_all = await self._candidates_for(container, text, filter, asked)
        if len(found) < limit and not is_all:
            found = await self._every(container, filter)
        return await self._ranked(found, text, limit)

    async def _candidates_for(
        self, container: str, text: str, filter: Filter, asked: int
    ) -> tuple[Sequence[Placed], bool]:
        """What may be among the best, and whether the service has nothing else that matches."""
        written = await self._buffer.of(container)
        expression = of_container(container, condition(filter))
        searching = self._wire.search(container, text[:LONGEST_QUERY], expression, asked)
        noting = self._note_shown(container, written)
        rows, elsewhere = await both(searching, noting)
        written = {id: each for id, each in written.items() if id not in elsewhere}
        found = await self._memories_of(container, rows, written)
        for id, each in written.items():
            if each.memory is not None and id not in found:
                found[id] = Placed(each.stamp.order, each.memory)
        return [each for each in found.values() if _fits(each, filter)], len(rows) < asked

    async def _memories_of(
        self, container: str, rows: Sequence[SearchRow], written: Mapping[str, WrittenMemory]
    ) -> dict[str, Placed]:
        """Memory id → what was found of it. Texts that rows do not hold whole are read from the documents."""
        found: dict[str, Placed] = {}
        missing: dict[str, float] = {}
        parts = [(row, part) for row in rows if (part := _part_of(row, container))]
        newest = {id: latest(every)[0].digest for id, every in by_memory(part for _, part in parts).items()}
        for row, part in parts:
            if part.memory_id in found or part.digest != newest[part.memory_id]:
                continue
            held = written.get(part.memory_id)
            if held and held.is_removed and part.stamp.version <= held.outdated:
                continue
            similarity = max(row.similarity, missing.get(part.memory_id, 0.0))
            memory = self._shown_by(row, part, container, held)
            if memory is None:
                missing[part.memory_id] = similarity
            else:
                extracted = row.extracted and not (held and memory is held.memory)
                found[part.memory_id] = Placed(part.stamp.order, memory, similarity, extracted)
        left = [id for id in missing if id not in found]
        for each in await self._with_ids(container, left, quick=True) if left else ():
            found[each.memory.id] = each._replace(similarity=missing[each.memory.id])
        return found

    def _shown_by(self, row: SearchRow, part: StoredPart, container: str, held: WrittenMemory | None) -> Memory | None:
        """The memory as the row shows it, or as it was written here; `None` where its document is to be read."""
        if part.stamp.version <= self._buffer.dropped(container):
            return None
        if held and (held.outdated if row.extracted else part.stamp.version <= held.known):
            return held.memory  # an extracted text does not say from which version it is
        if not row.extracted:
            return memory_of([part], container) if part.text is not None else None
        if self._verbatim or not part.is_whole:
            return None
        return Memory(id=part.memory_id, container=container, content=row.text, metadata=part.metadata)

    async def _note_shown(self, container: str, written: Mapping[str, WrittenMemory]) -> frozenset[str]:
        """Forget what the service finds by itself now. Returns what was replaced or removed from elsewhere."""
        waiting, elsewhere, done = await self._looked_up(container, written)
        if waiting:
            await self._buffer.forget(container, {id: waiting[id] for id in elsewhere | done})
        return elsewhere

    async def not_shown(self, container: str) -> Sequence[WrittenMemory]:
        """What the service does not find by itself yet of what was written here."""
        waiting, elsewhere, done = await self._looked_up(container, await self._buffer.of(container))
        return [each for id, each in waiting.items() if id not in elsewhere | done]

    async def _looked_up(
        self, container: str, written: Mapping[str, WrittenMemory]
    ) -> tuple[Mapping[str, WrittenMemory], frozenset[str], frozenset[str]]:
        """What was not shown before; what of it was replaced or removed from elsewhere, and what is shown now."""
        waiting = {id: each for id, each in written.items() if each.memory is not None}
        if not waiting:
            return waiting, frozenset(), frozenset()
        since = min(each.stamp.version for each in waiting.values())
        listed = await self._wire.documents(
            namespace_of(container), of_container(container, written_since(since)), content=False, quick=True
        )
        parts = {id: latest(each) for id, each in by_memory(_ours(listed, container)).items()}
        if older := [id for id in waiting if id not in parts]:  # as where another instance has sent the same before
            found = await self._documents(container, older, content=False, quick=True)
            there = {id: latest(each) for id, each in by_memory(_ours(found, container)).items()}
            parts |= {id: each for id, each in there.items() if _is_of(each, waiting[id])}
        elsewhere = {id for id, each in waiting.items() if id not in parts or _is_replaced(parts[id], each)}
        done = {id for id, each in waiting.items() if id not in elsewhere and _is_shown(parts[id], each)}
        return waiting, frozenset(elsewhere), frozenset(done)

    async def _newest(self, container: str, filter: Filter, limit: int) -> Sequence[Hit]:
        """What an empty query finds: the newest memories."""
        found = await self._every(container, filter, quick=True)
        return [Hit(memory=each.memory, score=0.0) for each in found[::-1][:limit]]

    async def _ranked(self, found: Sequence[Placed], text: str, limit: int) -> Sequence[Hit]:
        """The best by two rankings, the service's and ours; what the service has not ranked counts by ours alone."""
        placed = sorted(found, key=lambda each: (each.order, each.memory.id))
        ranked = await self._ranker.ranked([each.memory for each in placed], text, limit=len(placed))
        ours = {hit.memory.id: hit for hit in ranked}
        by_us = np.array([ours[each.memory.id].score if each.memory.id in ours else 0.0 for each in placed])
        by_service = np.array([each.similarity for each in placed])
        local, remote = reciprocal_ranks(by_us, len(placed)), reciprocal_ranks(by_service, len(placed))
        scores = rounded((local + np.where(by_service > 0, remote, local)) / 2)
        chosen = best(scores, lambda place: placed[place].memory.id, limit) if placed else []
        return [
            _hit(placed[place], float(scores[place]), ours.get(placed[place].memory.id))
            for place in chosen
            if scores[place] > 0
        ]


def batched_ids(ids: Sequence[str]) -> list[Sequence[str]]:
    """The ids, each once, as many a request as it may have."""
    each = list(dict.fromkeys(ids))
    return [each[start : start + IDS_AT_ONCE] for start in range(0, len(each), IDS_AT_ONCE)]


def _ours(listed: Sequence[ListedDocument], container: str) -> list[StoredPart]:
    found = (stored_part(each.id, each.metadata, each.text, container=container, done=each.done) for each in listed)
    return [each for each in found if each is not None]


def _part_of(row: SearchRow, container: str) -> StoredPart | None:
    """The document of a row, with its text if that can be read; `None` if it is none of ours."""
    part = stored_part(row.document, row.metadata, row.text, container=container)
    return part or stored_part(row.document, row.metadata, None, container=container)


def _fits(each: Placed, filter: Filter) -> bool:
    return filter == EVERYTHING or matches(filter, each.memory.metadata)


def _is_of(parts: Sequence[StoredPart], written: WrittenMemory) -> bool:
    """Whether the service has what was written here, whoever has sent that first or again."""
    return written.memory is not None and parts[0].digest == digest_of(written.memory)


def _is_replaced(parts: Sequence[StoredPart], written: WrittenMemory) -> bool:
    return max(each.stamp.version for each in parts) > written.stamp.version and not _is_of(parts, written)


def _is_shown(parts: Sequence[StoredPart], written: WrittenMemory) -> bool:
    return _is_of(parts, written) and all(each.done and each.stamp.version > written.outdated for each in parts)


def _hit(placed: Placed, score: float, ours: Hit | None) -> Hit:
    parts = dict(ours.parts) if ours else {}
    parts |= {"service": placed.similarity} if placed.similarity else {}
    parts |= {EXTRACTED: 1.0} if placed.extracted else {}
    return Hit.unchecked({"memory": placed.memory, "score": score, "parts": parts})
