"""A filter over columns means what `earwitness.filters.matches` says, for every value and every comparison."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from earwitness.filters import And, Compare, Filter, In, Not, Or, matches
from earwitness.records.memory import Memory
from earwitness_plugins.ranking.columns import Column
from earwitness_plugins.ranking.masks import mask
from earwitness_plugins.stores.sqlite import SqliteStore

from ...examples import share_of

FIELDS = ["gameDay", "type", "participants", "isSpeaker"]
words = st.sampled_from(["", "1", "True", "alice", "bob", "é"])
integers = st.one_of(st.integers(-2, 3), st.sampled_from([2**53, 2**53 + 1, -(2**53) - 1, 10**400]))
floats = st.sampled_from([0.0, -0.0, 1.0, 1.5, -2.25, 1e300, float(2**53)])
stored = st.one_of(
    words,
    integers,
    floats,
    st.sampled_from([math.inf, -math.inf, math.nan]),
    st.booleans(),
    st.lists(words, max_size=3),
)
rows = st.lists(st.dictionaries(st.sampled_from(FIELDS), stored), max_size=12)

fields = st.sampled_from([*FIELDS, "game_day", "nowhere"])
equalities = st.builds(
    Compare, fields, st.sampled_from(["==", "!="]), st.one_of(words, integers, floats, st.booleans())
)
orders = st.builds(Compare, fields, st.sampled_from([">", ">=", "<", "<="]), st.one_of(integers, floats))
leaves = st.one_of(equalities, orders, st.builds(In, fields, st.lists(words, max_size=3).map(tuple)))
trees: st.SearchStrategy[Filter] = st.recursive(
    leaves,
    lambda parts: st.one_of(
        st.builds(And, st.lists(parts, max_size=3).map(tuple)),
        st.builds(Or, st.lists(parts, max_size=3).map(tuple)),
        st.builds(Not, parts),
    ),
    max_leaves=6,
)


@settings(max_examples=share_of(400))
@given(rows=rows, filter=trees)
@example(rows=[{"type": 2**53 + 1}, {"type": float(2**53)}], filter=Compare("type", "<", 2**53 + 1))
@example(rows=[{"type": ["a"]}, {"type": "a"}, {"type": 1}], filter=Compare("type", "!=", 10**400))
def test_columns_mean_what_matches_says(rows: list[dict[str, Any]], filter: Filter) -> None:
    columns: dict[str, Column] = {}
    for field in {key for row in rows for key in row}:
        columns[field] = Column()
        columns[field].put(np.arange(len(rows)), [row.get(field) for row in rows])
    held = mask(filter, len(rows), lambda field: columns.get(field, Column()))
    assert held.tolist() == [matches(filter, row) for row in rows]


@settings(max_examples=share_of(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=rows, filters=st.lists(trees, min_size=1, max_size=3), late=st.integers(0, 12))
def test_a_filtered_list_holds_what_matches_says(
    rows: list[dict[str, Any]],
    filters: list[Filter],
    late: int,
    small_segments: int,
    run: Callable[..., None],
    memory: Callable[..., Memory],
) -> None:
    memories = [memory(f"m{number:02}", **row) for number, row in enumerate(rows)]

    async def scene(store: SqliteStore) -> None:
        for start, end in ((0, late), (late, len(memories))):
            for number in range(start, end, 2):
                await store.put(memories[number : min(number + 2, end)])
            for filter in filters:
                wanted = [kept.id for kept in memories[:end] if matches(filter, kept.metadata)]
                assert [kept.id for kept in await store.list("s1-alice", filter=filter)] == wanted

    run(scene)
