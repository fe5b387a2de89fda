"""START: news of the world that came with a message which the prompt holds already.

The message itself stays out, since it is in the prompt; what was told along with it is not, and comes in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from ..filters import matches
from ..formats import only_knowledge
from ..records.memory import Memory
from .reads import Read
from .recalled import Recalled
from .source import RecallSource


async def told_along(source: RecallSource, reads: Sequence[Read]) -> list[Recalled]:
    """The knowledge sections of the memories whose messages are in the prompt. Raises `StorageError`."""
    asked = [read for read in reads if read.in_prompt]
    lists = await asyncio.gather(*(source.list(read.container, filter=read.of_prompt) for read in asked))
    found = [memory for read, got in zip(asked, lists, strict=True) for memory in got if _allowed(memory, read)]
    return [recalled for memory in found if (recalled := _news(memory))]


def _allowed(memory: Memory, read: Read) -> bool:
    return memory.container == read.container and matches(read.of_prompt, memory.metadata)


def _news(memory: Memory) -> Recalled | None:
    known = only_knowledge(memory.content)
    if known is None:
        return None
    return Recalled(memory=memory.model_copy(update={"content": known}), score=1.0, parts={"news": 1.0})
