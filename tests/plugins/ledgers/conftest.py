"""A ledger on a file of its own, and the values to fill it with."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness.loading.resources import Resources
from earwitness.records.journal import Said
from earwitness.records.memory import Support
from earwitness.records.plan import Delivery, Plan
from earwitness_plugins.ledgers.sqlite import SqliteLedger


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "story.db"


@pytest.fixture
def ledger_at() -> Callable[[object], SqliteLedger]:
    """A ledger with `Resources` of its own, as another process would have."""
    return lambda path: SqliteLedger(path=str(path), resources=Resources())


@pytest.fixture
async def ledger(path: Path, ledger_at: Callable[[object], SqliteLedger]) -> AsyncIterator[SqliteLedger]:
    ledger = ledger_at(path)
    await ledger.open()
    yield ledger
    await ledger.close()


@pytest.fixture
def said() -> Said:
    return Said(speaker="alice", content="Hello.")


@pytest.fixture
def delivery() -> Callable[..., Delivery]:
    """`delivery("bob", sequence=2, …)`: one to Bob, of a memory of his own."""

    def make(owner: str, *, session: str = "s1", sequence: int = 1, **more: Any) -> Delivery:
        given: dict[str, Any] = {
            "memory_id": f"{owner}-{sequence}",
            "container": f"{session}-{owner}",
            "source": f"#{sequence}",
            "body": "Message: Alice: Hello. GameDay: 1",
            "metadata": {"type": "message", "gameDay": 1},
            "support": Support(learned_day=1),
            "due": 1,
        }
        return Delivery(session=session, sequence=sequence, owner=owner, **{**given, **more})

    return make


@pytest.fixture
def plan() -> Callable[..., Plan]:
    """`plan(2, *deliveries, …)`."""

    def make(sequence: int, *deliveries: Delivery, session: str = "s1", **more: Any) -> Plan:
        return Plan(session=session, sequence=sequence, key=f"#{sequence}", deliveries=deliveries, **more)

    return make
