"""How a memory is laid out in a payload: as people read it in Qdrant's own dashboard."""

from __future__ import annotations

import re
from typing import Any

from earwitness_plugins.qdrant.points import Payload, StoredMemory, exact, plain_metadata, stored_memory

_PLAIN_FIELD = re.compile(r"[A-Za-z0-9_]+\Z")


class MemoryPayload:
    """`container`, `id`, `content`, `metadata`, `sequence`, `written`."""

    container_field = "container"
    """The container's name."""
    sequence_field = "sequence"
    """Memories are listed in the order of these."""
    written_field = "written"
    """When it was last written; microseconds since 1970."""

    def path(self, field: str) -> str | None:
        """Fields are in an object."""
        return f"metadata.{field}" if _PLAIN_FIELD.match(field) else None

    def payload(self, stored: StoredMemory, before: Payload | None) -> dict[str, Any]:
        """The payload of a memory."""
        memory = stored.memory
        large = exact(memory.metadata)
        return {
            "container": memory.container,
            "id": memory.id,
            "content": memory.content,
            "metadata": plain_metadata(memory.metadata),
            "sequence": stored.sequence,
            "written": stored.written,
            **({"exact": large} if large else {}),
        }

    def read(self, payload: Payload) -> StoredMemory | None:
        """The memory of a payload; `None` for the point that holds the embedder's identity."""
        if "container" not in payload:
            return None
        return stored_memory(payload, payload["content"], payload["metadata"])
