"""Two instances on one file write the same memory at the same time, as after one has taken up what the other has left.

The service takes a text that is there already for the same and keeps the stamp of the first; the file keeps the newest.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from earwitness.protocols import Store
from earwitness.testing.samples import memory
from earwitness_plugins.stores.supermemory.documents import NewPart
from earwitness_plugins.testing.supermemory import Emulator
from earwitness_plugins.testing.supermemory.documents import Pipeline

from .conftest import Opened

SAID = memory("c", "m", "The word is xyzzy.")


async def check_found(service: Emulator, *stores: Store) -> None:
    """By all of them, before the service finds it and after."""
    for _ in range(2):
        for store in (*stores, *stores):
            assert [hit.memory for hit in await store.search("c", "word")] == [SAID]
            assert await store.list("c") == [SAID]
        service.pipeline = Pipeline()


async def test_the_service_has_the_older_stamp(service: Emulator, opened: Opened) -> None:
    service.pipeline = Pipeline(lag=60)
    async with opened() as one, opened() as other:
        first, second = _held_up(one), _held_up(other)
        writing = [asyncio.create_task(one.put([SAID]))]
        await first.reached.wait()
        writing.append(asyncio.create_task(other.put([SAID])))
        await second.reached.wait()
        first.may_go_on.set()
        await writing[0]
        second.may_go_on.set()
        await writing[1]
        await check_found(service, one, other)
        await other.remove({"c": ["m"]})
        assert [await each.list("c") for each in (one, other)] == [[], []]
        assert [await each.search("c", "word") for each in (one, other)] == [[], []]


async def test_the_service_has_the_newer_stamp(service: Emulator, opened: Opened) -> None:
    service.pipeline = Pipeline(lag=60)
    async with opened() as one, opened() as other:
        first = _held_up(one)
        writing = asyncio.create_task(one.put([SAID]))
        await first.reached.wait()
        await other.put([SAID])
        assert await one.list("c") == [SAID]  # it learns what the other one has written
        first.may_go_on.set()
        await writing
        await check_found(service, one, other)


class _HeldUp:
    """What a store sends, until it may."""

    def __init__(self, add: Any) -> None:
        self._add, self.reached, self.may_go_on = add, asyncio.Event(), asyncio.Event()

    async def add(self, namespace: str, documents: Sequence[NewPart]) -> Mapping[str, str]:
        self.reached.set()
        await self.may_go_on.wait()
        return await self._add(namespace, documents)


def _held_up(store: Any) -> _HeldUp:
    held = _HeldUp(store._wire.add)
    store._wire.add = held.add
    return held
