"""The strictness of contexts: what is passed on keeps the strictest context of its chain. Pure."""

from __future__ import annotations

from earwitness.records.memory_types import Metadata

STRICTNESS = {"public_channel": 0, "private_channel": 1, "dm": 2}
"""Context → how strict it is."""


def context_of(metadata: Metadata) -> str:
    """The context that a memory was learned in. Without one, it counts as learned in a private channel."""
    context = metadata.get("contextType")
    return context if isinstance(context, str) else "private_channel"


def is_stricter(one: str, other: str) -> bool:
    """Whether a context is stricter than another. What is no context is the strictest."""
    strictest = len(STRICTNESS)
    return STRICTNESS.get(one, strictest) > STRICTNESS.get(other, strictest)
