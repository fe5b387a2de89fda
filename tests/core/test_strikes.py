"""A guard is told where it was said, and strikes deliveries of the plan: what names anything else fails."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

import pytest

from earwitness import Channel, Derivation, PlanEvent, Session, Strike, StrikeAnswer
from earwitness.errors import StrategyError
from earwitness.testing.scripted import Only

Begin = Callable[..., Awaitable[Session]]
DM = Channel(context="dm", channel_id="d1")


class NotFromMessages(Only):
    """A guard that keeps from Bob what happens in direct messages."""

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        his = [each for each in event.plan.deliveries if each.owner == "bob"]
        return [Strike(delivery_id=each.id, reason="in private") for each in his if event.channel.context == "dm"]


async def written(story: Session) -> None:
    await story.remember("bob", "The ring is lost.", channel=DM)


async def told(story: Session) -> None:
    await story.remember("alice", "The ring is lost.", key="ring")
    await story.tell("alice", "bob", "ring", channel=DM)


async def told_later(story: Session) -> None:
    await story.remember("alice", "The ring is lost.", key="ring", channel=DM)
    await story.tell("alice", "bob", "ring", day=3)
    await story.change(game_day=3)


async def learned_later(story: Session) -> None:
    await story.derive(Derivation(content="The ring is lost.", owner="bob", metadata=DM.metadata, due=3))
    await story.change(game_day=3)


@pytest.mark.parametrize("call", [written, told, told_later, learned_later])
async def test_a_guard_is_told_where_what_is_no_message_happened(
    begin: Begin, call: Callable[[Session], Awaitable[None]]
) -> None:
    story = await begin(guards=[NotFromMessages()])
    await call(story)
    await story.delivered()
    assert not (await story.turn("bob", query="the ring", in_prompt=[])).memories


class ByMemory(Only):
    """A guard that takes a memory's id for a delivery's."""

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        his = [each for each in event.plan.deliveries if each.owner == "bob"]
        return [Strike(delivery_id=each.memory_id, reason="not for Bob") for each in his]


class ByMemoryInARecord(ByMemory):
    """The same, answered as a record."""

    def strike(self, event: PlanEvent) -> StrikeAnswer:  # type: ignore[override]
        return StrikeAnswer(strikes=tuple(super().strike(event)))


@pytest.mark.parametrize("guard", [ByMemory(), ByMemoryInARecord()])
async def test_a_strike_that_meets_no_delivery_withholds_everything(begin: Begin, guard: Only) -> None:
    story = await begin(guards=[guard], strict=False)
    settled = await (await story.say("alice", "The sword is in the cave.", audience=["bob"])).settled()
    assert {each.owner for each in settled.deliveries if each.is_active} == {"alice", "world"}
    assert settled.degraded
    (failure,) = settled.failures
    assert "is not a delivery of this plan: name a delivery by its `id`" in str(failure.failure)


async def test_such_a_strike_raises_if_strict(begin: Begin) -> None:
    story = await begin(guards=[ByMemory()])
    with pytest.raises(StrategyError, match="not a delivery of this plan"):
        await (await story.say("alice", "The sword is in the cave.", audience=["bob"])).settled()
