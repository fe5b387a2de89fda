"""Fixtures that every test of the house may ask for."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import Phase, settings

from earwitness.testing.suite import Suite

from .examples import share_of
from .graph_servers import arcadedb, named_server, neo4j  # noqa: F401 - fixtures
from .postgres_servers import (  # noqa: F401 - fixtures
    durable_postgres,
    new_postgres_dsn,
    postgres,
    postgres_dsn,
    shared_postgres_database,
)
from .processes import accept_interrupts, no_process_left, pytest_fixture_setup  # noqa: F401 - a fixture and a hook

accept_interrupts()

ROOT = Path(__file__).resolve().parents[1]

# Small, shared machines run this: a slow example is not a failure. In CI the same examples come every time.
settings.register_profile(
    "house", max_examples=share_of(100), deadline=None, derandomize="CI" in os.environ, print_blob=True
)
settings.load_profile("house")


LONGEST = (
    "conformance/test_supermemory.py",
    "conformance/test_qdrant.py",
    "conformance/test_promises.py",
    "benchmarks/test_programs.py",
    "plugins/migration/test_migrate.py",
    "evaluation/test_development_data.py",
    "conformance/test_mem0.py",
    "conformance/test_postgres.py",
    "conformance/test_markdown.py",
    "plugins/graphs/test_neo4j.py",
    "core/test_ending.py",
)
"""The files that take longest, the longest first."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files: at the end, no worker is left alone with one of them."""
    places = {ROOT / "tests" / file: place for place, file in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


def pytest_collection_finish() -> None:
    """Thousands of tests stay to the end: the garbage collector need not go through them again and again."""
    gc.collect()
    gc.freeze()


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
    """The corpora, which are not part of the project; without them the test is skipped, and says so."""
    folder = os.environ.get("EARWITNESS_DATA")
    if not folder:
        pytest.skip("EARWITNESS_DATA is not set; this test reads the development data, no part of the project")
    return Path(folder)


@pytest.fixture(autouse=True)
def share_of_examples(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The suites that our stores, ledgers and graphs keep try that share of their random examples."""
    if isinstance(request.instance, Suite):
        monkeypatch.setattr(request.instance, "examples", share_of(request.instance.examples))


@pytest.fixture
def first_failure_is_enough() -> Iterator[None]:
    """Random examples are neither shrunk nor gathered: for planted mistakes, whose shortest example nobody reads."""
    before = settings.get_current_profile_name()
    settings.register_profile("first failure", phases=[Phase.generate], report_multiple_bugs=False, database=None)
    settings.load_profile("first failure")
    yield
    settings.load_profile(before)
