"""What the ledger on PostgreSQL keeps, how, and what it answers when it cannot."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

from earwitness.containers import Membership, character_container, pantheon_container, world_container
from earwitness.errors import ContainerCollision, InputError, SettingsError, StorageError, UnknownName
from earwitness.loading.resources import Resources
from earwitness.records.journal import NewEntry, Said
from earwitness.records.memory import Support
from earwitness.records.plan import PluginWrite, Withdrawal
from earwitness.records.snapshot import Snapshot
from earwitness.records.state import State
from earwitness.records.update import Knowledge
from earwitness.testing.samples import settled
from earwitness_plugins.ledgers.postgres import PostgresLedger
from earwitness_plugins.ledgers.postgres.schema import COMPONENT, MIGRATIONS
from earwitness_plugins.postgres import PostgresDatabase

pytestmark = pytest.mark.anyio
NOON = "2026-11-21T12:00:00+00:00"
FIRST = Snapshot(id="s1")
HUB = pantheon_container("olympus")
_TABLES = "SELECT relname FROM pg_class WHERE relnamespace = 'earwitness'::regnamespace AND relkind = 'r'"
_WITHOUT_COMMENT = """
SELECT c.relname || coalesce('.' || a.attname, '')
FROM pg_class AS c LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = 'earwitness'::regnamespace AND c.relkind IN ('r', 'v', 'p')
    AND (col_description(c.oid, a.attnum) IS NULL OR obj_description(c.oid, 'pg_class') IS NULL)
"""
_WITHOUT_NAME = """
SELECT conname FROM pg_constraint WHERE connamespace = 'earwitness'::regnamespace AND contype <> 'n'
    AND conname !~ '_(pk|fk|key|check|positive)$'
