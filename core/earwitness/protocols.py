"""The strategies core knows by kind: each a protocol with as few methods as can be.

A strategy is made by a registered factory (a class will do) from typed keyword settings. Where a method may answer
`Awaitable`, write it plainly or `async`, as you like.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar, Union, runtime_checkable

from pydantic import JsonValue

from .containers import Container, Membership
from .events import (
    PlanEvent,
    ReadAnswer,
    ReadEvent,
    ReadProviderEvent,
    ReadRequest,
    Share,
    SharingAnswer,
    SharingEvent,
    Strike,
    StrikeAnswer,
    WorldAgentEvent,
    WorldAnswer,
)
from .filters import EVERYTHING, Filter
from .imports import Imported
from .records.base import Record
from .records.journal import Appended, Body, Entry, NewEntry
from .records.memory import Hit, Memory
from .records.message import SettledMessage
from .records.moment import Moment, Presence
from .records.plan import Delivery, Plan, Snapshot, Status

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Vectors = NDArray[numpy.float32]

T = TypeVar("T")
Soon: TypeAlias = Union[T, Awaitable[T]]  # noqa: UP007 - an alias with a type variable needs the old spelling


# ── deciding ────────────────────────────────────────────────────────────────────────────────────────────────────────


@runtime_checkable
class Detector(Protocol):
    """Moment → presence: who perceives this message."""

    def detect(self, moment: Moment) -> Soon[Presence]:
        """Judge one message. Sees nothing of the future and no memories. May raise: then only the speaker remembers."""
        ...


@runtime_checkable
class WorldAgent(Protocol):
    """Moment + presence + world container → participants, world knowledge per character, updates."""

    def propose(self, event: WorldAgentEvent) -> Soon[WorldAnswer | None]:
        """Propose for one message. May raise: then nobody learns more than the message itself."""
        ...


@runtime_checkable
class SharingRule(Protocol):
    """Settled message → who else learns of it, and how."""

    def share(self, event: SharingEvent) -> Soon[Iterable[Share] | SharingAnswer]:
        """Name the listeners. May raise: then nobody is told by this rule.

        Asked when a message is settled, and again when a delayed delivery of it arrives: then `event.arrived` holds
        what has arrived, and `event.knowers` those who may tell it on, with that day's rules.
        """
        ...


@runtime_checkable
class Guard(Protocol):
    """A filter on reads, and a say in what a plan delivers. A guard that fails withholds everything it guards."""

    def filter(self, event: ReadEvent) -> Soon[Filter | ReadAnswer]:
        """What this reader may see, ANDed with everybody else's; a `ReadAnswer` also marks what is not sayable here."""
        ...

    def strike(self, event: PlanEvent) -> Soon[Iterable[Strike] | StrikeAnswer]:
        """Which deliveries must not happen. Asked when they are planned, and of those due on a later day once more when
        that day is here: then `event.plan` holds what arrives of one message, as settled, and `due_day`."""
        ...


@runtime_checkable
class ReadProvider(Protocol):
    """What a recall reads besides the character's own container: the only place where such reads come from."""

    def reads(self, event: ReadProviderEvent) -> Soon[Iterable[ReadRequest]]:
        """Ask for containers. May raise: then nothing is read for this provider.

        A container that is not registered, the world's, another character's, another session's, or one that the reader
        is no member of on that day, is refused and named in `turn.failures`.
        """
        ...


# ── keeping ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class EmbedderIdentity(Record):
    """Which vectors these are; stored beside every vector, and never mixed."""

    name: str
    """Such as `static`."""
    digest: str
    """Of the weights or the model's name: changes when vectors would."""
    dimension: int
    """Length of a vector."""


@runtime_checkable
class Embedder(Protocol):
    """Texts → vectors."""

    @property
    def identity(self) -> EmbedderIdentity:
        """Name, digest and dimension."""
        ...

    def embed(self, texts: Sequence[str]) -> Soon[Vectors]:
        """One L2-normalised row a text, shape (n, dimension); a zero row for a text with nothing in it."""
        ...


class Health(Record):
    """How a ledger or store is doing, for `doctor`."""

    ok: bool
    """Usable."""
    details: dict[str, str | int | float | bool]
    """What was looked at: versions, sizes, counts, integrity."""


