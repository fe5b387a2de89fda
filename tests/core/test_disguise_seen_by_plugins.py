"""What guards, plugins, sharing rules and filters see of somebody in disguise, and what they cannot give away."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import pytest

from earwitness import Plugin, RecallAnswer, RecallEvent, Session
from earwitness.events import (
    Event,
    MessageEvent,
    PlanEvent,
    ReadEvent,
    Share,
    SharingEvent,
    StateChangeEvent,
    Strike,
    WorldAgentEvent,
    WorldAnswer,
)
from earwitness.filters import EVERYTHING, Compare, Filter

from .disguised_stories import CAST, HERE, MILL, ROUX, Begin, disguised_story, knows, leaks, shown


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[Session]:
    """Fosco has spoken as Roux."""
    async with disguised_story(tmp_path) as story:
        yield story


class NotCharlie:
    """A guard that keeps everything from Charlie."""

    def filter(self, event: ReadEvent) -> Filter:
        return EVERYTHING

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        his = [each for each in event.plan.deliveries if each.owner == "charlie"]
        return [Strike(delivery_id=each.id, reason="too young") for each in his]


async def test_a_guard_that_strikes_copies_reveals_nobody(begin: Begin) -> None:
    story = await begin(cast=CAST, present=HERE, guards=[NotCharlie()])
    await story.say("count", MILL, speak_as=ROUX, audience=HERE)
    (memory,) = (await story.backstage().inspect("bob")).memories
    assert memory.metadata["participants"] == [ROUX, "bob"]
    assert not leaks(await shown(story, "bob"))


class Listener(Plugin):
    """Keeps what recall shows to plugins."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def on_recall(self, event: RecallEvent) -> RecallAnswer | None:
        self.seen.append(event.query + "".join(hit.model_dump_json() for hit in event.memories))
        return None


class Casts(Plugin):
    """Keeps by which name each hook knows the count. It is a plugin, World Agent, guard and sharing rule in one."""

    def __init__(self) -> None:
        self.names: dict[str, set[str]] = {}

    def _note(self, hook: str, event: Event) -> None:
        self.names.setdefault(hook, set()).add(event.cast["count"].name)

    async def propose(self, event: WorldAgentEvent) -> WorldAnswer:
        self._note("propose", event)
        return WorldAnswer()

    def on_message(self, event: MessageEvent) -> None:
        self._note("on_message", event)

    def on_recall(self, event: RecallEvent) -> None:
        self._note("on_recall", event)

    def on_state_change(self, event: StateChangeEvent) -> None:
        self._note("on_state_change", event)

    def share(self, event: SharingEvent) -> Iterable[Share]:
        self._note("share" if event.moment else "share later", event)
        yield Share(character="dana", shared_from="bob", rule="bob talks", due=event.day + 1)

    def filter(self, event: ReadEvent) -> Filter:
        self._note("filter", event)
        return EVERYTHING

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        self._note("strike" if event.plan.presence else "strike later", event)
        return ()


async def test_while_a_message_is_settled_the_cast_goes_by_the_mask_and_everywhere_else_by_its_own_names(
    begin: Begin,
) -> None:
    casts = Casts()
    also = {"plugins": [casts], "world_agent": casts, "guards": [casts], "sharing_rules": [casts]}
    story = await begin(cast=CAST, present=HERE, **also)
    await story.say("count", MILL, speak_as=ROUX, audience=HERE)
    await story.turn("bob", query="the old mill", in_prompt=[])
    await story.change(game_day=2)
    await story.settled()
    masked, own = {ROUX}, {"Count Fosco"}
    during = dict.fromkeys(("propose", "on_message", "share", "strike"), masked)
    apart = dict.fromkeys(("on_recall", "on_state_change", "share later", "strike later", "filter"), own)
    assert casts.names == {**during, **apart}


class Gossip:
    """Whatever Bob hears, Dana hears from him a day later."""

    def share(self, event: SharingEvent) -> Iterable[Share]:
        if "bob" in event.message.participants:
            yield Share(character="dana", shared_from="bob", rule="bob talks", due=event.day + 1)


async def test_neither_plugins_of_recall_nor_gossip_learn_it(begin: Begin) -> None:
    listener = Listener()
    story = await begin(cast=CAST, present=HERE, plugins=[listener], sharing_rules=[Gossip()])
    await story.say("count", MILL, speak_as=ROUX, audience=HERE)
    await story.change(game_day=2, audience=[])
    for who in ("bob", "charlie", "dana"):
        assert not leaks(await shown(story, who))
    assert listener.seen
    assert not any(map(leaks, listener.seen))
    assert (await knows(story))["dana"] == "was told by bob on day 2"


class NotOf:
    """Withholds what this speaker said."""

    def __init__(self, speaker: str) -> None:
        self.speaker = speaker

    def filter(self, event: ReadEvent) -> Filter:
        return Compare("speaker", "!=", self.speaker)

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        return ()


async def test_filters_see_what_the_reader_sees(story: Session) -> None:
    async def found(speaker: str) -> list[str]:
        turn = await story.turn("bob", query="the old mill", in_prompt=[], filter=f'speaker = "{speaker}"')
        return [each.text for each in turn.memories]

    assert MILL in "".join(await found(ROUX))
    assert await found("count") == []
    await (await story.unmask("count", audience=["bob"])).settled()
    assert MILL in "".join(await found("count"))
    assert await found(ROUX) == []


@pytest.mark.parametrize(("speaker", "withheld"), [("count", False), (ROUX, True)])
async def test_a_guards_filter_sees_what_the_reader_sees(begin: Begin, speaker: str, withheld: bool) -> None:
    story = await begin(cast=CAST, present=HERE, guards=[NotOf(speaker)])
    await (await story.say("count", MILL, speak_as=ROUX, audience=HERE)).settled()
    turn = await story.turn("bob", query="the old mill", in_prompt=[])
    assert (MILL not in "".join(each.text for each in turn.memories)) == withheld


class Namer(Plugin):
    """Keeps what `on_recall` shows besides the memories, and answers nothing."""

    def __init__(self) -> None:
        self.seen = ""

    def on_recall(self, event: RecallEvent) -> None:
        self.seen += f"{event.cast} {event.state}"


async def test_what_events_show_of_the_cast_gets_into_no_prompt(begin: Begin) -> None:
    namer = Namer()
    story = await begin(cast=CAST, present=HERE, plugins=[namer])
    await story.say("count", MILL, speak_as=ROUX, audience=HERE)
    await story.move("count", "market")
    await story.change(quest="the mill")
    await (await story.leave("count")).settled()
    said = await shown(story, "bob")
    assert "Fosco" in namer.seen
    assert MILL in said
    assert not leaks(said)
