"""Optional extras of ledgers and stores. What lacks one works as well, more slowly or with a clear refusal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from .records.backends import TermHolders
from .records.memory import Memory
from .records.plan import Plan, Snapshot


@runtime_checkable
class BranchingLedger(Protocol):
    """An optional extra of ledgers, for branches that share their parent's past and memory ids. Without it, or if the
    store is no `BranchingStore`, the recorded plans are written and applied again under the branch's id."""

    async def branch(self, session: str, id: str, up_to: int) -> Snapshot | None:
        """Create `id` with everything of `session` up to an entry: `unfinished`, with that as its `parent`, and with
        the `origin` of its memory ids. What is due is applied, and has the status it had after that entry.

        `None` where this cannot be, as for a session with entries that are not applied yet. Raises
        `ContainerCollision`; then nothing is created."""
        ...

    async def touched(self, session: str, after: int) -> Mapping[str, Sequence[str]]:
        """Container name → ids of the memories there that plans after an entry have brought or may have changed."""
        ...

    async def finish(self, session: str) -> None:
        """The branch may be opened: it is no longer `unfinished`."""
        ...


@runtime_checkable
class BranchingStore(Protocol):
    """An optional extra of stores; see `BranchingLedger`."""

    async def branch(self, containers: Mapping[str, str], without: Mapping[str, Sequence[str]]) -> None:
        """Make new containers that hold what others hold, without some memories of these: container name → new name,
        and container name → ids. A new container that exists is made again. Durable on return."""
        ...


@runtime_checkable
class PlacedStore(Protocol):
    """An optional extra of a `BranchingStore`, for branches from before a memory was removed. Without it, their plans
    are applied again, since nobody could say where it stood among the others."""

    async def placed(self, container: str, ids: Sequence[str]) -> Sequence[str]:
        """Those of the ids whose place in the container is known: it holds them, or held them before."""
        ...

    async def put_back(self, memories: Sequence[Memory]) -> None:
        """As `put`; but a memory that was removed, in its container or in the one it is a branch of, takes the place
        that it had there."""
        ...


@runtime_checkable
class TermIndex(Protocol):
    """An optional extra of stores. With it, `who_knows` reads only memories that hold a word of the question, instead
    of the whole world container."""

    async def holders(self, container: str, terms: Sequence[str]) -> TermHolders:
        """Who holds each of these terms. A memory holds the `earwitness.words.terms` of its `plain` content."""
        ...


@runtime_checkable
class SnapshotLedger(Protocol):
    """An optional extra of ledgers that keep everything in one file, perhaps together with the store."""

    async def snapshot(self, path: str) -> None:
        """Copy all that is acknowledged to a new file, as one moment sees it, while others read and write.

        Raises `InputError` for a path that exists, and `StorageError`; then nothing is left at the path."""
        ...


@runtime_checkable
class ReembeddingStore(Protocol):
    """An optional extra of stores that keep vectors."""

    async def reembed(self) -> int:
        """Make all vectors again with the store's embedder, while it is not open; returns the number of memories.

        Nothing changes until every vector is made; an interrupted run goes on where it stopped. Raises `StorageError`.
        """
        ...


@runtime_checkable
class TransactionStore(Protocol):
    """An optional extra of stores that keep their memories in the ledger's database: a small plan and its memories are
    then written in one transaction, both or neither."""

    @property
    def database(self) -> object:
        """The database; the same object as the ledger's if both share it."""
        ...

    async def prepared(self, memories: Sequence[Memory]) -> Any:
        """What `put` would write, ready for `TransactionLedger.record_applied`."""
        ...


@runtime_checkable
class TransactionLedger(Protocol):
    """An optional extra of ledgers; see `TransactionStore`."""

    @property
    def database(self) -> object:
        """The database; the same object as the store's if both share it."""
        ...

    async def record_applied(self, plan: Plan, after: Snapshot, memories: Any, deliveries: Sequence[str]) -> Plan:
        """Record a plan as `Ledger.record` does. The same transaction writes the `memories` that the store has
        `prepared`, and marks the entry and these deliveries, given by id, as applied.

        It is durable on return. If the entry has a plan already, that one is returned and nothing is written."""
        ...
