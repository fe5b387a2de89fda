"""What every test of the promises stands on: an Earwitness on the store and ledger that are tested."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

from ...app import Earwitness
from ...backstage.records import Explanation
from ...filters import EVERYTHING, Filter
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
    """The process ends here."""


def crash() -> None:
    """End it: everything under way is cancelled."""
    raise Crash


@dataclass(frozen=True)
class Stage:
    """Where stories are played: each `open` is a new start of a program on the same data."""

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
        """An Earwitness without anything installed, `strict` unless the settings say otherwise.

        `store` and `ledger` may wrap what is tested; the other keywords are strategies, by default a detector and a
        World Agent that do what the text says.
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
    """How to make a store and a ledger, and what they can do together."""

    persistent: Capability = True
    """What was written is there when they are made again after closing, or are the same objects opened again."""
    shared: Capability = True
    """Two of each, all open on the same folder, see each other's writes at once."""

    def make_store_and_ledger(self) -> tuple[Store, Ledger]:
        """A store and a ledger of your own on `self.folder`, not opened yet."""
        raise NotImplementedError(f"{type(self).__name__} must define make_store_and_ledger().")

    async def until_searchable(self, story: Session) -> None:
        """Wait until what was settled can be found. Override where a store is not searchable at once."""

    def subject(self) -> AbstractAsyncContextManager[Stage]:
        """The stage; nothing is open yet."""
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
        """What comes to the character's mind, whatever the prompt holds already."""
        await story.settled()
        await self.until_searchable(story)
        turn = await story.turn(character, query=query, **{"in_prompt": (), "memories": 100, **more})
        return [each.text for each in turn.memories]

    async def held(self, story: Session, owner: str, filter: Filter = EVERYTHING) -> list[Memory]:
        """Everything that stands in a container of the story."""
        return list((await story.backstage().inspect(owner, filter=filter)).memories)

    def first_hand(self, explained: Explanation) -> list[bool]:
        """For each way back from a standing support: whether it ends with somebody who did not have it from another."""
        ends: list[bool] = []
        for hop in explained.supports:
            if hop.status == "applied":
                ends += self.first_hand(hop.via) if hop.via else [hop.how != "shared" or hop.shared_from is None]
        return ends or [False]

    async def everything(self, earwitness: Earwitness, prefix: str = "") -> dict[str, Any]:
        """All that is kept of the stories whose id begins so: every container, and what the ledger says of it."""
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
    """What a refused call said."""

    why: str = ""


@contextmanager
def refused(*errors: type[Exception]) -> Iterator[Refusal]:
    """What happens inside must raise one of these."""
    refusal = Refusal()
    try:
        yield refusal
    except errors as error:
        refusal.why = str(error)
        return
    raise AssertionError(f"expected {' or '.join(error.__name__ for error in errors)}, but nothing was refused")
