"""Writes: a put replaces. What the service holds is looked up first, because it would append to what is there.

Sending a batch again is harmless: what is there already is left alone. Of a batch that fails half-way, `PartialWrite`
names what was written. What the service refuses of it is found out by sending that alone, and named by
`MemoriesRefused`; the rest is written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from earwitness.errors import MemoriesRefused, PartialWrite, StorageError, quoted
from earwitness.records.memory import Memory

from .documents import REPLACES, MemoryDraft, NewPart, Stamp, StoredPart, drafted
from .names import namespace_of
from .reader import ContainerReader
from .service_errors import TextRefused
from .together import together
from .wire import Wire
from .write_buffer import SentDocuments, SentVersion, WriteBuffer, WrittenMemory

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

BATCH, BATCH_BYTES = 100, 1_000_000
"""Documents, and bytes of text, in one request at most."""
MOST_REFUSED = 8
"""So many refused memories of a container are named at once; what is left is put again."""
MOST_LEARNED = 1_000
"""Of a container that has more documents of which the file does not know, everything is looked up."""


class MemoryChange(NamedTuple):
    """What it takes to put one memory."""

    memory: Memory
    stamp: Stamp
    outdated: int
    """The version up to which is replaced what was there; 0 = nothing was."""
    new: Sequence[NewPart]
    changed: Sequence[NewPart]
    """Documents of the same text that are to be written anew."""
    surplus: Sequence[str]
    """Ids of documents of another text that was there before."""


class ContainerWriter:
    """Writes to containers, to each in the order of the calls.

    `largest` is how many bytes of text a document may have; a longer one is kept in several.
    """

    def __init__(self, wire: Wire, buffer: WriteBuffer, reader: ContainerReader, largest: int) -> None:
        self._wire, self._buffer, self._reader, self._largest = wire, buffer, reader, largest
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}
        self._orders: dict[tuple[str, str], int] = {}
        """The places of memories that could not be written yet."""
        self._checked: set[str] = set()
        """Containers in which there was nothing that others have sent when this instance looked."""

    async def put(self, memories: Sequence[Memory], *, are_new: bool = False) -> None:
        """Write or replace; of one id twice, the last counts. Those that `are_new` were never sent by anybody.

        Raises `StorageError`, `PartialWrite`, or `MemoriesRefused`.
        """
        drafts: dict[str, dict[str, MemoryDraft]] = {}
        refused: dict[str, dict[str, str]] = {}
        for each in memories:
            try:
                drafts.setdefault(each.container, {})[each.id] = drafted(each, self._largest)
            except StorageError as error:
                refused.setdefault(each.container, {})[each.id] = str(error)
        batches = {container: batch for container, batch in drafts.items() if batch}
        for container, batch in batches.items():
            for id in batch:
                self._orders.setdefault((container, id), self._buffer.stamp())
        known = await self._buffer.sent(batches)
        written: dict[str, dict[str, WrittenMemory]] = {container: {} for container in batches}
        sent: dict[str, SentVersion] = {}
        work = {
            container: self._put(container, [*batch.values()], known[container], written[container], sent, are_new)
            for container, batch in batches.items()
        }
        try:
            await self._all(work, refused)
        finally:
            await self._buffer.keep(written, sent)

    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        """Remove by container name → ids. Raises `StorageError`, or `PartialWrite`."""
        await self._all({container: self._remove(container, wanted) for container, wanted in ids.items() if wanted}, {})

    async def drop(self, container: str) -> None:
        """Remove the container. What somebody else keeps in the same namespace stays."""
        async with self._alone(container):
            namespace = namespace_of(container)
            every = await self._wire.page(namespace, None, size=1, content=False)
            ours = await self._reader.documents(container)
            if every.total == len(ours):
                await self._wire.drop(namespace)
            else:
                await self._delete(container, ours)
            await self._buffer.drop(container)
            self._reader.withheld.pop(container, None)
            self._checked.discard(container)
            self._orders = {key: order for key, order in self._orders.items() if key[0] != container}

    async def _all(
        self, work: Mapping[str, Coroutine[Any, Any, ContainerOutcome]], refused: Mapping[str, Mapping[str, str]]
    ) -> None:
        outcomes = dict(zip(work, await together(work.values()), strict=True))
        refused = {**refused, **{name: {**refused.get(name, {}), **each.refused} for name, each in outcomes.items()}}
        refused = {name: of for name, of in refused.items() if of}
        written = {name: each.written for name, each in outcomes.items() if each.written}
        if refused:
            raise MemoriesRefused(refused, written)
        failures = [outcome.failure for outcome in outcomes.values() if outcome.failure]
        if not failures:
            return
        if written:
            raise PartialWrite(str(failures[0]), written) from failures[0]
        raise failures[0]

    async def _put(
        self,
        container: str,
        drafts: Sequence[MemoryDraft],
        known: SentDocuments,
        written: dict[str, WrittenMemory],
        sent: dict[str, SentVersion],
        are_new: bool,
    ) -> ContainerOutcome:
        """Write to one container. Notes what is `written` and what may have been `sent`, to be kept with all else."""
        refused: dict[str, str] = {}
        failure: StorageError | None = None
        async with self._alone(container):
            try:
                changes = await self._changes(container, drafts, known, are_new)
                if container in self._checked:
                    versions = max(each.stamp.version for each in changes)
                    sent[container] = SentVersion(versions, [each.memory.id for each in changes])
                async for each in self._sent(container, changes, refused):
                    written[each.memory.id] = WrittenMemory(each.stamp, each.memory, each.outdated)
                    self._orders.pop((container, each.memory.id), None)
            except StorageError as error:
                failure = error
            finally:
                self._buffer.note(container, written)
        return ContainerOutcome(list(written), failure, refused)

    async def _sent(
        self, container: str, changes: Sequence[MemoryChange], refused: dict[str, str]
    ) -> AsyncIterator[MemoryChange]:
        """Send what it takes; yields each memory once it is written, and notes why those are not that are `refused`.

        Once that are `MOST_REFUSED`, only what the service has taken already is completed: a put has its time limit.
        """
        for some in [[each] for each in changes if not each.new] + [*_batches([each for each in changes if each.new])]:
            if len(refused) >= MOST_REFUSED:
                return
            left = await self._added(namespace_of(container), [part for change in some for part in change.new])
            for change in sorted(
                some, key=lambda each: bool(each.changed or each.surplus)
            ):  # first what is there already
                if len(refused) >= MOST_REFUSED and any(part.id in left for part in change.new):
                    continue
                try:
                    await self._complete(container, change, left)
                except TextRefused as why:
                    await self._clear(container, change)
                    refused[change.memory.id] = str(why)
                else:
                    yield change

    async def _added(self, namespace: str, parts: Sequence[NewPart]) -> set[str]:
        """Add new documents together. Returns the ids of those that must be tried alone."""
        if not parts:
            return set()
        try:
            return set(await self._wire.add(namespace, parts))
        except TextRefused:
            if len(parts) == 1:
                return {parts[0].id}
        middle = len(parts) // 2
        left = await self._added(namespace, parts[:middle])
        rest = parts[middle:]
        return left | ({each.id for each in rest} if len(left) >= MOST_REFUSED else await self._added(namespace, rest))

    async def _complete(self, container: str, change: MemoryChange, left: Collection[str]) -> None:
        """Write what is left of a memory. Raises `TextRefused`."""
        for part in change.new:
            if part.id in left:
                await self._wire.add_one(namespace_of(container), part)
        await self._replace(container, change)

    async def _clear(self, container: str, change: MemoryChange) -> None:
        """Leave nothing of a memory of which some documents were written, and others refused."""
        documents = [each.id for each in (*change.new, *change.changed)]
        if len(documents) + len(change.surplus) > 1:
            await self._delete(container, [*documents, *change.surplus])
            now = self._buffer.stamp()
            await self._buffer.put(container, {change.memory.id: WrittenMemory(Stamp(0, now), None, now)})

    async def _changes(
        self, container: str, drafts: Sequence[MemoryDraft], known: SentDocuments, are_new: bool
    ) -> list[MemoryChange]:
        """What it takes to put them."""
        ids = [each.memory.id for each in drafts]
        here = self._buffer.held(container)
        found = await self._known(container, known, ids)
        may_add = are_new and found is not None
        sought = [id for id in ids if not may_add or id in here or id in (found or ())]
        there = await self._reader.parts(container, sought) if sought else {}
        return [self._change(each, there.get(each.memory.id, []), here.get(each.memory.id)) for each in drafts]

    async def _known(self, container: str, known: SentDocuments, ids: Sequence[str]) -> Collection[str] | None:
        """Those of the ids that may have been sent; `None` if there is too much of which the file does not know.

        There is something if the file is new, was lost or brought back from a copy, if this process was killed while it
        sent, or if another machine sends as well. What it is, is kept.
        """
        if container not in self._checked:
            known = (await self._buffer.sent({container: ids}))[container]  # as it is after the put before this one
        if known.version is None:
            self._checked.discard(container)
            return None
        if container in self._checked:
            return known.ids
        there = await self._reader.since(container, known.version + 1, at_most=MOST_LEARNED)
        if there is None:
            await self._buffer.note_others(container)
            return None
        if there:
            newest = max(part.stamp.version for parts in there.values() for part in parts)
            await self._buffer.keep({}, {container: SentVersion(newest, [*there], by_others=True)})
        self._checked.add(container)
        return known.ids.union(there)

    def _change(self, draft: MemoryDraft, there: Sequence[StoredPart], here: WrittenMemory | None) -> MemoryChange:
        key = (draft.memory.container, draft.memory.id)
        before = [each.stamp.version for each in there] + ([here.stamp.version] if here else [])
        newest = max(before, default=0)
        kept = {
            each.part: each.id
            for each in there
            if each.digest == draft.digest and each.is_whole and each.stamp.version == newest
        }
        wanted = (None if before else self._orders.get(key)) or self._buffer.stamp()
        known = [each.stamp.order for each in there] or ([here.stamp.order] if here and here.memory else [])
        order = min(known, default=self._orders.get(key, wanted))
        stamp = Stamp(order, newest if kept else wanted)
        lacking = [each for part, each in enumerate(draft.documents(stamp)) if part not in kept]
        existing = {each.id for each in there}
        if not there and here and here.memory:  # written just now, and not listed yet
            existing = {each.id for each in self._documents(here)}
        replaces = any(each < stamp.version for each in before)
        surplus = sorted(existing.difference(kept.values(), (each.id for each in lacking)))
        if surplus:
            lacking = [each._replace(metadata={**each.metadata, REPLACES: surplus}) for each in lacking]
        return MemoryChange(
            draft.memory,
            stamp,
            outdated=stamp.version - 1 if replaces else here.outdated if here else 0,
            new=[each for each in lacking if each.id not in existing],
            changed=[each for each in lacking if each.id in existing],
            surplus=surplus,
        )

    def _documents(self, here: WrittenMemory) -> Sequence[NewPart]:
        """The documents of what was written here."""
        return drafted(here.memory, self._largest).documents(here.stamp) if here.memory else []

    async def _replace(self, container: str, change: MemoryChange) -> None:
        """Write anew what is changed, and delete what says something else. Raises `StorageError`."""
        namespace = namespace_of(container)
        for part in change.changed:
            if not await self._wire.update(namespace, part):
                await self._wire.add_one(namespace, part)
        if left := await self._delete(container, change.surplus):
            raise _not_deleted(left, container)

    async def _remove(self, container: str, ids: Sequence[str]) -> ContainerOutcome:
        removed: list[str] = []
        failure: StorageError | None = None
        async with self._alone(container):
            try:
                there = await self._reader.parts(container, ids)
                documents = {each.id: id for id, parts in there.items() for each in parts}
                here = await self._buffer.of(container)
                for id in here.keys() & (set(ids) - there.keys()):
                    documents |= {each.id: id for each in self._documents(here[id])}
                left = await self._delete(container, list(documents))
                removed = [id for id in ids if not any(documents[each] == id for each in left)]
                if left:
                    failure = _not_deleted(left, container)
            except StorageError as error:
                failure = error
            now = self._buffer.stamp()
            await self._buffer.put(container, {id: WrittenMemory(Stamp(0, now), None, now) for id in removed})
        return ContainerOutcome(removed, failure)

    async def _delete(self, container: str, documents: Sequence[str]) -> list[str]:
        """Delete documents. Returns those that are still there."""
        left: dict[str, str] = {}
        for start in range(0, len(documents), BATCH):
            left |= await self._wire.delete(namespace_of(container), documents[start : start + BATCH])
        if not left:
            return []
        return [each for each in await self._reader.documents(container) if each in left]

    @asynccontextmanager
    async def _alone(self, container: str) -> AsyncIterator[None]:
        """One write at a time to a container: what is there is looked up before."""
        lock, users = self._locks.get(container, (asyncio.Lock(), 0))
        self._locks[container] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            users = self._locks[container][1] - 1
            self._locks[container] = (lock, users)
            if not users:
                del self._locks[container]


class ContainerOutcome(NamedTuple):
    """What became of the part of a batch that is for one container."""

    written: Sequence[str]
    failure: StorageError | None
    refused: Mapping[str, str] = {}
    """Memory id → why the service refuses it."""


def _not_deleted(left: Sequence[str], container: str) -> StorageError:
    return StorageError(f"the service did not delete {quoted(left)} of {quoted(container)}.")


def _batches(changes: Sequence[MemoryChange]) -> Iterator[Sequence[MemoryChange]]:
    """The changes, as many a request as it may have."""
    batch: list[MemoryChange] = []
    documents = size = 0
    for each in changes:
        length = sum(len(part.content.encode()) for part in each.new)
        if batch and (documents + len(each.new) > BATCH or size + length > BATCH_BYTES):
            yield batch
            batch, documents, size = [], 0, 0
        batch.append(each)
        documents, size = documents + len(each.new), size + length
    if batch:
        yield batch
