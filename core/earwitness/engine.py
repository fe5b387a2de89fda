"""The engine: the strategies and plugins of one Earwitness instance, made once and used by its sessions."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .consultation import Consultant
from .dispatch import Plugins
from .extras import TransactionLedger, TransactionStore
from .foreground import Foreground
from .lifecycle import Lifecycle
from .loading.resources import Resources
from .loading.settings import Settings
from .observers import Observers
from .protocols import Detector, Guard, Ledger, ReadProvider, SharingRule, Store, WorldAgent
from .strategy import Strategy

MACROS = "earwitness:macros"
"""The name under which core keeps which entries hold macros for names, next to the data of plugins."""
QUOTING = "earwitness:quoting"
"""The name under which core keeps messages that contain a placeholder, next to the data of plugins."""

UNTOLD = "earwitness:untold"
"""The name under which core keeps what has arrived while a sharing rule failed, next to the data of plugins."""


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
    plugins: Plugins
    consultant: Consultant
    """Asks strategies and plugins, under this instance's rules."""
    lifecycle: Lifecycle
    """Opens and closes all of them, the embedder included."""
    resources: Resources = field(default_factory=Resources)
    """What they share."""
    foreground: Foreground = field(default_factory=Foreground)
    """What hosts wait for just now."""

    @property
    def observers(self) -> Observers:
        """The observers, which are notified of every operation."""
        return self.consultant.observers

    @property
    def askable(self) -> tuple[Strategy[Any], ...]:
        """Every strategy that takes part in decisions."""
        single = [each for each in (self.detector, self.world_agent) if each is not None]
        return (*single, *self.sharing_rules, *self.guards, *self.read_providers)

    @property
    def data_owners(self) -> tuple[str, ...]:
        """Names under which plugins and strategies keep durable data."""
        return (*self.plugins.names, *(each.label for each in self.askable), MACROS, QUOTING, UNTOLD)

    @property
    def one_database(self) -> bool:
        """Whether ledger and store share one database, that is, have the same object as their `database`.

        If so, each write of the store also makes the ledger's earlier writes durable.
        """
        database = getattr(self.ledger, "database", None)
        return database is not None and database is getattr(self.store, "database", None)

    @cached_property
    def transaction(self) -> tuple[TransactionLedger, TransactionStore] | None:
        """Ledger and store, if a plan and its memories can share one transaction of theirs."""
        ledger, store = self.ledger, self.store
        if self.one_database and isinstance(ledger, TransactionLedger) and isinstance(store, TransactionStore):
            return ledger, store
        return None
