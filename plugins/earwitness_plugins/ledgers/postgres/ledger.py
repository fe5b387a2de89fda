"""The ledger as core sees it: each call is one transaction, or one statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, TypeVar

from pydantic import Field, JsonValue, SecretStr

from earwitness.containers import Container, Membership
from earwitness.copies.json_text import as_json
from earwitness.loading.resources import Resources
from earwitness.records.backends import Health
from earwitness.records.journal import Appended, Body, Entry, NewEntry
from earwitness.records.message import SettledMessage
from earwitness.records.plan import Delivery, Plan, Status
from earwitness.records.snapshot import Snapshot

from ...postgres import Connection, PostgresDatabase, PostgresWork, unprepared
from ..delivery_conditions import DeliveryQuery
from . import branches, data, delivery_search, journal, messages, plans, register, sessions
from .changes import Changes
from .claims import IS_CLAIMED, Claims, JobClaims
from .facts import PlanFacts
from .health import examine
from .journal import EntryText, as_entry
from .schema import COMPONENT, MIGRATIONS
from .sessions import LAST, LoadedSession

T = TypeVar("T")


class PostgresLedger:
    """The journal, the plans and the deliveries of any number of sessions, in one PostgreSQL database.

    Any number of processes and machines may use the database at once. Every call may raise `StorageError`.

    Args:
        dsn: a connection string of libpq's, such as `postgresql://user@localhost:5432/stories`. What it leaves out
            comes from the environment (`PGHOST`, `PGPASSWORD`, …), a service file or `~/.pgpass`.
        pool_size: the most connections of this process; a store at the same address shares them.
        timeout: seconds to wait for a connection, or for a server that is away.
        statement_timeout: seconds after which the server gives up a statement.
        claim_seconds: how long a process that was killed keeps others from deciding the session it was deciding.
    """

    def __init__(
        self,
        *,
        resources: Resources,
        dsn: SecretStr | None = None,
        pool_size: Annotated[int, Field(ge=1)] = 8,
        timeout: Annotated[float, Field(gt=0)] = 5.0,
        statement_timeout: Annotated[float, Field(gt=0)] = 30.0,
        claim_seconds: Annotated[float, Field(ge=0.5)] = 5.0,
    ) -> None:
        self._database = PostgresDatabase.at(
            "" if dsn is None else dsn.get_secret_value(),
            resources,
            pool_size=pool_size,
            timeout=timeout,
            statement_timeout=statement_timeout,
        )
        self._changes = Changes(self._database)
        self._claims = Claims(self._database, self._changes, claim_seconds)
        self._job_claims = JobClaims(self._database, self._changes, claim_seconds)
        self._snapshots: dict[str, tuple[int, Snapshot]] = {}
        """Session → the version of its snapshot, and the snapshot: every turn asks for it."""
        self._appended: dict[str, tuple[str, Body]] = {}
        """The body last appended to a session, as JSON and as given: each next entry is preceded by a look at it."""
        self._acknowledged = False
        """Whether something was acknowledged since the last `sync`."""

    @property
    def database(self) -> PostgresDatabase:
        """The database; a ledger and a store with the same one can share transactions."""
        return self._database

    async def open(self) -> None:
        """Connect, and create or migrate the tables. Raises `StorageError`, `SchemaMismatch`."""
        await self._database.open(COMPONENT, MIGRATIONS)

    async def unprepared(self) -> Health | None:
        """The tables that `open` would make or migrate; see `earwitness.extras.PreparedBackend`."""
        return await unprepared(self._database, COMPONENT, MIGRATIONS)

    async def close(self) -> None:
        """Finish what is under way and let go of the connections."""
        self._snapshots.clear()
        self._appended.clear()
        await self._claims.close()
        await self._job_claims.close()
        await self._changes.close()
        await self._database.close()

    # ── sessions ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def create(self, snapshot: Snapshot, containers: Sequence[Container]) -> Snapshot:
        """Create a session, or return the one that exists. A fork's own entries begin after `snapshot.decided`."""
        if found := await self.load(snapshot.id):
            return found
        created = await self._write(lambda connection: sessions.create(connection, snapshot, containers))
        return snapshot if created else await self.load(snapshot.id) or snapshot

    async def load(self, session: str) -> Snapshot | None:
        """The session as of the last entry whose plan is recorded."""
        version, known = self._snapshots.get(session, (None, None))
        rows = await self._database.rows(sessions.LOAD, (version, version, session))
        if not rows:
            self._snapshots.pop(session, None)
            return None
        row = LoadedSession(*rows[0])
        if (found := row.snapshot) is None:
            return known
        self._snapshots[session] = (row.version, found)
        return found

    async def branch(self, session: str, id: str, up_to: int) -> Snapshot | None:
        """Create an unfinished branch, inside the database; `None` where that cannot be."""
        return await self._write(lambda connection: branches.branch(connection, session, id, up_to))

    async def touched(self, session: str, after: int) -> Mapping[str, Sequence[str]]:
        """Container name → ids of the memories that plans after an entry may have changed."""
        return await self._database.read(lambda connection: branches.touched(connection, session, after))

    async def finish(self, session: str) -> None:
        """The branch may be opened."""
        await self._write(lambda connection: branches.finish(connection, session))

    async def sessions(self) -> Sequence[str]:
        """All session ids, sorted."""
        return [str(id) for (id,) in await self._database.rows(sessions.ALL)]

    async def register(self, containers: Sequence[Container]) -> None:
        """Claim containers for their owners, all or none. Raises `ContainerCollision`."""
        await self._write(lambda connection: register.register(connection, containers))

    async def containers(
        self, session: str | None, *, kind: str | None = None, owner: str | None = None
    ) -> Sequence[Container]:
        """The containers of a session, or of none, in the order they were claimed."""
        return register.as_containers(await self._database.rows(*register.containers_query(session, kind, owner)))

    async def claimed(self, names: Sequence[str]) -> Sequence[Container]:
        """Those of the names that are registered."""
        return register.as_containers(await self._database.rows(register.CLAIMED, (list(names),)))

    async def forget_container(self, name: str) -> None:
        """Remove one container's name, members and deliveries."""
        await self._write(lambda connection: register.forget_container(connection, name))

    async def admit(self, memberships: Sequence[Membership]) -> None:
        """Write or replace memberships, all or none. Raises `UnknownName` for a container nobody registered."""
        await self._write(lambda connection: register.admit(connection, memberships))

    async def dismiss(self, memberships: Sequence[Membership]) -> None:
        """Remove memberships; an unknown one is fine."""
        await self._write(lambda connection: register.dismiss(connection, memberships))

    async def memberships(
        self, *, containers: Sequence[str] | None = None, member: str | None = None, kind: str | None = None
    ) -> Sequence[Membership]:
        """Memberships that meet all conditions given, in the order they were written."""
        rows = await self._database.rows(*register.memberships_query(containers, member, kind))
        names = ("container", "member", "since", "until")
        return [Membership.model_validate(dict(zip(names, row, strict=True))) for row in rows]

    async def forget(self, session: str) -> None:
        """Remove the session and all that is its own; an unknown one is fine."""
        await self._write(lambda connection: sessions.forget(connection, session))
        self._snapshots.pop(session, None)
        self._appended.pop(session, None)

    async def forget_owner(self, session: str, owner: str, *, up_to: int | None = None) -> None:
        """Remove what one owner was delivered, and strike what was due, for the reason `forgotten`."""
        await self._write(lambda connection: sessions.forget_owner(connection, session, owner, up_to))

    # ── the journal ─────────────────────────────────────────────────────────────────────────────────────────────────

    async def append(self, session: str, body: Body, *, key: str | None = None, timestamp: str) -> Appended:
        """Give the entry its sequence number. Raises `UnknownName` for an unknown session."""
        (appended,) = await self.append_all(session, [NewEntry(body=body, key=key, timestamp=timestamp)])
        return appended

    async def append_all(self, session: str, new: Sequence[NewEntry]) -> Sequence[Appended]:
        """Give the entries their sequence numbers. Raises `UnknownName` for an unknown session."""
        texts = [EntryText(each.key, as_json(each.body), each.timestamp) for each in new]
        first = {each.key or number: number for number, each in reversed([*enumerate(new)])}
        once = [texts[number] for number in sorted(first.values())]
        keyed = all(each.key is not None for each in new)  # those without a key would be appended again
        placed = await self._write(lambda connection: journal.append(connection, session, once), repeatable=keyed)
        if placed and placed[-1].created:
            self._appended[session] = (texts[-1].body, new[-1].body)
        return self._as_appended(session, new, placed)

    @staticmethod
    def _as_appended(session: str, new: Sequence[NewEntry], placed: Sequence[journal.EntryPlace]) -> list[Appended]:
        left, by_key, found = iter(placed), dict[str, Entry](), list[Appended]()
        for each in new:
            if each.key is not None and each.key in by_key:
                found.append(Appended(entry=by_key[each.key], created=False))
                continue
            row, created = next(left)
            entry = as_entry(session, row, each.body if created else None)
            by_key[entry.key] = entry
            found.append(Appended(entry=entry, created=created))
        return found

    async def entry(self, session: str, *, sequence: int | None = None, key: str | None = None) -> Entry | None:
        """One entry by sequence number, or by key."""
        rows = await self._database.rows(*journal.entry_query(session, sequence, key))
        return as_entry(session, rows[0]) if rows else None

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
        rows = await self._database.rows(*journal.entries_query(session, after, up_to, unapplied, limit))
        kept, written = self._appended.get(session, (None, None))
        return [as_entry(session, row, written if row[-1] == kept else None) for row in rows]

    async def waiting(self, container: str) -> Sequence[str]:
        """Sessions with a recorded plan that is not applied yet and may change this container, sorted."""
        return [str(id) for (id,) in await self._database.rows(journal.WAITING, [container])]

    # ── plans ───────────────────────────────────────────────────────────────────────────────────────────────────────

    async def record(self, plan: Plan, after: Snapshot) -> Plan:
        """Record a plan, or return the first of its entry. Raises `UnknownName`.

        It is durable on return: this process outlives a server that crashes, and goes on from its plan.
        """
        new = await self._rows_of(plan, after)
        found = await self._write(lambda connection: plans.record(connection, new))
        return self._recorded(plan, after, found)

    async def record_applied(
        self, plan: Plan, after: Snapshot, memories: PostgresWork[None], deliveries: Sequence[str] | None
    ) -> Plan:
        """Record a plan with the memories a store of this database has `prepared`. Durable on return."""
        new = await self._rows_of(plan, after)

        async def operation(connection: Connection) -> plans.Recorded:
            found = await plans.record(connection, new, deliveries)
            if found.first is None:
                await memories(connection)
            return found

        return self._recorded(plan, after, await self._write(operation))

    async def _rows_of(self, plan: Plan, after: Snapshot) -> plans.PlanRows:
        changed = PlanFacts.of(self._snapshots.get(plan.session), plan, after)
        return await plans.PlanRows.of(plan, after, changed)

    def _recorded(self, plan: Plan, after: Snapshot, found: plans.Recorded) -> Plan:
        """The plan in force. The next `load` need not read what was just written."""
        if found.version is not None:
            self._snapshots[plan.session] = (found.version, after)
        self._changes.tell(plan.session)
        return found.first or plan

    async def plan(self, session: str, sequence: int) -> Plan | None:
        """The plan of an entry as it was recorded: its deliveries show what was decided, not what came of it."""
        return await self._database.read(lambda connection: plans.one(connection, session, sequence))

    async def plans(self, session: str, *, up_to: int | None = None) -> Sequence[Plan]:
        """Recorded plans in sequence order."""
        last = LAST if up_to is None else up_to
        return await self._database.read(lambda connection: plans.several(connection, session, last))

    async def sync(self) -> None:
        """Make every earlier write durable. All but acknowledgements are."""
        if self._acknowledged:
            self._acknowledged = False  # what is acknowledged meanwhile needs another one
            try:
                await self._database.sync()
            except BaseException:
                self._acknowledged = True
                raise

    async def acknowledge(self, session: str, sequences: Sequence[int], deliveries: Sequence[str]) -> None:
        """Mark entries and pending deliveries as applied. Not durable before `sync`."""
        await self._write(
            lambda connection: plans.acknowledge(connection, session, sequences, deliveries), durable=False
        )
        self._acknowledged = True

    async def decided(self, session: str) -> int | None:
        """Sequence number of the last entry whose plan is recorded; `None` for an unknown session."""
        rows = await self._database.rows(sessions.DECIDED, (session,))
        return int(rows[0][0]) if rows else None

    # ── several processes ───────────────────────────────────────────────────────────────────────────────────────────

    async def claim(self, session: str, sequence: int) -> bool:
        """Wait until this process may decide an entry, or another one has decided it. Raises `UnknownName`."""
        return await self._claims.claim(session, sequence)

    async def release(self, session: str) -> None:
        """Let other processes decide."""
        self._claims.release(session)

    async def claim_job(self, session: str, job: str) -> None:
        """Wait until this process may do a job of a session. Raises `UnknownName`."""
        await self._job_claims.claim(session, job)

    async def release_job(self, session: str, job: str) -> None:
        """Let other processes do it."""
        self._job_claims.release(session, job)

    async def is_job_claimed(self, session: str, job: str) -> bool:
        """Whether any process has claimed it."""
        return bool(await self._database.rows(IS_CLAIMED, (session, job)))

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
        return await self._database.read(lambda connection: delivery_search.find(connection, session, query))

    async def citing(self, session: str, memory_ids: Sequence[str]) -> Sequence[str]:
        """Ids of memories, with a delivery pending or applied, whose knowledge cites one of these; oldest first."""
        rows = await self._database.rows(delivery_search.CITING, (session, list(memory_ids)))
        return [str(id) for (id,) in rows]

    async def messages(
        self, session: str, *, before: int | None = None, keys: Sequence[str] | None = None, limit: int | None = None
    ) -> Sequence[SettledMessage]:
        """Messages as last settled, oldest first; with `limit`, the newest ones before that sequence number."""
        rows = await self._database.rows(*messages.messages_query(session, before, keys, limit))
        return [SettledMessage.model_validate_json(text) for (text,) in reversed(rows)]

    async def data(self, session: str, plugin: str) -> dict[str, JsonValue]:
        """Everything this plugin keeps for this session."""
        return dict(await self._database.rows(data.READ, (session, plugin)))

    async def data_owners(self, session: str) -> Sequence[str]:
        """Names of the plugins that keep something for this session, sorted."""
        return sorted([str(plugin) for (plugin,) in await self._database.rows(data.OWNERS, (session,))])

    async def write_data(self, session: str, plugin: str, values: Mapping[str, JsonValue]) -> None:
        """Keep values outside a plan; `None` removes a key. Raises `UnknownName` for an unknown session."""
        texts = data.as_texts(plugin, values)

        async def write(connection: Connection) -> None:
            if await (await sessions.lock(connection, session)).fetchone() is None:
                raise await sessions.unknown_session(connection, session)
            await data.write(connection, session, texts)

        await self._write(write)

    async def health(self) -> Health:
        """For `doctor`: the database without its password, versions, permissions and counts."""
        return await self._database.read(examine)

    async def _write(self, operation: PostgresWork[T], *, durable: bool = True, repeatable: bool = True) -> T:
        """All writes but one may be repeated: what was written is found, and nothing changes."""
        return await self._database.write(operation, durable=durable, repeatable=repeatable)
