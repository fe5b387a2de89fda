"""Optional extras of ledgers and stores. What lacks one works as well, more slowly or with a clear refusal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from .protocols import Store
from .records.backends import Health, ServiceProfile, TermHolders
from .records.memory import Memory
from .records.plan import Plan
from .records.snapshot import Snapshot


@runtime_checkable
class BranchingLedger(Protocol):
    """An optional extra of ledgers, for branches that share their parent's past and memory ids. Without it, or if the
    store is not a `BranchingStore`, the recorded plans are written and applied again under the branch's id."""

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
class HandWritten(Protocol):
    """An optional extra of stores in which people write. With it, `who_knows` counts what they wrote."""

    async def by_hand(self, container: str) -> Sequence[Memory]:
        """The memories that a person wrote or changed; they have `byHand` in their metadata."""
        ...

    def place(self, container: str) -> str:
        """Where a person finds the container, such as the path of a file."""
        ...


@runtime_checkable
class ClaimingLedger(Protocol):
    """An optional extra of ledgers that several processes share: one of them at a time decides a session's entries, so
    that no strategy is asked twice. Without it the first recorded plan wins, and what others were asked is lost."""

    async def claim(self, session: str, sequence: int) -> bool:
        """Wait until this process may decide an entry, or another one has decided it. Answers which: true for this one.

        The claim is on the session, holds until `release`, and expires when its process stops renewing it, as by being
        killed. Raises `UnknownName` for an unknown session."""
        ...

    async def release(self, session: str) -> None:
        """Let other processes decide. It waits for nobody; a session that this process has not claimed is fine."""
        ...


@runtime_checkable
class JobClaimingLedger(Protocol):
    """An optional extra of ledgers that several processes share: one of them at a time does a job of a session, so that
    no model is asked twice. Without it, two that do a job at the same moment may both ask."""

    async def claim_job(self, session: str, job: str) -> None:
        """Wait until this process may do the job. The claim holds, and expires, as that of `ClaimingLedger`, and stands
        in the way of no other job, and of no decision. Raises `UnknownName` for an unknown session."""
        ...

    async def release_job(self, session: str, job: str) -> None:
        """Let other processes do it. It waits for nobody; what this process has not claimed is fine."""
        ...

    async def is_job_claimed(self, session: str, job: str) -> bool:
        """Whether any process has claimed it, this one included. It waits for nobody; nobody has claimed anything of
        an unknown session."""
        ...


@runtime_checkable
class WaitingLedger(Protocol):
    """An optional extra of ledgers, for recalls of containers beyond sessions, which other stories write to. Without
    it, these are always read from the store here, where the store is a `LocalFirstStore`; and what another story has
    retracted is recalled from any other store until it is removed there."""

    async def waiting(self, container: str) -> Sequence[str]:
        """Ids of all sessions that have a recorded plan which is not applied yet and may change this container, sorted.

        It may name a session too many. Every recall of such a container asks, so this must be quick."""
        ...


@runtime_checkable
class DataOwnersLedger(Protocol):
    """An optional extra of ledgers. Without it, `migrate` leaves behind what plugins keep that are neither installed
    nor named in a plan."""

    async def data_owners(self, session: str) -> Sequence[str]:
        """Names of the plugins and strategies that keep data for this session, sorted."""
        ...


@runtime_checkable
class SnapshotLedger(Protocol):
    """An optional extra of ledgers that keep everything in one file, perhaps together with the store."""

    async def snapshot(self, path: str) -> None:
        """Copy all that is acknowledged to a new file, as one moment sees it, while others read and write.

        Raises `InputError` for a path that exists, and `StorageError`; then nothing is left at the path."""
        ...


@runtime_checkable
class NewMemoryStore(Protocol):
    """An optional extra of stores that have to look up what is there before they write, as where a service would append
    to it. Without it, everything is put."""

    async def put_new(self, memories: Sequence[Memory]) -> None:
        """As `put`, for memories that nobody has written or tried to write yet: this process has just decided them, and
        puts them for the first time. What anybody has tried to write before, `put` gets. Raises as `put`."""
        ...


@runtime_checkable
class PreparedBackend(Protocol):
    """An optional extra of ledgers and stores whose `open` makes or migrates something elsewhere, such as tables.
    `doctor` asks it first, and opens nothing that is not prepared."""

    async def unprepared(self) -> Health | None:
        """What `open` would make or migrate (`note`), and whether it can; `None` if nothing. It is called before
        `open`, and changes nothing. Raises `StorageError`."""
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
class ProfileStore(Protocol):
    """An optional extra of stores whose service makes a profile of whom a container is about. No recall asks for it: it
    says neither on which day nor where something was learned, so that no wall could be checked."""

    async def profile(self, container: str) -> ServiceProfile:
        """The profile; an empty one where there is none. Raises `StorageError`."""
        ...


@runtime_checkable
class LocalFirstStore(Protocol):
    """An optional extra of stores that keep everything in a store here and in one elsewhere. Plans reach the one here
    even while the other is away: those who perceived a message remember it then, and recalls that the other cannot
    answer yet ask this one. What the other does not take stays pending."""

    @property
    def local(self) -> Store:
        """The store here. `put`, `remove` and `drop` write to it first, then to the other."""
        ...

    @property
    def elsewhere(self) -> Store:
        """The store elsewhere. It gets a plan after the one here."""
        ...

    @property
    def failures(self) -> Sequence[str]:
        """Why the store elsewhere does not answer, for `turn.failures`; empty if it does."""
        ...


@runtime_checkable
class TransactionStore(Protocol):
    """An optional extra of stores that keep their memories in the ledger's database: a small plan and its memories are
    then written in one transaction, both or neither."""

    @property
    def database(self) -> object:
        """The database; the same object as the ledger's if both share it."""
        ...

    @property
    def prepares_here(self) -> bool:
        """Whether `prepared` asks nobody elsewhere. If it does, plans are recorded without waiting for it."""
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

    async def record_applied(
        self, plan: Plan, after: Snapshot, memories: Any, deliveries: Sequence[str] | None
    ) -> Plan:
        """Record a plan as `Ledger.record` does. The same transaction writes the `memories` that the store has
        `prepared`, and marks the entry and these deliveries, given by id, as applied; with `None`, neither.

        It is durable on return. If the entry has a plan already, that one is returned and nothing is written."""
        ...
