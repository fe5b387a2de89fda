"""The store `markdown`: what a host sees of it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import anyio
from anyio.to_thread import run_sync

from earwitness.by_hand import BY_HAND
from earwitness.errors import PartialWrite, SettingsError, StorageError
from earwitness.filters import EVERYTHING, Filter, matches
from earwitness.protocols import Embedder
from earwitness.records.backends import Health, TermHolders
from earwitness.records.memory import Hit, Memory
from earwitness.slices import MANY
from earwitness_plugins.ranking import Fusion, MemoryIndex, MemoryRanker

from .document import MemoryFile, with_items, without_ids
from .folder import NO_VERSION, DocumentChange, Folder, Version
from .item import item_of

_MOST = 256
"""So many containers are kept in memory."""
Memories = list[Memory]  # the class below has a method named `list`


@dataclass(eq=False)
class _HeldContainer:
    """A container in memory, as of one version of its file."""

    version: Version = NO_VERSION
    index: MemoryIndex | None = None
    """Of the same version; made for the first search."""
    positions: dict[str, int] = field(default_factory=dict)
    """Id → place in the index, in the order of the file."""
    next_position: count[int] = field(default_factory=count)

    @property
    def document(self) -> MemoryFile:
        """What it holds."""
        return self.version.document


class MarkdownStore:
    """Memories in files that people read and edit: a folder for each container, with `MEMORY.md` and `HISTORY.md`.

    What people change in `MEMORY.md` counts from the next call on. A file that cannot be read raises `StorageCorrupt`
    with line and column, and is left as it is. Several processes may use one folder. A batch is written container by
    container, each wholly or not at all.

    Args:
        path: the file of the stories; the folder is named after it.
        embedder: makes the vectors, which are kept in memory only; `None` ranks by words only.
        folder: another folder, relative to that of `path`.
        history: whether to write `HISTORY.md`.
        fusion: how scores by words and by meaning become one; see `RankingMethod`.
        rerank: whether to compare the best hits once more.
        lock_timeout: seconds to wait for another process that writes.
    """

    def __init__(
        self,
        *,
        path: str,
        embedder: Embedder | None,
        folder: str | None = None,
        history: bool = True,
        fusion: Fusion = "score",
        rerank: bool = True,
        lock_timeout: float = 10.0,
    ) -> None:
        self._folder = Folder(_place(path, folder), keeps_history=history, lock_timeout=lock_timeout)
        self._ranker = MemoryRanker(embedder, fusion=fusion, rerank=rerank)
        self._containers: OrderedDict[str, _HeldContainer] | None = None
        self._lock = anyio.Lock()

    @property
    def folder(self) -> Path:
        """The folder."""
        return self._folder.path

    async def open(self) -> None:
        """Open or make the folder. Raises `StorageError`."""
        if self._containers is None:
            await run_sync(self._folder.open)
            self._containers, self._lock = OrderedDict(), anyio.Lock()

    async def close(self) -> None:
        """Release everything. May be called again."""
        self._containers = None

    async def put(self, memories: Sequence[Memory]) -> None:
        """Write or replace by (container, id): durable on return. Of one id twice, the last counts."""
        batches: dict[str, dict[str, Memory]] = {}
        for memory in memories:
            item_of(memory, None)
            batches.setdefault(memory.container, {})[memory.id] = memory
        await self._change({name: _putting(batch) for name, batch in batches.items()}, batches)

    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        """Remove by container name → ids. Unknown ids are ignored."""
        await self._change({name: _removing(unwanted) for name, unwanted in ids.items() if unwanted}, ids)

    async def get(self, container: str, ids: Sequence[str]) -> Sequence[Memory]:
        """Those of the ids that exist in this container, in the order asked."""
        items = (await self._current(container)).document.items
        return [_own(items[id].memory) for id in ids if id in items]

    async def list(
        self, container: str, *, filter: Filter = EVERYTHING, limit: int | None = None, offset: int = 0
    ) -> Sequence[Memory]:
        """Memories in the order of the file, which is that in which they were first written."""
        memories = (await self._current(container)).document.memories
        if filter != EVERYTHING:
            memories = [memory for memory in memories if matches(filter, memory.metadata)]
        end = None if limit is None else max(offset, 0) + max(limit, 0)
        return [_own(memory) for memory in memories[max(offset, 0) : end]]

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        """The best hits, best first; ties by id."""
        index = await self._index(container)
        return await self._ranker.search(index, query, filter=filter, limit=limit) if index else []

    async def holders(self, container: str, terms: Sequence[str]) -> TermHolders:
        """Who holds each of these terms; see `earwitness.extras.TermIndex`."""
        index = await self._index(container)
        return index.holders(terms) if index else TermHolders(count=0, ids=dict.fromkeys(terms, ()))

    async def by_hand(self, container: str) -> Sequence[Memory]:
        """What people wrote or changed in the file; see `earwitness.extras.HandWritten`."""
        items = (await self._current(container)).document.items.values()
        return [_own(item.memory) for item in items if item.memory.metadata.get(BY_HAND) is True]

    def place(self, container: str) -> str:
        """The path of the container's file."""
        return str(self._folder.file(container))

    async def count(self, container: str) -> int:
        """How many memories the container holds."""
        return len((await self._current(container)).document.items)

    async def drop(self, container: str) -> None:
        """Remove the container with its history."""
        async with self._lock:
            self._opened().pop(container, None)
            await run_sync(self._folder.drop, container)

    async def health(self) -> Health:
        """How many containers there are, and which files cannot be read."""
        try:
            problems = await run_sync(lambda: [*self._folder.problems()])
            containers = await run_sync(self._folder.count)
        except OSError as error:
            return Health(ok=False, details={"folder": str(self.folder), "problem": str(error)})
        broken = {f"problem {number}": problem for number, problem in enumerate(problems, 1)}
        return Health(ok=not broken, details={"folder": str(self.folder), "containers": containers, **broken})

    # ── what is in memory ───────────────────────────────────────────────────────────────────────────────────────────

    def _opened(self) -> OrderedDict[str, _HeldContainer]:
        if self._containers is None:
            raise StorageError(f"the store {str(self.folder)!r} is not open. Call `open` first.")
        return self._containers

    async def _change(self, changes: Mapping[str, DocumentChange], ids: Mapping[str, Iterable[str]]) -> None:
        """Change containers. Raises `PartialWrite` with the `ids` of those that are written if another cannot be."""
        if not changes:
            return
        async with self._lock:
            opened = self._opened()
            known = {name: opened[name].version for name in changes if name in opened}
            written: dict[str, Version] = {}
            try:
                await run_sync(self._folder.change, changes, known, written)
            except StorageError as error:
                if written:
                    raise PartialWrite(str(error), {name: ids[name] for name in written}) from error
                raise
            finally:
                for name, version in written.items():
                    await self._take(name, version)

    async def _current(self, container: str) -> _HeldContainer:
        """The container as its file is now."""
        found = self._opened().get(container, _HeldContainer())
        if found.version.signature == self._folder.signature(container):
            return found
        async with self._lock:
            return await self._take(container, await run_sync(self._folder.read, container))

    async def _index(self, container: str) -> MemoryIndex | None:
        """The index of the container as its file is now; `None` if it is empty."""
        found = await self._current(container)
        if found.index is None and found.document.items:
            async with self._lock:
                if found.index is None:
                    await self._indexed(found, found.document.memories)
        return found.index

    async def _take(self, container: str, version: Version) -> _HeldContainer:
        """Keep a version of a container, and bring its index up to date."""
        opened = self._opened()
        found = opened.setdefault(container, _HeldContainer())
        opened.move_to_end(container)
        if len(opened) > _MOST:
            opened.popitem(last=False)
        before, found.version = found.document, version
        if found.index is not None:
            await self._update(found, found.index, before)
        return found

    async def _update(self, container: _HeldContainer, index: MemoryIndex, before: MemoryFile) -> None:
        """Tell the index what has changed, or forget it where memories have changed places."""
        items = container.document.items
        known = [id for id in items if id in container.positions]
        old = [id for id in container.positions if id in items]
        if known != old or known != [*items][: len(known)]:
            container.index = None
            return
        gone = [id for id in container.positions if id not in items]
        index.remove(gone)
        for id in gone:
            del container.positions[id]
        changed = [item.memory for id, item in items.items() if _memory(before, id) is not item.memory]
        if len(changed) > MANY:  # the next search makes the index anew, in slices
            container.index = None
            return
        try:
            await self._indexed(container, changed)
        except BaseException:
            container.index = None
            raise

    async def _indexed(self, container: _HeldContainer, memories: Memories) -> None:
        if container.index is None:
            container.positions, container.next_position = {}, count()
        positions = dict(container.positions)
        for memory in memories:
            positions.setdefault(memory.id, next(container.next_position))
        indexed = await self._ranker.indexed(memories, [positions[memory.id] for memory in memories])
        if container.index is not None:
            container.index.put(indexed)  # at once: a search sees all of a change or nothing
            container.positions = positions
            return
        index = self._ranker.new_index()
        await index.put_in_slices(indexed)
        container.index, container.positions = index, positions


