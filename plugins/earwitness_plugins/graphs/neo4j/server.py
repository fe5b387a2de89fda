"""A server that speaks Bolt: transactions that are tried again, and its errors as Earwitness's own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from random import uniform
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
from pydantic import SecretStr

from earwitness.errors import EarwitnessError, SettingsError, StorageError

if TYPE_CHECKING:
    from neo4j import AsyncDriver, AsyncManagedTransaction

T = TypeVar("T")
BoltWork = Callable[["AsyncManagedTransaction"], Awaitable[T]]
SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
EXAMPLE = "bolt://localhost:7687"
ATTEMPTS = 12
"""How often a transaction is tried in which another one made the same new node first."""
LONGEST_PAUSE = 0.5
"""The most seconds between two attempts."""
FILTERS_NOTIFICATIONS = (5, 2)
"""The version of Bolt from which a client may say which notifications it does not want."""


class Server:
    """One database on one server. The driver is made when it is opened, on the event loop that uses it."""

    def __init__(self, uri: str, user: str, password: SecretStr | None, database: str, timeout: float) -> None:
        """Raises `SettingsError` for a uri of another scheme."""
        if uri.partition("://")[0] not in SCHEMES:
            schemes = ", ".join(SCHEMES)
            raise SettingsError(f"uri = {uri!r} cannot be used. Write one such as {EXAMPLE!r}; schemes: {schemes}.")
        self.uri = uri
        """Where it is."""
        self._user, self._password = user, password
        self._database = database
        self._timeout = timeout
        self._driver: AsyncDriver | None = None
        self._unwanted: dict[str, Any] = {}

    async def open(self) -> None:
        """Connect. Raises `StorageError` if nobody answers, or who does refuses us."""
        try:
            from neo4j import AsyncGraphDatabase
        except ModuleNotFoundError as missing:
            raise SettingsError("the graph 'neo4j' needs its driver: pip install 'earwitness[neo4j]'.") from missing
        try:
            self._driver = AsyncGraphDatabase.driver(
                self.uri,
                auth=None if self._password is None else (self._user, self._password.get_secret_value()),
                connection_timeout=self._timeout,
                connection_acquisition_timeout=2 * self._timeout,
                max_transaction_retry_time=self._timeout,
            )
            async with self._driver.session(database=self._database) as session:
                await (await session.run("RETURN 1")).consume()
            self._unwanted = await self._unwanted_notifications(self._driver)
        except Exception as error:
            await self.close()
            raise self._translated(error) from error

    async def close(self) -> None:
        """Let go of all connections."""
        driver, self._driver = self._driver, None
        if driver is not None:
            with suppress(Exception), anyio.CancelScope(shield=True):
                await driver.close()

    @staticmethod
    async def _unwanted_notifications(driver: AsyncDriver) -> dict[str, Any]:
        """What a session is opened with. A new database knows no label of ours, and would warn each time."""
        if (await driver.get_server_info()).protocol_version < FILTERS_NOTIFICATIONS:
            return {}
        return {"notifications_disabled_classifications": ["UNRECOGNIZED"]}

    async def agent(self) -> str:
        """What the server says that it is."""
        return str((await self._opened().get_server_info()).agent)

    async def define(self, statements: tuple[Any, ...]) -> None:
        """Make constraints and indexes, each in a transaction of its own."""
        for statement in statements:

            async def run(tx: AsyncManagedTransaction, statement: Any = statement) -> None:
                await (await tx.run(statement)).consume()

            await self.write(run)

    async def write(self, work: BoltWork[T]) -> T:
        """Run work in a write transaction. It may run several times: others may have been in its way."""
        from neo4j.exceptions import ConstraintError

        for attempt in range(ATTEMPTS):
            try:
                return await self._run("WRITE", work)
            except ConstraintError as error:  # the same new key, merged twice at once: the next time it is there
                if attempt == ATTEMPTS - 1:
                    raise self._translated(error) from error
                await anyio.sleep(uniform(0, min(LONGEST_PAUSE, 0.01 * 2**attempt)))  # noqa: S311 - out of step
        raise AssertionError

    async def read(self, work: BoltWork[T]) -> T:
        """Run work in a read transaction."""
        return await self._run("READ", work)

    async def _run(self, mode: str, work: BoltWork[T]) -> T:
        from neo4j.exceptions import ConstraintError

        try:
            driver = self._opened()
            async with driver.session(database=self._database, default_access_mode=mode, **self._unwanted) as session:
                return await (session.execute_write(work) if mode == "WRITE" else session.execute_read(work))
        except (ConstraintError, EarwitnessError):
            raise
        except Exception as error:
            raise self._translated(error) from error

    def _opened(self) -> AsyncDriver:
        if self._driver is None:
            raise StorageError(f"{self.uri!r} is not open. Call `open` first, or do not use it after `close`.")
        return self._driver

    def _translated(self, error: Exception) -> BaseException:
        """The `StorageError` for an error of the driver's; any other error unchanged."""
        from neo4j import exceptions as theirs

        match error:
            case theirs.AuthError():
                why = f"refuses the user {self._user!r}. Check user and password"
            case theirs.ConfigurationError() | ValueError():
                why = f"cannot be used ({error}). Write a uri such as {EXAMPLE!r}"
            case theirs.ServiceUnavailable() | theirs.SessionExpired() | OSError():
                why = "does not answer. Start the server, or correct the uri; what was acknowledged is safe"
            case theirs.ClientError() if "DatabaseNotFound" in str(error.code):
                why = f"has no database {self._database!r}. Create it, or name another one"
            case theirs.Neo4jError():
                why = f"says {error.code}: {error.message}. Nothing was written"
            case theirs.DriverError():
                why = f"could not be asked ({type(error).__name__}: {error}). Nothing is known to be written"
            case _:
                return error
        return StorageError(f"{self.uri!r} {why}.")
