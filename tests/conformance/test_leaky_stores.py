"""Before each store that we ship, a proxy that leaks: exactly the tests of walls find it."""

from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from earwitness.filters import EVERYTHING, Filter
from earwitness.loading.resources import Resources
from earwitness.protocols import Store
from earwitness.records.memory import Hit, Memory
from earwitness.testing.cases.store_names import NamesOfMemories
from earwitness.testing.cases.store_walls import Walls
from earwitness.testing.cases.store_writes import Keeping
from earwitness.testing.reference import MemoryStore
from earwitness.testing.store import StoreSuite
from earwitness.testing.suite import adapted, check
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.stores.fallback import FallbackStore
from earwitness_plugins.stores.markdown import MarkdownStore
from earwitness_plugins.stores.mem0 import Mem0Store
from earwitness_plugins.stores.postgres import PostgresStore
from earwitness_plugins.stores.qdrant import QdrantStore
from earwitness_plugins.stores.sqlite import SqliteStore
from earwitness_plugins.stores.supermemory import supermemory
from earwitness_plugins.testing.supermemory import Emulator

from ..examples import SHARE
from ..postgres_servers import SharedDatabase
from .planted import fails

EMBEDDER = StaticEmbedder()
ONE_HANDLE = "the proxy knows only the names that it has written itself"

pytestmark = pytest.mark.usefixtures("first_failure_is_enough")


class LeakyProxy:
    """Reads the containers of the whole story: everything that was written under a name with the same beginning."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self._names: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        if name == "branch":  # tests of branches compare whole stories, and would find the leak too
            raise AttributeError(name)
        return getattr(self._store, name)

    def _story_of(self, container: str) -> list[str]:
        story = container.partition("-")[0] + "-"
        return [container, *sorted(name for name in self._names - {container} if name.startswith(story))]

    async def put(self, memories: Sequence[Memory]) -> None:
        await self._store.put(memories)
        self._names |= {each.container for each in memories}

    async def list(
        self, container: str, *, filter: Filter = EVERYTHING, limit: int | None = None, offset: int = 0
    ) -> Sequence[Memory]:
        names = self._story_of(container)
        found = [each for name in names for each in await self._store.list(name, filter=filter)]
        end = None if limit is None else max(offset, 0) + max(limit, 0)
        return found[max(offset, 0) : end]

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        names = self._story_of(container)
        found = [hit for name in names for hit in await self._store.search(name, query, filter=filter, limit=limit)]
        return found if len(names) == 1 else sorted(found, key=lambda hit: -hit.score)[: max(limit, 0)]

    async def count(self, container: str) -> int:
        return sum([await self._store.count(name) for name in self._story_of(container)])


def on_markdown(folder: Path) -> Store:
    return MarkdownStore(path=str(folder / "story.db"), embedder=EMBEDDER)


def on_qdrant(folder: Path) -> Store:
    return QdrantStore(path=str(folder / "qdrant"), embedder=EMBEDDER)


def on_mem0(folder: Path) -> Store:
    return Mem0Store(path=str(folder / "mem0"), embedder=EMBEDDER)


WALLS = {name for name in vars(Walls) if name.startswith("test_")}
RANDOM = "test_random_interleavings_end_as_in_a_dict"
"""The one that needs several examples."""


class WithoutLongTests(Walls, Keeping, NamesOfMemories):
    """For stores of which each test makes hundreds of requests, and for all where few random examples are tried."""


def fails_exactly_the_walls(make: Callable[[Path], Store], suite: type[Walls] = StoreSuite) -> None:
    """A leaky proxy before a store fails these tests of the suite."""

    def leaky(folder: Path) -> Any:
        return LeakyProxy(make(folder))

    suite = suite if SHARE >= 1 else WithoutLongTests
    flags = dict.fromkeys(("persistent", "shared", "atomic"), ONE_HANDLE)
    with pytest.raises(ExceptionGroup) as caught:
        check(adapted(suite, "make_store", leaky, {**flags, "examples": 1}))
    failed = {failure.__notes__[-1].rpartition(".")[2] for failure in caught.value.exceptions}
    assert failed | {RANDOM} == WALLS
    if suite is StoreSuite:
        fails(adapted(suite, "make_store", leaky, {**flags, "examples": 50}), RANDOM)


@pytest.mark.parametrize(
    ("make", "needs"),
    [(on_markdown, "earwitness"), (on_qdrant, "qdrant_client"), (on_mem0, "mem0")],
    ids=["markdown", "qdrant", "mem0"],
)
def test_a_leaky_store_fails_exactly_the_tests_of_walls(make: Callable[[Path], Store], needs: str) -> None:
    if find_spec(needs) is None:
        pytest.skip(f"{needs} is not installed")
    fails_exactly_the_walls(make)


@pytest.fixture(scope="module")
def service() -> Iterator[Emulator]:
    with Emulator() as running:
        yield running


def on_supermemory(folder: Path, service: Emulator) -> Store:
    """Each folder is an account of its own."""
    return supermemory(
        path=f"{folder}/there.db",
        embedder=EMBEDDER,
        resources=Resources(),
        api_key=SecretStr(str(folder)),
        base_url=service.url,
        search_timeout=30,
        timeout=60,
    )


def test_a_leak_before_supermemory_fails_exactly_the_tests_of_walls(service: Emulator) -> None:
    fails_exactly_the_walls(lambda folder: on_supermemory(folder, service), WithoutLongTests)


def test_a_leak_before_a_fallback_fails_exactly_the_tests_of_walls() -> None:
    def on_fallback(folder: Path) -> Store:
        here = SqliteStore(path=f"{folder}/story.db", embedder=EMBEDDER, resources=Resources())
        return FallbackStore(primary=MemoryStore(), fallback=here, timeout=30, write_timeout=60)

    fails_exactly_the_walls(on_fallback, WithoutLongTests)


def test_a_leak_before_postgres_fails_exactly_the_tests_of_walls(shared_postgres_database: SharedDatabase) -> None:
    def on_postgres(folder: Path) -> Store:
        shared_postgres_database.empty()
        dsn = SecretStr(shared_postgres_database.dsn)
        return PostgresStore(dsn=dsn, embedder=EMBEDDER, resources=Resources(), timeout=30)

    fails_exactly_the_walls(on_postgres)
