"""Long texts are worked on in a thread, so that the event loop goes on meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
LONG = 4_000
"""Work on more characters than this may take as long as five milliseconds, or more in unusual scripts."""


async def aside(characters: int, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of work on a text of so many characters: done at once, or in a thread if the text is long."""
    if characters <= LONG:
        return work(*args, **kwargs)
    return await asyncio.to_thread(work, *args, **kwargs)