"""


def ledger_at(dsn: str, **settings: Any) -> PostgresLedger:
    return PostgresLedger(dsn=SecretStr(dsn), resources=Resources(), **{"timeout": 30, **settings})


@pytest.fixture
async def postgres_ledger(postgres_dsn: str) -> AsyncIterator[PostgresLedger]:
    """A ledger on a database whose tables are empty."""
    ledger = ledger_at(postgres_dsn)
    await ledger.open()
    yield ledger
    await ledger.close()


@pytest.fixture
async def ledger_alone(new_postgres_dsn: str) -> AsyncIterator[PostgresLedger]:
    """A ledger on a new database, which has never seen a store."""
    ledger = ledger_at(new_postgres_dsn)
    await ledger.open()
    yield ledger
    await ledger.close()


async def rows(ledger: PostgresLedger) -> dict[str, int]:
    """How many rows each table has."""
    database, found = ledger.database, dict[str, int]()
    for (table,) in await database.rows(_TABLES):
        ((count,),) = await database.rows(f"SELECT count(*) FROM earwitness.{table}")
        found[table] = count
    return found


async def test_every_table_column_and_constraint_says_what_it_is(ledger_alone: PostgresLedger) -> None:
    assert await ledger_alone.database.rows(_WITHOUT_COMMENT) == []
    assert await ledger_alone.database.rows(_WITHOUT_NAME) == []


async def test_a_plan_keeps_equal_words_once(postgres_ledger: PostgresLedger, delivery: Any, plan: Any) -> None:
    ledger = postgres_ledger
    listeners = [delivery(f"c{number}", body="words") for number in range(12)]
    whole = plan(1, *listeners, delivery("world", body="other words"))
    await ledger.create(FIRST, [])
    await ledger.record(whole, FIRST.after(whole))
    assert await ledger.plan("s1", 1) == whole
    assert [found.body for found in await ledger.deliveries("s1")] == [*["words"] * 12, "other words"]
    assert (await rows(ledger))["plan_text"] < 6


async def test_a_plan_that_repeats_itself_is_shown_whole(
    postgres_ledger: PostgresLedger, delivery: Any, plan: Any
) -> None:
    ledger = postgres_ledger
    await ledger.create(FIRST, [])
    once, again = delivery("bob"), delivery("bob", body="other words")
    repeating = plan(1, once, delivery("alice"), again)
    await ledger.record(repeating, FIRST.after(repeating))
    assert await ledger.plan("s1", 1) == repeating
    assert list(await ledger.deliveries("s1")) == [once, delivery("alice")]


async def test_a_plan_is_shown_as_it_was_decided_whatever_came_of_it(
    postgres_ledger: PostgresLedger, delivery: Any, plan: Any
) -> None:
    ledger = postgres_ledger
    await ledger.create(FIRST, [])
    first = plan(1, delivery("alice"), delivery("bob"))
    await ledger.record(first, FIRST.after(first))
    await ledger.acknowledge("s1", [1], [delivery("alice").id])
    falls = {each.id: each.memory_id for each in first.deliveries}
    taking_back = plan(2, withdrawals=(Withdrawal(source="#1", reason="edited", removes=falls),))
    await ledger.record(taking_back, FIRST.after(taking_back))
    assert list(await ledger.plans("s1")) == [first, taking_back]
    assert {found.status for found in await ledger.deliveries("s1")} == {"withdrawn"}


async def test_forgetting_leaves_no_row_and_none_of_the_words(
    ledger_alone: PostgresLedger, said: Said, delivery: Any, plan: Any
) -> None:
    """Of a character, and of a whole session."""
    ledger = ledger_alone
    await ledger.create(FIRST, [world_container("s1"), character_container("s1", "bob")])
    await ledger.append("s1", said, timestamp=NOON)
    known = (Knowledge(text="news", cites=("w",)),)
    hers, his = delivery("alice"), delivery("bob", body="For Bob's ears only.", knowledge=known, rests_on=("m",))
    writes = (PluginWrite(plugin="diary", key="k", value=1),)
    both = plan(1, hers, his, his, message=settled("#1", 1), plugin_data=writes)
    await ledger.record(both, FIRST.after(both))
    await ledger.acknowledge("s1", [1], [hers.id, his.id])
    await ledger.forget_owner("s1", "bob")
    assert (await ledger.plan("s1", 1)).deliveries == (hers,)  # type: ignore[union-attr]
    assert list(await ledger.citing("s1", ["w"])) == list(await ledger.deliveries("s1", rests_on=["m"])) == []
    left = await rows(ledger)
    assert (left["plan_text"], left["delivery"], left["repeated_delivery"]) == (2, 1, 0)
    await ledger.forget("s1")
    assert {table for table, count in (await rows(ledger)).items() if count} == {"component"}


async def test_an_unknown_session_is_named_with_those_there_are(
    postgres_ledger: PostgresLedger, said: Said, plan: Any
) -> None:
    await postgres_ledger.create(Snapshot(id="tavern"), [])
    for late in (
        postgres_ledger.append("tavren", said, timestamp=NOON),
        postgres_ledger.record(plan(1, session="tavren"), Snapshot(id="tavren")),
        postgres_ledger.write_data("tavren", "diary", {"k": 1}),
    ):
        with pytest.raises(UnknownName, match=r"unknown session 'tavren'\. Known: tavern\. Did you mean 'tavern'\?"):
            await late


async def test_half_a_character_is_refused_in_words_and_a_nul_is_kept(
    postgres_ledger: PostgresLedger, said: Said, delivery: Any, plan: Any
) -> None:
    ledger = postgres_ledger
    await ledger.create(FIRST, [])
    with pytest.raises(InputError, match=r"this Said cannot be kept.*surrogates not allowed"):
        await ledger.append("s1", said.model_copy(update={"content": "half a \ud83d face"}), timestamp=NOON)
    odd = plan(1, delivery("alice", body="a nul \x00 byte", metadata={"a": "\x00", "b": 1.0, "c": 2**60}))
    await ledger.record(odd, FIRST.after(odd))
    assert await ledger.plan("s1", 1) == odd
    (found,) = await ledger.deliveries("s1")
    assert (found.body, found.metadata) == (odd.deliveries[0].body, odd.deliveries[0].metadata)
    assert isinstance(found.metadata["b"], float)


async def test_many_processes_count_one_sequence(postgres_dsn: str, said: Said) -> None:
    """Ledgers of their own append at the same time, some of it under the same keys."""
    ledgers = [ledger_at(postgres_dsn, pool_size=3) for _ in range(4)]
    for ledger in ledgers:
        await ledger.open()
    await asyncio.gather(*(ledger.create(FIRST, [world_container("s1")]) for ledger in ledgers))

    async def write(ledger: PostgresLedger, number: int) -> int:
        keys = [f"own {ledgers.index(ledger)} {number}", f"shared {number}", None]
        new = [NewEntry(body=said, key=key, timestamp=NOON) for key in keys]
        return sum(each.created for each in await ledger.append_all("s1", new))

    created = await asyncio.gather(*(write(ledger, number) for number in range(10) for ledger in ledgers))
    assert sum(created) == 10 * (4 + 1 + 4)
    assert [each.sequence for each in await ledgers[0].entries("s1")] == list(range(1, 91))
    for ledger in ledgers:
        await ledger.close()


async def test_of_two_who_claim_each_others_names_one_is_refused(postgres_dsn: str) -> None:
    """Whichever order they claim them in, nobody waits for ever."""
    ledgers = [ledger_at(postgres_dsn) for _ in range(2)]
    for ledger in ledgers:
        await ledger.open()
    for number in range(5):
        mine = [character_container("s", f"{number}-{name}") for name in "abcdef"]
        yours = [each.model_copy(update={"owner": "somebody else"}) for each in reversed(mine)]
        ends = await asyncio.gather(ledgers[0].register(mine), ledgers[1].register(yours), return_exceptions=True)
        assert sorted(type(end).__name__ for end in ends) == ["ContainerCollision", "NoneType"]
        assert isinstance(next(filter(None, ends)), ContainerCollision)
    for ledger in ledgers:
        await ledger.close()


async def test_a_snapshot_is_read_again_only_if_it_changed_also_after_the_id_was_used_anew(
    postgres_dsn: str, plan: Any
) -> None:
    here, there = ledger_at(postgres_dsn), ledger_at(postgres_dsn)
    await here.open()
    await there.open()
    await here.create(FIRST, [])
    assert await there.load("s1") == FIRST
    assert await there.load("s1") is await there.load("s1")
    changed = plan(1, state={"quest": "sword"})
    await here.record(changed, FIRST.after(changed))
    assert await there.load("s1") == FIRST.after(changed)
    await here.forget("s1")
    assert await there.load("s1") is None
    other = Snapshot(id="s1", news_seen={"alice": 3}, decided=1)
    await here.create(other, [])
    assert await there.load("s1") == await here.load("s1") == other
    await here.close()
    await there.close()


async def test_members_of_a_container_leave_with_it(postgres_ledger: PostgresLedger) -> None:
    await postgres_ledger.register([HUB])
    await postgres_ledger.admit([Membership(container=HUB.name, member="alice")])
    await postgres_ledger.forget_container(HUB.name)
    assert (await rows(postgres_ledger))["membership"] == 0


async def test_doctor_is_told_versions_permissions_and_latency(
    postgres_ledger: PostgresLedger,
) -> None:
    health = await postgres_ledger.health()
    assert health.ok
    assert {"postgresql", "schema", "latency_ms", "sessions"} <= health.details.keys()
    assert health.details["missing_permissions"] == "none"


async def test_a_reader_without_permissions_is_named_with_what_it_lacks(
    postgres_ledger: PostgresLedger, postgres_dsn: str
) -> None:
    role = f"reader_{uuid4().hex}"
    database = postgres_ledger.database
    for statement in (
        f"CREATE ROLE {role} LOGIN",
        f"GRANT USAGE ON SCHEMA earwitness TO {role}",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA earwitness TO {role}",
    ):
        await database.write(lambda connection, it=statement: connection.execute(it.encode()))  # type: ignore[misc]
    reader = ledger_at(make_conninfo(postgres_dsn, user=role))
    await reader.open()
    health = await reader.health()
    await reader.close()
    await database.write(lambda connection: connection.execute(f"DROP OWNED BY {role}; DROP ROLE {role}".encode()))
    assert not health.ok
    assert "insert on entry" in str(health.details["missing_permissions"])


async def test_an_address_that_is_none_is_refused_and_a_server_that_is_away_is_named() -> None:
    with pytest.raises(SettingsError, match="dsn cannot be used"):
        ledger_at("no connection string")
    away = ledger_at("host=127.0.0.1 port=1 user=u password=secret dbname=d", timeout=1)
    with pytest.raises(StorageError, match="does not answer") as raised:
        await away.open()
    assert "secret" not in str(raised.value)


async def test_a_view_says_who_remembers_what_and_how_the_stories_are_doing(
    postgres_ledger: PostgresLedger, said: Said, delivery: Any, plan: Any
) -> None:
    ledger = postgres_ledger
    await ledger.create(FIRST, [])
    await ledger.append_all("s1", [NewEntry(body=said, timestamp=NOON)] * 2)
    told = Support(how="shared", shared_from="alice", learned_day=2.5)
    whole = plan(1, delivery("alice", body="a nul \x00"), delivery("bob", support=told), delivery("carol", due=9))
    await ledger.record(whole, FIRST.after(whole))
    await ledger.acknowledge("s1", [1], [each.id for each in whole.deliveries[:2]])
    asked = "SELECT owner, content, how, shared_from, learned_day FROM earwitness.who_remembers ORDER BY owner"
    assert await ledger.database.rows(asked) == [
        ("alice", "a nul \ufffd", "direct", None, 1.0),
        ("bob", "Message: Alice: Hello. GameDay: 1", "shared", "alice", 2.5),
    ]
    asked = "SELECT session, entries, undecided, unapplied, due_later, claimed_by IS NULL FROM earwitness.story"
    assert await ledger.database.rows(asked) == [("s1", 2, 1, 1, 1, True)]
    assert await ledger.claim("s1", 2)
    assert await ledger.database.rows("SELECT claimed_until > now() FROM earwitness.story") == [(True,)]


async def test_facts_of_a_snapshot_of_a_schema_before_are_read_in_their_order(new_postgres_dsn: str) -> None:
    facts = {key: {"review": (f"noted with {key}", 1.5)} for key in ("#9", "#10", "a", "#2")}
    before = Snapshot(id="s1", state=State(facts=facts))
    database = PostgresDatabase(new_postgres_dsn)
    await database.open(COMPONENT, MIGRATIONS[:4])
    insert = "INSERT INTO earwitness.session (id, last, decided, snapshot) VALUES (%s, 0, 0, %s)"
    await database.write(lambda connection: connection.execute(insert, ("s1", before.model_dump_json())))
    await database.close()
    ledger = ledger_at(new_postgres_dsn)
    await ledger.open()
    found = await ledger.load("s1")
    assert found == before
    assert found is not None
    assert list(found.state.facts) == list(facts)
    await ledger.close()
