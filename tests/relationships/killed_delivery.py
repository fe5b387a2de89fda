"""Says one message to all members of a pantheon, and kills its own process in the middle of writing their memories.

Run as a program: path of the store, path of the rules, number of members, and whether it dies before or after a batch.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from typing import Any

from earwitness import Earwitness
from earwitness.records.memory import Memory
from earwitness_plugins.stores.sqlite import SqliteStore

STORY = "s"
BARE: dict[str, Any] = {"detector": "none", "embedder": "none", "world_agent": "none"}


def members(number: int) -> list[str]:
    """Their ids."""
    return [f"m{index}" for index in range(number)]


def die_in_the_middle(number: int, when: str) -> None:
    """Kill this process with the batch of memories that reaches the half of so many."""
    put, asked = SqliteStore.put, 0

    async def deadly_put(self: SqliteStore, memories: Sequence[Memory]) -> None:
        nonlocal asked
        asked += len(memories)
        if when == "before" and asked > number // 2:
            os.kill(os.getpid(), signal.SIGKILL)
        await put(self, memories)
        if asked > number // 2:
            os.kill(os.getpid(), signal.SIGKILL)

    SqliteStore.put = deadly_put  # type: ignore[method-assign]


async def main(path: str, rules: str, number: int) -> None:
    """Say it, and wait for all of them."""
    async with Earwitness.open(path, **BARE, relationships={"rules": rules}) as ew:
        story = await ew.session(STORY, cast=[*members(number), "kim"])
        await story.say("kim", "The mill has burnt down.", audience=["m0"])
        await story.delivered()


if __name__ == "__main__":
    die_in_the_middle(int(sys.argv[3]), sys.argv[4])
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
