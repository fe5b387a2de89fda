"""The kinds of strategies that core knows: each is a protocol with as few methods as possible.

A registered factory, which may be a class, makes a strategy from typed keyword settings. A method that answers `Soon`
may be plain or `async`. A strategy with an attribute `thread_from` is asked on a thread as soon as the messages it
reads have that many characters together, where each member of the cast counts as eight. One with a method `on_thread`
is asked on a thread about each event for which that returns true. Its method must then be safe on several threads.
A detector's method `warm_up`, if it has one, is called on a thread before its first message, to load what it needs.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, Union, runtime_checkable

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
from .plugin_data import PluginData
from .records.backends import EmbedderIdentity, Health
from .records.journal import Appended, Body, Entry, NewEntry
from .records.memory import Hit, Memory
from .records.message import SettledMessage
from .records.moment import Moment, Presence
from .records.observation import Observation
from .records.plan import Delivery, Plan, Status
from .records.snapshot import Snapshot

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Vectors = NDArray[numpy.float32]

T = TypeVar("T")
Soon: TypeAlias = Union[T, Awaitable[T]]  # noqa: UP007 - an alias with a type variable needs the old spelling


@runtime_checkable
class Detector(Protocol):
    """Moment → presence: who perceives this message."""

    def detect(self, moment: Moment) -> Soon[Presence]:
        """Judge one message, without its future and without memories. If it raises, only the speaker remembers."""
        ...


@runtime_checkable
class WorldAgent(Protocol):
    """Moment + presence + world container → participants, world knowledge per character, updates."""

    def propose(self, event: WorldAgentEvent) -> Soon[WorldAnswer | None]:
        """Propose for one message. If it raises, nobody learns more than the message itself."""
        ...


@runtime_checkable
class SharingRule(Protocol):
    """Settled message → who else learns of it, from whom and when."""

    def share(self, event: SharingEvent) -> Soon[Iterable[Share] | SharingAnswer]:
        """Name the listeners. If it raises, this rule tells nobody.

        It is asked when a message is settled, and again when a delayed delivery of it arrives. Then `event.arrived`
        holds what has arrived, and `event.knowers` names those who can pass it on.
        """
        ...


@runtime_checkable
class Guard(Protocol):
    """Filters what is read and strikes what is delivered. A guard that fails withholds everything that it guards."""

    def filter(self, event: ReadEvent) -> Soon[Filter | ReadAnswer]:
        """What this reader may see. The filters of all guards are joined by AND.

        A `ReadAnswer` can also mark what the reader knows but must not say here.
        """
        ...

    def strike(self, event: PlanEvent) -> Soon[Iterable[Strike] | StrikeAnswer]:
        """Which deliveries must not happen.

        It is asked when deliveries are planned, and again on the day when a delayed one arrives. Then `event.plan`
        holds what arrives of one message, the settled message and `due_day`.
        """
        ...


@runtime_checkable
class ReadProvider(Protocol):
    """What a recall reads besides the character's own container: the only place where such reads come from."""

    def reads(self, event: ReadProviderEvent) -> Soon[Iterable[ReadRequest]]:
        """Ask for containers. May raise: then nothing is read for this provider.

        A container that is not registered, the world's, another character's, another session's, or one that the reader
        is not a member of on that day, is refused and named in `turn.failures`.
        """
        ...


@runtime_checkable
class BackgroundJob(Protocol):
    """What is done for a story in the background, once something was said or changed. Nothing waits for it."""

    def run(self, story: Any, data: PluginData) -> Awaitable[bool | None]:
        """One step for a `Session`; returns whether something is left, and is called again then.

        `data` is its own durable data of this story: what it writes is kept once the step has returned. A step that is
        cancelled, or that raises, is repeated with the next message, so doing it twice must have the effect of doing it
        once. Where the ledger has claims, one process at a time does it. A job may have a method `has_work` with the
        same arguments, which says whether there is anything to do; if not, nothing is claimed, and `run` is not called.
        """
        ...


