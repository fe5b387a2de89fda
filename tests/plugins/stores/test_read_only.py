"""What a search hands out is kept for the next one, so nobody can change it."""

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from earwitness.filters import equals, matches
from earwitness.records.memory import Hit, Memory
from earwitness.records.read_only import read_only
from earwitness_plugins.stores.sqlite import SqliteStore

METADATA: dict[str, Any] = {"gameDay": 3, "participants": ["alice", "bob"]}


async def test_a_memory_that_was_found_is_the_same_the_next_time(
    store: SqliteStore, memory: Callable[..., Memory]
) -> None:
    await store.put([memory("m1", "the sword", **METADATA)])
    for _ in range(2):
        [hit] = await store.search("s1-alice", "sword")
        assert hit.memory == memory("m1", "the sword", **METADATA)
        with pytest.raises(TypeError, match=r"this dict belongs to a record, which is frozen\. Change a copy of it"):
            hit.memory.metadata["gameDay"] = 4
        with pytest.raises(TypeError, match="this list belongs to a record"):
            hit.memory.metadata["participants"].append("eve")  # type: ignore[union-attr]
    await store.put([memory("m1", "the sword", gameDay=5)])
    [hit] = await store.search("s1-alice", "sword")
    assert hit.memory.metadata == {"gameDay": 5}


@pytest.mark.parametrize(
    "change",
    [
        lambda kept: kept.update(a=1),
        lambda kept: kept.pop("gameDay"),
        lambda kept: kept.setdefault("a", 1),
        lambda kept: kept.clear(),
        lambda kept: kept.__ior__({"a": 1}),
        lambda kept: kept.__delitem__("gameDay"),
        lambda kept: kept["participants"].extend(["eve"]),
        lambda kept: kept["participants"].sort(),
        lambda kept: kept["participants"].__iadd__(["eve"]),
        lambda kept: kept["participants"].__setitem__(0, "eve"),
        lambda kept: kept["participants"].__delitem__(0),
    ],
)
def test_no_way_to_change_it_is_left(change: Callable[[Any], object]) -> None:
    kept = read_only(METADATA)
    with pytest.raises(TypeError, match="is frozen"):
        change(kept)
    assert kept == METADATA


@pytest.mark.parametrize("copied", [dict, copy.copy, copy.deepcopy, lambda kept: pickle.loads(pickle.dumps(kept))])
def test_a_copy_of_it_is_plain(copied: Callable[[Any], Any]) -> None:
    found = copied(read_only(METADATA))
    assert found == METADATA
    found["gameDay"] = 4
    if copied is not dict and copied is not copy.copy:
        found["participants"].append("eve")


def test_it_is_what_it_was_in_json_filters_and_records() -> None:
    kept = Memory(id="m", container="c", content="t", metadata=METADATA).model_copy(
        update={"metadata": read_only(METADATA)}
    )
    hit = Hit(memory=kept, score=1)
    assert json.loads(json.dumps(kept.metadata)) == METADATA
    assert hit.model_dump()["memory"]["metadata"] == METADATA
    assert Hit.model_validate_json(hit.model_dump_json()) == hit
    assert matches(equals("participants", "bob"), kept.metadata)
    assert kept.model_copy(deep=True) == kept
