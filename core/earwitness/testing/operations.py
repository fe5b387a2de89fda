"""Operations on a store, as values, so that the same ones can be applied to a model and compared.

Import it only where a property is tried: it needs hypothesis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from ..filters import Filter
from ..protocols import Store
from ..records.memory import Memory
from ..records.memory_types import MetaValue
from .strategies import filters, ids, metadata

WORDS = ("sword", "dragon", "the", "tavern", "cave", "聖剣", "secret", "!")


@dataclass(frozen=True)
class Operation:
    """An operation on one container, and a read to compare after it. The base class only reads."""

    container: str
    query: str
    filter: Filter

    async def on(self, store: Store, prefix: str) -> None:
        """Carry it out, in the container with this name after the prefix."""

    def fits(self, takes_name: Callable[[str], bool]) -> bool:
        """Whether a store that takes only such names can carry it out."""
        return takes_name(self.container)


@dataclass(frozen=True)
class Put(Operation):
    """Write or replace."""

    batch: tuple[tuple[str, str, dict[str, MetaValue]], ...]

    def fits(self, takes_name: Callable[[str], bool]) -> bool:
        """Whether all names are taken."""
        return super().fits(takes_name) and all(takes_name(id) for id, _, _ in self.batch)

    async def on(self, store: Store, prefix: str) -> None:
        """Put the batch of (id, content, metadata)."""
        container = prefix + self.container
        await store.put(
            [Memory(id=id, container=container, content=text, metadata=meta) for id, text, meta in self.batch]
        )


@dataclass(frozen=True)
class Remove(Operation):
    """Remove by id."""

    ids: tuple[str, ...]

    async def on(self, store: Store, prefix: str) -> None:
        """Remove them."""
        await store.remove({prefix + self.container: self.ids})


@dataclass(frozen=True)
class Drop(Operation):
    """Remove everything."""

    async def on(self, store: Store, prefix: str) -> None:
        """Drop the container."""
        await store.drop(prefix + self.container)


_containers = st.one_of(st.sampled_from(("s1-a", "s1-ab", "s1-world")), ids)
_contents = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
_ids = st.one_of(st.sampled_from(("a", "b", "c")), ids)
_memories = st.lists(st.tuples(_ids, _contents, metadata), max_size=4).map(tuple)
_reads = {"container": _containers, "query": _contents, "filter": filters}

operations: st.SearchStrategy[Operation] = st.one_of(
    st.builds(Put, batch=_memories, **_reads),
    st.builds(Remove, ids=st.lists(_ids, max_size=3).map(tuple), **_reads),
    st.builds(Drop, **_reads),
    st.builds(Operation, **_reads),
)
"""Any operation, on few enough containers that operations often share one."""
