"""The conformance suite of the promises: whole stories, played on any store and ledger.

In a test file of your own:

    from earwitness.testing.promises import PromisesSuite

    class TestPromises(PromisesSuite):
        def make_store_and_ledger(self) -> tuple[MyStore, MyLedger]:
            return MyStore(self.folder / "memories"), MyLedger(self.folder / "book")

It brings a detector, a World Agent, rules and guards of its own; nothing that is installed is loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..protocols import Ledger, Store
from .cases.promises_closed import FailClosed
from .cases.promises_derived import DerivedMemories
from .cases.promises_disguise import Disguises
from .cases.promises_how import Provenance
from .cases.promises_lost import NothingLost
from .cases.promises_past import ReadingBack
from .cases.promises_programs import SeveralPrograms
from .cases.promises_random import RandomStories
from .cases.promises_shared import SharedContainers
from .cases.promises_text import TextIsData
from .cases.promises_there import There
from .cases.promises_told import ToldOn
from .cases.promises_twice import NothingTwice
from .cases.promises_walls import PromisedWalls
from .cases.promises_withheld import Withheld
from .suite import Report, adapted, check


class PromisesSuite(
    PromisedWalls,
    Withheld,
    Disguises,
    SharedContainers,
    FailClosed,
    NothingLost,
    SeveralPrograms,
    ReadingBack,
    NothingTwice,
    There,
    ToldOn,
    Provenance,
    DerivedMemories,
    TextIsData,
    RandomStories,
):
    """Subclass it, and create your own pair in `make_store_and_ledger`."""


def check_promises(make: Callable[[Path], tuple[Store, Ledger]], **flags: Any) -> Report:
    """Run the suite without pytest. `make` takes a fresh folder; flags are attributes of the suite.

    Raises one `ExceptionGroup` with every failure.
    """
    return check(adapted(PromisesSuite, "make_store_and_ledger", make, flags))
