"""A store whose reads end: one that does not answer in time fails."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, TypeVar

from .wrapper import Wrapper, wrapped_by, wrapper_of

S = TypeVar("S")
Limit = Callable[[Awaitable[Any], int], Awaitable[Any]]
"""Awaits the work, and raises if it takes so many times too long."""
READS = {"get": 1, "search": 1, "count": 1, "holders": 1, "list": 6, "by_hand": 6}
"""Method → how many times the limit it may take: a whole container is asked for page by page."""


def with_timed_reads(store: S, limit: Limit) -> S:
    """The store in a wrapper whose reads are awaited by `limit`."""

    def timed(name: str, found: Any) -> Any:
        return _timed(name, found, limit) if name in READS and inspect.iscoroutinefunction(found) else None

    wrapper: S = wrapper_of(store, timed)
    return wrapper


def _timed(name: str, method: Callable[..., Awaitable[Any]], limit: Limit) -> Callable[..., Any]:
    @wraps(method)
    async def read(wrapper: Wrapper, /, *given: Any, **by_name: Any) -> Any:
        return await limit(getattr(wrapped_by(wrapper), name)(*given, **by_name), READS[name])

    return read
