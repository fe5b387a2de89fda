"""Several programs on one story: no detector is asked twice, and who is killed keeps nobody waiting for long."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from time import monotonic

import pytest
from pydantic import SecretStr

from earwitness import Earwitness, Moment, Presence
from earwitness.containers import world_container
from earwitness.loading.resources import Resources
from earwitness.loading.settings import Settings
from earwitness.records.snapshot import Snapshot
from earwitness_plugins.ledgers.postgres import PostgresLedger, claims
from earwitness_plugins.stores.sqlite import SqliteStore

pytestmark = pytest.mark.anyio
MakeLedger = Callable[..., Awaitable[PostgresLedger]]
LISTENS = "starts_with(query, 'LISTEN') AND datname = current_database()"
LONG = 60.0
"""Seconds after which somebody waits in vain."""


class Asked:
    """A detector that takes its time, and notes what it is asked."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.messages: list[str] = []
        self._seconds = seconds

    async def detect(self, moment: Moment) -> Presence:
        self.messages.append(moment.message.content)
        await asyncio.sleep(self._seconds)
        return Presence.only(moment.message.speaker)


@pytest.fixture
async def ledger_of(postgres_dsn: str) -> AsyncIterator[MakeLedger]:
    """Makes ledgers as different processes would have them; those that are opened are closed."""
    async with AsyncExitStack() as stack:

        async def opened(**settings: float) -> PostgresLedger:
            ledger = PostgresLedger(dsn=SecretStr(postgres_dsn), resources=Resources(), **settings)  # type: ignore[arg-type]
            await ledger.open()
            stack.push_async_callback(ledger.close)
            return ledger

        yield opened


@pytest.fixture
def program(postgres_dsn: str, tmp_path: Path) -> Callable[..., Earwitness]:
    """A program on the story: an instance of its own, on the same ledger and the same memories."""

    def make(detector: Asked, **settings: float) -> Earwitness:
        resources = Resources()
        return Earwitness.open(
            settings=Settings.of(plugins=[], world_agent="none"),
            ledger=PostgresLedger(dsn=SecretStr(postgres_dsn), resources=resources, **settings),  # type: ignore[arg-type]
            store=SqliteStore(path=str(tmp_path / "memories.db"), embedder=None, resources=resources),
            detector=detector,
        )

    return make


async def test_a_detector_is_asked_once_for_each_message_whoever_says_it(program: Callable[..., Earwitness]) -> None:
    asked = Asked(0.02)
    async with program(asked) as here, program(asked) as there:
        stories = [await each.session("s1", cast=["alice", "bob"]) for each in (here, there)]
        said = [await stories[number % 2].say("alice", f"message {number}") for number in range(12)]
        for outcome in said:
            await outcome.settled()
        for story in stories:
            await story.settled()
    assert sorted(asked.messages) == sorted(f"message {number}" for number in range(12))


async def test_a_claim_is_renewed_while_a_detector_thinks(program: Callable[..., Earwitness]) -> None:
    asked = Asked(2.0)
    async with program(asked, claim_seconds=0.9) as here, program(asked, claim_seconds=0.9) as there:
        mine, yours = [await each.session("s1", cast=["alice", "bob"]) for each in (here, there)]
        outcome = await mine.say("alice", "hello")
        await yours.settled()
        await outcome.settled()
    assert asked.messages == ["hello"]


async def test_what_a_killed_process_had_claimed_is_free_when_the_claim_expires(ledger_of: MakeLedger) -> None:
    killed, other = await ledger_of(claim_seconds=1.0), await ledger_of(claim_seconds=1.0)
    await other.create(Snapshot(id="s1"), [world_container("s1")])
    assert await killed.claim("s1", 1)
    killed._claims._renewing.cancel()  # type: ignore[union-attr]
    began = monotonic()
    async with asyncio.timeout(LONG):
        assert await other.claim("s1", 1)
    assert monotonic() - began > 0.5


async def test_who_waits_is_notified_and_listens_again_after_a_lost_connection(
    ledger_of: MakeLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long before it would look again by itself."""
    monkeypatch.setattr(claims, "LOOK_AGAIN", 10 * LONG)
    mine, yours = await ledger_of(claim_seconds=10 * LONG), await ledger_of(claim_seconds=10 * LONG)
    await mine.create(Snapshot(id="s1"), [world_container("s1")])
    for lost in (False, True):
        assert await mine.claim("s1", 1)
        waiting = asyncio.ensure_future(yours.claim("s1", 1))
        await asyncio.sleep(0.3)
        if lost:
            found = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {LISTENS}"
            assert (True,) in await mine.database.rows(found)
        await mine.release("s1")
        async with asyncio.timeout(LONG):
            assert await waiting
        await yours.release("s1")


async def test_nobody_listens_before_somebody_waits(ledger_of: MakeLedger) -> None:
    ledger = await ledger_of()
    await ledger.create(Snapshot(id="s1"), [world_container("s1")])
    connections = f"SELECT count(*) FROM pg_stat_activity WHERE {LISTENS}"
    assert await ledger.claim("s1", 1)
    assert await ledger.database.rows(connections) == [(0,)]
