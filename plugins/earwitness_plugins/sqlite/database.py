"""One SQLite file, shared by all components of one Earwitness instance that keep their data in it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from time import monotonic
from typing import TypeVar

import apsw
from anyio import CancelScope, to_thread

from earwitness.errors import StorageError
from earwitness.loading.resources import Resources

from .checkpoints import Checkpoints
from .connections import connect_checkpoints, connect_reader, connect_writer
from .errors import translated
from .inline_reader import InlineReader, WouldBlock
from .job import Job, Transaction
from .migrations import Migration, compact, migrate, up_to_date
from .readers import Readers
from .snapshot import write_snapshot
from .watch import Watch
from .writer import Writer

T = TypeVar("T")
IN_MEMORY = ":memory:"
_GIVE_WAY = 0.001
"""So many seconds of inline reads may follow each other before other tasks run."""


class Database:
    """One file, one writing thread that commits together what waits, and a few reading threads.

    Several components share it (`at`), and several processes may share the file: it is in WAL mode, and each write is
    a transaction that waits up to `busy_timeout` seconds for other processes.

    Every call but `at` may raise `StorageFull`, `StorageLocked`, `StorageCorrupt` (the file is damaged or not an
    Earwitness store), or `StorageError` for a path that cannot be used. The message says what to do.
    """

    def __init__(self, path: str, *, busy_timeout: float = 5.0) -> None:
        self.path = path if path == IN_MEMORY else str(Path(path).expanduser().resolve())
        self._busy_timeout = busy_timeout
        self._lock = Lock()
        self._users = 0
        self._components: set[str] = set()
        self._writer: Writer | None = None
        self._readers: Readers | None = None
        self._inline: InlineReader | None = None
        self._folder: TemporaryDirectory[str] | None = None
        self._gave_way = 0.0
        self._file = self.path

    @classmethod
    def at(cls, path: str, resources: Resources, *, busy_timeout: float = 5.0) -> Database:
        """The one database for this file among those who share these resources.

        `:memory:` is a file in a folder of its own, removed when the last user closes it.
        """
        made = cls(path, busy_timeout=busy_timeout)
        return resources.get(cls, made.path, lambda: made)

    async def open(self, component: str, migrations: Sequence[Migration]) -> None:
        """Start using the file, and bring this component's tables up to date. Every `open` needs a `close`.

        `migrations` are SQL scripts or functions, oldest first: the component's version is how many have run. Those
        that are missing run in one transaction. Raises `SchemaMismatch` when the file has run more than are given.
        """
        with self._lock:
            self._users += 1
            if self._users == 1:
                self._start()
        try:
            if not await self.write(partial(up_to_date, self.path, component, migrations), durable=False):
                await self._migrate(component, migrations)
        except BaseException:
            await self.close()
            raise
        self._components.add(component)

    def serves(self, component: str) -> bool:
        """Whether this component has its tables here, and uses them through this object."""
        return component in self._components

    async def _migrate(self, component: str, migrations: Sequence[Migration]) -> None:
        rewritten = await self.write(partial(migrate, self.path, component, migrations))
        if rewritten and self.path != IN_MEMORY:
            await to_thread.run_sync(compact, self.path, self._busy_timeout)

    async def write(self, operation: Transaction[T], *, durable: bool = True) -> T:
        """Run an operation in a write transaction and return what it returns, once that is committed.

        With `durable` it then survives a power failure; without, it does once a later durable write, or `sync`, has
        returned. Operations run one at a time in the order of the calls. One that raises is undone, alone. One may
        run twice (when SQLite gave up the transaction it was in), so it must change nothing but the database, and
        must not begin, commit or roll back. It must not hold on to the connection.
        """
        job = Job(operation, durable=durable)
        self._opened(self._writer).submit(job)
        return await job.waiting

    async def read(self, operation: Transaction[T]) -> T:
        """Run an operation in a read transaction: it sees one state of the file, with every write that has returned."""
        job = Job(operation)
        self._opened(self._readers).submit(job)
        return await job.waiting

    async def read_inline(self, operation: Transaction[T], otherwise: Transaction[T] | None = None) -> T:
        """As `read`, but at once on the caller's thread: for a few rows by key, or for what is in memory already.

        The way to a thread and back would take longer than such a read. When it cannot run at once, or the operation
        raises `WouldBlock`, a reading thread does it, with `otherwise` if that is given. Other tasks run in between.
        """
        await self._let_others_run()
        try:
            return self._opened(self._inline).read(operation)
        except WouldBlock:
            return await self.read(otherwise or operation)

    async def peek(self, operation: Transaction[T]) -> T:
        """As `read_inline`, for an operation of one statement; raises `WouldBlock` when it cannot run at once."""
        await self._let_others_run()
        return self._opened(self._inline).peek(operation)

    async def sync(self) -> None:
        """Return once every write so far is durable."""
        await self.write(_nothing)

    async def snapshot(self, target: str) -> None:
        """Copy all that is committed to a new file, as one moment sees it. Nobody waits for it.

        Raises `InputError` for a target that exists.
        """
        self._opened(self._writer)
        try:
            await to_thread.run_sync(write_snapshot, self._file, target, self._busy_timeout)
        except (apsw.Error, OSError) as error:
            ours = translated(error, target, self._busy_timeout)
            raise ours if ours is not error else StorageError(f"{target!r} cannot be written: {error}") from error

    async def close(self) -> None:
        """Stop using the file. The last user waits for what is queued and closes it."""
        with self._lock:
            self._users = max(0, self._users - 1)
            if self._users:
                return
            self._components.clear()
            stopping = (self._inline, self._readers, self._writer, self._folder)
            self._inline = self._readers = self._writer = self._folder = None
        with CancelScope(shield=True):
            await to_thread.run_sync(_stop, *stopping)

    async def _let_others_run(self) -> None:
        """Give way to other tasks of the event loop, at most once a millisecond."""
        now = monotonic()
        if now - self._gave_way > _GIVE_WAY:
            await asyncio.sleep(0)
            self._gave_way = monotonic()

    def _start(self) -> None:
        path = self.path
        if path == IN_MEMORY:
            self._folder = TemporaryDirectory(prefix="earwitness-")
            path = str(Path(self._folder.name) / "story.db")
        self._file = path
        self._readers = readers = Readers(partial(connect_reader, path, self._busy_timeout), self._translated)
        self._inline = inline = InlineReader(partial(connect_reader, path, 0))
        connect = partial(connect_writer, path, self._busy_timeout)
        checkpoints = Checkpoints(partial(connect_checkpoints, path, self._busy_timeout))
        alone = partial(_disconnected, readers, inline)
        self._writer = Writer(connect, self._translated, Watch(path), alone, checkpoints)

    def _translated(self, error: BaseException) -> BaseException:
        return translated(error, self.path, self._busy_timeout)

    def _opened(self, part: T | None) -> T:
        if part is None or self._writer is None:
            raise StorageError(f"{self.path!r} is not open. Call `open` first, or do not use it after `close`.")
        self._writer.check()
        return part


@contextmanager
def _disconnected(readers: Readers, inline: InlineReader) -> Iterator[None]:
    with readers.disconnected(), inline.disconnected():
        yield


def _stop(
    at_hand: InlineReader | None, readers: Readers | None, writer: Writer | None, folder: TemporaryDirectory[str] | None
) -> None:
    for worker in (at_hand, readers, writer):
        if worker is not None:
            worker.stop()
    if folder is not None:
        folder.cleanup()


def _nothing(connection: apsw.Connection) -> None:
    """A durable write of nothing still brings to the disk what was written before it."""