def _place(path: str, folder: str | None) -> Path:
    """The store's folder."""
    if path == ":memory:":
        if folder is None:
            raise SettingsError("the store 'markdown' needs a folder: ':memory:' names none. Give it `folder`.")
        return Path(folder)
    return Path(path).parent / folder if folder else Path(path).with_suffix(".memories")


def _own(memory: Memory) -> Memory:
    """The memory with metadata that the caller may change."""
    values = {key: [*value] if isinstance(value, list) else value for key, value in memory.metadata.items()}
    return memory.model_copy(update={"metadata": values})


def _memory(document: MemoryFile, id: str) -> Memory | None:
    item = document.items.get(id)
    return None if item is None else item.memory


def _putting(batch: Mapping[str, Memory]) -> DocumentChange:
    def change(document: MemoryFile) -> MemoryFile:
        made = [item_of(memory, document.items.get(id)) for id, memory in batch.items()]
        new = [item for item in made if _differs(item.memory, _memory(document, item.memory.id))]
        return with_items(document, new) if new else document

    return change


def _differs(new: Memory, old: Memory | None) -> bool:
    """Whether it must be written. `1` and `True` differ."""
    if old is None or new != old or [*new.metadata] != [*old.metadata]:
        return True
    return [type(value) for value in new.metadata.values()] != [type(value) for value in old.metadata.values()]


def _removing(ids: Sequence[str]) -> DocumentChange:
    def change(document: MemoryFile) -> MemoryFile:
        there = [id for id in ids if id in document.items]
        return without_ids(document, there) if there else document

    return change
