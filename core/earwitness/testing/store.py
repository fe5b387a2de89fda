"""The conformance suite of stores: every line of `Store`'s contract.

In a test file of your own:

    from earwitness.testing.store import StoreSuite

    class TestMyStore(StoreSuite):
        def make_store(self) -> MyStore:
            return MyStore(self.folder / "memories.db")

What your store cannot do, say with the reason: `atomic = "the service takes one memory a request"`. What it refuses,
say with `takes_name` and `most_characters`. Where searches lag, set `lag` in seconds, or define `until_searchable`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from ..protocols import Store
from .cases.store_branches import StoreBranches
from .cases.store_filters import Filtering
from .cases.store_limits import StoreLimits
from .cases.store_names import NamesOfMemories
from .cases.store_parts import PartlyWritten
from .cases.store_ranking import Ranking
from .cases.store_walls import Walls
from .cases.store_writers import Writers
from .cases.store_writes import Keeping
from .suite import Report, adapted, check


class StoreSuite(
    Keeping, PartlyWritten, NamesOfMemories, StoreLimits, Walls, Writers, Filtering, Ranking, StoreBranches
):
    """Subclass it, and create your own store in `make_store`."""


def check_store(make: Callable[[Path], Store | Awaitable[Store]], **flags: Any) -> Report:
    """Run the suite without pytest. `make` takes a fresh folder; flags are attributes of the suite, such as `atomic`.

    Raises one `ExceptionGroup` with every failure.
    """
    return check(adapted(StoreSuite, "make_store", make, flags))
