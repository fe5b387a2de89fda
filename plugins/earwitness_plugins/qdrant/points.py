"""What a point holds: a memory, and when it was written."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from time import time_ns
from typing import Any, NamedTuple, Protocol, TypeGuard
from uuid import NAMESPACE_URL, uuid5

from earwitness.records.memory import Memory
from earwitness.records.memory_types import Metadata, MetaValue
from earwitness.records.read_only import read_only

Payload = Mapping[str, Any]
_LARGEST = 2**63
"""From here on Qdrant keeps no integer."""
_LARGEST_FLOAT = int(sys.float_info.max)
_NAMESPACE = uuid5(NAMESPACE_URL, "https://earwitness/points")


def point_id(container: str, id: str) -> str:
    """The id of the point of a memory: always the same one, and another one for every other memory."""
    return str(uuid5(_NAMESPACE, f"{len(container)} {container} {id}"))


def plain_metadata(metadata: Metadata) -> dict[str, MetaValue]:
    """Metadata as Qdrant can keep it: an integer that is too large for it becomes the nearest float; see `exact`."""
    return {key: _plain(value) for key, value in metadata.items()}


def exact(metadata: Metadata) -> dict[str, str]:
    """The integers that are too large for Qdrant, as text."""
    return {key: str(value) for key, value in metadata.items() if _is_large(value)}


def _plain(value: MetaValue) -> MetaValue:
    if isinstance(value, list):
        return list(value)
    return float(min(max(value, -_LARGEST_FLOAT), _LARGEST_FLOAT)) if _is_large(value) else value


def _is_large(value: MetaValue) -> TypeGuard[int]:
    return isinstance(value, int) and abs(value) >= _LARGEST


class StoredMemory(NamedTuple):
    """A memory as a point holds it."""

    memory: Memory
    """Nobody can change it."""
    sequence: int
    """Memories are listed in the order of these; what replaces another one keeps its number."""
    written: int
    """When it was last written; microseconds since 1970, and another one each time."""


def stored_memory(fields: Payload, content: str, metadata: Metadata) -> StoredMemory:
    """The memory of a point, from its `id`, `container`, `sequence` and `written`, and the `exact` integers."""
    known = {**metadata, **{key: int(value) for key, value in fields.get("exact", {}).items()}}
    memory = {"id": fields["id"], "container": fields["container"], "content": content, "metadata": read_only(known)}
    return StoredMemory(Memory.unchecked(memory), fields["sequence"], fields["written"])


class PointShape(Protocol):
    """How a memory is laid out in a payload."""

    container_field: str
    """Path of the field with the container's name."""
    sequence_field: str
    """Path of `StoredMemory.sequence`."""
    written_field: str
    """Path of `StoredMemory.written`."""

    def path(self, field: str) -> str | None:
        """The path of a metadata field; `None` for a name that would be a path of its own."""
        ...

    def payload(self, stored: StoredMemory, before: Payload | None) -> dict[str, Any]:
        """The payload of a memory; `before` is that of the point that it replaces."""
        ...

    def read(self, payload: Payload) -> StoredMemory | None:
        """The memory of a payload; `None` if none of ours is in it."""
        ...


class WriteClock:
    """Microseconds since 1970 that grow with every call, whatever the system's clock does."""

    def __init__(self) -> None:
        self._last = 0

    def now(self) -> int:
        """A number larger than all before."""
        self._last = max(time_ns() // 1_000, self._last + 1)
        return self._last

    def seen(self, number: int) -> None:
        """Answer only larger numbers from now on."""
        self._last = max(self._last, number)


def kept(memory: Memory) -> Memory:
    """A copy as it would be read again, which nobody can change.

    Raises `PydanticSerializationError` for what JSON cannot hold.
    """
    copy = Memory.model_validate_json(memory.model_dump_json())
    return copy.model_copy(update={"metadata": read_only(copy.metadata)})
