"""The store `supermemory` keeps the contract and the promises over the emulator, at once and with its delays."""

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager

import pytest
from pydantic import SecretStr

from earwitness.loading.resources import Resources
from earwitness.protocols import Store
from earwitness.testing.cases.promises_base import PromiseCases
from earwitness.testing.cases.promises_programs import SeveralPrograms
from earwitness.testing.cases.store_base import StoreCases
from earwitness.testing.promises import PromisesSuite
from earwitness.testing.store import StoreSuite
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.ledgers.sqlite import SqliteLedger
from earwitness_plugins.stores.supermemory import supermemory
from earwitness_plugins.testing.supermemory import Emulator

EMBEDDER = StaticEmbedder()
ONE_BY_ONE = "the service writes one document after the other"
LATE = "the service shows what other programs have written only after its pipeline"


@pytest.fixture(scope="module")
def at_once() -> Iterator[Emulator]:
    with Emulator() as running:
        yield running


@pytest.fixture(scope="module")
def late() -> Iterator[Emulator]:
    with Emulator(lag=0.2) as running:
        yield running


class OverTheEmulator:
    """Each test has an account of its own: its key is the name of its folder."""

    @pytest.fixture(autouse=True)
    def running(self, at_once: Emulator) -> None:
        self.service = at_once

    def store(self, folder: object, resources: Resources | None = None) -> Store:
        return supermemory(
            path=f"{folder}/story.db",
            embedder=EMBEDDER,
            resources=resources or Resources(),
            api_key=SecretStr(str(folder)),
            base_url=self.service.url,
            search_timeout=30,
            timeout=60,
        )


class AfterItsPipeline(OverTheEmulator):
    @pytest.fixture(autouse=True)
    def running(self, late: Emulator) -> None:
        self.service = late


class StoreOverTheEmulator(OverTheEmulator, StoreCases):
    atomic = ONE_BY_ONE
    examples = 6

    def make_store(self) -> Store:
        return self.store(self.folder)

    @contextmanager
    def cut_short(self, store: Store, after: int) -> Iterator[None]:
        self.service.room = after
        yield
        self.service.room = None

    @contextmanager
    def refusing(self, store: Store, contents: Collection[str]) -> Iterator[None]:
        self.service.refuses = {re.escape(each): 422 for each in contents}
        yield
        self.service.refuses = {}


class TestSupermemoryStore(StoreOverTheEmulator, StoreSuite):
    pass


class TestSupermemoryStoreWithDelays(AfterItsPipeline, StoreOverTheEmulator, StoreSuite):
    """What was written is there at once all the same. What another program has written comes later."""

    lag = 0.25
    examples = 4


class PromisesOverTheEmulator(OverTheEmulator, PromiseCases):
    examples = 1

    def make_store_and_ledger(self) -> tuple[Store, SqliteLedger]:
        resources = Resources()
        return self.store(self.folder, resources), SqliteLedger(path=f"{self.folder}/story.db", resources=resources)


class TestPromisesOnSupermemory(PromisesOverTheEmulator, SeveralPrograms):
    """What several programs ask of a service that does not lag."""


class TestPromisesOnSupermemoryWithDelays(AfterItsPipeline, PromisesOverTheEmulator, PromisesSuite):
    """All the others, on a service that lags."""

    shared = LATE
    test_ids_are_only_names = None  # a thousand requests; the suite of the store asks for the same names
