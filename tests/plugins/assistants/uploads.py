"""A service that takes a few documents, and a conversation to upload there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from earwitness import Earwitness, Memory
from earwitness.errors import MemoriesRefused, PartialWrite, StorageError
from earwitness.records.memory import Hit
from earwitness.testing.reference import MemoryStore

CONTAINER = "conversation-nanobot_memory"
FOLDER = "bot.conversations/nanobot_memory"


class Service(MemoryStore):
    """A service that takes `room` documents, then fails, naming what it has taken or not; and refuses `bad` words."""

    def __init__(self) -> None:
        super().__init__()
        self.room: float = float("inf")
        self.says = True
        self.bad = ""
        self.taken: list[str] = []

    async def put(self, memories: Sequence[Memory]) -> None:
        if self.bad and (bad := [each for each in memories if self.bad in each.content]):
            raise MemoriesRefused({CONTAINER: {each.id: "422 unwanted" for each in bad}})
        fit = memories[: int(min(self.room, len(memories)))]
        self.room -= len(fit)
        self.taken += [each.id for each in fit]
        await super().put(fit)
        if len(fit) < len(memories):
            raise PartialWrite("the service is away", {CONTAINER: [each.id for each in fit] if self.says else []})

    async def search(self, container: str, query: str, **more: Any) -> Sequence[Hit]:
        if self.room <= 0:
            raise StorageError("the service is away")
        return await super().search(container, query, **more)


async def talked(ew: Earwitness, key: str = "telegram:42", number: int = 3, text: str = "I live in Oslo") -> Any:
    conversation = ew.conversation(key)
    for each in range(number):
        await conversation.add("user", f"{text}, and this is message {each}.")
        await conversation.add("assistant", "Noted.")
    return conversation


def files(folder: Path) -> list[str]:
    return [each.parent.name for each in folder.rglob("*.jsonl")]


async def uploaded(service: Service) -> str:
    return "\n".join(each.content for each in await service.list(CONTAINER))
