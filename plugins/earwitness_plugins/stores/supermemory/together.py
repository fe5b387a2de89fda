"""Several calls side by side: the first failure ends the others, and none is left unheard when the caller gives up."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")
U = TypeVar("U")


async def together(calls: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The answers, in the order of the calls. Raises the failure of the first that fails.

    A task group would cancel the caller's task, and Python 3.11 does not take that back (mended in 3.13).
    """
    tasks = [asyncio.ensure_future(each) for each in calls]
    try:
        if tasks:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        if failed := next((each for each in tasks if each.done() and each.exception()), None):
            failed.result()
        return [task.result() for task in tasks]
    finally:
        if left := [task for task in tasks if not task.done() or task.cancelled() or task.exception()]:
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)


async def both(one: Coroutine[Any, Any, T], other: Coroutine[Any, Any, U]) -> tuple[T, U]:
    """As `together`, for two calls that answer different things."""
    found: list[Any] = await together([one, other])
    return found[0], found[1]
