"""What strategies and plugins are given cannot be changed: a session's cast and state are its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest

from earwitness import MessageEvent, Moment, Plugin, Presence, Session
from earwitness.records.base import Record
from earwitness.records.plan import Plan
from earwitness.records.read_only import ReadOnlyDict, sealed
from earwitness.records.state import State

Begin = Callable[..., Awaitable[Session]]


class Careless:
    """A detector that changes what it is given."""

    def __init__(self, change: Callable[[Moment], object]) -> None:
        self.change = change

    def detect(self, moment: Moment) -> Presence:
        self.change(moment)
        return Presence.only(moment.message.speaker)


@pytest.mark.parametrize(
    "change",
    [
        lambda moment: moment.cast.by_id.pop("bob"),
        lambda moment: moment.state.flags.update(seen=True),
        lambda moment: moment.state.flags["deep"]["list"].append(2),
        lambda moment: moment.state.whereabouts.clear(),
        lambda moment: moment.state.model_extra.clear(),
        lambda moment: moment.state.model_extra["weather"].append("snow"),
        lambda moment: moment.message.metadata.update(a=2),
        lambda moment: moment.recent[-1].metadata["deep"].clear(),
    ],
)
async def test_a_detector_that_tries_is_named_and_nothing_has_changed(
    begin: Begin, change: Callable[[Moment], object]
) -> None:
    story = await begin(detector=Careless(change), strict=False)
    await (await story.say("alice", "Hello.", metadata={"deep": {"a": 1}})).settled()
    await (await story.change(flags={"deep": {"list": [1]}}, weather=["rain"])).settled()
    before, cast = story.state, story.cast.ids
    settled = await (await story.say("alice", "Hello again.", metadata={"deep": {"a": 1}}, key="m2")).settled()
    assert [each.by for each in settled.failures] == ["detector:careless"]
    assert "is frozen. Change a copy of it" in str(settled.failures[0].failure)
    assert story.cast.ids == cast == tuple(story.cast.by_id)
    assert (story.state.flags, story.state.model_extra) == ({"deep": {"list": [1]}}, {"weather": ["rain"]})
    assert story.state.whereabouts.keys() == before.whereabouts.keys()


async def test_a_copy_of_what_is_given_is_the_plugins_own(begin: Begin) -> None:
    class Copies(Plugin):
        def on_message(self, event: MessageEvent) -> None:
            flags = dict(event.state.flags)
            flags["mine"] = True
            deep = event.state.model_copy(deep=True)
            deep.flags["mine"] = True

    story = await begin(plugins=[Copies()])
    assert (await (await story.say("alice", "Hello.")).settled()).failures == ()
    assert story.state.flags == {}


def test_sealing_changes_no_value_and_keeps_shared_lists_one() -> None:
    names = ["alice", "bob"]
    given = {"flags": {"a": names, "b": [names]}, "free": {"x": ({"y": 1},)}}
    state = sealed(State.model_validate(given))
    assert state == State.model_validate(given)
    assert State.model_validate_json(state.model_dump_json()).flags == given["flags"]
    plan: Any = Plan(session="s1", sequence=1, key="k", state={"a": names, "b": names})
    kept = sealed(plan).state
    assert kept["a"] is kept["b"] is not names
    assert sealed(plan).state is kept


class Joined(Record):
    """A record with a field that is annotated as no more than a mapping."""

    numbers: Mapping[str, int] = {}


def test_a_dict_in_a_field_that_is_annotated_as_a_mapping_cannot_be_changed() -> None:
    numbers: Any = sealed(Joined.unchecked({"numbers": {"alice": 1}})).numbers
    assert isinstance(numbers, ReadOnlyDict)
    assert numbers == {"alice": 1}


def test_what_is_noted_in_a_sealed_state_is_sealed_and_nothing_else_is_looked_through_again() -> None:
    before = sealed(State(facts={"k1": {"mine": ({"deep": [1]},)}, "k2": {"mine": (2,)}}))
    after = before.noting({"k3": {"mine": ({"deep": [3]},)}, "k2": None})
    assert dict(after.facts) == {"k1": {"mine": ({"deep": [1]},)}, "k3": {"mine": ({"deep": [3]},)}}
    assert after.facts["k1"] is before.facts["k1"]
    assert isinstance(after.facts["k3"], ReadOnlyDict)
    kept: Any = after.facts
    assert sealed(after).facts is kept
    with pytest.raises(TypeError, match="is frozen"):
        kept["k3"]["mine"][0]["deep"].append(4)
    assert before.facts.keys() == {"k1", "k2"}
    unsealed = State(facts={"k1": {"mine": (1,)}})
    assert type(unsealed.noting({"k2": {"mine": (2,)}}).facts) is dict
