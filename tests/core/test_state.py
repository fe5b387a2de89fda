"""The state: what changes from one to the next, in as few words as the change has."""

from collections.abc import Mapping
from functools import reduce
from typing import Any

import pytest

from earwitness.records.plan import Plan
from earwitness.records.snapshot import Snapshot
from earwitness.records.state import State, Whereabouts

TAVERN = Whereabouts(place="tavern", here=True, since=2)
CELLAR = Whereabouts(place="cellar", since=3)
BEFORE = State(current_scene="tavern", whereabouts={"alice": TAVERN, "bob": TAVERN}, quest="the sword", gold=3)


def plan(before: State, after: State) -> Plan:
    """A plan that leads from one state to the other, as a ledger would give it back."""
    made = Plan(
        session="s", sequence=1, key="#1", state=before.changes_to(after), whereabouts=before.movements_to(after)
    )
    return Plan.model_validate_json(made.model_dump_json())


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"whereabouts": {"alice": TAVERN, "bob": CELLAR}},
        {"whereabouts": {"alice": TAVERN}},
        {"whereabouts": {}},
        {"whereabouts": {"alice": TAVERN, "bob": TAVERN, "charlie": CELLAR}},
        {"quest": None, "gold": None},
        {"game_day": 6, "flags": {"door": "open"}, "gold": 4, "weather": "fog", "quest": "the crown"},
    ],
)
def test_a_plan_leads_from_one_state_to_the_next(changes: Mapping[str, Any]) -> None:
    after = BEFORE.updated(changes)
    assert plan(BEFORE, after).state_after(BEFORE) == after
    assert reduce(Snapshot.after, [plan(BEFORE, after)], Snapshot(id="s", state=BEFORE)).state == after


def test_a_plan_names_those_who_moved_and_nobody_else() -> None:
    thousands = {f"c{number}": TAVERN for number in range(3_000)}
    before = State(whereabouts=thousands)
    after = before.updated({"whereabouts": {**thousands, "c7": CELLAR}, "message_count": 1})
    assert before.changes_to(after) == {"message_count": 1}
    assert before.movements_to(after) == {"c7": CELLAR}


def test_a_plan_of_an_earlier_version_holds_the_whereabouts_of_everybody() -> None:
    older = Plan(session="s", sequence=1, key="#1", state={"whereabouts": {"bob": CELLAR.model_dump(mode="json")}})
    assert older.state_after(BEFORE).whereabouts == {"bob": CELLAR}


def test_a_state_is_checked_where_it_changes() -> None:
    with pytest.raises(ValueError, match="game_day"):
        BEFORE.updated({"game_day": "soon"})
