"""Fixtures that every test of the house may ask for."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import Phase, settings

from .graph_servers import arcadedb, named_server, neo4j  # noqa: F401 - fixtures
from .postgres_servers import (  # noqa: F401 - fixtures
    durable_postgres,
    new_postgres_dsn,
    postgres,
    postgres_dsn,
    shared_postgres_database,
)

ROOT = Path(__file__).resolve().parents[1]

# Small, shared machines run this: a slow example is no failure. In CI the same examples come every time.
settings.register_profile("house", deadline=None, derandomize="CI" in os.environ, print_blob=True)
settings.load_profile("house")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The event loop of every asynchronous test."""
    return "asyncio"


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The folder that holds pyproject.toml."""
    return ROOT


@pytest.fixture(scope="session")
def development_data() -> Path:
    """The corpora, which are no part of the project; without them the test is skipped, and says so."""
    folder = os.environ.get("EARWITNESS_DATA")
    if not folder:
        pytest.skip("EARWITNESS_DATA is not set; this test reads the development data, no part of the project")
    return Path(folder)


@pytest.fixture
def first_failure_is_enough() -> Iterator[None]:
    """Random examples are neither shrunk nor gathered: for planted mistakes, whose shortest example nobody reads."""
    before = settings.get_current_profile_name()
    settings.register_profile("first failure", phases=[Phase.generate], report_multiple_bugs=False, database=None)
    settings.load_profile("first failure")
    yield
    settings.load_profile(before)