@runtime_checkable
class Store(Protocol):
    """Where memories live. Every call but `drop` of an unknown container works on what exists; reading an unknown
    container finds nothing. Nothing a container holds may move the ranking of another."""

    async def open(self) -> None:
        """Connect, create or migrate. Raises `StorageError`."""
        ...

    async def close(self) -> None:
        """Release everything; what was acknowledged is safe."""
        ...

    async def put(self, memories: Sequence[Memory]) -> None:
        """Write or replace by (container, id): durable on return, all or nothing where `atomic`."""
        ...

    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        """Remove by container name → ids; unknown ids are fine."""
        ...

    async def get(self, container: str, ids: Sequence[str]) -> Sequence[Memory]:
        """Those of the ids that exist in this container, in the order asked."""
        ...

    async def list(
        self, container: str, *, filter: Filter = EVERYTHING, limit: int | None = None, offset: int = 0
    ) -> Sequence[Memory]:
        """Memories in the order they were first written."""
        ...

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        """The best hits, best first; ties by id. Only those the filter holds for."""
        ...

    async def count(self, container: str) -> int:
        """How many memories the container holds."""
        ...

    async def drop(self, container: str) -> None:
        """Remove the container and everything in it."""
        ...

    async def health(self) -> Health:
        """For `doctor`."""
        ...


class TermHolders(Record):
    """Which memories of a container hold some terms."""

    count: int
    """How many memories the container holds in all."""
    ids: dict[str, tuple[str, ...]]
    """Term → ids of the memories that hold it; empty for a term that none holds."""


@runtime_checkable
class TermIndex(Protocol):
    """What a store may offer besides `Store`: `who_knows` then reads only memories that hold a word of the question,
    instead of all that the world remembers."""

    async def holders(self, container: str, terms: Sequence[str]) -> TermHolders:
        """Who holds each of these terms. A memory holds the `earwitness.words.terms` of its `plain` content."""
        ...


