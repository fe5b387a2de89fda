"""Each option is decided by the nearest level that sets it: relationship, member, pantheon, defaults."""

from itertools import product
from typing import Any

import pytest

from earwitness_relationships.rules import Rules
from earwitness_relationships.rules.precedence import DEFAULTS, deciding_level, effective
from earwitness_relationships.rules.records import Budget, Conditions

# Every option, with three different values.
VALUES: dict[str, tuple[Any, Any, Any]] = {
    **dict.fromkeys((name for name, value in DEFAULTS if isinstance(value, bool)), (True, False, True)),
    "share_with": (("a",), ("b",), ()),
    "manner": ("intimate", "witnessed", "gossip"),
    "only_about": (("a",), ("b",), ()),
    "never_about": (("a",), ("b",), ()),
    "min_weight": (0.1, 0.2, 0.0),
    "relation_types": (("couple",), ("friend",), ()),
    "max_hops": (2, 0, 5),
    "decay": (0.5, 0.25, 1.0),
    "fan_out": (1, 0, 7),
    "budget": (Budget(message=1), Budget(listener_day=2), Budget()),
    "delay": (1, 0, 3.5),
    "chance": (0.5, 0.0, 1.0),
    "reliability": (0.5, 0.0, 1.0),
    "retell": ("summary", "verbatim", "gossip_column"),
    "when": ("conversation", "message", "conversation"),
    "conditions": (Conditions(places=("inn",)), Conditions(flags={"war": True}), Conditions()),
    "hub_from": (10, 0, 3),
    "spreading": ("sir", "push", "pull"),
    "triage": ("novelty", "mine", "yours"),
}
# Which of relationship, member and pantheon set it → which decides.
TABLE = {
    (True, True, True): "relationship",
    (True, True, False): "relationship",
    (True, False, True): "relationship",
    (True, False, False): "relationship",
    (False, True, True): "member",
    (False, True, False): "member",
    (False, False, True): "pantheon",
    (False, False, False): "default",
}


def test_the_table_is_of_every_option() -> None:
    assert VALUES.keys() == Rules.model_fields.keys()


@pytest.mark.parametrize("option", VALUES)
@pytest.mark.parametrize("sets", list(product((True, False), repeat=3)))
def test_the_nearest_level_that_sets_an_option_decides_it(option: str, sets: tuple[bool, bool, bool]) -> None:
    values = dict(zip(("relationship", "member", "pantheon"), VALUES[option], strict=True))
    levels = {
        level: Rules(**{option: values[level]}) if is_set else Rules()
        for level, is_set in zip(values, sets, strict=True)
    }
    deciding = TABLE[sets]
    assert deciding_level(option, levels["pantheon"], levels["member"], levels["relationship"]) == deciding
    expected = getattr(DEFAULTS, option) if deciding == "default" else values[deciding]
    found = effective(levels["pantheon"], levels["member"], levels["relationship"])
    assert getattr(found, option) == expected
    others = {name: value for name, value in found if name != option}
    assert others == {name: value for name, value in DEFAULTS if name != option}


def test_a_members_as_leaves_the_pantheons_exclude_private_as_it_is() -> None:
    found = effective(Rules(manner="gossip", exclude_private=True), Rules(share_with=("vaggie",), manner="intimate"))
    assert (found.manner, found.exclude_private, found.share_with) == ("intimate", True, ("vaggie",))


def test_false_wins_over_a_true_that_is_further_away() -> None:
    assert effective(Rules(gossip_about_others=True), Rules(gossip_about_others=False)).gossip_about_others is False


def test_an_option_of_several_values_is_replaced_whole() -> None:
    found = effective(Rules(budget=Budget(message=3)), Rules(budget=Budget(listener_day=1)))
    assert found.budget == Budget(message=None, listener_day=1)
