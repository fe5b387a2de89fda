"""What a store refuses for good is shown among a character's canon all the same."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from earwitness import Earwitness, Memory
from earwitness.errors import MemoriesRefused
from earwitness.testing.reference import MemoryStore

Open = Callable[..., Awaitable[Earwitness]]


class Refusing(MemoryStore):
    """Takes nothing."""

    async def put(self, memories: Sequence[Memory]) -> None:
        raise MemoriesRefused({each.container: {each.id: "422 unwanted word"} for each in memories})


async def test_canon_that_the_store_refuses_is_listed(open_app: Open) -> None:
    ew = await open_app(store=Refusing(), relationships={}, strict=False)
    story = await ew.session("s1", cast=["alice"])
    await story.canon.add("She was born at sea.", scope="global", character="alice", role="owner")
    await story.delivered()
    (found,) = (await story.canon.memories("alice")).values()
    assert [each.content for each in found] == ["She was born at sea."]
