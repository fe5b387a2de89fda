"""The ledger as core sees it: each call is one transaction on the shared file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import apsw
from pydantic import JsonValue

from earwitness.containers import Container, Membership
from earwitness.copies.json_text import as_json
from earwitness.loading.resources import Resources
from earwitness.records.backends import Health
from earwitness.records.journal import Appended, Body, Entry, NewEntry
from earwitness.records.message import SettledMessage
from earwitness.records.plan import Delivery, Plan, Status
from earwitness.records.snapshot import Snapshot

from ...sqlite import Database, Transaction
from ...sqlite.blobs import deflated
from ..delivery_conditions import DeliveryQuery
from . import (
    backlogs,
    branches,
    data,
    deliveries,
    journal,
    layers,
    messages,
    plans,
    register,
    sessions,
    snapshots,
)
from .claims import SqliteJobClaims
from .crowds import Crowds
from .delivery_query import find
from .facts import FactsChange
from .health import examine
from .layers import SessionView
from .schema import COMPONENT, MIGRATIONS
from .sessions import Written

T = TypeVar("T")
FEW = 2
"""No more entries than this are read on the caller's own thread."""


class SqliteLedger:
    """The journal, the plans and the deliveries of any number of sessions, in one SQLite file.

    Several processes may use the file at once. `path` may be `:memory:`, for a book that is gone after `close`.
    Every call may raise `StorageError`: the file is full, locked by another process, damaged, or not ours.
    """

    def __init__(self, *, path: str, resources: Resources) -> None:
        self._database = Database.at(path, resources)
        self._job_claims = SqliteJobClaims(self._database)
        self._crowds = Crowds()
        self._snapshots: dict[str, tuple[Written | None, Snapshot]] = {}
        self._appended: dict[str, tuple[bytes, Body]] = {}
        """The body last appended to a session, as kept and as given: each next entry is preceded by a look at it."""

    @property
    def database(self) -> Database:
        """The file; a ledger and a store with the same one share their transactions' order."""
        return self._database

    async def open(self) -> None:
        """Create or migrate the file. Raises `StorageCorrupt` or `SchemaMismatch` for one that cannot be used."""
        await self._database.open(COMPONENT, MIGRATIONS)

    async def close(self) -> None:
        """Finish what is under way and let go of the file."""
        await self._job_claims.close()
        await self._database.close()

    # ── sessions ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def create(self, snapshot: Snapshot, containers: Sequence[Container]) -> Snapshot:
        """Create a session, or return the one that exists. A fork's own entries begin after `snapshot.decided`."""
        if found := await self.load(snapshot.id):
            return found
        created = await self._database.write(lambda connection: sessions.create(connection, snapshot, containers))
        return snapshot if created else await self.load(snapshot.id) or snapshot

    async def load(self, session: str) -> Snapshot | None:
        """The session as of the last entry whose plan is recorded."""
        row = await self._database.read_inline(lambda connection: sessions.load(connection, session))
        known = self._snapshots.get(session)
        if row is not None and known is not None and known[0] == row:  # every turn asks; mostly it has not changed
            return known[1]
        return None if row is None else await self._loaded(session, row.facts)

    async def _loaded(self, session: str, facts: str) -> Snapshot | None:
        """As `load`. Facts of this version are not read again if any session here has them, as a branch's parent."""
        same = (each for each in self._snapshots.values() if each[0] is not None and each[0].facts == facts)
        known = next(same, None)
        found = await self._database.read(lambda connection: snapshots.load(connection, session, known))
        if found is None:
            return None
        self._snapshots[session] = found
        return found[1]

    async def branch(self, session: str, id: str, up_to: int) -> Snapshot | None:
        """Create an unfinished branch, inside the file; `None` where that cannot be."""
        made = await self._database.write(
            lambda connection: branches.branch(connection, session, id, up_to, self._crowds)
        )
        return None if made is None else await self.load(id)

    async def touched(self, session: str, after: int) -> Mapping[str, Sequence[str]]:
        """Container name → ids of the memories that plans after an entry may have changed."""
        return await self._about_deliveries(
            session, lambda connection, seen: branches.touched(connection, seen, after), {}
        )

    async def finish(self, session: str) -> None:
        """The branch may be opened."""
        await self._database.write(lambda connection: branches.finish(connection, session))

    async def sessions(self) -> Sequence[str]:
        """All session ids, sorted."""
        return await self._database.read(sessions.all_ids)

    async def register(self, containers: Sequence[Container]) -> None:
        """Claim containers for their owners, all or none. Raises `ContainerCollision`."""
        await self._database.write(lambda connection: register.register(connection, containers))

    async def containers(
        self, session: str | None, *, kind: str | None = None, owner: str | None = None
    ) -> Sequence[Container]:
        """The containers of a session, or of none, in the order they were claimed."""
        return await self._database.read(lambda connection: register.containers_of(connection, session, kind, owner))

    async def claimed(self, names: Sequence[str]) -> Sequence[Container]:
        """Those of the names that are registered."""
        return await self._database.read_inline(lambda connection: register.claimed(connection, names))

    async def forget_container(self, name: str) -> None:
        """Remove one container's name, members and deliveries."""

        def operation(connection: apsw.Connection) -> None:
            self._crowds.write_all_out(connection)
            register.forget_container(connection, name)

        await self._database.write(operation)

    async def admit(self, memberships: Sequence[Membership]) -> None:
        """Write or replace memberships, all or none. Raises `UnknownName` for a container nobody registered."""
        await self._database.write(lambda connection: register.admit(connection, memberships))

    async def dismiss(self, memberships: Sequence[Membership]) -> None:
        """Remove memberships; an unknown one is fine."""
        await self._database.write(lambda connection: register.dismiss(connection, memberships))

    async def memberships(
        self, *, containers: Sequence[str] | None = None, member: str | None = None, kind: str | None = None
    ) -> Sequence[Membership]:
        """Memberships that meet all conditions given, in the order they were written."""
        few = containers is not None and member is not None
        return await (self._database.read_inline if few else self._database.read)(
            lambda connection: register.memberships_of(connection, containers, member, kind)
        )

    async def forget(self, session: str) -> None:
        """Remove the session and all that is its own; an unknown one is fine."""
        await self._database.write(lambda connection: sessions.forget(connection, session))

    async def forget_owner(self, session: str, owner: str, *, up_to: int | None = None) -> None:
        """Remove what one owner was delivered, and strike what was due, for the reason `forgotten`."""

        def operation(connection: apsw.Connection) -> None:
            self._write_out(connection, session)
            sessions.forget_owner(connection, session, owner, up_to)

        await self._database.write(operation)

    # ── the journal ─────────────────────────────────────────────────────────────────────────────────────────────────

    async def append(self, session: str, body: Body, *, key: str | None = None, timestamp: str) -> Appended:
        """Give the entry its sequence number. Raises `UnknownName` for an unknown session."""
        (appended,) = await self.append_all(session, [NewEntry(body=body, key=key, timestamp=timestamp)])
        return appended

    async def append_all(self, session: str, new: Sequence[NewEntry]) -> Sequence[Appended]:
        """Give the entries their sequence numbers. Raises `UnknownName` for an unknown session."""
        packed = [(deflated(as_json(each.body)), each.key, each.timestamp) for each in new]
        rows = await self._database.write(lambda connection: journal.append(connection, session, packed))
        if new and rows[-1][1]:
            self._appended[session] = (packed[-1][0], new[-1].body)
        return [
            Appended(entry=journal.as_entry(session, row, each.body if created else None), created=created)
            for each, (row, created) in zip(new, rows, strict=True)
        ]

    async def entry(self, session: str, *, sequence: int | None = None, key: str | None = None) -> Entry | None:
        """One entry by sequence number, or by key."""
        row = await self._database.read_inline(lambda connection: journal.one(connection, session, sequence, key))
        return None if row is None else journal.as_entry(session, row)

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
        kept, written = self._appended.get(session, (None, None))

        def found(connection: apsw.Connection) -> list[Entry]:
            rows = journal.several(connection, session, after, up_to, unapplied, limit)
            return [journal.as_entry(session, row, written if row[2] == kept else None) for row in rows]

        few = limit is not None and limit <= FEW
        return await (self._database.read_inline if few else self._database.read)(found)

    async def waiting(self, container: str) -> Sequence[str]:
        """Sessions with a recorded plan that is not applied yet and may change this container, sorted."""
        return await self._database.read_inline(
            lambda connection: backlogs.sessions_for(connection, container, self._crowds)
        )

    # ── plans ───────────────────────────────────────────────────────────────────────────────────────────────────────

    async def record(self, plan: Plan, after: Snapshot) -> Plan:
        """Record a plan, or return the first of its entry. Not durable before `sync`. Raises `UnknownName`."""
        new = await self._recordable(plan, after)
        first = await self._database.write(
            lambda connection: plans.record(connection, new, self._crowds), durable=False
        )
        return first or self._recorded(plan, new, after)

    async def record_applied(
        self, plan: Plan, after: Snapshot, memories: Transaction[None], deliveries: Sequence[str] | None
    ) -> Plan:
        """Record a plan with the memories a store of this database has `prepared`. Durable on return."""
        new = await self._recordable(plan, after)

        def operation(connection: apsw.Connection) -> Plan | None:
            first = plans.record(connection, new, self._crowds, deliveries)
            if first is None:
                memories(connection)
            return first

        return await self._database.write(operation) or self._recorded(plan, new, after)

    async def _recordable(self, plan: Plan, after: Snapshot) -> plans.Recordable:
        row, before = self._snapshots.get(plan.session, (None, None))
        changed = FactsChange.of(before, row and row.facts, plan, after)
        return await plans.Recordable.of(plan, after, changed, written=snapshots.is_due(before, plan, after))

    def _recorded(self, plan: Plan, new: plans.Recordable, after: Snapshot) -> Plan:
        """The plan, once it is recorded. The next `load` need not read what was just written."""
        known = self._snapshots.get(plan.session, (None,))[0]
        version = new.facts.version
        row = None if known is None or version is None else known.after(new.after, new.settled, version)
        self._snapshots[plan.session] = (row, after)
        return plan

    async def plan(self, session: str, sequence: int) -> Plan | None:
        """The plan of an entry as it was recorded: its deliveries show what was decided, not what came of it."""
        unknown: list[Plan | None] = [None]
        (found,) = await self._about_deliveries(
            session,
            lambda connection, seen: [plans.one(connection, seen, sequence)],
            unknown,
            DeliveryQuery(after=sequence - 1),
        )
        return found

    async def plans(self, session: str, *, up_to: int | None = None) -> Sequence[Plan]:
        """Recorded plans in sequence order."""
        return await self._about_deliveries(
            session, lambda connection, seen: plans.several(connection, seen, up_to), []
        )

    async def sync(self) -> None:
        """Make every earlier write durable."""
        await self._database.sync()

    async def acknowledge(self, session: str, sequences: Sequence[int], deliveries: Sequence[str]) -> None:
        """Mark entries and pending deliveries as applied. Not durable before `sync`."""
        await self._database.write(
            lambda connection: plans.acknowledge(connection, session, sequences, deliveries, self._crowds),
            durable=False,
        )

    async def decided(self, session: str) -> int | None:
        """Sequence number of the last entry whose plan is recorded; `None` for an unknown session."""
        return await self._database.read_inline(lambda connection: sessions.decided(connection, session))

    # ── several processes ───────────────────────────────────────────────────────────────────────────────────────────

    async def claim_job(self, session: str, job: str) -> None:
        """Wait until this process may do a job of a session. Raises `UnknownName`."""
        await self._job_claims.claim(session, job)

    async def release_job(self, session: str, job: str) -> None:
        """Let other processes do it."""
        await self._job_claims.release(session, job)

    async def is_job_claimed(self, session: str, job: str) -> bool:
        """Whether any process has claimed it."""
        return await self._job_claims.is_claimed(session, job)

    # ── questions ───────────────────────────────────────────────────────────────────────────────────────────────────

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
        """Deliveries as they stand now that meet all conditions, in (due, sequence, position in the plan) order."""
        query = DeliveryQuery(
            memory_ids, sources, container, via, rests_on, derived, status, due_by, after, types, limit
        )
        return await self._about_deliveries(session, lambda connection, seen: find(connection, seen, query), [], query)

    async def citing(self, session: str, memory_ids: Sequence[str]) -> Sequence[str]:
        """Ids of memories, with a delivery pending or applied, whose knowledge cites one of these; oldest first."""
        return await self._of(session, lambda connection, seen: deliveries.citing(connection, seen, memory_ids), [])

    async def messages(
        self, session: str, *, before: int | None = None, keys: Sequence[str] | None = None, limit: int | None = None
    ) -> Sequence[SettledMessage]:
        """Messages as last settled, oldest first; with `limit`, the newest ones before that sequence number."""
        return await self._of(
            session, lambda connection, seen: messages.several(connection, seen, before, keys, limit), []
        )

    async def data(self, session: str, plugin: str) -> dict[str, JsonValue]:
        """Everything this plugin keeps for this session."""
        return await self._of(session, lambda connection, seen: data.read(connection, seen.number, plugin), {})

    async def data_owners(self, session: str) -> Sequence[str]:
        """Names of the plugins that keep something for this session, sorted."""
        return await self._of(session, lambda connection, seen: data.owners(connection, seen.number), [])

    async def write_data(self, session: str, plugin: str, values: Mapping[str, JsonValue]) -> None:
        """Keep values outside a plan; `None` removes a key. Raises `UnknownName` for an unknown session."""
        await self._database.write(
            lambda connection: data.write(connection, sessions.known(connection, session).number, plugin, values)
        )

    async def snapshot(self, path: str) -> None:
        """Copy the file, with what a store keeps in it, to a new one. Raises `InputError` for a path that exists."""
        await self._database.snapshot(path)

    async def health(self) -> Health:
        """For `doctor`."""
        return await self._database.read(examine)

    async def _of(self, session: str, question: Callable[[apsw.Connection, SessionView], T], nothing: T) -> T:
        """Ask about a session; nothing is known of an unknown one."""

        def operation(connection: apsw.Connection) -> T:
            seen = layers.view(connection, session)
            return nothing if seen is None else question(connection, seen)

        return await self._database.read(operation)

    async def _about_deliveries(
        self,
        session: str,
        question: Callable[[apsw.Connection, SessionView], T],
        nothing: T,
        query: DeliveryQuery | None = None,
    ) -> T:
        """As `_of`. Deliveries of a crowd that may meet the query are written out first; without one, all are."""

        def ask(connection: apsw.Connection) -> T | None:
            if (seen := layers.view(connection, session)) is None:
                return nothing
            return None if self._crowds.hide(connection, seen, query) else question(connection, seen)

        while (found := await self._database.read(ask)) is None:
            await self._database.write(lambda connection: self._write_out(connection, session, query), durable=False)
        return found

    def _write_out(self, connection: apsw.Connection, session: str, query: DeliveryQuery | None = None) -> None:
        if (seen := layers.view(connection, session)) is not None:
            self._crowds.write_out(connection, seen, query)
