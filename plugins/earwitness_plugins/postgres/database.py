"""One PostgreSQL database, shared by all components of one Earwitness instance that keep their data in it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from random import uniform
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from earwitness.errors import StorageError
from earwitness.loading.resources import Resources

from .address import Address, address_of
from .errors import translated, uncertain
from .migrations import PostgresMigration, migrate, up_to_date

if TYPE_CHECKING:
    from psycopg import AsyncConnection
    from psycopg_pool import AsyncConnectionPool

T = TypeVar("T")
Connection: TypeAlias = "AsyncConnection[tuple[Any, ...]]"
PostgresWork = Callable[["Connection"], Awaitable[T]]
"""Work for one transaction. It may run several times, so it must change nothing but the database, and must not begin,
commit or roll back. It must not hold on to the connection."""
_WRITE = b"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
_WRITE_SOON = _WRITE + b"; SET LOCAL synchronous_commit TO off"
_READ = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_DURABLE = "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
_PLANNED_ONCE = b"SELECT set_config('plan_cache_mode', 'force_generic_plan', false), set_config('jit', 'off', false)"
"""To plan a statement for each value that it gets, over all partitions, takes longer than to run it."""
_EACH_WRITES = (
    b"SELECT set_config('default_transaction_isolation', 'read committed', false),"
    b" set_config('default_transaction_read_only', 'off', false)"
)
"""A statement outside a transaction is as one within it, however the server is configured."""
_LONGEST_PAUSE = 0.2
"""The most seconds between two attempts."""


class PostgresDatabase:
    """One database on a server: a pool of connections, and transactions that are tried again where that is safe.

    Several components share it (`at`), and any number of processes and machines. A transaction that lost its
    connection before its commit, or stood in another one's way, runs again for up to `timeout` seconds, so a server
    that is started again is not a failure.

    Every call but `at` may raise `StorageError`, and its kinds `StorageFull`, `StorageLocked` (an operation took too
    long or met others too often) and `StorageCorrupt`. The message says what to do, and never holds the password.

    Args:
        dsn: a connection string of libpq's, as a URI or as `name=value` pairs.
        pool_size: the most connections.
        timeout: seconds to wait for a connection, or for a server that is away.
        statement_timeout: seconds after which the server gives up a statement.

    Raises `SettingsError` for a string that is none, and if the driver is not installed.
    """

    def __init__(self, dsn: str, *, pool_size: int = 8, timeout: float = 5.0, statement_timeout: float = 30.0) -> None:
        self.address: Address = address_of(dsn)
        """Where it is."""
        self.label: str = self.address.label
        """Where it is, as it is shown: without the password."""
        self._pool_size = pool_size
        self._timeout = timeout
        self._statement_timeout = statement_timeout
        self._users = 0
        self._starting = asyncio.Lock()
        self._pool: AsyncConnectionPool[Any] | None = None
        self._writes: set[asyncio.Task[Any]] = set()

    @classmethod
    def at(cls, dsn: str, resources: Resources, **settings: Any) -> PostgresDatabase:
        """The one database at this address among those who share these resources. The first one's settings count."""
        made = cls(dsn, **settings)
        return resources.get(cls, made.address.conninfo.get_secret_value(), lambda: made)

    async def open(self, component: str, migrations: Sequence[PostgresMigration]) -> None:
        """Start using the database, and bring this component's tables up to date. Every `open` needs a `close`.

        `migrations` are oldest first: the component's version is how many have run. Those that are missing run in one
        transaction. Raises `SchemaMismatch` when the database has run more than are given.
        """
        async with self._starting:
            if not self._users:
                await self._start()
            self._users += 1
        try:
            ask = partial(up_to_date, label=self.label, component=component, migrations=migrations)
            if not await self.read(ask):
                await self.write(partial(migrate, label=self.label, component=component, migrations=migrations))
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Stop using the database. The last user waits for what is being written, and closes all connections."""
        async with self._starting:
            self._users = max(0, self._users - 1)
            if self._users or self._pool is None:
                return
            pool, self._pool = self._pool, None
            if self._writes:
                await asyncio.wait(self._writes, timeout=self._timeout)
            await pool.close()

    async def write(
        self, operation: PostgresWork[T], *, durable: bool = True, repeatable: bool = False, first: bytes = b""
    ) -> T:
        """Run an operation in a transaction and return what it returns, once that is committed.

        With `durable` it then survives a power failure; without, it does once a later durable write, or `sync`, has
        returned. It goes on if the caller is cancelled. `repeatable` says that it changes nothing when it runs again
        after it was committed: then it is tried again even where the connection was lost during the commit. `first` is
        a statement without parameters and rows that is sent with the beginning, which saves a way to the server.
        """
        begin = (_WRITE if durable else _WRITE_SOON) + (b"; " + first if first else b"")
        return await self._written_by(self._tried(operation, begin, repeatable=repeatable))

    async def write_at_once(self, operation: PostgresWork[T]) -> T:
        """As a durable and repeatable `write`, for one statement, which is a transaction by itself: one way to the
        server in place of three."""
        return await self._written_by(self._tried(operation, None, repeatable=True))

    async def read(self, operation: PostgresWork[T], *, one_state: bool = True) -> T:
        """Run an operation that sees one state of the database, with every write that has returned.

        Without `one_state` each of its statements sees a state of its own, which is quicker.
        """
        return await self._tried(operation, _READ if one_state else None, repeatable=True)

    async def rows(self, statement: str, parameters: Sequence[object] | dict[str, Any] = ()) -> list[tuple[Any, ...]]:
        """What one reading statement finds."""

        async def ask(connection: Connection) -> list[tuple[Any, ...]]:
            return await (await connection.execute(statement.encode(), parameters or None)).fetchall()

        return await self.read(ask, one_state=False)

    async def sync(self) -> None:
        """Return once every write so far is durable."""
        await self.write(_nothing, repeatable=True)

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Connection]:
        """A connection of its own, outside the pool and any transaction, as for `LISTEN`. It is closed at the end."""
        from psycopg import AsyncConnection, Error

        try:
            connection = await AsyncConnection.connect(self.address.conninfo.get_secret_value(), autocommit=True)
        except (Error, OSError) as error:
            raise self._translated(error) from error
        async with connection:
            yield connection

    async def _start(self) -> None:
        from psycopg_pool import AsyncConnectionPool

        async with self.connected():
            pass  # says why it cannot be reached; the pool would only say that it waited
        self._pool = AsyncConnectionPool(
            self.address.conninfo.get_secret_value(),
            min_size=1,
            max_size=self._pool_size,
            kwargs={"autocommit": True},
            configure=self._configure,
            timeout=self._timeout,
            reconnect_timeout=self._timeout,
            name=f"earwitness-{id(self)}",
            open=False,
        )
        await self._pool.open()

    async def _configure(self, connection: Connection) -> None:
        milliseconds = str(int(self._statement_timeout * 1000))
        await connection.execute("SELECT set_config('statement_timeout', %s, false)", (milliseconds,))
        await connection.execute(_PLANNED_ONCE)
        await connection.execute(_EACH_WRITES)
        await connection.execute(_DURABLE)  # a server may be configured to acknowledge what it can still lose

    async def _tried(self, operation: PostgresWork[T], begin: bytes | None, *, repeatable: bool) -> T:
        """Run it, and again as long as that is safe and may help."""
        until = monotonic() + self._timeout
        while True:
            attempt = _TransactionRun(operation, begin)
            try:
                return await attempt.run(self._opened())
            except Exception as error:
                if attempt.commit_lost and not repeatable:
                    raise uncertain(self.address) from error
                if not attempt.may_succeed_later(error) or monotonic() > until:
                    raise self._translated(error)  # noqa: B904 - it says from what
            if attempt.lost:
                await self._opened().check()  # the other connections were lost too, most likely
            await asyncio.sleep(uniform(0.01, _LONGEST_PAUSE))  # noqa: S311 - so that two processes do not wake in step

    async def _written_by(self, attempts: Coroutine[Any, Any, T]) -> T:
        """What they return. They go on if the caller is cancelled."""
        task = asyncio.ensure_future(attempts)
        self._writes.add(task)
        task.add_done_callback(self._written)
        return await asyncio.shield(task)

    def _written(self, task: asyncio.Task[Any]) -> None:
        self._writes.discard(task)
        with suppress(asyncio.CancelledError):
            task.exception()  # a caller who was cancelled does not ask for it

    def _translated(self, error: BaseException) -> BaseException:
        return translated(error, self.address)

    def _opened(self) -> AsyncConnectionPool[Any]:
        if self._pool is None:
            raise StorageError(f"{self.label!r} is not open. Call `open` first, or do not use it after `close`.")
        return self._pool


class _TransactionRun(Generic[T]):
    """One run of an operation, and how it ended."""

    def __init__(self, operation: PostgresWork[T], begin: bytes | None) -> None:
        self._operation = operation
        self._begin = begin
        self._committing = False
        self.lost = False
        """Whether its connection was lost."""

    @property
    def commit_lost(self) -> bool:
        """Whether nobody knows if it was committed."""
        return self.lost and self._committing

    async def run(self, pool: AsyncConnectionPool[Any]) -> T:
        """Run and commit. Whatever is raised, nothing was committed, unless `commit_lost`."""
        connection = await pool.getconn()
        try:
            return await self._transaction(connection)
        except BaseException:
            with suppress(Exception):  # a connection that cannot roll back is not used again
                await connection.rollback()
            raise
        finally:
            self.lost = connection.closed
            await pool.putconn(connection)

    async def _transaction(self, connection: Connection) -> T:
        if self._begin is None:
            return await self._operation(connection)
        await connection.execute(self._begin, prepare=False)
        result = await self._operation(connection)
        self._committing = self._begin is not _READ
        done = await connection.execute(b"COMMIT")
        if done.statusmessage != "COMMIT":
            raise StorageError("an operation went on after a database error, so nothing was committed.")
        return result

    def may_succeed_later(self, error: Exception) -> bool:
        """Whether trying again may help."""
        from psycopg import errors as theirs

        in_the_way = theirs.SerializationFailure | theirs.DeadlockDetected | theirs.CannotConnectNow
        return self.lost or isinstance(error, in_the_way)


async def _nothing(connection: Connection) -> None:
    """A durable commit that writes to the log brings to the disk what was written before it; an empty one would not."""
    await connection.execute("SELECT pg_logical_emit_message(true, 'earwitness', '')")
