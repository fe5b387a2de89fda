"""Who knows a thing is found by the words' own index, and that finds what reading everything would."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from earwitness import Earwitness
from earwitness.backstage.rarity import looked_up
from earwitness.backstage.who_knows import facts_among, holders_among
from earwitness.records.memory import Memory
from earwitness_plugins.stores.sqlite import SqliteStore

from ...durations import slowness
from ...examples import share_of

WORDS = ("sword", "swords", "dragon", "Alice", "Bob", "the", "hides", "hidden", "cave", "聖剣", "köln", "Game Day: 3\n")
texts = st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)


@settings(max_examples=share_of(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    told=st.lists(st.tuples(st.integers(0, 9), texts), min_size=1, max_size=30),
    removed=st.sets(st.integers(0, 9), max_size=3),
    questions=st.lists(texts, min_size=1, max_size=4),
)
def test_the_index_finds_what_reading_everything_finds(
    told: list[tuple[int, str]],
    removed: set[int],
    questions: list[str],
    small_segments: int,
    run: Callable[..., None],
    memory: Callable[..., Memory],
) -> None:
    async def play(store: SqliteStore) -> None:
        for number, text in told:
            await store.put([memory(f"m{number}", text)])
        await store.remove({"s1-alice": [f"m{number}" for number in removed]})
        there = await store.list("s1-alice")
        for question in questions:
            facts = facts_among(await store.holders("s1-alice", looked_up(question)), question)
            wanted = facts_among(holders_among(there, question), question)
            assert sorted(facts.ids) == sorted(wanted.ids)
            assert [facts.about(text) for _, text in told] == [wanted.about(text) for _, text in told]

    run(play)


async def test_who_knows_does_not_read_the_whole_world(tmp_path: Path, monkeypatch: Any) -> None:
    async with Earwitness.open(tmp_path / "story.db") as ew:
        story = await ew.session("s1", cast=["alice", "bob", "charlie"], present=["alice", "bob"])
        await (await story.say("alice", "Let us find the Sacred Sword.")).settled()
        monkeypatch.setattr(SqliteStore, "list", None)
        known = await story.backstage().who_knows("the Sacred Sword")
    assert str(known) == "alice: said it on day 1\nbob: heard it from alice on day 1\ncharlie: nothing found"


async def test_among_20_000_memories_it_takes_no_50_milliseconds(
    path: Path, store_at: Callable[..., SqliteStore], memory: Callable[..., Memory]
) -> None:
    store = store_at(path, embedder=None)
    await store.open()
    words = ("sword", "dragon", "tavern", "bread", "river", "lantern", "market", "purse", "crown", "bridge")
    for start in range(0, 20_000, 5_000):
        await store.put(
            [
                memory(f"m{n}", f"Alice saw the {words[n % 10]} and the {words[n // 10 % 10]} near oak{n // 100}.")
                for n in range(start, start + 5_000)
            ]
        )
    question = "Alice saw the sword and the crown near oak77."
    taken = []
    for _ in range(4):
        began = time.process_time()
        facts = facts_among(await store.holders("s1-alice", looked_up(question)), question)
        taken.append(time.process_time() - began)
    assert sorted(facts.ids) == sorted(facts_among(holders_among(await store.list("s1-alice"), question), question).ids)
    assert {"m7708", "m7780"} <= set(facts.ids)
    assert min(taken) < 0.05 * slowness()
    await store.close()
