"""Numbers that JSON does not hold (NaN, infinities) are refused where they come in, naming who brought them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import pytest

from earwitness import (
    Derivation,
    Earwitness,
    MessageAnswer,
    MessageEvent,
    Participant,
    Plugin,
    Session,
    StateChangeAnswer,
    StateChangeEvent,
    Update,
    WorldAgentEvent,
    WorldAnswer,
)
from earwitness.errors import InputError, StoryError
from earwitness.events import Share, SharingEvent

Begin = Callable[..., Awaitable[Session]]
Open = Callable[..., Awaitable[Earwitness]]
ODD = [float("nan"), float("inf"), float("-inf")]


class Weather(Plugin):
    """Measures what no number holds."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def on_message(self, event: MessageEvent) -> MessageAnswer:
        return MessageAnswer(updates=(Update(description="It rains", metadata={"pressure": self.value}),))

    def on_state_change(self, event: StateChangeEvent) -> StateChangeAnswer:
        return StateChangeAnswer(updates=(Update(description="It clears", metadata={"deep": [{"x": self.value}]}),))


class Chronicler(Plugin):
    """Derives a fact with such a number."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def on_message(self, event: MessageEvent) -> MessageAnswer:
        fact = Derivation(content="It rained.", owner="world", metadata={"weight": self.value})
        return MessageAnswer(derived=(fact,))


class Agent:
    """A World Agent that is sure to an odd degree."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def propose(self, event: WorldAgentEvent) -> WorldAnswer:
        return WorldAnswer(participants={"bob": Participant(role="present", confidence=self.value)})


class Gossip:
    """A sharing rule with such a number."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def share(self, event: SharingEvent) -> Iterable[Share]:
        yield Share(character="charlie", metadata={"weight": self.value})


@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize(
    ("given", "by"),
    [
        (lambda value: {"plugins": [Weather(value)]}, "plugin:weather"),
        (lambda value: {"plugins": [Chronicler(value)]}, "plugin:chronicler"),
        (lambda value: {"world_agent": Agent(value)}, "world_agent:agent"),
        (lambda value: {"sharing_rules": [Gossip(value)]}, "sharing_rule:gossip"),
    ],
)
async def test_in_an_answer_it_is_that_ones_failure_and_the_story_goes_on(
    begin: Begin, value: float, given: Callable[[float], dict[str, Any]], by: str
) -> None:
    story = await begin(strict=False, **given(value))
    settled = await (await story.say("alice", "Hello.", audience=["bob"])).settled()
    assert [each.by for each in settled.failures] == [by]
    assert "not a number that JSON can hold" in str(settled.failures[0].failure)
    assert list(settled.participants) == ["alice", "bob"]


@pytest.mark.parametrize("value", ODD)
async def test_so_it_is_in_what_a_plugin_says_of_a_change(begin: Begin, value: float) -> None:
    story = await begin(strict=False, plugins=[Weather(value)])
    settled = await (await story.change(quest="home")).settled()
    assert [each.by for each in settled.failures] == ["plugin:weather"]


@pytest.mark.parametrize("value", ODD)
async def test_from_the_host_it_is_refused_and_nothing_is_told(begin: Begin, value: float) -> None:
    story = await begin()
    before = len(await story.backstage().journal())
    attempts: list[Callable[[], Awaitable[Any]]] = [
        lambda: story.change(pressure=value),
        lambda: story.change(flags={"deep": [value]}),
        lambda: story.say("alice", "Hello.", metadata={"pressure": value}),
        lambda: story.update("It rains", pressure=value),
        lambda: story.remember("alice", "It rained.", metadata={"weight": value}),
        lambda: begin("s2", state={"pressure": value}),
    ]
    for attempt in attempts:
        with pytest.raises(InputError, match=r"not a number that JSON can hold|a finite number is needed"):
            await attempt()
    assert len(await story.backstage().journal()) == before


async def test_words_that_look_like_such_a_number_are_words(begin: Begin) -> None:
    story = await begin()
    await (await story.say("alice", "NaN, Infinity and -Infinity.", metadata={"NaN": "Infinity"})).settled()
    await (await story.change(motto="NaN")).settled()
    assert story.state.model_extra == {"motto": "NaN"}


async def test_an_import_that_holds_one_is_refused_naming_its_line(open_app: Open) -> None:
    ew = await open_app()
    story = await ew.session("s1", cast=["alice"])
    await (await story.say("alice", "Hello.", metadata={"x": 1})).settled()
    lines = [line async for line in story.backstage().export()]
    lines[2]["entry"]["body"]["metadata"] = {"x": float("nan")}
    with pytest.raises(StoryError, match=r"line 3: .*NaN is not a number that JSON can hold") as refusal:
        await ew.import_session(lines, id="copy")
    assert len(str(refusal.value)) < 500
    assert await ew.sessions() == ("s1",)
