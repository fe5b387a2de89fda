"""A guard's strikes name deliveries of the plan; one that names anything else fails, and withholds everything."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

import pytest

from earwitness import PlanEvent, Session, Strike, StrikeAnswer
from earwitness.errors import StrategyError
from earwitness.testing.scripted import Only

Begin = Callable[..., Awaitable[Session]]


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
    assert "is no delivery of this plan: name a delivery by its `id`" in str(failure.failure)


async def test_such_a_strike_raises_if_strict(begin: Begin) -> None:
    story = await begin(guards=[ByMemory()])
    with pytest.raises(StrategyError, match="no delivery of this plan"):
        await (await story.say("alice", "The sword is in the cave.", audience=["bob"])).settled()
