"""The base of all store tests: how to make a store, and its capabilities."""

from __future__ import annotations

from collections.abc import Awaitable
from contextlib import AbstractAsyncContextManager

from ...protocols import Store
from ..suite import Capability, Suite, opened


class StoreCases(Suite[Store]):
    """How to make a store, and its capabilities."""

    atomic: Capability = True
    """A batch is written wholly or not at all."""
    persistent: Capability = True
    """A second `make_store()` on the same folder, after the first was closed, finds what was put."""
    shared: Capability = True
    """Two stores on the same folder, both open, see each other's writes at once."""
    searchable_at_once: Capability = True
    """A search finds everything written by a `put` that has returned."""
    ranks_by_meaning: Capability = True
    """A search finds other words for the same thing."""
    splits_every_script: Capability = True
    """A search finds a word within a Chinese or Japanese sentence."""

    seconds: float = 5.0
    """How long a hostile text of 24,000 characters may take to be kept and searched."""

    def make_store(self) -> Store | Awaitable[Store]:
        """Your own store on `self.folder`, not opened yet. The method may be `async`."""
        raise NotImplementedError(f"{type(self).__name__} must define make_store().")

    async def until_searchable(self, store: Store) -> None:
        """Wait until written memories can be found. Override it if `searchable_at_once` does not hold."""

    def subject(self) -> AbstractAsyncContextManager[Store]:
        """The store, opened."""
        return opened(self.make_store())
