"""START: world knowledge that came with a message which is already in the prompt.

The message is not repeated, because the prompt contains it. Its knowledge section is not in the prompt, so it is added.
"""

from __future__ import annotations

from ..filters import matches
from ..formats import only_knowledge
from ..records.memory import Memory
from .reads import Read
from .recalled import Recalled
from .source import RecallSource


async def news_told_along(source: RecallSource, own: Read) -> list[Recalled]:
    """The knowledge sections of the memories whose messages are in the prompt. Raises `StorageError`."""
    if not own.in_prompt:
        return []
    found = await source.list(own.container, filter=own.of_prompt)
    return [recalled for memory in found if _allowed(memory, own) and (recalled := _news(memory))]


def _allowed(memory: Memory, read: Read) -> bool:
    return memory.container == read.container and matches(read.of_prompt, memory.metadata)


def _news(memory: Memory) -> Recalled | None:
    known = only_knowledge(memory.content)
    if known is None:
        return None
    return Recalled(memory=memory.model_copy(update={"content": known}), score=1.0, parts={"news": 1.0})
