"""Stories that f1db6cd wrote can move to another ledger and store."""

from collections.abc import Callable
from pathlib import Path

import pytest

from earwitness import Earwitness
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_plugins.applications.migration import Backends, moved

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("name", ["stories.db"])
async def test_old_stories_move_with_all_that_was_decided(old_store: Callable[[str], Path], name: str) -> None:
    """The move compares journal, plans, deliveries and memories itself."""
    async with Earwitness.open(old_store(name)) as ew:
        stories = list(await ew.engine.ledger.sessions())
        done = await moved(Backends(ew.engine.ledger, ew.engine.store), Backends(MemoryLedger(), MemoryStore()))
    assert [each.session for each in done.sessions] == stories
    assert done.memories > 100
