"""An observer that hangs holds up one call, and no other."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from time import sleep

from earwitness import Observation, Session

Begin = Callable[..., Awaitable[Session]]


class Slow:
    """Takes its time with everything it is told."""

    def __init__(self) -> None:
        self.times = 0

    def observe(self, observation: Observation) -> None:
        self.times += 1
        sleep(1.2)


async def test_one_that_takes_too_long_is_switched_off_and_named(begin: Begin) -> None:
    story = await begin(observers=[slow := Slow()], strict=False, end={"plugin_timeout": 1.0})
    (named,) = (await story.turn("alice")).failures
    assert re.fullmatch(r"observer:slow: `observe` took [.0-9]+ s, .* waited for it; it was switched off", named)
    assert slow.times == 1
