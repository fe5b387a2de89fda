"""Backstage: who would learn a message if it were said now; nothing is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from earwitness import (
    MessageAnswer,
    MessageEvent,
    Moment,
    Plugin,
    Presence,
    Update,
)
from earwitness.errors import InputError, StrategyError, UnknownName
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness.testing.stories import view

from .backstage_stories import FOUR, Begin, Gossip, NotDana


class Counter(Plugin):
    """Counts what it is asked, in data that must not change by a preview."""

    counted: ClassVar[list[int]] = []

    def on_message(self, event: MessageEvent) -> MessageAnswer:
        event.data["count"] = count = int(str(event.data.get("count", 0))) + 1
        self.counted.append(count)
        return MessageAnswer(updates=(Update(description="The wind rose"),))


async def test_a_preview_shows_who_would_learn_it_and_who_must_not(begin: Begin) -> None:
    story = await begin(cast=FOUR, sharing_rules=[Gossip()], guards=[NotDana()])
    preview = await story.backstage().preview("Alice", "The sword is mine.", audience=["bob"], context="dm")
    assert (preview.message.content, preview.message.context, preview.message.speaker) == (
        "The sword is mine.",
        "dm",
        "alice",
    )
    assert list(preview.participants) == ["alice", "bob"]
    assert preview.learners == ("world", "alice", "bob", "charlie")
    (struck,) = [each for each in preview.deliveries if each.status == "struck"]
    assert (struck.owner, struck.reason) == ("dana", "guard:notdana: too young")


@pytest.mark.parametrize("given", [{"content": " \n"}, {"context": "shouted"}])
async def test_a_preview_refuses_what_could_not_be_said(begin: Begin, given: dict[str, Any]) -> None:
    story = await begin()
    told = {"content": "Hello.", "context": "dm", **given}
    with pytest.raises(InputError) as by_say:
        await story.say("alice", **told)
    with pytest.raises(InputError) as by_preview:
        await story.backstage().preview("alice", **told)
    assert str(by_preview.value) == str(by_say.value)


async def test_a_preview_writes_nothing_at_all(begin: Begin, directions: Any, teller: Callable[..., Any]) -> None:
    ledger, store = MemoryLedger(), MemoryStore()
    story = await begin(
        ledger=ledger,
        store=store,
        detector=directions,
        world_agent=teller(),
        plugins=[Counter()],
        sharing_rules=[Gossip()],
        present=["alice", "bob"],
    )
    await story.update("A bell rang")
    await (await story.say("alice", "One.")).settled()
    before = (await view(ledger, "s1"), await ledger.data("s1", "counter"), str(store._containers), story.state)
    for _ in range(2):
        await story.backstage().preview("alice", "(bob leaves) Two.", audience=["charlie"])
    after = (await view(ledger, "s1"), await ledger.data("s1", "counter"), str(store._containers), story.state)
    assert after == before
    assert Counter.counted == [1, 2, 2]
    await (await story.say("alice", "Three.")).settled()
    assert Counter.counted[-1] == 2


async def test_a_preview_is_what_then_happens(begin: Begin, directions: Any) -> None:
    story = await begin(detector=directions, sharing_rules=[Gossip()], present=["alice", "bob"])
    await story.say("alice", "(charlie enters)")
    preview = await story.backstage().preview("bob", "Who goes there?")
    settled = await (await story.say("bob", "Who goes there?")).settled()
    assert preview.participants == settled.participants
    assert [each.id for each in preview.deliveries] == [each.id for each in settled.deliveries]


async def test_a_preview_names_who_failed(begin: Begin) -> None:
    class Broken:
        def detect(self, moment: Moment) -> Presence:
            raise ValueError("no ears")

    story = await begin(detector=Broken(), strict=False)
    preview = await story.backstage().preview("alice", "Hello.")
    assert list(preview.participants) == ["alice"]
    assert [answer.failure for answer in preview.answers if answer.failure] == ["ValueError: no ears"]
    with pytest.raises(StrategyError, match="no ears"):
        await (await begin(detector=Broken())).backstage().preview("alice", "Hello.")


async def test_a_preview_of_somebody_unknown_is_refused(begin: Begin) -> None:
    backstage = (await begin()).backstage()
    with pytest.raises(UnknownName, match="unknown character 'zoe'"):
        await backstage.preview("zoe", "Hello.")
    with pytest.raises(UnknownName, match="unknown character 'zoe'"):
        await backstage.preview("alice", "Hello.", audience=["zoe"])
