"""The engine: the strategies and plugins of one Earwitness instance, made once and used by its sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field
from functools import cached_property
from secrets import token_hex
from typing import Any, TypeVar

from .consultation import Consultant
from .dispatch import Plugins
from .errors import StorageError
from .extras import (
    ClaimingLedger,
    JobClaimingLedger,
    LocalFirstStore,
    TransactionLedger,
    TransactionStore,
    WaitingLedger,
)
from .foreground import Foreground
from .lifecycle import Lifecycle
from .loading.resources import Resources
from .loading.settings import Settings
from .observers import Observers
from .protocols import BackgroundJob, Detector, Guard, Ledger, ReadProvider, SharingRule, Store, WorldAgent
from .refusals import Refusals
from .strategy import Strategy
from .time_limit import LimitReached, apart, within
from .timed_reads import with_timed_reads

T = TypeVar("T")
MACROS = "earwitness:macros"
"""The name under which core keeps which entries hold macros for names, next to the data of plugins."""
QUOTING = "earwitness:quoting"
"""The name under which core keeps messages that contain a placeholder, next to the data of plugins."""

FORGOTTEN = "#forgotten"
"""The key of the entry that marks a story as forgotten, until the store has dropped its containers."""
HOST_CALLS = "earwitness:host_calls"
"""The name under which core keeps what the host and recalls have asked of models, next to the data of plugins."""
SPOOL = "earwitness:spool"
"""The name under which core keeps why the store has not taken what is decided, next to the data of plugins."""
UNTOLD = "earwitness:untold"
"""The name under which core keeps what has arrived while a sharing rule failed, next to the data of plugins."""
WITHHELD = "earwitness:withheld"
"""The name under which core keeps what was due while a guard failed, next to the data of plugins."""


@dataclass(frozen=True)  # without slots: `cached_property` needs a place
class Engine:
    """The parts of one instance. Two engines share nothing."""

    settings: Settings
    ledger: Ledger
    store: Store
    detector: Strategy[Detector] | None
    world_agent: Strategy[WorldAgent] | None
    sharing_rules: tuple[Strategy[SharingRule], ...]
    guards: tuple[Strategy[Guard], ...]
    read_providers: tuple[Strategy[ReadProvider], ...]
    jobs: tuple[Strategy[BackgroundJob], ...]
    plugins: Plugins
    consultant: Consultant
    """Asks strategies and plugins, under this instance's rules."""
    lifecycle: Lifecycle
    """Opens and closes all of them, the embedder included."""
    resources: Resources = field(default_factory=Resources)
    """What they share."""
    foreground: Foreground = field(default_factory=Foreground)
    """What hosts wait for just now."""
    refusals: Refusals = field(default_factory=Refusals)
    """What the store refuses for good."""

    @property
    def observers(self) -> Observers:
        """The observers, which are notified of every operation."""
        return self.consultant.observers

    @property
    def askable(self) -> tuple[Strategy[Any], ...]:
        """Every strategy that takes part in decisions."""
        single = [each for each in (self.detector, self.world_agent) if each is not None]
        return (*single, *self.sharing_rules, *self.guards, *self.read_providers)

    @cached_property
    def run(self) -> str:
        """A random name of this opened instance: what two instances count at the same time is kept apart by it."""
        return token_hex(4)

    @property
    def data_owners(self) -> tuple[str, ...]:
        """Names under which plugins and strategies keep durable data."""
        return (
            *self.plugins.names,
            *(each.label for each in (*self.askable, *self.jobs)),
            HOST_CALLS,
            MACROS,
            QUOTING,
            UNTOLD,
            WITHHELD,
        )

    @property
    def one_database(self) -> bool:
        """Whether ledger and store share one database, that is, have the same object as their `database`.

        If so, each write of the store also makes the ledger's earlier writes durable.
        """
        database = getattr(self.ledger, "database", None)
        return database is not None and database is getattr(self.store, "database", None)

    def store_work(self, limit: float, work: Awaitable[T]) -> Awaitable[T]:
        """Work of the store within `limit` seconds, in a task of its own if it asks somebody elsewhere.

        Await it at once. Raises `LimitReached`, and whatever the store raises.
        """
        return within(limit, work) if self._store_is_here else apart(limit, work)

    async def answered(self, work: Awaitable[T], times: int = 1) -> T:
        """A read of the store within `end.store_timeout`, or so many `times` that. Raises `StorageError`."""
        limit = times * self.settings.end.store_timeout
        try:
            return await self.store_work(limit, work)
        except LimitReached as error:
            raise StorageError(f"the store has not answered within {limit:g} s") from error

    async def written(self, work: Awaitable[T], *, times: int = 1) -> T:
        """Work of the store within `end.store_timeout`, or so many `times` that: a store that hangs is one that fails.

        Raises `StorageError`. By then the work has ended, so that it can be repeated.
        """
        limit = times * self.settings.end.store_timeout
        try:
            return await self.store_work(limit, work)
        except LimitReached as error:
            if error.rest is not None:
                await asyncio.wait({error.rest})
            raise StorageError(f"the store has not answered within {limit:g} s") from error

    @cached_property
    def _store_is_here(self) -> bool:
        return bool(getattr(self.store, "prepares_here", False))

    @cached_property
    def claims(self) -> ClaimingLedger | None:
        """The ledger, if several processes may decide on it and one of them at a time claims a session."""
        return self.ledger if isinstance(self.ledger, ClaimingLedger) else None

    @cached_property
    def job_claims(self) -> JobClaimingLedger | None:
        """The ledger, if one process at a time claims a job of a session."""
        return self.ledger if isinstance(self.ledger, JobClaimingLedger) else None

    @cached_property
    def waiting_ledger(self) -> WaitingLedger | None:
        """The ledger, if it says which sessions have something for a container that the store has not taken."""
        return self.ledger if isinstance(self.ledger, WaitingLedger) else None

    @cached_property
    def local_first(self) -> LocalFirstStore | None:
        """The store, if it keeps everything here before it goes elsewhere."""
        return self.store if isinstance(self.store, LocalFirstStore) else None

    @cached_property
    def written_store(self) -> Store:
        """The store that the applier writes to: the one elsewhere, where one here has everything first."""
        return self.local_first.elsewhere if self.local_first else self.store

    @property
    def writes_here(self) -> bool:
        """Whether the applier's writes are done here: what fails then is not carried out later."""
        return bool(getattr(self.written_store, "prepares_here", False))

    @property
    def reading(self) -> Store:
        """The store to read from: what it refuses is found as if it were there."""
        return self.refusals.over(self.store, self.ledger, self.local_first.local if self.local_first else None)

    @property
    def reading_in_time(self) -> Store:
        """The same store for those who would wait for ever: a read that takes too long raises `StorageError`."""
        return self.refusals.over(self._timed, self.ledger, self.local_first.local if self.local_first else None)

    @cached_property
    def _timed(self) -> Store:
        return with_timed_reads(self.store, self.answered)

    def reading_here(self, both: LocalFirstStore) -> Store:
        """The store here, to read from: as if it held what it refuses."""
        return self.refusals.over(both.local, self.ledger, both.local)

    @cached_property
    def transaction(self) -> tuple[TransactionLedger, TransactionStore] | None:
        """Ledger and store, or the store here, if a plan and its memories can share one transaction of theirs."""
        ledger, store = self.ledger, self.local_first.local if self.local_first else self.store
        if not (self.one_database and isinstance(ledger, TransactionLedger) and isinstance(store, TransactionStore)):
            return None
        return (ledger, store) if store.prepares_here else None
