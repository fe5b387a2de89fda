"""Nodes, relations and facts refuse what cannot be one, in one sentence."""

from typing import Any

import pytest

from earwitness.errors import InputError
from earwitness_relationships.graph import Fact, Node, Relation
from earwitness_relationships.propagation.records import Spread, Stop, Telling

DEEP: Any = {}
for _ in range(300):
    DEEP = {"deeper": DEEP}


@pytest.mark.parametrize("id", ["", " a", "a\nb", "a\u200bb", "x" * 301, 7, None])
def test_an_id_is_checked_like_other_ids(id: Any) -> None:
    with pytest.raises(InputError):
        Node(id=id)
    with pytest.raises(InputError):
        Relation(source="a", target=id, type="KNOWS")
    with pytest.raises(InputError):
        Relation(source="a", target="b", type=id)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}, DEEP, "\ud800", b"\xff"])
def test_attributes_are_json(value: Any) -> None:
    with pytest.raises(InputError):
        Node(id="a", attributes={"x": value})


@pytest.mark.parametrize(
    "wrong", [{"weight": -1}, {"weight": float("nan")}, {"since": 5, "until": 4}, {"since": 2**60}]
)
def test_a_relation_has_a_weight_and_days_that_can_be(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Relation(source="a", target="b", type="KNOWS", **wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"op": "end", "node": {"id": "a"}},
        {"op": "end", "relation": {"source": "a", "target": "b", "type": "KNOWS"}},
        {"op": "clear", "node": {"id": "a"}},
        {"op": "assert", "node": {"id": "a"}, "relation": {"source": "a", "target": "b", "type": "KNOWS"}},
        {"op": "forget", "node": {"id": "a"}},
        {"node": {"id": "a", "kind": "Dragon"}},
    ],
)
def test_a_fact_is_about_one_thing(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Fact(**wrong)


def test_a_kind_that_is_none_lists_those_there_are() -> None:
    with pytest.raises(InputError, match="'Location', 'Item', 'Faction', 'Quest', 'Event' or 'Pantheon'"):
        Node(id="a", kind="Dragon")  # type: ignore[arg-type]


def test_a_relation_is_printed_as_a_sentence() -> None:
    relation = Relation(source="charlie", target="vaggie", type="couple", weight=0.9, since=3, until=9)
    assert str(relation) == "charlie couple vaggie since day 3 until day 9 (weight 0.9)"
    telling = Telling(listener="vaggie", teller="charlie", hop=1, day=4, rule="hotel:gossip")
    stop = Stop(listener="husk", teller="", rule="", why="no rule tells them")
    assert str(Spread(tellings=(telling,), stops=(stop,))) == (
        "charlie tells vaggie on day 4 (hotel:gossip)\nhusk is not told: no rule tells them"
    )
