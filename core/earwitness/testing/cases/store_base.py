"""What every test of a store stands on: how to make one, and what it can do."""

from __future__ import annotations

from collections.abc import Awaitable
from contextlib import AbstractAsyncContextManager

from ...protocols import Store
from ..suite import Capability, Suite, opened


class StoreCases(Suite[Store]):
    """How to make a store, and what it can do."""

    atomic: Capability = True
    """A batch is written wholly or not at all."""
    persistent: Capability = True
    """A second `make_store()` on the same folder, after the first was closed, finds what was put."""
    shared: Capability = True
    """Two stores on the same folder, both open, see each other's writes at once."""
    searchable_at_once: Capability = True
    """A search finds what a `put` that returned has written."""
    ranks_by_meaning: Capability = True
    """A search finds other words for the same thing."""
    splits_every_script: Capability = True
    """A search finds a word within a Chinese or Japanese sentence."""

    def make_store(self) -> Store | Awaitable[Store]:
        """A store of your own on `self.folder`, not opened yet. Plainly or `async`."""
        raise NotImplementedError(f"{type(self).__name__} must define make_store().")

    async def until_searchable(self, store: Store) -> None:
        """Wait until what was put can be found. Override where `searchable_at_once` does not hold."""

    def subject(self) -> AbstractAsyncContextManager[Store]:
        """The store, opened."""
        return opened(self.make_store())
