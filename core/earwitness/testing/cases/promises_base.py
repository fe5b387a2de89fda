"""The base of all promise tests: an Earwitness on the store and ledger under test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

from ...app import Earwitness
from ...backstage.records import Explanation
from ...filters import EVERYTHING, Filter
from ...ids import MemoryIds
from ...loading.settings import Settings
from ...outcome import Settlement
from ...protocols import Ledger, Store
from ...records.memory import Memory
from ...session import Session
from ..scripted import ByScript, Crier
from ..suite import Capability, Suite

QUICK = {"detector_timeout": 0.05, "plugin_timeout": 0.05}
"""Time limits for tests of strategies that hang."""


class Crash(Exception):
    """Simulates the end of the process."""


def crash() -> None:
    """End the process: everything under way is cancelled."""
    raise Crash


@dataclass(frozen=True)
class Stage:
    """A place to play stories: each `open` restarts the program on the same data."""

    make: Callable[[], tuple[Store, Ledger]]

    @asynccontextmanager
    async def open(
        self,
        *,
        store: Callable[[Store], Any] = lambda made: made,
        ledger: Callable[[Ledger], Any] = lambda made: made,
        plugins: Sequence[object] = (),
        settings: Mapping[str, Any] | None = None,
        **strategies: Any,
    ) -> AsyncIterator[Earwitness]:
        """An Earwitness without installed plugins, `strict` unless the settings say otherwise.

        `store` and `ledger` may wrap those under test. The other keywords are strategies; by default, a detector and a
        World Agent that follow the text.
        """
        kept, book = self.make()
        bare = {"plugins": [], "embedder": "none", "detector": "none", "world_agent": "none", "strict": True}
        played = {"detector": ByScript(), "world_agent": Crier(), **strategies}
        async with Earwitness.open(
            settings=Settings.of(**{**bare, **(settings or {})}),
            store=store(kept),
            ledger=ledger(book),
            **played,
            plugins=plugins,
        ) as earwitness:
            yield earwitness


class PromiseCases(Suite[Stage]):
    """How to make a store and a ledger, and their joint capabilities."""

    persistent: Capability = True
    """Data survives a restart, whether the two are made again after closing or the same objects are opened again."""
    shared: Capability = True
    """Two pairs on the same folder, all open, see each other's writes at once."""

    def make_store_and_ledger(self) -> tuple[Store, Ledger]:
        """Your own store and ledger on `self.folder`, not opened yet."""
        raise NotImplementedError(f"{type(self).__name__} must define make_store_and_ledger().")

    async def until_searchable(self, story: Session) -> None:
        """Wait until applied memories can be found. Override it for a store that is not searchable at once."""

    def subject(self) -> AbstractAsyncContextManager[Stage]:
        """The stage, with nothing open yet."""
        return self._stage()

    @asynccontextmanager
    async def _stage(self) -> AsyncIterator[Stage]:
        yield Stage(self.make_store_and_ledger)

    async def tavern(self, earwitness: Earwitness, id: str = "s1", **more: Any) -> Session:
        """A story: Alice and Bob are in the tavern, Carol and Dave are not."""
        cast = ("alice", "bob", "carol", "dave")
        return await earwitness.session(id, cast=cast, present=("alice", "bob"), **more)

    async def tell(self, story: Session, speaker: str, content: str, **more: Any) -> Settlement:
        """Say it, and wait until it is settled."""
        return await (await story.say(speaker, content, **more)).settled()

    async def recalled(self, story: Session, character: str, query: str, **more: Any) -> list[str]:
        """The memories the character recalls, whatever the prompt holds already."""
        await story.settled()
        await self.until_searchable(story)
        turn = await story.turn(
            character, query=query, **{"in_prompt": (), "memories": 100, "token_budget": None, **more}
        )
        return [each.text for each in turn.memories]

    async def held(self, story: Session, owner: str, filter: Filter = EVERYTHING) -> list[Memory]:
        """All memories in one of the story's containers."""
        return list((await story.backstage().inspect(owner, filter=filter)).memories)

    async def ids(self, earwitness: Earwitness, session: str) -> MemoryIds:
        """How a session's memory ids are derived: a branch may go on with those of its parent."""
        found = await earwitness.engine.ledger.load(session)
        assert found is not None  # noqa: S101
        return found.ids

    async def contents(self, story: Session, character: str) -> list[str]:
        """The messages in a character's container, in their order there."""
        found = [each.content.split(": ")[-2].removesuffix(" GameDay") for each in await self.held(story, character)]
        return [text.strip() for text in found]

    def first_hand(self, explained: Explanation) -> list[bool]:
        """For each path back from an active support: whether it ends with somebody who knows first hand."""
        ends: list[bool] = []
        for hop in explained.supports:
            if hop.status == "applied":
                ends += self.first_hand(hop.via) if hop.via else [hop.how != "shared" or hop.shared_from is None]
        return ends or [False]

    async def everything(self, earwitness: Earwitness, prefix: str = "") -> dict[str, Any]:
        """Everything kept of the stories whose ids have this prefix: containers, and what the ledger has on them."""
        found: dict[str, Any] = {}
        for id in [id for id in await earwitness.sessions() if id.startswith(prefix)]:
            story = await earwitness.open_session(id)
            for owner in (*story.cast.ids, "world"):
                found[f"{id}: {owner}"] = await self.held(story, owner)
            ledger = earwitness.engine.ledger
            found[f"{id}: journal"] = list(await ledger.entries(id))
            found[f"{id}: plans"] = list(await ledger.plans(id))
            found[f"{id}: deliveries"] = {each.id: each.status for each in await ledger.deliveries(id)}
        return found


class Refusal:
    """The text of the error that a refused call raised."""

    why: str = ""


@contextmanager
def refused(*errors: type[Exception]) -> Iterator[Refusal]:
    """Assert that the code inside raises one of these errors."""
    refusal = Refusal()
    try:
        yield refusal
    except errors as error:
        refusal.why = str(error)
        return
    raise AssertionError(f"expected {' or '.join(error.__name__ for error in errors)}, but nothing was refused")
