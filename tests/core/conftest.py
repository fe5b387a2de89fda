"""A story on the reference ledger and store: no backend, no rule, nobody asked but whom a test names."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any

import pytest

from earwitness import (
    Character,
    Earwitness,
    Knowledge,
    Memory,
    Moment,
    Movement,
    Perceived,
    Presence,
    Session,
    Settings,
)
from earwitness.events import WorldAgentEvent, WorldAnswer
from earwitness.testing.reference import MemoryLedger, MemoryStore

KINDS = (
    "store",
    "ledger",
    "embedder",
    "detector",
    "world_agent",
    "sharing_rules",
    "guards",
    "read_providers",
    "observers",
    "jobs",
)
ALONE = {"plugins": (), "embedder": "none", "detector": "none", "world_agent": "none", "strict": True}


@pytest.fixture
async def open_app() -> AsyncIterator[Callable[..., Awaitable[Earwitness]]]:
    """Opens an instance. Strategies are given by kind, plugins as instances, everything else is a setting."""
    async with AsyncExitStack() as opened:

        async def open_app(plugins: Iterable[object] = (), **given: Any) -> Earwitness:
            made: dict[str, Any] = {"store": MemoryStore(), "ledger": MemoryLedger()}
            made |= {kind: given.pop(kind) for kind in KINDS if kind in given}
            settings = Settings.of(**{**ALONE, **given})
            return await opened.enter_async_context(Earwitness.open(settings=settings, plugins=plugins, **made))

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


class Directions:
    """A detector that believes stage directions: `(to bob, charlie)` names who perceives a message, else it is those
    who are here; `(bob leaves)` and `(bob enters)` move him afterwards. Keeps the moments it was shown."""

    def __init__(self) -> None:
        self.moments: list[Moment] = []

    def detect(self, moment: Moment) -> Presence:
        self.moments.append(moment)
        said = moment.message.content
        named = [id for names in re.findall(r"\(to ([\w, ]*)\)", said) for id in names.split(", ")]
        perceived = Perceived(probability=1, role="present", evidence=("as directed",))
        moves = {"leaves": "leave", "enters": "enter"}
        return Presence(
            characters=dict.fromkeys(named or moment.state.here, perceived),
            movements=tuple(
                Movement.model_validate({"character": id, "kind": moves[verb]})
                for id, verb in re.findall(r"\((\w+) (leaves|enters)\)", said)
            ),
        )


@pytest.fixture
def directions() -> Directions:
    """A detector that believes stage directions."""
    return Directions()


class Teller:
    """A World Agent that tells everybody's news in the world's own words, at most `most` items at a time."""

    def __init__(self, most: int | None = None) -> None:
        self.most = most

    async def propose(self, event: WorldAgentEvent) -> WorldAnswer:
        news = {id: (await event.world.news(id))[: self.most] for id in event.moment.cast.ids}
        return WorldAnswer(
            knowledge={
                id: tuple(Knowledge(text=each.body, cites=(each.memory_id,)) for each in items)
                for id, items in news.items()
            }
        )


@pytest.fixture
def teller() -> Callable[..., Teller]:
    """Makes World Agents that tell everybody's news."""
    return Teller
