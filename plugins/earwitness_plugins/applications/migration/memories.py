"""One container from store to store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from earwitness.errors import InputError, StorageError, quoted
from earwitness.protocols import Store
from earwitness.records.memory import Memory

from .digests import DigestTexts, batches, digest

CHUNK = 256
"""So many memories are put at once."""


class ContainerDigest(NamedTuple):
    """What a store holds of a container."""

    memories: int
    digest: str


class MovedContainer(NamedTuple):
    """A container that both stores hold."""

    found: ContainerDigest
    """In the target, and the same in the source."""
    was_there: bool
    """Whether the target held all of it before."""


async def move_container(source: Store, target: Store, name: str) -> MovedContainer:
    """Move the memories of a container, or the rest of them, in their order, and compare.

    Raises `InputError` if the target holds others there, and `StorageError` if it does not hold exactly these
    afterwards.
    """
    kept, there = await source.list(name), await target.list(name)
    expected, begun = _texts(kept), _texts(there)
    was_there = begun == expected
    if begun != expected[: len(begun)]:
        if not {*begun} <= {*expected}:
            raise InputError(f"the target's container {quoted(name)} holds other memories. Move into an empty target.")
        await target.drop(name)
        begun = []
    for batch in batches(kept[len(begun) :], CHUNK):
        await target.put(batch)
    found = await container_digest(target, name)
    wanted = ContainerDigest(len(expected), digest(expected))
    if found != wanted:
        raise StorageError(
            f"container {quoted(name)} was not moved exactly: {wanted.memories} memories ({wanted.digest}) have become "
            f"{found.memories} ({found.digest}). Does another program write to it? Run the move again."
        )
    return MovedContainer(found, was_there)


async def container_digest(store: Store, name: str) -> ContainerDigest:
    """How many memories a container holds, and a digest of them in their order."""
    texts = _texts(await store.list(name))
    return ContainerDigest(len(texts), digest(texts))


def _texts(memories: Sequence[Memory]) -> list[str]:
    texts = DigestTexts()
    return [texts.of(each) for each in memories]
