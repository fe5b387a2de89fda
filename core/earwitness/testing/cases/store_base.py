"""The base of all store tests: how to make a store, and its capabilities."""

from __future__ import annotations

from collections.abc import Awaitable, Collection, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager

import anyio

from ...errors import EarwitnessError, quoted
from ...protocols import Store
from ...records.memory import Memory
from ..suite import Capability, Suite, opened


class StoreCases(Suite[Store]):
    """How to make a store, and its capabilities."""

    atomic: Capability = True
    """A batch is written wholly or not at all."""
    names_what_was_written: Capability = True
    """A batch that was written in part raises `PartialWrite`, which names that part. Nothing is with other errors."""
    persistent: Capability = True
    """A second `make_store()` on the same folder, after the first was closed, finds what was put."""
    shared: Capability = True
    """Two stores on the same folder, both open, see each other's writes at once, or after `lag`."""
    searchable_at_once: Capability = True
    """A search finds everything written by a `put` that has returned. `get`, `list` and `count` must never lag."""
    enumerates: Capability = True
    """`list` and `count` know everything that a container holds. If not, only `get` and searches are tried."""
    wide_filters: Capability = True
    """A filter of any size is answered. If not, one that is too large is refused; it never finds too much or little."""
    ranks_by_meaning: Capability = True
    """A search finds other words for the same thing."""
    splits_every_script: Capability = True
    """A search finds a word within a Chinese or Japanese sentence."""

    lag: float = 0.0
    """Seconds until a second store on the same folder sees what the first has written. The tests wait so long. Where
    `searchable_at_once` does not hold, they do so before each search, too."""
    most_characters: int | None = None
    """The longest content it takes; a longer one must be refused. `None` = any length."""
    seconds: float = 5.0
    """How long a hostile text of 24,000 characters may take to be kept and searched."""

    def make_store(self) -> Store | Awaitable[Store]:
        """Your own store on `self.folder`, not opened yet. The method may be `async`."""
        raise NotImplementedError(f"{type(self).__name__} must define make_store().")

    async def until_searchable(self, store: Store) -> None:
        """Wait until written memories can be found. Override it if `searchable_at_once` does not hold, or set `lag`."""
        if self.searchable_at_once is not True:
            await anyio.sleep(self.lag)

    async def until_shared(self, store: Store) -> None:
        """Wait until a store can show and find what another one on the same folder has written."""
        await anyio.sleep(self.lag)
        await self.until_searchable(store)

    def takes_name(self, name: str) -> bool:
        """Whether a container or memory may be called so. Override it for narrow names: others must be refused."""
        return True

    def cut_short(self, store: Store, after: int) -> AbstractContextManager[object] | None:
        """While it lasts, the store's service fails once it has taken so many more memories, or removed them.

        Override it if yours can be made to fail; without it, tests of batches that are cut short are skipped."""
        return None

    def refusing(self, store: Store, contents: Collection[str]) -> AbstractContextManager[object] | None:
        """While it lasts, the store's service refuses these contents, as it would each time it is asked.

        Override it if yours refuses what it cannot hold; without it, tests of refused memories are skipped."""
        return None

    def subject(self) -> AbstractAsyncContextManager[Store]:
        """The store, opened."""
        return opened(self.make_store())

    def names(self, names: Iterable[str]) -> list[str]:
        """Those of the names that it takes."""
        return [name for name in names if self.takes_name(name)]

    def short_enough(self, texts: Iterable[str]) -> list[str]:
        """Those of the texts that it takes."""
        return [text for text in texts if self.most_characters is None or len(text) <= self.most_characters]

    async def contents(self, store: Store, container: str, ids: Iterable[str]) -> list[Memory]:
        """All that a container holds, or what it holds of these ids if the store cannot enumerate."""
        if self.enumerates is True:
            return list(await store.list(container))
        return list(await store.get(container, list(dict.fromkeys(ids))))

    async def size(self, store: Store, container: str, ids: Iterable[str]) -> int:
        """How many memories a container holds; arguments as for `contents`."""
        if self.enumerates is True:
            return await store.count(container)
        return len(await self.contents(store, container, ids))

    async def refused(self, store: Store, memories: Sequence[Memory], bad: str) -> bool:
        """Put them. Whether that was refused, with an error in our words that quotes the bad value."""
        said = None
        try:
            await store.put(memories)
        except EarwitnessError as error:
            said = str(error)
        assert said is None or quoted(bad)[:100] in said, f"the error must quote {quoted(bad)}: {said}"  # noqa: S101
        return said is not None