@runtime_checkable
class Embedder(Protocol):
    """Texts → vectors. One that asks a service has an attribute `remote`, which is true."""

    @property
    def identity(self) -> EmbedderIdentity:
        """Name, digest and dimension."""
        ...

    def embed(self, texts: Sequence[str]) -> Soon[Vectors]:
        """One L2-normalised row for each text, shape (n, dimension); a row of zeros for a text without content.

        For long or many texts it is called in a thread, so it must be safe on several threads."""
        ...


@runtime_checkable
class Store(Protocol):
    """Keeps memories. Reading or dropping an unknown container does nothing. What one container holds must not affect
    the ranking in another."""

    async def open(self) -> None:
        """Connect, create or migrate. Raises `StorageError`."""
        ...

    async def close(self) -> None:
        """Release everything. What was acknowledged is safe."""
        ...

    async def put(self, memories: Sequence[Memory]) -> None:
        """Write or replace memories by container and id. Durable on return; all or none where `atomic`.

        A store that has written only a part raises `PartialWrite`, which names that part: the rest is put again, in the
        same order. Without that, or with another error, everything is. What it would refuse each time, it names with
        `MemoriesRefused`: the rest is put again without that."""
        ...

    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        """Remove these memories, given as container name → ids. Unknown ids are ignored. Raises `PartialWrite` as
        `put` does."""
        ...

    async def get(self, container: str, ids: Sequence[str]) -> Sequence[Memory]:
        """The memories with these ids, in this order. Ids that the container does not hold are left out."""
        ...

    async def list(
        self, container: str, *, filter: Filter = EVERYTHING, limit: int | None = None, offset: int = 0
    ) -> Sequence[Memory]:
        """Memories in the order they were first written."""
        ...

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        """The best hits that match the filter, best first; equal scores in the order of ids."""
        ...

    async def count(self, container: str) -> int:
        """How many memories the container holds."""
        ...

    async def drop(self, container: str) -> None:
        """Remove the container with everything in it."""
        ...

    async def health(self) -> Health:
        """For `doctor`."""
        ...