@runtime_checkable
class Ledger(Protocol):
    """The transactional book of a store of stories. Every write is one transaction, durable on return, except
    `record` and `acknowledge`, which are durable once `sync` (or a later durable write) has returned."""

    async def open(self) -> None:
        """Connect, create or migrate. Raises `StorageError`."""
        ...

    async def close(self) -> None:
        """Release everything."""
        ...

    async def create(self, snapshot: Snapshot, containers: Sequence[Container]) -> Snapshot:
        """Create a session and register its containers, or return the one that exists, untouched.
        Raises `ContainerCollision` (then nothing was created)."""
        ...

    async def load(self, session: str) -> Snapshot | None:
        """The session as of the last entry whose plan is recorded."""
        ...

    async def sessions(self) -> Sequence[str]:
        """All session ids, sorted."""
        ...

    async def register(self, containers: Sequence[Container]) -> None:
        """Claim containers for their owners; again is fine. Raises `ContainerCollision` (then none was claimed)."""
        ...

    async def containers(
        self, session: str | None, *, kind: str | None = None, owner: str | None = None
    ) -> Sequence[Container]:
        """The session's registered containers, or with `None` those that belong to none: all, or of a kind or owner."""
        ...

    async def claimed(self, names: Sequence[str]) -> Sequence[Container]:
        """Those of the names that are registered, whatever session they belong to."""
        ...

    async def forget_container(self, name: str) -> None:
        """Remove one container from the register, with its memberships and every session's deliveries to it; what is
        due to it is struck. An unknown one is fine."""
        ...

    async def admit(self, memberships: Sequence[Membership]) -> None:
        """Write or replace memberships by container, member and first day, all or none.
        Raises `UnknownName` for a container that is not registered."""
        ...

    async def dismiss(self, memberships: Sequence[Membership]) -> None:
        """Remove memberships by container, member and first day; unknown ones are fine."""
        ...

    async def memberships(
        self, *, containers: Sequence[str] | None = None, member: str | None = None, kind: str | None = None
    ) -> Sequence[Membership]:
        """Memberships that meet all conditions given: in these containers, of this member, in containers of this kind.
        A container that is forgotten, by itself or with its session, has none."""
        ...

    async def forget(self, session: str) -> None:
        """Remove the session: journal, plans, deliveries, data, and the containers that belong to it."""
        ...

    async def forget_owner(self, session: str, owner: str, *, up_to: int | None = None) -> None:
        """Remove a character's container from the register, the deliveries to it, and strike what is due to it.

        With `up_to`, only what plans up to that sequence number brought; the containers of one who has joined again
        since (who is in the cast as it stands now) stay. A later plan may bring anew what was struck here."""
        ...

    async def append(self, session: str, body: Body, *, key: str | None = None, timestamp: str) -> Appended:
        """Give the entry its sequence number and make it durable. A key that is there already returns its entry.
        Raises `UnknownName` for an unknown session."""
        ...

    async def append_all(self, session: str, told: Sequence[NewEntry]) -> Sequence[Appended]:
        """As `append`, several at once: one sequence number after the other, durable all or none."""
        ...

    async def entry(self, session: str, *, sequence: int | None = None, key: str | None = None) -> Entry | None:
        """One entry by sequence number or key."""
        ...

    async def entries(
        self,
        session: str,
        *,
        after: int = 0,
        up_to: int | None = None,
        unapplied: bool = False,
        limit: int | None = None,
    ) -> Sequence[Entry]:
        """Entries in sequence order."""
        ...

    async def record(self, plan: Plan, after: Snapshot) -> Plan:
        """Record a plan and everything relational in it, in one transaction: its deliveries, its message, its plugin
        data, its withdrawals and restorations (before the plan's own deliveries are added), and the session as it
        stands `after`. The first plan of an entry wins: recording another returns the first and changes nothing.

        What a withdrawal removes gets its status and reason, if it is pending, applied or archived. What a restoration
        restores is pending again, without a reason, if it is archived."""
        ...

    async def plan(self, session: str, sequence: int) -> Plan | None:
        """The recorded plan of an entry."""
        ...

    async def plans(self, session: str, *, up_to: int | None = None) -> Sequence[Plan]:
        """Recorded plans in sequence order."""
        ...

    async def sync(self) -> None:
        """Make every earlier write durable."""
        ...

    async def acknowledge(self, session: str, sequences: Sequence[int], deliveries: Sequence[str]) -> None:
        """Mark entries (by number) and pending deliveries (by id) as applied."""
        ...

    async def decided(self, session: str) -> int | None:
        """Sequence number of the last entry whose plan is recorded; `None` for an unknown session."""
        ...

    async def deliveries(
        self,
        session: str,
        *,
        memory_ids: Sequence[str] | None = None,
        sources: Sequence[str] | None = None,
        container: str | None = None,
        via: Sequence[str] | None = None,
        rests_on: Sequence[str] | None = None,
        derived: bool = False,
        status: Status | None = None,
        due_by: float | None = None,
        after: int = 0,
        types: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> Sequence[Delivery]:
        """Deliveries that meet all conditions given, in (due, sequence, position in the plan) order. `after` is a
        sequence number; `types` are values of metadata `type`; `via` are the tellers' memory ids; `rests_on` are ids of
        memories of which they rest on at least one; with `derived`, only derived memories."""
        ...

    async def citing(self, session: str, memory_ids: Sequence[str]) -> Sequence[str]:
        """Ids of memories whose knowledge cites one of these."""
        ...

    async def messages(
        self, session: str, *, before: int | None = None, keys: Sequence[str] | None = None, limit: int | None = None
    ) -> Sequence[SettledMessage]:
        """Messages as last settled, oldest first; with `limit`, the newest ones before that sequence number."""
        ...

    async def data(self, session: str, plugin: str) -> dict[str, JsonValue]:
        """Everything this plugin keeps for this session."""
        ...

    async def write_data(self, session: str, plugin: str, values: Mapping[str, JsonValue]) -> None:
        """Keep values outside a plan (a recall's); `None` removes a key."""
        ...

    async def health(self) -> Health:
        """For `doctor`."""
        ...


# ── bringing in ─────────────────────────────────────────────────────────────────────────────────────────────────────


@runtime_checkable
class Importer(Protocol):
    """A file of somebody else's → what it says, in the words of a story."""

    def accepts(self, path: str, head: bytes) -> bool:
        """Whether this looks like one of its files, from the name and the first 4,096 bytes; it may read on."""
        ...

    def read(self, path: str) -> Imported:
        """What it says: characters, plot, lore, scenes. Raises `StoryError` naming the file, and where in it."""
        ...
