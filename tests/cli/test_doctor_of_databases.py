"""`earwitness doctor` of a PostgreSQL database: it makes no tables, and says what would."""

import asyncio
from pathlib import Path

import psycopg
import pytest

from earwitness import Earwitness
from earwitness_plugins.testing.postgres import PostgresServer

from .conftest import Run, answer

TABLES = "SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('earwitness')"
VERSIONS = "SELECT name, version FROM earwitness.component ORDER BY name"


def written(folder: Path, dsn: str, *kinds: str) -> None:
    tables = [f'[{kind}]\nname = "postgres"\ndsn = "{dsn}"\n' for kind in kinds]
    (folder / "earwitness.toml").write_text("".join(tables), "utf-8")


def asked(dsn: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


@pytest.mark.parametrize("kinds", [("ledger", "store"), ("store",)])
def test_a_new_database_is_no_fault_and_stays_empty(
    run: Run, folder: Path, postgres: PostgresServer, kinds: tuple[str, ...]
) -> None:
    with postgres.database() as dsn:
        asked(dsn, "CREATE EXTENSION vector")
        written(folder, dsn, *kinds)
        result = run("doctor", "--json")
        found = answer(result)["store"]
        assert (result.exit_code, found["exists"], found["ok"]) == (0, False, True)
        assert found["store"]["note"] == "no tables of the store are there yet: the first story makes them"
        said = " ".join(run("doctor").stdout.split())
        assert "nothing is broken, and there is" in said
        assert "To make one: earwitness play STORY" in said
        assert asked(dsn, TABLES) == [(0,)]


def test_what_keeps_the_tables_from_being_made_is_named(run: Run, folder: Path, postgres: PostgresServer) -> None:
    with postgres.database() as dsn:
        written(folder, dsn, "ledger", "store")
        result = run("doctor", "--json")
        assert result.exit_code == 1
        assert "CREATE EXTENSION vector" in result.stdout
        assert asked(dsn, TABLES) == [(0,)]


async def opened(folder: Path) -> None:
    async with Earwitness.open(settings=folder / "earwitness.toml"):
        pass


def test_tables_of_an_earlier_version_are_left_as_they_are(run: Run, folder: Path, postgres: PostgresServer) -> None:
    with postgres.database() as dsn:
        written(folder, dsn, "ledger", "store")
        asyncio.run(opened(folder))
        known = dict(asked(dsn, VERSIONS))
        asked(dsn, "UPDATE earwitness.component SET version = 1 WHERE name = 'ledger'")
        found = answer(run("doctor", "--json"))["store"]
        assert found["ok"] is True
        note = f"have version 1: the next process that opens a story migrates them to {known['ledger']}"
        assert note in found["ledger"]["note"]
        assert dict(asked(dsn, VERSIONS)) == {**known, "ledger": 1}
