"""Random stories with branches of branches: where rows are shared, they read as where all plans are copied."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest

from earwitness import Earwitness, Session, branches, journal
from earwitness.errors import EarwitnessError
from earwitness.events import Share, SharingEvent
from earwitness.testing.samples import NOON
from earwitness_plugins.postgres import PostgresDatabase
from earwitness_plugins.stores.sqlite import segments, writes

from ...postgres_servers import TABLES
from .test_branches import picture

pytestmark = pytest.mark.anyio
CAST = ["alice", "bob", "charlie"]
STEPS = 60
Pair = tuple[Earwitness, Earwitness]


class Gossip:
    """Whatever Bob hears, Charlie hears from him two days later."""

    def share(self, event: SharingEvent) -> Iterable[Share]:
        if "bob" in event.knowers:
            yield Share(character="charlie", shared_from="bob", rule="gossip", due=event.message.message.game_day + 2)


@pytest.fixture
def where(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """Settings of the instance whose branches share."""
    if request.param == "sqlite":
        return {"path": tmp_path / "sharing.db"}
    part = {"name": "postgres", "dsn": request.getfixturevalue("postgres_dsn")}
    return {"settings": {"ledger": part, "store": part}}


@pytest.fixture
async def pair(where: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Pair]:
    """One instance whose branches share, and one whose branches are copies. Segments are short."""
    monkeypatch.setattr(segments, "FOLD", 4)
    monkeypatch.setattr(writes, "FOLD", 4)
    monkeypatch.setattr(journal, "now", lambda: NOON)
    async with AsyncExitStack() as opened:
        sharing, copying = [
            await opened.enter_async_context(
                Earwitness.open(**each, detector="everyone", sharing_rules=[Gossip()], embedder="none")
            )
            for each in (where, {"path": tmp_path / "copying.db"})
        ]
        share = branches.shared

        async def only_the_first(engine: Any, *more: Any) -> bool:
            return engine is sharing.engine and await share(engine, *more)

        monkeypatch.setattr(branches, "shared", only_the_first)
        yield sharing, copying


class Game:
    """The same random steps in both instances."""

    def __init__(self, pair: Pair, seed: int) -> None:
        self.pair = pair
        self.random = Random(seed)
        self.sessions: list[str] = []
        self.made = 0
        self.days: dict[str, int] = {}
        self.said: dict[str, list[str]] = {}
        self.cast: dict[str, list[str]] = {}

    async def begin(self) -> None:
        """A story that both have."""
        for ew in self.pair:
            await ew.session("s1", cast=CAST, present=["alice", "bob"])
        self._add("s1", [], CAST, 1)

    async def step(self) -> str:
        """Do one thing, in both."""
        kinds = [self._say] * 6 + [self._edit, self._retract, self._day, self._fork, self._fork, self._note, self._tell]
        kinds += [self._forget_character, self._forget_session, self._rejoin]
        return await self.random.choice(kinds)(self.random.choice(self.sessions))

    async def both(self, id: str, act: Callable[[Session], Awaitable[Any]]) -> str:
        """What came of it: the same in both."""
        results = [await self._one(await ew.open_session(id), act) for ew in self.pair]
        assert results[0] == results[1]
        return results[0]

    async def _one(self, story: Session, act: Callable[[Session], Awaitable[Any]]) -> str:
        try:
            outcome = await act(story)
        except EarwitnessError as error:
            return type(error).__name__
        if hasattr(outcome, "settled"):
            await outcome.settled()
        await story.delivered(timeout=20)
        return "done"

    def _add(self, id: str, said: list[str], cast: list[str], day: int) -> None:
        self.sessions.append(id)
        self.said[id], self.cast[id], self.days[id] = list(said), list(cast), day

    def _key(self) -> str:
        self.made += 1
        return f"k{self.made}"

    async def _say(self, id: str) -> str:
        key, cast = self._key(), self.cast[id]
        speaker = self.random.choice(cast)
        audience = [each for each in cast if each != speaker and self.random.random() < 0.7]
        text = f"word {self.random.randrange(9)} of {key}"
        self.said[id].append(key)
        return f"{id} says {key}: " + await self.both(
            id, lambda story: story.say(speaker, text, key=key, audience=audience)
        )

    async def _edit(self, id: str) -> str:
        key, new = self.random.choice(self.said[id] or ["none"]), self._key()
        return f"{id} edits {key}: " + await self.both(
            id, lambda story: story.edit(key, f"otherwise {new}", own_key=new)
        )

    async def _retract(self, id: str) -> str:
        key, new = self.random.choice(self.said[id] or ["none"]), self._key()
        return f"{id} retracts {key}: " + await self.both(id, lambda story: story.retract(key, own_key=new))

    async def _day(self, id: str) -> str:
        self.days[id] = max(1, self.days[id] + self.random.choice([-1, 1, 2, 3]))
        new = self._key()
        return f"{id} day {self.days[id]}: " + await self.both(
            id, lambda story: story.change(game_day=self.days[id], key=new)
        )

    async def _note(self, id: str) -> str:
        key, new = self.random.choice(self.said[id] or ["none"]), self._key()
        return f"{id} notes {key}: " + await self.both(
            id, lambda story: story.remember("alice", f"A note {new}", rests_on=[key], key=new)
        )

    async def _tell(self, id: str) -> str:
        key, new = self.random.choice(self.said[id] or ["none"]), self._key()
        teller, hearer = self.random.choice(self.cast[id]), self.random.choice(self.cast[id])
        return f"{id} tells {key}: " + await self.both(id, lambda story: story.tell(teller, hearer, key, key=new))

    async def _fork(self, id: str) -> str:
        new = f"b{len(self.said)}"
        entries = await (await self.pair[0].open_session(id)).backstage().journal()
        entry = self.random.choice(entries[-12:])
        found = await self.both(id, lambda story: story.fork(new, at=entry.sequence))
        if found == "done":
            known = {each.key for each in entries if each.sequence <= entry.sequence}
            branch = await self.pair[0].open_session(new)
            day = int(branch.state.game_day)
            self._add(new, [key for key in self.said[id] if key in known], list(branch.cast.ids), day)
        return f"{id} forks to {new} at {entry.sequence}: {found}"

    async def _forget_character(self, id: str) -> str:
        if len(self.cast[id]) < 3:
            return "nothing"
        who = self.cast[id].pop()
        return f"{id} forgets {who}: " + await self.both(id, lambda story: story.forget(who))

    async def _rejoin(self, id: str) -> str:
        missing = [each for each in CAST if each not in self.cast[id]]
        if not missing:
            return "nothing"
        self.cast[id].append(missing[0])
        new = self._key()
        return f"{id} welcomes {missing[0]}: " + await self.both(id, lambda story: story.join(missing[0], key=new))

    async def _forget_session(self, id: str) -> str:
        if len(self.sessions) < 3:
            return "nothing"
        self.sessions.remove(id)
        for ew in self.pair:
            await ew.forget(id)
        return f"forgets {id}"


async def rows(ew: Earwitness) -> dict[str, int]:
    """How many rows each table has."""
    database = ew.engine.ledger.database  # type: ignore[attr-defined]
    if isinstance(database, PostgresDatabase):
        names = [name for (name,) in await database.rows(TABLES.replace("c.oid::regclass", "c.oid::regclass::text"))]
        return {name: (await database.rows(f"SELECT count(*) FROM {name}"))[0][0] for name in names}
    tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB '[ls][et]*_*'"
    names = [name for (name,) in await database.read(lambda connection: connection.execute(tables).fetchall())]
    return {
        name: await database.read(lambda connection, name=name: connection.execute(f"SELECT count(*) FROM {name}").get)
        for name in names
    }


@pytest.mark.parametrize(
    ("where", "seed", "count"),
    [*(("sqlite", seed, STEPS) for seed in range(8)), ("postgres", 3, 24)],
    indirect=["where"],
)
async def test_shared_branches_are_as_copied_ones_whatever_happens(pair: Pair, seed: int, count: int) -> None:
    game = Game(pair, seed)
    await game.begin()
    steps = []
    for number in range(count):
        steps.append(await game.step())
        if number % 6 == 5 or number == count - 1:
            for id in game.sessions:
                ours, theirs = [await picture(ew, id) for ew in pair]
                for what, expected in theirs.items():
                    assert ours[what] == expected, (seed, id, what, steps)
    for id in list(game.sessions):
        await pair[0].forget(id)
    left = {name: count for name, count in (await rows(pair[0])).items() if count}
    assert set(left) <= {"store_fact"}, left
