"""A memory that is written by hand says how it is known: at first hand, witnessed, or shared by somebody."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import pytest

from earwitness import Memory, Session
from earwitness.errors import InputError, UnknownName

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]


async def test_what_somebody_was_told_off_the_record_reads_as_told_by_them(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.remember("alice", "The dragon sleeps at noon.", how="shared", shared_from="Bob", trust=0.5)
    (memory,) = await memories(story, "alice")
    assert (memory.metadata["interactionType"], memory.metadata["sharedFrom"]) == ("shared", "bob")
    assert str(memory.learned) == "was told by bob"
    explained = await story.backstage().explain(memory.id)
    assert (explained.supports[0].shared_from, explained.supports[0].trust) == ("bob", 0.5)
    turn = await story.turn("alice", query="When does the dragon sleep?", in_prompt=[])
    assert "Bob told you (day 1): The dragon sleeps at noon." in turn.text()


async def test_what_somebody_saw_happen_reads_as_seen(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.remember("alice", "Bob hid the sword.", how="witnessed")
    (memory,) = await memories(story, "alice")
    assert memory.metadata["interactionType"] == "witnessed"
    assert str(memory.learned) == "saw it happen"


async def test_a_way_that_is_none_is_refused(begin: Begin) -> None:
    story = await begin()
    with pytest.raises(UnknownName, match="zoe"):
        await story.remember("alice", "x", how="shared", shared_from="zoe")
    with pytest.raises(InputError, match=r"shared_from = 'bob' needs how='shared' or how='witnessed'"):
        await story.remember("alice", "x", shared_from="bob")
    with pytest.raises(InputError, match="how"):
        await story.remember("alice", "x", how="heard")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="trust"):
        await story.remember("alice", "x", trust=2)
