"""How a strategy is called: on a thread, where it asks for that. A strategy that asks others calls them so, too."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from .events import Event
from .protocols import Soon
from .records.moment import Moment
from .time_limit import apart, contained

MEMBER = 8
"""To judge about one member of the cast takes as long as to read so many characters."""

WARM_UP_LIMIT = 60.0
"""Seconds that a strategy may take to load what it needs. After that it is asked all the same."""


class WarmUp:
    """Lets strategies load what they need before they are first asked: once each, outside of their time limits."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._done: set[int] = set()

    async def of(self, strategy: object) -> None:
        """Call the strategy's method `warm_up` on a thread, if it has one. What fails there fails again when it is
        asked, and is reported then."""
        warm_up = getattr(strategy, "warm_up", None)
        if id(strategy) in self._done or not callable(warm_up):
            return
        async with self._lock:
            if id(strategy) not in self._done:
                await _tried(warm_up)
                self._done.add(id(strategy))


async def _tried(warm_up: Callable[[], object]) -> None:
    try:
        await apart(WARM_UP_LIMIT, asyncio.to_thread(warm_up))
    except BaseException as error:  # noqa: BLE001 - whatever third-party code raises
        contained(error)


def call(strategy: object, method: str, event: Event | Moment) -> Soon[Any]:
    """Call a strategy's method, such as `detect`, with what it is asked about.

    It is called on a thread if the strategy asks for that (`thread_from`, `on_thread`): the answer is then an
    awaitable, as that of any `async` method is.
    """
    called = partial(getattr(strategy, method), event)
    return _on_thread(called) if _is_for_thread(strategy, event) else called()


def _is_for_thread(strategy: object, event: Event | Moment) -> bool:
    thread_from, on_thread = getattr(strategy, "thread_from", None), getattr(strategy, "on_thread", None)
    if thread_from is not None and _length_of(event) >= thread_from:
        return True
    return on_thread is not None and bool(on_thread(event))


def _length_of(event: Event | Moment) -> int:
    """How much a strategy has to read: the characters of the messages, and `MEMBER` for each member of the cast."""
    moment = event if isinstance(event, Moment) else getattr(event, "moment", None)
    if not isinstance(moment, Moment):
        return 0
    return sum([len(each.content) for each in (moment.message, *moment.recent)]) + MEMBER * len(moment.cast)


async def _on_thread(called: Callable[[], Soon[Any]]) -> Any:
    answer = await asyncio.to_thread(called)
    return await answer if inspect.isawaitable(answer) else answer
