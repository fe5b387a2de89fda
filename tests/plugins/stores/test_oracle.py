"""A search equals brute force over the same memories: scores within 1e-4, the same order, ties by id."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from earwitness.filters import EVERYTHING, Compare, Filter
from earwitness.records.memory import Memory
from earwitness_plugins.stores.sqlite import SqliteStore

from ...examples import share_of

WORDS = (
    "sword swords swordfish shield dragon dragons sleeping sleep cave Alice Bob found hidden the a is 剑 圣剑 ☀️ köln"
)
texts = st.lists(st.sampled_from(["", *WORDS.split()]), max_size=9).map(" ".join)
filters = st.sampled_from([EVERYTHING, Compare("gameDay", "<=", 2), Compare("type", "==", "lore")])
kinds = st.sampled_from(["message", "lore"])


@settings(max_examples=share_of(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    contents=st.lists(st.tuples(texts, st.integers(0, 4), kinds), min_size=1, max_size=40),
    queries=st.lists(st.tuples(texts, filters, st.integers(1, 12)), min_size=1, max_size=4),
    rerank=st.booleans(),
)
def test_a_search_equals_brute_force(
    contents: list[tuple[str, int, str]],
    queries: list[tuple[str, Filter, int]],
    rerank: bool,
    small_segments: int,
    oracle: Any,
    compare: Callable[..., None],
    run: Callable[..., None],
    memory: Callable[..., Memory],
) -> None:
    memories = [
        memory(f"m{number % 7}{number}", text, gameDay=day, type=kind)
        for number, (text, day, kind) in enumerate(contents)
    ]

    async def play(store: SqliteStore) -> None:
        for start in range(0, len(memories), 3):
            await store.put(memories[start : start + 3])
        for query, filter, limit in queries:
            if oracle.says_nothing(query):
                continue
            scores = oracle.scores(memories, query, filter=filter, limit=limit, rerank=rerank)
            compare(await store.search("s1-alice", query, filter=filter, limit=limit), scores, limit)

    run(play, rerank=rerank)


@pytest.mark.parametrize("rerank", [True, False])
def test_a_search_among_hundreds_equals_brute_force(
    rerank: bool, oracle: Any, compare: Callable[..., None], run: Callable[..., None], memory: Callable[..., Memory]
) -> None:
    names, deeds, things = ("Alice", "Bob", "Eve"), ("hides", "finds", "drops", "praises"), ("sword", "crown", "map")
    places = ("cave", "tavern", "tower", "harbour", "garden", "cellar", "market", "chapel", "forest", "bridge")
    sentences = [
        f"{name} {deed} the {thing} near the {place}{' at night' * (number % 3)}."
        for number, (name, deed, thing, place) in enumerate(
            (name, deed, thing, place) for name in names for deed in deeds for thing in things for place in places
        )
    ]
    memories = [
        memory(f"m{number * 7919 % 1009:04}", text, type="message" if number % 3 else "lore")
        for number, text in enumerate(sentences * 2)
    ]
    memories = list({kept.id: kept for kept in memories}.values())
    assert len(memories) > 600

    async def play(store: SqliteStore) -> None:
        await store.put(memories[:400])
        await store.put(memories[400:])
        for query in ("Who hides the crown in the tower at night?", "harbour", "Eve and Bob", "jewellery", "fish dock"):
            for limit in (5, 60, 130):
                scores = oracle.scores(memories, query, limit=limit, rerank=rerank)
                compare(await store.search("s1-alice", query, limit=limit), scores, limit)

    run(play, rerank=rerank)
