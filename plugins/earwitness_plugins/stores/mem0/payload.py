"""How a memory is laid out: as mem0 itself writes records, so that those who use it find their fields."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime
from typing import Any

from earwitness.records.memory_types import Metadata
from earwitness_plugins.qdrant.points import Payload, StoredMemory, exact, plain_metadata, stored_memory

OURS = "earwitness"
"""The field with what mem0 has no field for."""
_FLAT = re.compile(r"[A-Za-z][A-Za-z0-9]*\Z")
_THEIRS = frozenset({"data", "hash", "id", "memory", "metadata", "role", "score", OURS})
"""Names that mean something to mem0, beside those with an underscore."""
_PLAIN_ID = re.compile(r"[A-Za-z0-9_.:@+-]{1,200}\Z")
_MADE = "earwitness-container-"


def user_id(container: str) -> str:
    """The one id under which mem0 finds a container: its name, or a digest of a name that mem0 would not take."""
    if _PLAIN_ID.match(container) and not container.startswith(_MADE):
        return container
    return _MADE + hashlib.sha256(container.encode()).hexdigest()[:32]


class Mem0Record:
    """`data`, `hash`, `created_at`, `updated_at`, `user_id`, `agent_id`, and metadata beside them."""

    container_field = f"{OURS}.container"
    """The container's name."""
    sequence_field = f"{OURS}.sequence"
    """Memories are listed in the order of these."""
    written_field = f"{OURS}.written"
    """When it was last written; microseconds since 1970."""

    def path(self, field: str) -> str | None:
        """Fields are beside mem0's own, but those that mean something else there."""
        return field if _is_flat(field) else None

    def payload(self, stored: StoredMemory, before: Payload | None) -> dict[str, Any]:
        """The payload of a memory."""
        memory = stored.memory
        metadata = plain_metadata(memory.metadata)
        flat = {key: value for key, value in metadata.items() if _is_flat(key)}
        its_id = user_id(memory.container)
        return {
            **flat,
            **_learned_from(metadata),
            "data": memory.content,
            "hash": hashlib.md5(memory.content.encode(), usedforsecurity=False).hexdigest(),
            "created_at": _time(stored.sequence),
            "updated_at": _time(stored.written),
            "user_id": its_id,
            "agent_id": its_id,
            OURS: {
                "container": memory.container,
                "id": memory.id,
                "sequence": stored.sequence,
                "written": stored.written,
                "flat": sorted(flat),
                "other": {key: value for key, value in metadata.items() if key not in flat},
                "exact": exact(memory.metadata),
            },
        }

    def read(self, payload: Payload) -> StoredMemory | None:
        """The memory of a payload; `None` for a record that mem0's users wrote themselves."""
        ours = payload.get(OURS)
        if not isinstance(ours, dict) or "container" not in ours:
            return None
        metadata = {key: payload[key] for key in ours["flat"] if key in payload} | ours["other"]
        return stored_memory(ours, payload["data"], metadata)


def _learned_from(metadata: Metadata) -> dict[str, Any]:
    teller = metadata.get("sharedFrom")
    return {"learned_from_character_id": teller} if isinstance(teller, str) else {}


def _is_flat(field: str) -> bool:
    return bool(_FLAT.match(field)) and field not in _THEIRS


def _time(microseconds: int) -> str:
    return datetime.fromtimestamp(microseconds / 1e6, UTC).isoformat()
