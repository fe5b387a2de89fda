"""An extension keeps documents in a container beyond sessions, and reaches nothing else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from earwitness import Earwitness
from earwitness.containers import character_container, conversation_container
from earwitness.errors import StorageError, WallError
from earwitness.records.memory import Hit
from earwitness.shared_documents import SharedDocuments
from earwitness.testing.reference import MemoryStore
from earwitness.testing.samples import memory

OpenApp = Callable[..., Awaitable[Earwitness]]
BOT = conversation_container("bot")


async def test_it_writes_to_its_container_which_is_registered_then(open_app: OpenApp) -> None:
    ew = await open_app()
    await SharedDocuments(ew, BOT).put([memory(BOT.name, "m", "sword")])
    assert await ew.containers() == (BOT,)
    assert [hit.memory.id for hit in await SharedDocuments(ew, BOT).search("sword")] == ["m"]


async def test_neither_a_session_nor_another_container_is_reached(open_app: OpenApp) -> None:
    ew = await open_app()
    with pytest.raises(WallError, match="only its stories write to it"):
        SharedDocuments(ew, character_container("s1", "bob"))
    with pytest.raises(WallError, match="'m' is for 's1-bob'"):
        await SharedDocuments(ew, BOT).put([memory("s1-bob", "m")])
    assert await ew.containers() == ()


async def test_what_a_leaky_store_finds_elsewhere_is_left_out(open_app: OpenApp) -> None:
    class Leaky(MemoryStore):
        async def search(self, container: str, query: str, **more: Any) -> Sequence[Hit]:
            return [Hit(memory=memory(each, "m"), score=1) for each in (container, "s1-bob")]

    ew = await open_app(store=Leaky())
    assert [hit.memory.container for hit in await SharedDocuments(ew, BOT).search("x")] == [BOT.name]


async def test_a_store_that_hangs_is_an_error(open_app: OpenApp) -> None:
    class Hangs(MemoryStore):
        async def put(self, memories: Any) -> None:
            import asyncio

            await asyncio.Event().wait()

    ew = await open_app(store=Hangs(), end={"store_timeout": 0.05})
    with pytest.raises(StorageError, match=r"not answered within 0\.05 s"):
        await SharedDocuments(ew, BOT).put([memory(BOT.name, "m")])
