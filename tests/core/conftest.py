"""A story on the reference ledger and store: no backend, no rule, nobody asked but whom a test names."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any

import pytest

from earwitness import Character, Earwitness, Memory, Session, Settings
from earwitness.testing.reference import MemoryLedger, MemoryStore

KINDS = ("store", "ledger", "detector", "world_agent", "sharing_rules", "guards")
ALONE = {"plugins": (), "embedder": "none", "detector": "none", "world_agent": "none", "strict": True}


@pytest.fixture
async def open_app() -> AsyncIterator[Callable[..., Awaitable[Earwitness]]]:
    """Opens an instance. Strategies are given by kind, plugins as instances, everything else is a setting."""
    async with AsyncExitStack() as opened:

        async def open_app(plugins: Iterable[object] = (), **given: Any) -> Earwitness:
            made = {"store": MemoryStore(), "ledger": MemoryLedger()}
            made |= {kind: given.pop(kind) for kind in KINDS if kind in given}
            settings = Settings.of(**{**ALONE, **given})
            return await opened.enter_async_context(
                Earwitness.open(settings=settings, plugins=plugins, strategies=made)
            )

        yield open_app


@pytest.fixture
def begin(open_app: Callable[..., Awaitable[Earwitness]]) -> Callable[..., Awaitable[Session]]:
    """Begins a story with Alice, Bob and Charlie in an instance of its own; takes what `open_app` takes."""

    async def begin(
        id: str = "s1",
        cast: Iterable[Character | str] = ("alice", "bob", "charlie"),
        *,
        state: Mapping[str, Any] | None = None,
        present: Iterable[str] = (),
        **given: Any,
    ) -> Session:
        return await (await open_app(**given)).session(id, cast=cast, state=state, present=present)

    return begin


@pytest.fixture
def memories() -> Callable[[Session, str], Awaitable[Sequence[Memory]]]:
    """What stands in one container of a story, once all is settled."""

    async def memories(story: Session, owner: str) -> Sequence[Memory]:
        return (await story.backstage().inspect(owner)).memories

    return memories
