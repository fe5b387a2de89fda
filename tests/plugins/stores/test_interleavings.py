"""Whatever is written in whatever order, by one or by several, a store holds and finds what a dict would."""

from collections.abc import Callable
from typing import Any

import apsw
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from earwitness.filters import Compare, matches
from earwitness.records.memory import Memory
from earwitness_plugins.stores.sqlite import SqliteStore

from ...examples import share_of

WORDS = "sword dragon cave Alice hides 剑 the ☀️"

containers = st.sampled_from(["s1-alice", "s1-bob", "s1-alice'"])
ids = st.sampled_from([f"m{number}" for number in range(12)])
texts = st.lists(st.sampled_from(WORDS.split()), max_size=6).map(" ".join)
days = st.integers(0, 3)
puts = st.lists(st.tuples(containers, ids, texts, days), min_size=1, max_size=6)
steps = st.one_of(
    st.tuples(st.just("put"), puts),
    st.tuples(st.just("put"), puts),
    st.tuples(st.just("remove"), st.dictionaries(containers, st.lists(ids, max_size=4), max_size=2)),
    st.tuples(st.just("drop"), containers),
    st.tuples(st.just("look"), st.tuples(containers, texts, days, st.integers(1, 8))),
)
played = st.lists(st.tuples(st.integers(0, 1), steps), max_size=40)


class Scene:
    """What was written, in a dict; and looking whether a store says the same."""

    def __init__(self, memory: Callable[..., Memory], oracle: Any, compare: Callable[..., None]) -> None:
        self.held: dict[str, dict[str, Memory]] = {}
        self.memory, self.oracle, self.compare = memory, oracle, compare

    async def put(self, store: SqliteStore, rows: list[tuple[str, str, str, int]]) -> None:
        memories = [self.memory(id, text, container=container, gameDay=day) for container, id, text, day in rows]
        await store.put(memories)
        for kept in memories:
            self.held.setdefault(kept.container, {})[kept.id] = kept

    async def remove(self, store: SqliteStore, unwanted: dict[str, list[str]]) -> None:
        await store.remove(unwanted)
        for container, id in ((container, id) for container, ids in unwanted.items() for id in ids):
            self.held.get(container, {}).pop(id, None)

    async def drop(self, store: SqliteStore, container: str) -> None:
        await store.drop(container)
        self.held.pop(container, None)

    async def look(self, store: SqliteStore, how: tuple[str, str, int, int]) -> None:
        container, query, day, limit = how
        held, filter = list(self.held.get(container, {}).values()), Compare("gameDay", "<=", day)
        fitting = [kept for kept in held if matches(filter, kept.metadata)]
        assert list(await store.list(container)) == held
        assert list(await store.list(container, filter=filter, limit=limit, offset=1)) == fitting[1 : limit + 1]
        assert await store.count(container) == len(held)
        assert list(await store.get(container, [kept.id for kept in reversed(held)])) == held[::-1]
        hits = await store.search(container, query, filter=filter, limit=limit)
        if self.oracle.says_nothing(query):
            assert [hit.memory for hit in hits] == fitting[::-1][:limit]
        else:
            self.compare(hits, self.oracle.scores(held, query, filter=filter, limit=limit) if held else {}, limit)


def miscounted(connection: apsw.Connection) -> list[tuple[Any, ...]]:
    """Containers whose own counts are not what their tables hold, and shared rows that are not used so often."""
    shared = [
        row
        for table, user, name in (
            ("store_text", "store_memory", "text"),
            ("store_words", "store_tail", "words"),
            ("store_list", "store_text", "lists"),
        )
        for row in connection.execute(
            f"SELECT * FROM {table} AS it WHERE uses = 0"
            f" OR uses <> (SELECT count(*) FROM {user} AS user WHERE user.{name} = it.number)"
        )
    ]
    return (
        shared
        + connection.execute(
            """
        SELECT * FROM store_container AS it WHERE (live, tail, dead) IS NOT (
            SELECT (SELECT count(*) FROM store_memory WHERE rid >> 32 = it.number),
            (SELECT count(*) FROM store_tail WHERE rid >> 32 = it.number),
            (SELECT count(*) FROM store_gone WHERE container = it.number)
        )
        """
        ).fetchall()
    )


@settings(max_examples=share_of(80), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(played=played)
def test_two_stores_on_one_file_hold_and_find_what_a_dict_would(
    played: list[tuple[int, tuple[str, Any]]],
    small_segments: int,
    oracle: Any,
    compare: Callable[..., None],
    run: Callable[..., None],
    memory: Callable[..., Memory],
) -> None:
    scene = Scene(memory, oracle, compare)

    async def play(*stores: SqliteStore) -> None:
        for who, (step, how) in played:
            await getattr(scene, step)(stores[who], how)
        for store in stores:
            for container in ("s1-alice", "s1-bob", "s1-alice'"):
                await scene.look(store, (container, "Alice hides the sword", 2, 12))
            assert (await store.health()).ok
        assert await stores[0]._database.read(miscounted) == []

    run(play, stores=2)


@settings(max_examples=share_of(10), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rounds=st.integers(1, 40), keep=st.integers(1, 9))
def test_memories_that_are_written_again_and_again_do_not_pile_up(
    rounds: int,
    keep: int,
    small_segments: int,
    run: Callable[..., None],
    memory: Callable[..., Memory],
) -> None:
    async def scene(writer: SqliteStore, reader: SqliteStore) -> None:
        for number in range(rounds):
            await writer.put([memory(f"m{place}", f"round {number} sword {place}") for place in range(keep)])
            hits = await reader.search("s1-alice", "round", limit=20)
            assert {hit.memory.content for hit in hits} == {f"round {number} sword {place}" for place in range(keep)}
        gone = await writer._database.read(lambda c: c.execute("SELECT count(*) FROM store_gone").get)
        assert gone <= 3 * (keep + small_segments)

    run(scene, stores=2)


def test_the_same_question_after_every_write_never_gets_an_old_answer(
    small_segments: int,
    oracle: Any,
    compare: Callable[..., None],
    run: Callable[..., None],
    memory: Callable[..., Memory],
) -> None:
    async def play(writer: SqliteStore, reader: SqliteStore) -> None:
        scene = Scene(memory, oracle, compare)
        for number in range(30):
            text = ("Alice hides the sword", "a sword", "the cave")[number % 3]
            await scene.put(writer, [("s1-alice", f"m{number * 5 % 13}", f"{text} {number}", number % 4)])
            if number % 7 == 0:
                await scene.remove(writer, {"s1-alice": [f"m{number % 13}"]})
            for store in (reader, writer):
                await scene.look(store, ("s1-alice", "Where is the sword of Alice?", number % 4, 5))
        segments = await writer._database.read(lambda c: c.execute("SELECT count(*) FROM store_segment").get)
        assert segments > 1

    run(play, stores=2)
