"""Memories are summed up and pruned in the background at a cost that hardly grows with the story."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from earwitness import Earwitness, Memory, Settings
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_plugins.consolidation import choice, pruner, story
from earwitness_plugins.consolidation.settings import ConsolidationPolicy

POLICIES: list[dict[str, Any]] = [
    {"consolidation": {"policy": {"age": 60}, "write": "auto"}},
    {"consolidation": {"policy": {"repetition": 1.0}, "write": "auto"}},
    {"pruning": {"age": 60, "write": "auto"}},
]


@pytest.mark.parametrize("tables", POLICIES, ids=["age", "repetition", "pruning"])
async def test_who_holds_many_memories_is_not_looked_through_again_for_each_message(
    monkeypatch: pytest.MonkeyPatch, tables: dict[str, Any]
) -> None:
    looked: list[int] = []

    def counted(memories: Any, *more: Any) -> list[Memory]:
        every = list(memories)
        looked.append(len(every))
        return choice.consolidatable(every, *more)

    monkeypatch.setattr(story, "consolidatable", counted)
    monkeypatch.setattr(pruner, "consolidatable", counted)
    settings = Settings.of(embedder="none", world_agent="none", **tables)
    async with Earwitness.open(settings=settings, store=MemoryStore(), ledger=MemoryLedger()) as ew:
        s1 = await ew.session("s1", cast=["alice"], present=["alice"])
        await s1.say_all([{"speaker": "alice", "content": f"Line {number}."} for number in range(120)])
        assert await s1.jobs.done(20)
        looked.clear()
        for number in range(6):
            await s1.say("alice", f"Another line {number}.")
            assert await s1.jobs.done(20)
        assert looked in ([123, 126], [123]), looked  # a fiftieth more each time


async def test_a_count_is_kept_to_with_the_first_memory_beyond_it() -> None:
    settings = Settings.of(embedder="none", world_agent="none", pruning={"count": 101, "write": "auto"})
    async with Earwitness.open(settings=settings, store=MemoryStore(), ledger=MemoryLedger()) as ew:
        s1 = await ew.session("s1", cast=["alice"], present=["alice"])
        await s1.say_all([{"speaker": "alice", "content": f"Line {number}."} for number in range(101)])
        assert await s1.jobs.done(20)
        await s1.say("alice", "One more.")
        assert await s1.jobs.done(20)
        await s1.delivered()
        assert (await s1.backstage().inspect("alice")).total == 101


@pytest.mark.parametrize("share", [0.1, 0.25, 1 / 3, 0.5, 2 / 3, 0.8, 1.0])
def test_repetitive_is_what_shares_so_many_words_with_something_earlier(share: float) -> None:
    drawn = Random(1)
    for _ in range(60):
        some = [f"word{number}" for number in range(drawn.choice((5, 12, 60)))]
        texts = [" ".join(drawn.choices(some, k=drawn.randint(1, 8))) for _ in range(20)]
        memories = [Memory(id=f"m{n}", container="s1-bob", content=text, metadata={}) for n, text in enumerate(texts)]
        found = choice.due(memories, ConsolidationPolicy(repetition=share), 1.0, 0)
        assert [each.id for each in found] == [each.id for each in memories if each.id in _alike(texts, share)]


def _alike(texts: list[str], share: float) -> set[str]:
    """By the definition: each with its first earlier one."""
    words, found = [{*text.split()} for text in texts], set()
    for place, each in enumerate(words):
        first = next((n for n in range(place) if len(each & words[n]) / len(each | words[n]) >= share), None)
        found |= set() if first is None else {f"m{place}", f"m{first}"}
    return found
