"""Where everybody is, and how: movements folded one after the other."""

from __future__ import annotations

import pytest

from earwitness.end.whereabouts import folded, moved_along
from earwitness.records.moment import Movement
from earwitness.records.state import Condition, Whereabouts

HERE = Whereabouts(place="tavern", here=True, since=1)


def after(*moves: Movement, where: Whereabouts | None = HERE) -> Whereabouts:
    """Bob's whereabouts after these movements, told one message after the other."""
    places = {} if where is None else {"bob": where}
    for sequence, move in enumerate(moves, start=2):
        places = folded(places, [move], "tavern", sequence)
    return places["bob"]


def becomes(condition: Condition) -> Movement:
    return Movement(character="bob", kind="become", condition=condition)


ENTERS, LEAVES = (Movement(character="bob", kind=kind) for kind in ("enter", "leave"))


@pytest.mark.parametrize("condition", ["asleep", "unconscious", "dead"])
def test_who_perceives_nothing_is_not_here_until_they_wake_or_enter(condition: Condition) -> None:
    assert after(becomes(condition)) == Whereabouts(place="tavern", since=2, condition=condition)
    assert after(becomes(condition), becomes("awake")) == Whereabouts(place="tavern", here=True, since=3)
    assert after(becomes(condition), ENTERS) == Whereabouts(place="tavern", here=True, since=3)


def test_who_sleeps_is_carried_and_sleeps_on() -> None:
    carried = Movement(character="bob", kind="move", place="cellar")
    back = Movement(character="bob", kind="move", place="tavern")
    assert after(becomes("asleep"), carried) == Whereabouts(place="cellar", since=3, condition="asleep")
    assert not after(becomes("asleep"), carried, back).here
    assert after(becomes("asleep"), carried, back, becomes("awake")).here
    assert after(becomes("asleep"), LEAVES, becomes("awake")) == Whereabouts(since=4)


def test_who_hides_stays_here_since_they_came_and_who_goes_does_not_hide() -> None:
    assert after(becomes("hiding")) == Whereabouts(place="tavern", here=True, since=1, condition="hiding")
    assert after(becomes("hiding"), becomes("awake")) == HERE
    assert after(becomes("hiding"), LEAVES) == Whereabouts(since=3)


def test_who_is_on_a_call_is_elsewhere_and_stays_there_when_it_ends() -> None:
    gate = Whereabouts(place="gate", since=1)
    assert after(becomes("on_call"), where=gate) == Whereabouts(place="gate", since=2, condition="on_call")
    assert after(becomes("on_call"), becomes("awake"), where=gate) == Whereabouts(place="gate", since=3)
    assert after(becomes("on_call"), where=None) == Whereabouts(since=2, condition="on_call")
    assert after(becomes("on_call"), becomes("awake")) == Whereabouts(since=3)


def test_who_was_nowhere_yet_sleeps_where_it_is_told() -> None:
    assert after(becomes("asleep"), where=None) == Whereabouts(place="tavern", since=2, condition="asleep")


def test_when_the_story_moves_on_sleepers_stay_and_are_not_woken_by_its_return() -> None:
    places = {"bob": Whereabouts(place="tavern", condition="asleep"), "alice": HERE}
    gone = moved_along(places, "cave", 5)
    assert gone == {"bob": places["bob"], "alice": Whereabouts(place="cave", here=True, since=5)}
    assert moved_along(gone, "tavern", 6)["bob"] == places["bob"]


def test_the_host_s_word_holds_when_the_story_goes_elsewhere_and_ends_when_they_go() -> None:
    sure = Movement(character="bob", kind="enter", certain=True)
    there = folded({}, [sure], "tavern", 1)
    assert there["bob"].certain
    assert moved_along(there, "cellar", 2)["bob"].certain
    assert not folded(there, [Movement(character="bob", kind="leave")], "tavern", 3)["bob"].certain


def test_the_host_s_word_makes_sure_of_who_was_only_taken_to_be_here() -> None:
    guessed = folded({}, [Movement(character="bob", kind="enter")], "tavern", 1)
    sure = folded(guessed, [Movement(character="bob", kind="enter", certain=True)], "tavern", 5)
    assert (guessed["bob"].certain, sure["bob"].certain, sure["bob"].since) == (False, True, 1)


def test_those_who_come_or_go_alike_share_one_record_and_the_others_do_not() -> None:
    asleep, apart = HERE.model_copy(update={"condition": "asleep"}), HERE.model_copy(update={"since": 0})
    places = {"anna": HERE, "bob": HERE.model_copy(), "carl": asleep, "dora": apart}
    gone = folded(places, [Movement(character=id, kind="leave") for id in places], "tavern", 5)
    assert gone["anna"] is gone["bob"]
    assert gone == {id: folded(places, [Movement(character=id, kind="leave")], "tavern", 5)[id] for id in places}
    assert (gone["carl"].condition, gone["dora"].condition) == ("asleep", "awake")
