"""A fallback that refuses a text for good: it waits by name, is remembered all the same, and holds nothing else up."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, Session, Turn
from earwitness.errors import MemoriesRefused, NotYetApplied
from earwitness.loading.resources import Resources
from earwitness.records.memory import Memory
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness.testing.samples import memory
from earwitness_plugins.ledgers.sqlite import SqliteLedger
from earwitness_plugins.stores.fallback import FallbackStore
from earwitness_plugins.stores.sqlite import SqliteStore

from .two_stores import Service, held

BAD = "xyzzy"


def check(memories: Sequence[Memory], bad: str) -> None:
    """Raises `MemoriesRefused` for texts with a bad word in them."""
    found = [each for each in memories if bad and bad in each.content]
    if found:
        raise MemoriesRefused({each.container: {each.id: "413 too long"} for each in found})


class Picky(MemoryStore):
    """Refuses texts with a word in them."""

    bad = BAD

    async def put(self, memories: Sequence[Memory]) -> None:
        check(memories, self.bad)
        await super().put(memories)


class PickyFile(SqliteStore):
    """The same in a file, where a plan and its memories may share a transaction."""

    bad = BAD

    async def put(self, memories: Sequence[Memory]) -> None:
        check(memories, self.bad)
        await super().put(memories)

    async def prepared(self, memories: Sequence[Memory]) -> Any:
        check(memories, self.bad)
        return await super().prepared(memories)


class PickyService(Picky, Service):
    """A service that refuses, too."""


class Stores:
    """What survives a new start."""

    def __init__(self, folder: Path, service: Service, *, one_file: bool) -> None:
        self.service, self.one_file, self.bad = service, one_file, BAD
        self.ledger: Any = MemoryLedger()
        self.here: Any = Picky()
        self.path = str(folder / "story.db")

    def opened(self) -> Earwitness:
        if self.one_file:
            resources = Resources()
            self.ledger = SqliteLedger(path=self.path, resources=resources)
            self.here = PickyFile(path=self.path, embedder=None, resources=resources)
        self.here.bad = self.bad
        store = FallbackStore(primary=self.service, fallback=self.here, timeout=0.2, write_timeout=0.2, pause=0.01)
        return Earwitness.open(store=store, ledger=self.ledger, detector="everyone")


@pytest.fixture(params=[False, True], ids=["in memory", "in one file"])
def stores(tmp_path: Path, request: pytest.FixtureRequest) -> Stores:
    return Stores(tmp_path, Service(), one_file=request.param)


async def told(story: Session, *texts: str, first: int = 0) -> None:
    for number, content in enumerate(texts, first):
        await (await story.say("alice", content, key=f"m{number}")).settled()


async def says(story: Session, word: str = BAD) -> bool:
    turn: Turn = await story.turn("bob", query=f"the word {word}", in_prompt=())
    return any(word in each.memory.content for each in turn.memories)


async def refused(ew: Earwitness) -> list[str]:
    return [why for each in await ew.spool.waiting() for why in each.refused.values()]


async def test_the_rest_goes_on_and_it_waits_by_name(stores: Stores) -> None:
    service = stores.service
    async with stores.opened() as ew:
        story = await ew.session("s1", cast=["alice", "bob"])
        await told(story, "One.", f"The word is {BAD}.", "Two.")
        await story.delivered(20)
        assert await held(stores.here, "s1-bob") == ["m0", "m2"]
        assert await held(service, "s1-bob") == ["m0", "m1", "m2"]
        assert await refused(ew) == ["413 too long"] * 3
        turn = await story.turn("bob", query=BAD, in_prompt=())
        assert [BAD in each.memory.content for each in turn.memories].count(True) == 1
        assert "413 too long" in turn.failures[0]
        service.away = True
        assert await says(story)
        assert (await story.backstage().inspect("bob")).total == 3
        assert str(await story.backstage().who_knows(BAD)).startswith("alice: said it")


@pytest.mark.parametrize("away", [False, True])
async def test_a_new_start_tries_it_again(stores: Stores, away: bool) -> None:
    stores.service.away = away
    async with stores.opened() as ew:
        story = await ew.session("s1", cast=["alice", "bob"])
        await told(story, f"The word is {BAD}.", *(f"Number {each}." for each in range(20)))
        if not away:
            await story.delivered(20)
    stores.service.away = True
    async with stores.opened() as ew:
        story = await ew.open_session("s1")
        assert await says(story)
        assert len(await held(stores.here, "s1-bob")) == 20
        assert sum(each.count for each in await ew.spool.waiting()) == (63 if away else 3)
    stores.service.away, stores.bad = False, ""
    async with stores.opened() as ew:
        story = await ew.open_session("s1")
        await story.delivered(20)
        assert await ew.spool.waiting() == ()
        assert len(await stores.here.list("s1-bob")) == 21
        assert sorted(await held(stores.here, "s1-bob")) == sorted(await held(stores.service, "s1-bob"))


async def test_a_replay_tries_it_again(stores: Stores) -> None:
    async with stores.opened() as ew:
        story = await ew.session("s1", cast=["alice", "bob"])
        await told(story, f"The word is {BAD}.", "One.")
        with pytest.raises(NotYetApplied, match="refuses"):
            await story.delivered(20, retry_refused=True)
        stores.here.bad = ""
        assert await ew.spool.replay() == ()
        assert sorted(await held(stores.here, "s1-bob")) == ["m0", "m1"]
        assert await held(stores.service, "s1-bob") == ["m0", "m1"]
        assert await says(story)


@pytest.mark.parametrize("how", ["retract", "edit", "drop"])
async def test_what_is_taken_back_is_gone_everywhere(stores: Stores, how: str) -> None:
    async with stores.opened() as ew:
        story = await ew.session("s1", cast=["alice", "bob"])
        await told(story, f"The word is {BAD}.", "One.")
        await story.delivered(20)
        if how == "retract":
            await (await story.retract("m0")).decided()
        elif how == "edit":
            await (await story.edit("m0", "The word is plain.")).settled()
        else:
            await ew.spool.drop("s1", reason="too long")
        assert not await says(story)
        await story.delivered(20)
        assert not await says(story)
        assert await ew.spool.waiting() == ()
        assert sorted(await held(stores.service, "s1-bob")) == sorted(await held(stores.here, "s1-bob"))
        stores.service.away = True
        assert not await says(story)


async def test_an_edit_that_is_refused_leaves_nothing_of_the_old_text(stores: Stores) -> None:
    async with stores.opened() as ew:
        story = await ew.session("s1", cast=["alice", "bob"])
        await told(story, "The word is plugh.", "One.")
        await (await story.edit("m0", f"The word is {BAD}.")).settled()
        await story.delivered(20)
        assert await held(stores.here, "s1-bob") == ["m1"]
        assert await says(story)
        assert not await says(story, "plugh")


async def test_both_may_refuse_it(tmp_path: Path) -> None:
    stores = Stores(tmp_path, PickyService(), one_file=True)
    async with stores.opened() as ew:
        story = await ew.session("s1", cast=["alice", "bob"])
        await told(story, "One.", f"The word is {BAD}.", "Two.")
        await story.delivered(20)
        assert await says(story)
        assert await held(stores.service, "s1-bob") == ["m0", "m2"]
        stores.service.bad = ""  # type: ignore[attr-defined]
        await ew.spool.replay()
        assert await held(stores.service, "s1-bob") == ["m0", "m2", "m1"]
        assert await refused(ew) == ["413 too long"] * 3
        assert await says(story)
        stores.here.bad = ""
        assert await ew.spool.replay() == ()
        assert await held(stores.here, "s1-bob") == ["m0", "m2", "m1"]


async def test_a_put_of_both_writes_what_each_takes() -> None:
    service, here = Service(), Picky()
    store = FallbackStore(primary=service, fallback=here)
    with pytest.raises(MemoriesRefused) as raised:
        await store.put([memory("c", "a", BAD), memory("c", "b", "One.")])
    assert (raised.value.refused, raised.value.written) == ({"c": {"a": "413 too long"}}, {"c": {"b"}})
    assert (await service.count("c"), await here.count("c")) == (2, 1)
