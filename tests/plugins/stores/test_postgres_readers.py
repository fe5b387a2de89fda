"""Who may read memories by hand, and the queries of docs/backends.md."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from earwitness import Earwitness, Settings
from earwitness.containers import Container, Membership
from earwitness.loading.strategy_spec import StrategySpec
from earwitness.testing.samples import memory
from earwitness_plugins.testing.postgres import PostgresServer

pytestmark = pytest.mark.anyio
SECRET = "the secret of s2"


def opened(dsn: str) -> Earwitness:
    there = StrategySpec(name="postgres", settings={"dsn": dsn, "timeout": 30})
    return Earwitness.open(settings=Settings(ledger=there, store=there, detector=StrategySpec(name="everyone")))


@pytest.fixture
async def stories(new_postgres_dsn: str) -> AsyncIterator[str]:
    """Two stories, and a hub that Alice of the first is a member of."""
    async with opened(new_postgres_dsn) as ew:
        for id, said in (("s1", "The sword is in the cave."), ("s2", SECRET)):
            story = await ew.session(id, cast=["alice", "bob"], present=["alice", "bob"])
            await (await story.say("bob", said, key="m1")).settled()
            await story.settled()
        ledger, store = ew.engine.ledger, ew.engine.store
        hubs = [Container(name=f"pantheon-{name}", kind="pantheon", owner=name) for name in ("olympus", "hades")]
        await ledger.register(hubs)
        await ledger.admit([Membership(container=hubs[0].name, member="alice")])
        await ledger.admit([Membership(container=hubs[1].name, member="alice", until=0.5)])
        await store.put([memory(hub.name, "m", f"known in {hub.owner}") for hub in hubs])
    return new_postgres_dsn


@pytest.fixture
def role(postgres: PostgresServer, stories: str) -> Any:
    """A role of its own, which may not read anything yet."""
    name = f"reader_{abs(hash(stories)) % 10**9}"
    postgres.execute(f"CREATE ROLE {name} LOGIN")
    yield name
    with psycopg.connect(stories, autocommit=True) as owner:
        owner.execute(f"DROP OWNED BY {name}")
        owner.execute(f"DROP ROLE {name}")


def seen(dsn: str, role: str, *before: str) -> set[str]:
    """Names of the containers that a role sees memories of."""
    with psycopg.connect(make_conninfo(dsn, user=role)) as connection:
        for statement in before:
            connection.execute(statement.encode())
        return {name for (name,) in connection.execute("SELECT DISTINCT container FROM earwitness.memories")}


def let_read(dsn: str, *given: str | None) -> None:
    with psycopg.connect(dsn, autocommit=True) as owner:
        places = ", ".join("%s" for _ in given)
        owner.execute(f"SELECT earwitness.let_read({places})".encode(), given)


async def test_a_role_sees_nothing_until_it_is_let_read(stories: str, role: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        seen(stories, role)


async def test_a_role_sees_its_session_and_what_its_characters_are_members_of(stories: str, role: str) -> None:
    let_read(stories, role, "s1")
    assert seen(stories, role) == {"s1-alice", "s1-bob", "s1-world", "pantheon-olympus"}


async def test_a_role_of_one_character_sees_what_she_sees(stories: str, role: str) -> None:
    let_read(stories, role, "s1", "alice")
    assert seen(stories, role) == {"s1-alice", "pantheon-olympus"}


async def test_no_statement_leads_over_the_wall(stories: str, role: str) -> None:
    """Not a variable, another role's name, the tables themselves, their parts, a cast that fails, or a function."""
    let_read(stories, role, "s1")
    with psycopg.connect(stories, autocommit=True) as owner:
        owner.execute("CREATE ROLE somebody")
        owner.execute("INSERT INTO earwitness.reader (role, session) VALUES ('somebody', 's2')")
        owner.execute(b"COMMENT ON ROLE somebody IS 'may read s2'")
    try:
        assert "s2-alice" not in seen(stories, role, "SET earwitness.session = 's2'")
        tried = (
            "SET ROLE postgres",
            "SET ROLE somebody",
            "SET row_security = off; SELECT * FROM earwitness.memory",
            "SELECT * FROM earwitness.memory_0 UNION ALL SELECT * FROM earwitness.memory_1",
            "SELECT * FROM earwitness.memory_word",
            "SELECT * FROM earwitness.delivery",
            "SELECT * FROM earwitness.reader",
            "INSERT INTO earwitness.reader (role, session) VALUES (current_user, 's2')",
            f"SELECT earwitness.let_read('{role}', 's2')",
            "UPDATE earwitness.memory SET container = 1",
            "ALTER TABLE earwitness.memory DISABLE ROW LEVEL SECURITY",
            "CREATE FUNCTION earwitness.peek() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        )
        for statement in tried:
            with psycopg.connect(make_conninfo(stories, user=role)) as connection, pytest.raises(psycopg.Error):
                connection.execute(statement.encode())
        looked = (
            "SELECT content FROM earwitness.memory",
            "SELECT content FROM earwitness.memory WHERE container = 1 OR true",
            "SELECT m.content FROM earwitness.memory m LEFT JOIN earwitness.memory_container c ON true",
            "SELECT name FROM earwitness.memory_container",
        )
        for statement in looked:
            with psycopg.connect(make_conninfo(stories, user=role)) as connection:
                rows = connection.execute(statement.encode()).fetchall()
            assert not any(SECRET in text or text.startswith("s2") for (text,) in rows), statement
        for other in ("somebody", "postgres"):
            with psycopg.connect(make_conninfo(stories, user=role)) as connection:
                asked = connection.execute("SELECT * FROM earwitness.readable_containers(%s)", (other,))
                assert asked.fetchall() == []
    finally:
        with psycopg.connect(stories, autocommit=True) as owner:
            owner.execute("DROP ROLE somebody")


async def test_a_role_of_many_sessions_names_one_in_each_transaction(stories: str, role: str) -> None:
    let_read(stories, role)
    assert seen(stories, role) == set()
    assert "s2-alice" in seen(stories, role, "SET LOCAL earwitness.session = 's2'")
    assert "s1-alice" not in seen(stories, role, "SET LOCAL earwitness.session = 's2'")


async def test_what_is_taken_back_is_gone(stories: str, role: str) -> None:
    let_read(stories, role, "s1")
    with psycopg.connect(stories, autocommit=True) as owner:
        owner.execute("DELETE FROM earwitness.reader WHERE role = %s", (role,))
    assert seen(stories, role) == set()


async def test_a_permission_goes_with_its_story(stories: str, role: str) -> None:
    let_read(stories, role, "s1")
    let_read(stories, role, "s2", "alice")
    with psycopg.connect(stories, autocommit=True) as owner:
        named = "INSERT INTO earwitness.reader (role, container) VALUES (%s, 's1-bob'), (%s, 'pantheon-hades')"
        owner.execute(named.encode(), (role, role))
    async with opened(stories) as ew:
        await ew.forget("s1")
        assert seen(stories, role) == {"s2-alice", "pantheon-hades", "pantheon-olympus"}
        story = await ew.session("s1", cast=["alice", "bob"], present=["alice", "bob"])
        await (await story.say("bob", "The secret of another story.")).settled()
        await story.delivered()
    assert seen(stories, role) == {"s2-alice", "pantheon-hades", "pantheon-olympus"}


async def test_the_statements_of_the_docs_run(stories: str, role: str, checkout: Path) -> None:
    text = (checkout / "docs" / "backends.md").read_text("utf-8").partition("\n## PostgreSQL\n")[2]
    statements = re.findall(r"```sql\n(.*?)```", text, re.DOTALL)
    assert len(statements) >= 7
    found: list[list[Any]] = []
    with psycopg.connect(stories, autocommit=True) as owner:
        for block in statements:
            for statement in block.replace("analyst", f"{role}_too").split(";\n"):
                if statement.strip():
                    cursor = owner.execute(statement.encode())
                    found.append(cursor.fetchall() if cursor.description else [])
        owner.execute(f"DROP OWNED BY {role}_too; DROP ROLE {role}_too".encode())
    assert sorted({row[0] for row in found[0]}) == ["s1-alice", "s1-bob", "s1-world"]


async def test_every_table_and_column_says_what_it_holds(stories: str) -> None:
    unsaid = """
        SELECT c.relname, a.attname FROM pg_class c
        LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relnamespace = 'earwitness'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
            AND (obj_description(c.oid, 'pg_class') IS NULL OR col_description(c.oid, a.attnum) IS NULL)
    """
    with psycopg.connect(stories) as owner:
        assert owner.execute(unsaid.encode()).fetchall() == []