@runtime_checkable
class Ledger(Protocol):
    """The transactional book of stories. Every write is one transaction and durable on return, except `record` and
    `acknowledge`: those are durable once `sync` or a later durable write has returned."""

    async def open(self) -> None:
        """Connect, create or migrate. Raises `StorageError`."""
        ...

    async def close(self) -> None:
        """Release everything."""
        ...

    async def create(self, snapshot: Snapshot, containers: Sequence[Container]) -> Snapshot:
        """Create a session and register its containers. A session that exists is returned unchanged.
        Raises `ContainerCollision`; then nothing is created."""
        ...

    async def load(self, session: str) -> Snapshot | None:
        """The session as of the last entry whose plan is recorded."""
        ...

    async def sessions(self) -> Sequence[str]:
        """All session ids, sorted."""
        ...

    async def register(self, containers: Sequence[Container]) -> None:
        """Claim containers for their owners. Claiming one again is fine.
        Raises `ContainerCollision`; then none is claimed."""
        ...

    async def containers(
        self, session: str | None, *, kind: str | None = None, owner: str | None = None
    ) -> Sequence[Container]:
        """The registered containers of a session, or with `None` those outside sessions: all, or of a kind or owner."""
        ...

    async def claimed(self, names: Sequence[str]) -> Sequence[Container]:
        """The registered containers among these names, of whatever session."""
        ...

    async def forget_container(self, name: str) -> None:
        """Remove one container from the register, with its memberships and all sessions' deliveries to it. Deliveries
        that are due to it later are struck. An unknown name is ignored."""
        ...

    async def admit(self, memberships: Sequence[Membership]) -> None:
        """Write or replace memberships by container, member and first day; all or none.
        Raises `UnknownName` for a container that is not registered."""
        ...

    async def dismiss(self, memberships: Sequence[Membership]) -> None:
        """Remove memberships by container, member and first day. Unknown ones are ignored."""
        ...

    async def memberships(
        self, *, containers: Sequence[str] | None = None, member: str | None = None, kind: str | None = None
    ) -> Sequence[Membership]:
        """Memberships that meet all given conditions: in these containers, of this member, in containers of this kind.
        A forgotten container has none."""
        ...

    async def forget(self, session: str) -> None:
        """Remove the session with its journal, plans, deliveries, data and containers."""
        ...

    async def forget_owner(self, session: str, owner: str, *, up_to: int | None = None) -> None:
        """Remove a character's container from the register, and the deliveries to it. What is due to it is struck.

        With `up_to`, this concerns only plans up to that sequence number, and the container stays if the character has
        joined again, that is, if they are in the current cast. A later plan may deliver the same anew; what was struck
        here stays struck."""
        ...

    async def append(self, session: str, body: Body, *, key: str | None = None, timestamp: str) -> Appended:
        """Give the entry a sequence number and make it durable. A key that already exists returns its entry.
        Raises `UnknownName` for an unknown session."""
        ...

    async def append_all(self, session: str, new: Sequence[NewEntry]) -> Sequence[Appended]:
        """As `append`, for several entries: with consecutive sequence numbers, all durable or none."""
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
        """Record a plan in one transaction: its withdrawals and restorations first, then its deliveries, its message,
        its plugin data, and the session as it is `after` the plan. The first plan of an entry wins. Recording another
        one returns the first and changes nothing.

        A withdrawal sets status and reason of the deliveries it removes, if they are pending, applied or archived. A
        restoration makes archived deliveries pending again, without a reason."""
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
        """Mark entries, by number, and pending deliveries, by id, as applied."""
        ...

    async def decided(self, session: str) -> int | None:
        """Number of the last entry whose plan is recorded; `None` for an unknown session."""
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
        """Deliveries that meet all given conditions, in the order of due day, sequence number and position in the plan.
        `after` is a sequence number, `types` are values of metadata `type`, `via` ids of tellers' memories. With
        `rests_on`, a delivery must rest on at least one of these memory ids; with `derived`, be a derived memory."""
        ...

    async def citing(self, session: str, memory_ids: Sequence[str]) -> Sequence[str]:
        """Ids of the memories whose knowledge cites one of these."""
        ...

    async def messages(
        self, session: str, *, before: int | None = None, keys: Sequence[str] | None = None, limit: int | None = None
    ) -> Sequence[SettledMessage]:
        """Messages as last settled, oldest first. With `limit`, the newest of those before the number `before`."""
        ...

    async def data(self, session: str, plugin: str) -> dict[str, JsonValue]:
        """Everything that this plugin or strategy keeps for this session."""
        ...

    async def write_data(self, session: str, plugin: str, values: Mapping[str, JsonValue]) -> None:
        """Keep values outside a plan, as a recall does. `None` removes a key."""
        ...

    async def health(self) -> Health:
        """For `doctor`."""
        ...


@runtime_checkable
class Observer(Protocol):
    """One finished call of a strategy, plugin, ledger, store or embedder → telemetry, costs, progress."""

    def observe(self, observation: Observation) -> None:
        """Take note of a call and return quickly: the call waits for it. It may run on any thread. An observer that
        raises, or takes longer than `end.plugin_timeout`, is switched off, and `turn.failures` names it."""
        ...


@runtime_checkable
class Importer(Protocol):
    """A file of another program → its contents in the terms of a story."""

    def accepts(self, path: str, head: bytes) -> bool:
        """Whether this looks like a file of its format, by the name and the first 4,096 bytes. It may read more."""
        ...

    def read(self, path: str) -> Imported:
        """The file's characters, plot, lore and scenes. Raises `StoryError`, naming the file and the place in it."""
        ...
